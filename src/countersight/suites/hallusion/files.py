"""HallusionBench: the authors' HallusionBench.json, with the unpacked hallusion_bench as the folder of pictures.

    category, subcategory         VD (the picture is needed) or VS (it is beside the point); illusion, chart, map, …
    visual_input                  0 none, 1 the original, 2 a changed one
    set_id, figure_id             which set, and which figure of it: category/subcategory/SET_FIGURE.png
    question_id, question         which question of the set
    gt_answer                     1 yes, 0 no

All questions of a set are asked of all its figures. aAcc is the share of right answers, qAcc that of questions which
are right for every figure, fAcc that of figures of which every question is right. The authors' are judged by a language
model that is told the right answer in words; ours are read as yes and no.
"""

from functools import partial

from countersight.case import Case, Cell, Question
from countersight.suites.fields import checked, name_of, text_of
from countersight.suites.hallusion.suite import NAME
from countersight.suites.importing import BadField, Layout, Row
from countersight.suites.table_file import table_rows

_PLACE = ("category", "subcategory", "set_id", "figure_id")
FIELDS = (*_PLACE, "visual_input", "question_id", "question", "gt_answer")


def _as_case(row: Row, number: int) -> Case:
    category, subcategory, chosen, figure = _place(row)
    seen = figure if _is_shown(row) else ""
    return Case(
        id=f"{NAME}-{number:05d}",
        group=f"{category} {subcategory}",
        factual=_question(row),
        cell=Cell(f"{category}/{subcategory}/{chosen}", _text(row, "question_id"), seen),
        provenance={"visual_input": _text(row, "visual_input")},
        text_only=not seen,
    )


def _place(row: Row) -> tuple[str, str, str, str]:
    category = name_of(row, "category", ("vd", "vs")).upper()
    subcategory, chosen, figure = (_text(row, field) for field in _PLACE[1:])
    return category, subcategory, chosen, figure


def _text(row: Row, field: str) -> str:
    """What stands in a field, a number too."""
    return text_of({field: str(row[field])}, field)


def _is_shown(row: Row) -> bool:
    return _text(row, "visual_input") != "0"


def _question(row: Row) -> Question:
    answer = {"1": "yes", "0": "no"}.get(_text(row, "gt_answer"))
    if answer is None:
        raise BadField("gt_answer", f"{_text(row, 'gt_answer')[:40]!r} is neither 1 nor 0")
    # The authors count "uncertain" as right where the figure is withheld, and as wrong everywhere else.
    question = Question(text_of(row, "question"), answer, "boolean", accepts_uncertain=not _is_shown(row))
    return checked(question, {"text": "question", "answer": "gt_answer"})


def _picture(row: Row) -> str | None:
    if not _is_shown(row):
        return None
    category, subcategory, chosen, figure = _place(row)
    return f"{category}/{subcategory}/{chosen}_{figure}.png"


LAYOUT = Layout(
    suite=NAME,
    title="HallusionBench",
    description="Questions for yes or no of sets of figures, some of them changed or withheld.",
    rows=partial(table_rows, fields=FIELDS),
    as_case=_as_case,
    picture=_picture,
    picture_field="figure_id",
    folders=("", "hallusion_bench"),
)

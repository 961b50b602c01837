"""HallusionBench: the authors' HallusionBench.json, with the unpacked hallusion_bench as the picture folder.

    category, subcategory         VD (the picture is needed) or VS (it is supplementary); illusion, chart, map, …
    visual_input                  0 none, 1 the original, 2 a changed one
    set_id, figure_id             the set, and the figure in it: category/subcategory/SET_FIGURE.png
    question_id, question         the number and the text of the question in its set
    gt_answer                     1 yes, 0 no

All questions of a set are asked about all its figures; those with visual_input 0 are asked without a picture. aAcc is
the share of right answers, qAcc the share of questions that are right for every figure, and fAcc the share of figures
for which every question is right. As in the paper, a reply that is neither yes nor no is right if the figure is
not shown, and wrong otherwise. The authors use a language model that knows the right answer to judge replies; here they
are read as yes or no.
"""

from collections.abc import Iterable
from typing import Final

from countersight.case import Case, Cell, Question
from countersight.scoring import Axis
from countersight.suites.paper_terms import AS_IT_IS, Terms
from countersight.suites.rows import checked, name_of, plain_text, text_of
from countersight.suites.suite import BadField, Layout, Row, Suite

NAME: Final = "hallusionbench"
_PLACE: Final = ("category", "subcategory", "set_id", "figure_id")
_FIGURES: Final = {"0": "none", "1": "original", "2": "changed"}


def _as_case(row: Row, number: int) -> Case:
    category, subcategory, chosen, figure = _place(row)
    truth = plain_text(row, "gt_answer")
    if truth not in ("0", "1"):
        raise BadField("gt_answer", f"{truth[:40]!r} is neither 1 nor 0")
    shown = _picture(row) is not None
    question = Question(
        text_of(row, "question"), "yes" if truth == "1" else "no", "boolean", accepts_uncertain=not shown
    )
    return Case(
        id=f"{NAME}-{number:05d}",
        group=f"{category} {subcategory}",
        factual=checked(question, {"text": "question", "answer": "gt_answer"}),
        cell=Cell(f"{category}/{subcategory}/{chosen}", plain_text(row, "question_id"), figure if shown else ""),
        provenance={"visual_input": plain_text(row, "visual_input")},
        text_only=not shown,
    )


def _place(row: Row) -> tuple[str, ...]:
    category = name_of(row, "category", ("vd", "vs")).upper()
    return category, *(plain_text(row, field) for field in _PLACE[1:])


def _picture(row: Row) -> str | None:
    category, subcategory, chosen, figure = _place(row)
    return None if plain_text(row, "visual_input") == "0" else f"{category}/{subcategory}/{chosen}_{figure}.png"


def _figure(case: Case) -> Iterable[str]:
    known = _FIGURES.get(str(case.provenance.get("visual_input")))
    return (known,) if known else ()


SUITE: Final = Suite(
    NAME,
    "HallusionBench: yes/no questions about sets of figures, some of them changed or not shown",
    "the authors' HallusionBench.json: category, subcategory, set_id, figure_id, question, gt_answer",
    "the unpacked folder hallusion_bench: CATEGORY/SUBCATEGORY/SET_FIGURE.png",
    Layout(
        fields=(*_PLACE, "visual_input", "question_id", "question", "gt_answer"),
        as_case=_as_case,
        picture=_picture,
        picture_field="figure_id",
        folders=("", "hallusion_bench"),
    ),
    terms=Terms(
        about=AS_IT_IS,
        measures={"factual": "aAcc"},
        wholes={"question": "qAcc", "picture": "fAcc"},
        axes=(
            Axis("category", ("VD", "VS"), lambda case: (case.group[:2],)),
            Axis("figure", tuple(_FIGURES.values()), _figure),
        ),
    ),
)

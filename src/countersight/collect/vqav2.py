"""Import questions of VQAv2 for which people can write counterfactual questions (flow `cvqa`).

These are the questions that ask for a number or for yes or no, and whose picture is there.
"""

from collections.abc import Callable
from pathlib import Path

import msgspec

from countersight.case import Case
from countersight.collect.flows.cvqa import CLOSED, with_closed_question
from countersight.errors import CampaignError
from countersight.suites import VQAV2_NAME, BadField, Layout, Part, Row, Rows, find_suite, import_file
from countersight.text import several


def import_vqav2(
    folder: Path,
    *,
    questions: Path,
    annotations: Path,
    pictures: Path,
    size: int | None = None,
    seed: int = 0,
    on_bad: Callable[[str], None] = lambda words: None,
) -> str:
    """Write usable questions of VQAv2, or `size` of them drawn at random, as a dataset; return a summary.

    Invalid entries are reported. Questions that cannot be used are only counted, because VQAv2 has very many of them.
    """
    if not pictures.is_dir():
        raise CampaignError(f"{pictures} is not a folder; name the folder that contains VQAv2's pictures")
    suite = find_suite(VQAV2_NAME)
    layout = suite.open_layout(annotations)
    usable, skipped = _usable_entries(layout, questions, pictures)
    if not usable:
        raise CampaignError(f"no question of {questions} can be used: {skipped}")

    def rows(path: Path) -> Rows:
        """Yield the usable questions, and invalid entries, which the import reports."""
        assert layout.rows is not None
        return ((line, row) for line, row in layout.rows(path) if isinstance(row, BadField) or line in usable)

    def as_case(row: Row, number: int) -> Case:
        return with_closed_question(layout.as_case(row, number))

    chosen = msgspec.structs.replace(layout, rows=rows, as_case=as_case)
    made = import_file(
        suite._replace(layout=lambda _: chosen),
        questions,
        folder,
        pictures=pictures,
        second_file=annotations,
        part=Part(size, None, seed) if size else None,
        on_bad=lambda line, field, reason: on_bad(f"{questions} entry {line}: {field}: {reason}"),
    )
    return f"{made.cases:,} of {several(len(usable), 'usable question')} of VQAv2; {skipped}"


def _usable_entries(layout: Layout, questions: Path, pictures: Path) -> tuple[set[int], str]:
    """Return the entries whose questions can be used (and invalid ones), and a sentence on the others."""
    assert layout.rows is not None
    usable: set[int] = set()
    other_kind = without_picture = 0
    for entry, row in layout.rows(questions):
        if isinstance(row, BadField):
            continue
        try:
            question = with_closed_question(layout.as_case(row, entry)).factual
            file = str(layout.picture(row))
        except BadField:
            usable.add(entry)  # so that the import reports it
            continue
        if question is None or question.kind not in CLOSED:
            other_kind += 1
        elif not any((pictures / subfolder / file).is_file() for subfolder in layout.folders):
            without_picture += 1
        else:
            usable.add(entry)
    skipped = f"{other_kind:,} ask neither for a number nor for yes or no, as C-VQA requires"
    if without_picture:
        skipped += f", and the pictures of {without_picture:,} are not in {pictures}"
    return usable, skipped

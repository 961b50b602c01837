"""What stands in a field of a row, or what is wrong with it."""

from collections.abc import Mapping

from countersight.case import Question
from countersight.suites.importing import Row
from countersight.suites.picture_files import BadField


def text_of(row: Row, field: str) -> str:
    """The text in a field, without spaces around it; raises BadField where there is none."""
    value = row[field]
    if not isinstance(value, str):
        raise BadField(field, "is not text")
    if "\0" in value:
        raise BadField(field, "is not text: there is a NUL in it")
    if not value.strip():
        raise BadField(field, "is empty")
    return value.strip()


def name_of(row: Row, field: str, names: tuple[str, ...]) -> str:
    """The one of these names that stands in a field, in small letters or not."""
    text = text_of(row, field)
    name = text.casefold()
    if name not in names:
        raise BadField(field, f"{text[:40]!r} is none of {', '.join(names)}")
    return name


def checked(question: Question, fields: Mapping[str, str]) -> Question:
    """The question if nothing is wrong with it; `fields` names the published field of its text, answer and options."""
    fault = question.fault()
    if fault:
        part, _, reason = fault.partition(": ")
        raise BadField(fields[part], reason[:200])
    return question

"""The count, or the option that is one, of a reply that only parts a whole."""

from msgspec.structs import replace

from countersight.case import LETTERS, Question
from countersight.reading.choices.letters import CAPITAL
from countersight.reading.choices.options import option_counts
from countersight.reading.counts.by_place import Told
from countersight.reading.counts.of_two_things import told_of_two
from countersight.reading.counts.told_in_parts import told_in_parts


def told_of_parts(said: str, question: Question) -> Told | None:
    """What such a reply tells; no value where no option is that count."""
    if question.kind == "number":
        return told_of_two(said, question.text) or told_in_parts(said, question.text)
    counts = option_counts(question) if question.kind == "choice" else []
    by_letter = any(found[1] in LETTERS[: len(counts)] for found in CAPITAL.finditer(said))
    told = told_of_parts(said, replace(question, kind="number")) if counts and not by_letter else None
    if told is None:
        return None
    return Told(LETTERS[counts.index(told.value)] if told.value and counts.count(told.value) == 1 else None)

"""The model sees, the grammar imagines: a number under a change, worked out from the model's own number without it."""

from countersight.case import LETTERS, Question, Reply
from countersight.reading import ReadFrom, read_reply

COMPOSED = "composed"
"""Why the model stopped, of a reply that it never wrote: the grammar worked the number out."""


def composed_answer(fact: Reply, factual: Question, imagined: Question, read_from: ReadFrom) -> str | None:
    """The answer to a question about a change, from what the model said about the picture as it is.

    None where the question is not for a number, the model said none, the grammar does not decide, or no option is that
    number: then the model has to be asked.
    """
    from countersight.composer import compose  # takes as long to import as everything else here

    said = read_reply(fact, factual, read_from)
    number = None if said is None else _number(said, factual)
    changed = None if number is None else compose(number, imagined.text, factual.text)
    if changed is None or imagined.kind not in ("number", "choice"):
        return None
    if imagined.kind == "number":
        return str(changed)
    places = [place for place, option in enumerate(imagined.options) if option.text.strip() == str(changed)]
    return LETTERS[places[0]] if len(places) == 1 else None


def _number(said: str, question: Question) -> int | None:
    """A whole number that was said, or chosen among options."""
    text = question.options[LETTERS.index(said)].text.strip() if question.kind == "choice" else said
    return int(text) if text.isascii() and text.isdigit() and len(text) <= 9 else None

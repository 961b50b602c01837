"""What a passage of a reply says, and what it opens with, by the kind of its question."""

from countersight.case import Question
from countersight.reading.choices.letters import opening_choice
from countersight.reading.choices.options import choice
from countersight.reading.choices.undoubted import are_yes_and_no
from countersight.reading.counts.counting import count
from countersight.reading.language.parted import without_the_denied_word
from countersight.reading.language.ranks import opening_number
from countersight.reading.language.statements import without_refusal
from countersight.reading.yes_or_no.polarity import polarity
from countersight.reading.yes_or_no.yes_words import opening_polarity

_LONGEST_OPTION = 2_000  # characters


def option_texts(question: Question) -> list[str]:
    """The options as they are read: what is longer is no option, and would take minutes."""
    return [option.text[:_LONGEST_OPTION] for option in question.options]


def opening(region: str, question: Question) -> str | None:
    match question.kind:
        case "number":
            return opening_number(region)
        case "boolean":
            return opening_polarity(without_the_denied_word(region))
        case "choice":
            return opening_choice(region, option_texts(question))
        case "open":
            return region.strip() or None


def prose(text: str, question: Question) -> str | None:
    match question.kind:
        case "number":
            return count(text, question.text)
        case "boolean":
            return polarity(text, question.text)
        case "choice":
            return choice(text, option_texts(question), question.text)
        case "open":
            return text


def said_outright(region: str, question: Question) -> str | None:
    """The answer in a passage that is known to hold it: first what it opens with, then what it says."""
    opened = opening(region, question)
    return opened if opened or question.kind == "open" else prose(region, question)


def unrefused(text: str, question: Question) -> str | None:
    """The text without its refusals, unless an option says that it cannot be told: then that is an answer."""
    if any(without_refusal(option.text) is None for option in question.options):
        return text
    return without_refusal(text)


def asks_yes_or_no(question: Question) -> bool:
    return question.kind == "boolean" or are_yes_and_no(option_texts(question))

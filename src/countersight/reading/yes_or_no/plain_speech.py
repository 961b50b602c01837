"""All that puts a reply, and where need be its question, into the words that the rules for yes and no read."""

import re

from countersight.reading.language.asked import asked_by
from countersight.reading.yes_or_no.changes_of_state import as_told_of_one_world
from countersight.reading.yes_or_no.consequences import told_of_its_end
from countersight.reading.yes_or_no.reach import of_reaching
from countersight.reading.yes_or_no.ways_free import of_free_ways

# The last line of a list of steps, where it is called what they come to.
_CONCLUDED = re.compile(r"\n\W*(?:conclusion|outcome|verdict)\s*: (?P<what>[^\n]+)\s*$", re.IGNORECASE)
_LOOKS_AT = re.compile(r"\blooks (?=(?:straight |directly )?at\b)", re.IGNORECASE)
_LOOK_AT = re.compile(r"\blook (?=at\b)", re.IGNORECASE)


def in_plain_speech(text: str, question: str) -> tuple[str, str]:
    """The text and the question, in the words of one world, one end and one way."""
    if concluded := _CONCLUDED.search(text):
        text = concluded["what"]
    if "look" in question.lower():
        # To look like something means little by itself; to look at it does not.
        text, question = (_LOOK_AT.sub("looking ", _LOOKS_AT.sub("is looking ", told)) for told in (text, question))
    text, question = of_reaching(text, question)
    text, question = of_free_ways(text, question)
    asked = asked_by(question)
    return told_of_its_end(as_told_of_one_world(text, asked), asked), question

"""Whether a clause tells the state that was asked for, or its opposite: "it is shut", to whether it is open."""

import re

from countersight.reading.language.asked import Asked, content
from countersight.reading.language.clauses import MODAL
from countersight.reading.language.opposites import states, told_of
from countersight.reading.language.vocabulary import any_of
from countersight.reading.yes_or_no.negation import NEGATED, SHORT_NOT

FIRST_VERB = re.compile(
    rf"{MODAL}|\b(?:is|are|was|were|has|have|had)\b|{any_of('yes_no.change_verbs')}|'s\b|'re\b|n't\b", re.IGNORECASE
)
# The word right before a state, where the state is what the verb says of its subject.
_LINK = re.compile(rf"{any_of('yes_no.links')}\s+$", re.IGNORECASE)
# "Pressing the switch would turn it on": "it" is what was asked about, whoever turns it on.
_CAUSE = re.compile(rf"{any_of('yes_no.causing')}\s+(?P<what>it|them|the \w+(?: \w+)?)\s+$", re.IGNORECASE)
_ADVERBS = re.compile(
    r"^\W*(?:very|quite|rather|pretty|still|really|\w{2,}ly)\s+|,? (?:indeed|i imagine|i think)\b", re.IGNORECASE
)
# "The lamp on the table is off"; but "the lamp on the left" may be another one.
_ITS_PLACE = re.compile(
    r"(?<=\w) (?:in|on|at|by|near|above|under|behind) the "
    r"(?!left|right|other|first|second|top|bottom|middle|far|next|back)[a-z]+ $",
    re.IGNORECASE,
)
_ANY_PLACE = re.compile(rf"\b{any_of('questions.prepositions')} (?:the|an?|his|her|its)\b", re.IGNORECASE)


def told_state(clause: str, asked: Asked) -> bool | None:
    """Whether a clause tells the state that was asked for, or the opposite of it."""
    if not asked.states:
        return None
    bare = _ADVERBS.sub("", clause).strip(" .!,").lower()
    told = states(clause)
    if any(bare == state.group().lower() for state in states(bare)):
        return told_of(asked.states, [bare], negated=False)  # "Closed.", "Very dark indeed."
    verb = FIRST_VERB.search(clause)
    if not verb:
        return None
    leads = [(state.group().lower(), clause[max(0, state.start() - 30) : state.start()]) for state in told]
    subject = SHORT_NOT.sub("", clause[: verb.start()])
    of_the_asked = content(subject if _ANY_PLACE.search(asked.text) else _ITS_PLACE.sub("", subject)) <= asked.words
    said = [word for word, lead in leads if _is_made_so(lead, asked) or (of_the_asked and _LINK.search(lead))]
    return told_of(asked.states, said, negated=bool(NEGATED.search(clause)))


def _is_made_so(lead: str, asked: Asked) -> bool:
    """Whether something makes what was asked about so: "it would make the table unstable"."""
    cause = _CAUSE.search(lead)
    return cause is not None and content(cause["what"]) <= {asked.subject}

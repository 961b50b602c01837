"""Reads a model's answer out of what it wrote: a number, yes or no, an option's letter, or the text itself.

Rules are tried from the strongest to the weakest: what the reply marks as its answer, what it calls its answer, what
its sentences conclude, suppose and state. A correction beats what it corrects, and a reply that breaks off has given
only what it had marked. A reply that gives no answer, or more than one, is unread (None): nothing is guessed. The gold
answer is never looked at. The words are in language/vocabulary.toml.
"""

from countersight.reading.agreement import agrees
from countersight.reading.answers import ReadFrom, answer_in
from countersight.reading.language.statements import without_refusal
from countersight.reading.replies import combined, read_reply
from countersight.reading.texts import Reading, read

__all__ = ["ReadFrom", "Reading", "agrees", "answer_in", "combined", "read", "read_reply", "without_refusal"]

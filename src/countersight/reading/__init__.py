"""Extracts a model's answer from what it wrote: a number, yes or no, the letter of an option, or the text itself.

In order of strength: what the reply marks as its answer, what it calls its answer, what it opens with, what it
concludes, and what it states in the question's own words. A correction beats what stands before it. A reply that gives
no answer, or two that nothing decides between, is unread (None). The gold answer is never looked at.
"""

from countersight.reading.answers import ReadFrom, answer_in
from countersight.reading.replies import Reading, agrees, combined, read, read_reply
from countersight.reading.sentences import without_refusal

__all__ = ["ReadFrom", "Reading", "agrees", "answer_in", "combined", "read", "read_reply", "without_refusal"]

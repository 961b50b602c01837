"""Extracts a model's answer from its reply: a number, yes or no, the letter of an option, or the text itself.

These parts of a reply are used, in order of precedence: a marked answer, an announced answer, the beginning, the
conclusion, and statements in the question's own words. A correction overrides what comes before it. A reply without an
answer, or with two conflicting ones, counts as unread (None). The gold answer is never used.
"""

from countersight.reading.answers import ReadFrom, Reading, answer_in, read, read_reply
from countersight.reading.numbers import canonical
from countersight.reading.sentences import without_refusal

__all__ = ["ReadFrom", "Reading", "answer_in", "canonical", "read", "read_reply", "without_refusal"]

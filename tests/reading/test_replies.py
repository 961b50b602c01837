"""Written replies, sorted by what they show, are read as people read them."""

import pytest
from msgspec.structs import replace
from replies import NAMES, replies

from countersight.reading import read_reply
from countersight.scoring import is_right


@pytest.mark.parametrize("name", NAMES)
def test_written_replies_are_read_as_people_read_them(name):
    misread = []
    for line in replies(name):
        answer = read_reply(line.reply, line.question, line.read_from)
        same = answer == line.expected or (
            line.question.kind == "open"
            and answer is not None
            and line.expected is not None
            and is_right(answer, replace(line.question, answer=line.expected))
        )
        if not same:
            misread.append((line.question.text, line.reply.text, line.expected, answer))
    assert misread == []

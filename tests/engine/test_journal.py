"""The journal loses no acknowledged reply and accepts no damaged line."""

import json
import zlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from countersight.case import Reply
from countersight.engine import Journal, decode_line, encode_line, read_journal
from countersight.engine.journal import read_with_offsets, replies_at

replies = st.builds(
    Reply,
    case=st.text(min_size=1),
    row=st.integers(0, 10**9),
    world=st.sampled_from(["factual", "counterfactual"]),
    telling=st.sampled_from(["told", "shown"]),
    state=st.sampled_from(["answered", "failed"]),
    text=st.text(),
    losses=st.lists(st.floats(-1e9, 1e9), max_size=4).map(tuple),
)


@given(replies)
def test_a_reply_survives_its_line_and_the_line_is_plain_json(reply):
    line = encode_line(reply)
    assert decode_line(line) == reply
    assert line.count(b"\n") == 1
    assert json.loads(line)["case"] == reply.case


def test_replies_are_found_by_the_offset_of_their_line(tmp_path):
    lines = [encode_line(Reply(f"case-{number}", number, "factual", text="é" * number)) for number in range(4)]
    lines[1] = lines[1].replace(b"case", b"cast")
    path = tmp_path / "journal"
    path.write_bytes(b"".join(lines).rstrip(b"\n"))
    located = dict(read_with_offsets(path))
    assert [reply.row for reply in located.values()] == [0, 2, 3]
    assert replies_at(path, [*reversed(located), len(lines[0])]) == located  # the second line is damaged
    assert replies_at(tmp_path / "none", []) == {}


@given(replies, st.data())
def test_a_damaged_line_is_never_taken_for_a_reply(reply, data):
    line = bytearray(encode_line(reply).rstrip(b"\n"))
    at = data.draw(st.integers(0, len(line) - 1))
    line[at] ^= data.draw(st.integers(1, 255))
    assert decode_line(bytes(line)) is None


@given(st.lists(replies, min_size=1, max_size=6), st.data())
def test_a_journal_cut_at_any_byte_keeps_every_whole_line_and_can_go_on(tmp_path_factory, said, data):
    path = tmp_path_factory.mktemp("journal") / "replies.jsonl"
    lines = [encode_line(reply) for reply in said]
    cut = data.draw(st.integers(0, sum(map(len, lines))))
    path.write_bytes(b"".join(lines)[:cut])
    whole, length = 0, 0
    while whole < len(lines) and length + len(lines[whole]) <= cut:
        length += len(lines[whole])
        whole += 1
    with Journal(path) as journal:
        journal.append(said[0])
    assert list(read_journal(path)) == [*said[:whole], said[0]]


def test_a_line_with_a_right_checksum_that_is_no_reply_is_passed_over(tmp_path):
    body = b'{"case":7'
    path = tmp_path / "replies.jsonl"
    path.write_bytes(b'%s,"crc":"%08x"}\n' % (body, zlib.crc32(body)))
    assert list(read_journal(path)) == []


def test_duckdb_reads_it(tmp_path):
    duckdb = pytest.importorskip("duckdb")
    path = tmp_path / "replies.jsonl"
    with Journal(path) as journal:
        for row in range(3):
            journal.append(Reply(f"case-{row}", row, "factual", text="B"))
    assert duckdb.sql(f"select count(*), min(text) from '{path}'").fetchall() == [(3, "B")]

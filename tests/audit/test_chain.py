"""The log of an audit: lines are chained by hashes, so that every change is found."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from countersight.audits.records import ModelReply, RecordedTurn, Step, StepPlace
from countersight.audits.step_log import decode_step, encode_step, read_steps
from countersight.errors import AuditError


def chain(path, texts):
    previous, lines = "", []
    for n, text in enumerate(texts):
        step = Step(n, "answer", StepPlace(f"case-{n}", n), f"{n:064x}", ModelReply(text), previous=previous)
        line, previous = encode_step(step)
        lines.append(line)
    path.write_bytes(b"".join(lines))
    return lines


@given(st.text(), st.text())
def test_a_step_survives_encoding_and_decoding(question, answer):
    step = Step(
        0,
        "answer",
        StepPlace("c", 3),
        "ab",
        ModelReply(answer),
        asked=(RecordedTurn("user", question, "12"),),
        previous="cd",
    )
    line, digest = encode_step(step)
    assert line.count(b"\n") == 1
    assert decode_step(line) == Step(**{f: getattr(step, f) for f in step.__struct_fields__} | {"hash": digest})


def test_a_log_is_read_in_order_and_an_incomplete_last_line_is_ignored(tmp_path):
    log = tmp_path / "steps.jsonl"
    lines = chain(log, ["a", "b", "c"])
    assert [step.output.text for step in read_steps(log)] == ["a", "b", "c"]
    log.write_bytes(b"".join(lines) + b'{"n":3,"stage":"ans')
    assert [step.n for step in read_steps(log)] == [0, 1, 2]
    assert list(read_steps(tmp_path / "none")) == []


@pytest.mark.parametrize(
    ("change", "line"),
    [
        (lambda lines: [lines[0], lines[1].replace(b'"b"', b'"x"'), lines[2]], 2),
        (lambda lines: [lines[0], lines[2]], 2),
        (lambda lines: [lines[0], lines[0], lines[1], lines[2]], 2),
        (lambda lines: [lines[1], lines[0], lines[2]], 1),
        (lambda lines: [lines[0], b"\n", lines[1]], 2),
        (lambda lines: [b"\xff\xfe not json\n", *lines], 1),
    ],
)
def test_a_changed_removed_or_added_line_is_named(tmp_path, change, line):
    log = tmp_path / "steps.jsonl"
    log.write_bytes(b"".join(change(chain(log, ["a", "b", "c"]))))
    with pytest.raises(AuditError, match=rf"line {line} .*the lines before it are intact"):
        list(read_steps(log))

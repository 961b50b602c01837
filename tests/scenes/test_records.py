"""Scenes as a file."""

from random import Random

import pytest

from countersight.errors import SceneError
from countersight.scenes.edits import Remove, SceneRecord, encode_record, read_scenes
from countersight.scenes.random_scenes import FlowerRegions, dot_scene, flower_scene


def test_scenes_come_back_as_they_were_written(tmp_path):
    records = [
        SceneRecord("a", flower_scene(Random(1), ("red", "blue"), FlowerRegions(3, 4, 5, 6)), (Remove(("flower-2",)),)),
        SceneRecord("b", dot_scene(Random(2), (1, 2, 3, 4, 5, 6)), ()),
    ]
    path = tmp_path / "scenes.jsonl"
    path.write_bytes(b"".join(map(encode_record, records)))
    assert list(read_scenes(path)) == records


@pytest.mark.parametrize(
    "line",
    [
        b"",
        b"{",
        b"\xff\xfe",
        b"[" * 100_000,
        b'{"id": "a"}',
        b'{"id": "a", "change": [], "scene": {"background": {"pattern": "dots", "colours": ["red", "red"]}}}',
        b'{"id": "a", "change": [], "scene": {"background": {"pattern": "plain", "colours": ["red", "red"]},'
        b' "width": 1000000}}',
    ],
)
def test_a_bad_line_is_named(tmp_path, line):
    path = tmp_path / "scenes.jsonl"
    good = encode_record(SceneRecord("a", dot_scene(Random(2), (1, 2, 3, 4, 5, 6)), ()))
    path.write_bytes(good + line + b"\n")
    records = read_scenes(path)
    assert next(records).id == "a"
    with pytest.raises(SceneError, match=r"scenes\.jsonl line 2: "):
        next(records)

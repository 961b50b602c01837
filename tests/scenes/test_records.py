"""Scenes as a file."""

from random import Random

import msgspec
import pytest

from countersight.scenes import FlowerRegions, Remove, SceneRecord, dot_scene, encode_record, flower_scene


def test_scenes_come_back_as_they_were_written():
    for scene in (flower_scene(Random(1), ("red", "blue"), FlowerRegions(3, 4, 5, 6)), dot_scene(Random(2), range(6))):
        record = SceneRecord("a", scene, (Remove(("flower-2",)),))
        assert msgspec.json.decode(encode_record(record), type=SceneRecord) == record


@pytest.mark.parametrize("more", ['"pattern": "dots"', '"pattern": "plain"}, "width": 1000000, "x": {"y": 0'])
def test_what_is_no_scene_is_refused(more):
    line = '{"id": "a", "change": [], "scene": {"background": {"colours": ["red", "red"], ' + more + "}}}"
    with pytest.raises(msgspec.ValidationError):
        msgspec.json.decode(line, type=SceneRecord)

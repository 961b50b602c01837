"""What people say of a picture: COCO's captions, by the number in the picture's name."""

import re
from pathlib import Path
from typing import Final

import msgspec

from countersight.suites import JsonFile

_NUMBER: Final = re.compile(r"(\d+)\.\w+$")


class _Caption(msgspec.Struct):
    image_id: int
    caption: str


def picture_key(image: str) -> str:
    """What a picture is known by: COCO_val2014_000000000042.jpg and 000000000042.jpg are the same one."""
    found = _NUMBER.search(image)
    return str(int(found[1])) if found else image


def read_captions(path: Path) -> dict[str, list[str]]:
    """The captions of each picture, out of COCO's file; an entry that is no caption is passed over."""
    said: dict[str, list[str]] = {}
    for _, entry in JsonFile(path).entries("annotations"):
        try:
            caption = msgspec.json.decode(entry, type=_Caption)
        except (msgspec.MsgspecError, UnicodeDecodeError):
            continue
        said.setdefault(str(caption.image_id), []).append(caption.caption)
    return said

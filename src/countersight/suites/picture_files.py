"""The layout of a published file, and its pictures: in a folder, embedded in the file, or as frames of a video."""

import re
import shutil
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path, PurePosixPath
from typing import Any, NamedTuple

import msgspec

from countersight.case import Case
from countersight.dataset import picture_digest
from countersight.errors import BadPicture
from countersight.picture import MAX_BYTES, check_picture, read_picture

IMAGES = "images/"
MOST_FRAMES = 8
"""The most frames of a video in a case; from longer videos, this many evenly spaced frames are taken."""
_NOT_INSIDE = re.compile(r"[\\\0]|^[A-Za-z]:")
"""Matches Windows paths and invalid names; a colon elsewhere is part of a name (ego4d:scod-train-576)."""
FRAME_ENDINGS = (".png", ".jpg", ".jpeg", ".webp")

# Hugging Face treats a picture called "COCO_val2014_….jpg" as a separate split, so it is stored as
# "COCO_ofval2014_….jpg". A picture that already has such a name gets another "of", so that no two names collide.
_SPLIT_NAME = re.compile(
    r"(?<![^-._ 0-9/])(?:of)*(?:train|training|validation|valid|dev|val|test|testing|eval|evaluation)(?=[-._ 0-9/])"
)


class BadField(Exception):  # noqa: N818 - named after the field, not the error
    """An invalid row: the field and the reason. Caught by the import."""

    def __init__(self, field: str, reason: str) -> None:
        super().__init__(field, reason)
        self.field, self.reason = field, reason


class BadFile(BadField):
    """A file of which no row can be read, such as one without a required column."""


Row = Mapping[str, Any]
"""The fields of a row by name: text from a CSV, any value from a JSONL file."""
Rows = Iterator[tuple[int, Row | BadField]]
"""Rows with the number of their last line (or their place in a list); an invalid row is replaced by a `BadField`."""


class Frames(NamedTuple):
    """The frames of a video: the pictures of a folder, in the order of their names."""

    folder: str

    def __str__(self) -> str:
        return f"{self.folder}/"


Pictured = str | bytes | Frames | None
"""The picture of a row: a file name, bytes, frames of a video, or nothing."""


class Layout(msgspec.Struct, frozen=True, kw_only=True):
    """How the file of a suite is turned into a dataset."""

    suite: str = ""
    title: str = ""
    """The suite's published name. Both default to those of the `Suite`."""
    description: str = ""
    """The description on the dataset card; by default that of the suite."""
    rows: "Callable[[Path], Rows]"
    as_case: "Callable[[Row, int], Case]"
    """Returns the case of a row, given the row's number counted from 1; raises BadField."""
    picture: "Callable[[Row], Pictured]"
    """Returns a row's picture: its file name, its bytes, or the folder of its frames; raises BadField."""
    picture_field: str
    folders: tuple[str, ...] = ("",)
    """Subfolders of the picture folder that may contain the picture, in order of preference."""
    flat: bool = False
    """Whether the picture may also be stored without the folders in its name."""
    license: str = "unknown"
    embeds: bool = False
    """Whether the pictures are embedded in the file, so that no folder is needed."""
    tries_pictures: bool = False
    """Whether an invalid picture makes an invalid row: users can fix their own table, but not a published one."""
    columns: tuple[str, ...] = ()
    """All columns that the file may have, so that unknown ones can be reported; empty if it may have any."""


def with_shown(case: Case, layout: Layout, shown: Pictured, pictures: Path | None, staging: Path) -> Case:
    """Return the case with its pictures copied to the dataset, or unchanged if they are missing."""
    if isinstance(shown, bytes):
        return msgspec.structs.replace(case, image=_write_picture(shown, layout.picture_field, staging))
    if shown is None or pictures is None:
        return case
    if isinstance(shown, str):
        return with_picture(case, layout, shown, pictures, staging)
    source = _find(layout, shown.folder, pictures, Path.is_dir)
    if source is None:
        return case
    files = sorted((file for file in source.iterdir() if file.suffix.lower() in FRAME_ENDINGS), key=_natural_order)
    step = max(1.0, len(files) / MOST_FRAMES)
    chosen = [files[int(nth * step)] for nth in range(min(MOST_FRAMES, len(files)))]
    folder = PurePosixPath(shown.folder)
    kept = tuple(_copy_picture(file, folder / file.name, layout.picture_field, staging) for file in chosen)
    return msgspec.structs.replace(case, image=kept[0], further_images=kept[1:]) if kept else case


def with_picture(case: Case, layout: Layout, name: str, pictures: Path, staging: Path) -> Case:
    """Return the case with its picture copied to the dataset, or unchanged if it is missing."""
    source = _find(layout, name, pictures, Path.is_file)
    if source is None:
        return case
    if layout.tries_pictures:
        try:
            read_picture(source)
        except BadPicture as error:
            raise BadField(layout.picture_field, f"{source.name[:80]!r} {error}") from error
    return msgspec.structs.replace(
        case, image=_copy_picture(source, PurePosixPath(name), layout.picture_field, staging)
    )


def _natural_order(file: Path) -> list[int | str]:
    """Return a sort key that puts frame 10 after frame 9."""
    return [int(part) if part.isdigit() else part for part in re.split(r"(\d+)", file.name)]


def _find(layout: Layout, name: str, pictures: Path, is_there: Callable[[Path], bool]) -> Path | None:
    """Return the path of a picture or of a folder of pictures, with all links resolved."""
    field, relative = layout.picture_field, PurePosixPath(name)
    if not name or relative.is_absolute() or ".." in relative.parts or _NOT_INSIDE.search(name):
        raise BadField(field, f"{name[:80]!r} is not a path inside the folder of pictures")
    names = [relative, PurePosixPath(relative.name)] if layout.flat else [relative]
    names += [PurePosixPath(name.replace(":", "_"))] if ":" in name else []  # Windows does not allow colons in names
    try:
        for folder, each in ((folder, each) for each in names for folder in layout.folders):
            source = (pictures / folder / each).resolve()
            if not source.is_relative_to(pictures.resolve()):
                raise BadField(field, f"{name[:80]!r} is outside the folder of pictures")
            if is_there(source):
                return source
    except OSError as error:
        raise BadField(field, f"cannot be read: {error.strerror}") from error
    return None


def _copy_picture(source: Path, relative: PurePosixPath, field: str, staging: Path) -> str:
    """Copy a picture into the dataset and return its file name."""
    try:
        if source.stat().st_size > MAX_BYTES:
            raise BadField(field, f"{str(relative)[:80]!r} has more than {MAX_BYTES:,} bytes")
        kept = _SPLIT_NAME.sub(r"of\g<0>", str(relative))
        target = staging / IMAGES / kept
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(source, target)
    except OSError as error:
        raise BadField(field, f"cannot be read: {error.strerror}") from error
    return f"{IMAGES}{kept}"


def _write_picture(data: bytes, field: str, staging: Path) -> str:
    """Write a picture from the table into the dataset and return its file name; equal pictures are stored once."""
    try:
        picture = check_picture(data)
    except BadPicture as error:
        raise BadField(field, f"is a damaged picture: it {error}") from error
    name = f"{IMAGES}{picture_digest(data)}.{picture.mime.partition('/')[2]}"
    (staging / name).write_bytes(data)
    return name

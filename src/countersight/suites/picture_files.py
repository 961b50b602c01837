"""Copy the pictures of an imported case into the dataset: from a folder, the file itself, or the frames of a video."""

import re
from pathlib import Path, PurePosixPath

import msgspec

from countersight.case import Case
from countersight.dataset import picture_digest
from countersight.errors import BadPicture
from countersight.picture import check_picture, read_picture
from countersight.suites.suite import BadField, Frames, Layout, Pictured

IMAGES = "images/"
MOST_FRAMES = 8
"""The maximum number of video frames in a case; longer videos are sampled at even intervals."""
_NOT_INSIDE = re.compile(r"[\\\0]|^[A-Za-z]:")
"""Matches Windows paths and invalid names; a colon elsewhere is part of a name (ego4d:scod-train-576)."""
FRAME_ENDINGS = (".png", ".jpg", ".jpeg", ".webp")

# Hugging Face treats a picture called "COCO_val2014_….jpg" as a separate split, so it is stored as
# "COCO_ofval2014_….jpg". A picture that already has such a name gets another "of", so that no two names collide.
_SPLIT_NAME = re.compile(
    r"(?<![^-._ 0-9/])(?:of)*(?:train|training|validation|valid|dev|val|test|testing|eval|evaluation)(?=[-._ 0-9/])"
)


def with_pictures(case: Case, layout: Layout, shown: Pictured, pictures: Path | None, staging: Path) -> Case:
    """Return the case with its pictures copied to the dataset, or unchanged if they are missing."""
    if isinstance(shown, bytes):
        return msgspec.structs.replace(case, image=_store_embedded(shown, layout.picture_field, staging))
    source = None if shown is None or pictures is None else _find(layout, shown, pictures)
    if shown is None or pictures is None or source is None:
        return case
    names = {source: shown} if isinstance(shown, str) else _frames(source, shown.folder)
    kept = [_copy(file, name, layout.picture_field, pictures, staging) for file, name in names.items()]
    return msgspec.structs.replace(case, image=kept[0], further_images=tuple(kept[1:])) if kept else case


def _frames(source: Path, folder: str) -> dict[Path, str]:
    """Return evenly spaced frames of a video, with their names in the dataset."""
    files = sorted((file for file in source.iterdir() if file.suffix.lower() in FRAME_ENDINGS), key=_natural_order)
    step = max(1.0, len(files) / MOST_FRAMES)
    chosen = (files[int(nth * step)] for nth in range(min(MOST_FRAMES, len(files))))
    return {file: f"{folder}/{file.name}" for file in chosen}


def _natural_order(file: Path) -> list[int | str]:
    """Return a sort key that puts frame 10 after frame 9."""
    return [int(part) if part.isdigit() else part for part in re.split(r"(\d+)", file.name)]


def _find(layout: Layout, shown: str | Frames, pictures: Path) -> Path | None:
    """Return the path of a picture or of a folder of frames, with all links resolved."""
    name, is_there = (shown, Path.is_file) if isinstance(shown, str) else (shown.folder, Path.is_dir)
    field, relative = layout.picture_field, PurePosixPath(name)
    if not name or relative.is_absolute() or ".." in relative.parts or _NOT_INSIDE.search(name):
        raise BadField(field, f"{name[:80]!r} is not a path inside the folder of pictures")
    names = [relative, PurePosixPath(relative.name)] if layout.flat else [relative]
    names += [PurePosixPath(name.replace(":", "_"))] if ":" in name else []  # Windows does not allow colons in names
    try:
        for folder, each in ((folder, each) for each in names for folder in layout.folders):
            source = (pictures / folder / each).resolve()
            if not source.is_relative_to(pictures.resolve()):
                reason = "is a link to a file outside the folder of pictures; replace the link by the file"
                raise BadField(field, f"{name[:80]!r} {reason}")
            if is_there(source):
                return source
    except OSError as error:
        raise BadField(field, f"cannot be read: {error.strerror}") from error
    return None


def _copy(source: Path, name: str, field: str, pictures: Path, staging: Path) -> str:
    """Copy a picture into the dataset under its name in the table, and return its file name there."""
    try:
        picture = read_picture(source)
    except BadPicture as error:
        there = source.relative_to(pictures.resolve()).as_posix()
        raise BadField(field, f"{there[:80]!r} {error}") from error
    kept = IMAGES + _SPLIT_NAME.sub(r"of\g<0>", str(PurePosixPath(name)))
    (staging / kept).parent.mkdir(parents=True, exist_ok=True)
    (staging / kept).write_bytes(picture.data)
    return kept


def _store_embedded(data: bytes, field: str, staging: Path) -> str:
    """Write a picture from the table into the dataset and return its file name; equal pictures are stored once."""
    try:
        picture = check_picture(data)
    except BadPicture as error:
        raise BadField(field, f"is a damaged picture: it {error}") from error
    name = f"{IMAGES}{picture_digest(data)}.{picture.mime.partition('/')[2]}"
    (staging / name).write_bytes(data)
    return name

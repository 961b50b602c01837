"""The pictures of an audit as its page shows them: small, each once, however many cases speak of it."""

import io
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import msgspec

from countersight.audits.bundle.cases import DIFFERENCES, CaseSheet, EditSheet
from countersight.errors import BadPicture
from countersight.html import Markup, element, side_for, text
from countersight.picture import as_seen, data_url, read_picture
from countersight.system import cores

BRIGHTER = 3
"""A difference is shown so many times as bright as it is: faint ones are to be seen too."""


class Small(msgspec.Struct, frozen=True):
    """A small picture as WebP with its width and height, or why there is none."""

    webp: bytes = b""
    width: int = 1
    height: int = 1
    fault: str = ""


class Pictures:
    """The small pictures of a page by the names of their files."""

    def __init__(self, small: dict[str, Small]) -> None:
        self._small = small
        self._number = {name: number for number, name in enumerate(small)}

    def store(self) -> Markup:
        """All of them, in the page but not to be seen: each is shown where it is spoken of."""
        images = [
            element(
                "image",
                id=f"picture-{self._number[name]}",
                width=small.width,
                height=small.height,
                href=data_url("image/webp", small.webp),
            )
            for name, small in self._small.items()
            if not small.fault
        ]
        return element("svg", element("defs", *images), class_="store", width=0, height=0, aria_hidden="true")

    def show(self, name: str, words: str) -> Markup:
        """One of them where it is spoken of, described by `words`."""
        small = self._small.get(name, Small(fault="is not in the bundle"))
        if small.fault:
            return element("p", text(f"No picture: it {small.fault}."), class_="placeholder")
        return element(
            "svg",
            element("use", href=f"#picture-{self._number[name]}"),
            viewBox=f"0 0 {small.width} {small.height}",
            width=small.width,
            height=small.height,
            role="img",
            aria_label=words,
        )


def small_pictures(folder: Path, cases: Iterable[CaseSheet], done: Callable[[int], None]) -> Pictures:
    """The pictures, masks and differences of cases, made small."""
    names = list(dict.fromkeys(_names(cases)))
    side = side_for(len(names))
    small = {}
    with ThreadPoolExecutor(cores()) as pool:  # Pillow lets go of the interpreter
        for name, picture in zip(names, pool.map(lambda name: _small(folder / name, side), names), strict=True):
            small[name] = picture
            done(len(small))
    return Pictures(small)


def count(cases: Iterable[CaseSheet]) -> int:
    """How many pictures there are to be made small."""
    return len(set(_names(cases)))


def _names(cases: Iterable[CaseSheet]) -> Iterator[str]:
    for case in cases:
        tests = (*case.tests, *case.uncited)
        yield from filter(None, (case.picture, *(name for test in tests for name in _of(test.edit))))
        yield from filter(None, (dose.picture for test in tests for dose in test.doses))


def _of(edit: EditSheet | None) -> tuple[str, ...]:
    return (edit.after, edit.difference, edit.mask) if edit else ()


def _small(path: Path, side: int) -> Small:
    try:
        image = as_seen(read_picture(path), side)
    except BadPicture as error:
        return Small(fault=str(error))
    if path.parent.name == DIFFERENCES:
        image = image.point(lambda value: min(255, BRIGHTER * value))
    file = io.BytesIO()
    image.convert("RGB").save(file, "WEBP", quality=78, method=2)
    return Small(file.getvalue(), image.width, image.height)

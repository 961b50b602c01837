import io
import threading

import pytest
from PIL import Image

from countersight.errors import BadPicture
from countersight.html.gallery import side_for, thumbnail, thumbnails
from countersight.picture.checking import Picture


def made(mode: str = "RGB", size: tuple[int, int] = (448, 300), kind: str = "PNG", colour: object = "red") -> Picture:
    file = io.BytesIO()
    Image.new(mode, size, colour).save(file, kind)  # type: ignore[arg-type]
    return Picture(file.getvalue(), f"image/{kind.lower()}", *size)


def opened(data: bytes) -> Image.Image:
    return Image.open(io.BytesIO(data), formats=("WEBP", "JPEG"))


@pytest.mark.parametrize(("side", "size", "mime"), [(224, (224, 150), "image/jpeg"), (448, (448, 300), "image/webp")])
def test_a_thumbnail_has_the_shape_of_its_picture_and_knows_how_large_that_is(
    side: int, size: tuple[int, int], mime: str
) -> None:
    small = thumbnail(made(), side)
    assert opened(small.data).size == size
    assert (small.mime, small.width, small.height) == (mime, 448, 300)


def test_a_small_picture_is_not_blown_up() -> None:
    assert opened(thumbnail(made(size=(20, 10)), 224).data).size == (20, 10)


def test_what_is_clear_lies_on_white() -> None:
    small = opened(thumbnail(made("RGBA", colour=(0, 0, 0, 0)), 224).data)
    assert small.mode == "RGB"
    assert min(small.getpixel((5, 5))) > 250  # type: ignore[type-var]


def test_palettes_grey_and_sixteen_bits_are_shown() -> None:
    for mode in ("P", "L", "I;16", "1", "LA"):
        assert thumbnail(made(mode, colour=0), 224).data, mode


def test_a_damaged_picture_says_so() -> None:
    good = made(size=(64, 64))
    broken = Picture(good.data[:60], good.mime, 64, 64)
    assert thumbnail(broken, 224).fault.startswith("cannot be decoded")


def test_a_picture_that_would_fill_the_memory_is_not_decoded() -> None:
    assert "the maximum is" in thumbnail(Picture(b"", "image/png", 10_000, 9_000), 224).fault


def test_thumbnails_come_in_order_with_faults_in_their_place() -> None:
    def open_picture(picture_name: str) -> Picture:
        if picture_name == "bad":
            raise BadPicture("is cut off")
        return made(size=(int(picture_name), 10))

    found = list(thumbnails(["30", "bad", *map(str, range(40, 80))], open_picture, 224))
    assert found[1].fault == "is cut off"
    assert [opened(small.data).width for small in found if small.data] == [30, *range(40, 80)]


def test_pictures_are_opened_only_a_little_ahead() -> None:
    seen = []
    lock = threading.Lock()

    def open_picture(picture_name: str) -> Picture:
        with lock:
            seen.append(picture_name)
        return made(size=(10, 10))

    made_so_far = thumbnails(map(str, range(1000)), open_picture, 224)
    next(made_so_far)
    made_so_far.close()  # type: ignore[attr-defined]
    assert len(seen) < 50


def test_few_pictures_are_sharper() -> None:
    assert side_for(100) > side_for(6000)

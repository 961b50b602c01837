"""Pictures are checked completely before they are sent to a model."""

import contextlib
import io
import os

import pytest
from hypothesis import given
from hypothesis import strategies as st
from making import picture
from PIL import Image

from countersight.errors import BadPicture
from countersight.picture.checking import check_picture, read_picture

KINDS = {"PNG": "image/png", "JPEG": "image/jpeg", "GIF": "image/gif", "WEBP": "image/webp"}


@pytest.mark.parametrize(
    ("kind", "options"),
    [*((kind, {}) for kind in KINDS), ("WEBP", {"lossless": True}), ("WEBP", {"exif": b"Exif\x00\x00" + bytes(30)})],
)
def test_a_valid_picture_has_its_type_and_size(kind, options):
    file = io.BytesIO()
    Image.new("RGB", (37, 21)).save(file, kind, **options)
    found = check_picture(file.getvalue())
    assert (found.mime, found.width, found.height) == (KINDS[kind], 37, 21)


def test_a_progressive_jpeg_with_a_thumbnail_is_good_and_cut_off_is_not():
    thumbnail = picture(kind="JPEG")
    file = io.BytesIO()
    noise = Image.frombytes("RGB", (64, 64), bytes(i * 37 % 251 for i in range(64 * 64 * 3)))
    noise.save(file, "JPEG", progressive=True, exif=b"Exif\x00\x00" + thumbnail)
    assert check_picture(file.getvalue()).width == 64
    with pytest.raises(BadPicture, match="cut off"):
        check_picture(file.getvalue()[:-100])


@given(kind=st.sampled_from(sorted(KINDS)), data=st.data())
def test_a_picture_cut_anywhere_is_bad(kind, data):
    whole = picture(kind=kind)
    end = data.draw(st.integers(0, len(whole) - 2))
    with pytest.raises(BadPicture):
        check_picture(whole[:end])


@given(st.binary(max_size=300))
def test_any_bytes_are_a_picture_or_a_bad_picture(data):
    for start in (b"", b"\x89PNG\r\n\x1a\n", b"\xff\xd8\xff", b"GIF89a", b"RIFF\x10\x00\x00\x00WEBP"):
        with contextlib.suppress(BadPicture):
            check_picture(start + data)


def test_a_flipped_bit_in_a_png_is_found():
    data = bytearray(picture())
    data[60] ^= 1
    with pytest.raises(BadPicture, match="damaged"):
        check_picture(bytes(data))


def test_the_error_says_why_a_file_is_not_a_picture(tmp_path):
    cases = {
        "missing.png": "not in the folder",
        "empty.png": "is empty",
        "text.png": "not a PNG, JPEG, GIF or WebP",
        "folder.png": "is not a file",
        "pipe.png": "is not a file",
    }
    (tmp_path / "empty.png").write_bytes(b"")
    (tmp_path / "text.png").write_text("<html>not found</html>")
    (tmp_path / "folder.png").mkdir()
    os.mkfifo(tmp_path / "pipe.png")
    for name, reason in cases.items():
        with pytest.raises(BadPicture, match=reason):
            read_picture(tmp_path / name)
    (tmp_path / "jpeg.png").write_bytes(picture(kind="JPEG"))  # the content counts, not the name
    assert read_picture(tmp_path / "jpeg.png").mime == "image/jpeg"

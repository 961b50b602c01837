"""Edited pictures say so in their metadata, and look exactly as before."""

import io
from xml.etree import ElementTree

import numpy as np
import pytest
from PIL import Image

from countersight.editing.marking import MARK, mark_edited
from countersight.picture.checking import as_seen, check_picture

PIXELS = np.random.default_rng(0).integers(0, 255, (31, 45, 3), np.uint8)
WAYS = [
    ("PNG", {}),
    ("JPEG", {}),
    ("JPEG", {"exif": b"Exif\x00\x00MM\x00*\x00\x00\x00\x08\x00\x00\x00\x00\x00\x00"}),
    ("WEBP", {}),
    ("GIF", {}),
]


RDF, IPTC = "{http://www.w3.org/1999/02/22-rdf-syntax-ns#}", "http://iptc.org/std/Iptc4xmpExt/2008-02-29/"


def xmp(image):
    packet = image.info.get("xmp") or image.info["XML:com.adobe.xmp"]
    return ElementTree.fromstring(packet if isinstance(packet, bytes) else packet.encode())


def saved(kind, more):
    file = io.BytesIO()
    Image.fromarray(PIXELS).save(file, kind, **more)
    return check_picture(file.getvalue())


@pytest.mark.parametrize(("kind", "more"), WAYS)
def test_a_mark_is_readable_and_changes_no_pixel(kind, more):
    picture = saved(kind, more)
    edited = mark_edited(picture)
    assert check_picture(edited.data) == edited
    assert mark_edited(edited) is edited
    assert (np.asarray(as_seen(edited)) == np.asarray(as_seen(picture))).all()
    with Image.open(io.BytesIO(edited.data)) as image:
        comment = image.info.get("comment") or image.info.get("Comment") or b""
        assert MARK in (comment if isinstance(comment, str) else comment.decode())
        (described,) = xmp(image).iter(f"{RDF}Description")
        assert described.find(f".//{RDF}li").text == MARK
        assert "/digitalsourcetype/" in described.get(f"{{{IPTC}}}DigitalSourceType")


def test_existing_xmp_is_kept():
    own = b'<x:xmpmeta xmlns:x="adobe:ns:meta/"><a/></x:xmpmeta>'
    picture = mark_edited(saved("JPEG", {"xmp": own}))
    with Image.open(io.BytesIO(picture.data)) as image:
        assert image.info["xmp"] == own
        assert image.info["comment"].startswith(MARK.encode())

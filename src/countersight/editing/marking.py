"""Mark edited pictures in their metadata, so that nobody mistakes them for originals.

The mark is written where viewers show it (PNG comment, JPEG comment, XMP description), and XMP also contains the IPTC
source type for composites with synthetic parts. Pixels are unchanged, bit for bit. WebP and GIF become PNG.
"""

import io
import struct
import zlib

from msgspec.structs import replace

from countersight.picture import Picture, as_seen

MARK = "countersight: edited for test"
SOURCE = "http://cv.iptc.org/newscodes/digitalsourcetype/compositeSynthetic"
_XMP_NAME = b"http://ns.adobe.com/xap/1.0/\x00"
_PNG_XMP = b"XML:com.adobe.xmp"
_XMP = (
    '<?xpacket begin="\ufeff" id="W5M0MpCehiHzreSzNTczkc9d"?><x:xmpmeta xmlns:x="adobe:ns:meta/">'
    '<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">'
    '<rdf:Description rdf:about="" xmlns:dc="http://purl.org/dc/elements/1.1/" '
    f'xmlns:ext="http://iptc.org/std/Iptc4xmpExt/2008-02-29/" ext:DigitalSourceType="{SOURCE}">'
    f'<dc:description><rdf:Alt><rdf:li xml:lang="x-default">{MARK}</rdf:li></rdf:Alt></dc:description>'
    '</rdf:Description></rdf:RDF></x:xmpmeta><?xpacket end="r"?>'
).encode()
"""An XMP packet with the mark."""


def mark_edited(picture: Picture) -> Picture:
    """Return the picture with metadata that marks it as edited; a marked picture is returned unchanged."""
    if MARK.encode() in picture.data:
        return picture
    if picture.mime == "image/jpeg":
        return replace(picture, data=_jpeg(picture.data))
    if picture.mime != "image/png":  # re-encoded with the same pixels
        file = io.BytesIO()
        image = as_seen(picture)
        image.save(file, "PNG")
        picture = Picture(file.getvalue(), "image/png", *image.size, plain=True)
    return replace(picture, data=_png(picture.data))


def _png(data: bytes) -> bytes:
    header = 8 + 12 + 13  # the signature and the chunk that must come first
    chunks = _chunk(b"tEXt", b"Comment\x00" + MARK.encode())
    if _PNG_XMP not in data:
        chunks += _chunk(b"iTXt", _PNG_XMP + b"\x00\x00\x00\x00\x00" + _XMP)
    return data[:header] + chunks + data[header:]


def _chunk(name: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))


def _jpeg(data: bytes) -> bytes:
    start = 2
    while data[start : start + 2] == b"\xff\xe0":  # JFIF segments come first
        start += 2 + int.from_bytes(data[start + 2 : start + 4])
    segments = _segment(0xFE, MARK.encode())
    if _XMP_NAME not in data:
        segments += _segment(0xE1, _XMP_NAME + _XMP)
    return data[:start] + segments + data[start:]


def _segment(marker: int, data: bytes) -> bytes:
    return struct.pack(">BBH", 0xFF, marker, len(data) + 2) + data

"""As much of ASN.1's DER as a time stamp needs: values written, and read with every length checked."""

from collections.abc import Iterator
from typing import Final, NamedTuple

from countersight.errors import AuditError

INTEGER: Final = 0x02
OCTETS: Final = 0x04
OID: Final = 0x06
TIME: Final = 0x18
SEQUENCE: Final = 0x30
SET: Final = 0x31
FIRST: Final = 0xA0
"""The context's own tag 0."""


class Value(NamedTuple):
    """A value: its tag, its content, and all its bytes."""

    tag: int
    content: bytes
    whole: bytes


def value(tag: int, *parts: bytes) -> bytes:
    """A value as bytes."""
    content = b"".join(parts)
    size = len(content)
    if size < 0x80:
        return bytes((tag, size)) + content
    length = size.to_bytes((size.bit_length() + 7) // 8, "big")
    return bytes((tag, 0x80 | len(length))) + length + content


def integer(number: int) -> bytes:
    """A whole number that is not below zero."""
    return value(INTEGER, number.to_bytes(number.bit_length() // 8 + 1, "big"))


def values(data: bytes) -> Iterator[Value]:
    """The values that stand one after the other; AuditError where one is cut off."""
    while data:
        if len(data) < 2:
            raise AuditError("it is cut off")
        size, start = data[1], 2
        if size & 0x80:
            start += size & 0x7F
            if start == 2 or start > 6:
                raise AuditError("it has a length that no time stamp has")
            size = int.from_bytes(data[2:start], "big")
        end = start + size
        if len(data) < end:
            raise AuditError("it is cut off")
        yield Value(data[0], data[start:end], data[:end])
        data = data[end:]


def first(data: bytes, tag: int) -> Value:
    """The first value of that tag; AuditError where there is none."""
    for found in values(data):
        if found.tag == tag:
            return found
    raise AuditError("it is no time stamp as RFC 3161 describes one")

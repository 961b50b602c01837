"""What a terminal gets for a sign that its encoding lacks: a plain one that means the same, else a question mark.

A minus that becomes a question mark would change a figure. Each sign becomes one sign, so that columns stay in line.
"""

import codecs
import io
from typing import Final

_NAME: Final = "countersight.plain"
_PLAIN: Final = str.maketrans("−–—…×·→←✓✗“”‘’\u00a0\u2009\u202f", "---~x-><+x\"\"''   ")


def plain_signs(stream: object) -> None:
    """Have a stream print what its encoding can hold, without a traceback."""
    if isinstance(stream, io.TextIOWrapper):
        codecs.register_error(_NAME, _in_plain)
        stream.reconfigure(errors=_NAME)


def _in_plain(error: UnicodeError) -> tuple[str, int]:
    if not isinstance(error, UnicodeEncodeError):
        raise error
    signs = error.object[error.start : error.end].translate(_PLAIN)
    return "".join(sign if sign.isascii() else "?" for sign in signs), error.end

"""Pictures embedded in text: a page, a message to a server, a log."""

import base64


def data_url(mime: str, data: bytes) -> str:
    """Return the bytes of a picture as a data URL."""
    return f"data:{mime};base64,{base64.b64encode(data).decode('ascii')}"

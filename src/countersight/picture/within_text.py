"""A picture within a text: a page, a message to a server, a log."""

import base64


def data_url(mime: str, data: bytes) -> str:
    """The bytes of a picture as an address that holds them."""
    return f"data:{mime};base64,{base64.b64encode(data).decode('ascii')}"

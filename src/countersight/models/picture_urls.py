"""Pictures as `data:` URLs, oriented as a viewer shows them."""

import asyncio
from collections import deque

from countersight.errors import AskingFailed, BadPicture
from countersight.picture import Picture, data_url, goes_as_it_is, to_send

KEPT = 4
"""The number of pictures whose URL is cached; questions of a case share them."""


class Sending:
    """Creates the URLs of pictures; consecutive questions about a picture share one."""

    def __init__(self) -> None:
        self._recent: deque[tuple[bytes, str | asyncio.Task[str]]] = deque(maxlen=KEPT)

    async def address(self, picture: Picture) -> str:
        """Return the picture as a `data:` URL; raises AskingFailed if it cannot be decoded."""
        made = next((made for data, made in self._recent if data is picture.data), None)
        if made is None:
            made = _address(picture) if goes_as_it_is(picture) else asyncio.create_task(_encoded_anew(picture))
            self._recent.append((picture.data, made))
        # Others may wait for it too, so cancelling one caller must not cancel it.
        return made if isinstance(made, str) else await asyncio.shield(made)


async def _encoded_anew(picture: Picture) -> str:
    try:
        return await asyncio.to_thread(lambda: _address(to_send(picture)))
    except BadPicture as error:
        raise AskingFailed(f"the picture {error}", again=False) from None


def _address(picture: Picture) -> str:
    return data_url(picture.mime, picture.data)


def parted(address: str) -> tuple[str, str]:
    """Split a `data:` URL into the media type and the base64 data."""
    mime, _, data = address.removeprefix("data:").partition(";base64,")
    return mime, data

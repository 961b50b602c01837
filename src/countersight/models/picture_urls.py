"""Pictures as they go to a server: what a viewer shows, as an address that holds its own data."""

import asyncio
from collections import deque

from countersight.errors import AskingFailed, BadPicture
from countersight.picture import Picture, data_url, goes_as_it_is, to_send

KEPT = 4
"""Pictures whose address is kept: the questions of a case share theirs, and an example may come with each."""


class Sending:
    """Makes the addresses of pictures, each once for all questions about it that follow each other."""

    def __init__(self) -> None:
        self._recent: deque[tuple[bytes, str | asyncio.Task[str]]] = deque(maxlen=KEPT)

    async def address(self, picture: Picture) -> str:
        """The picture as a `data:` address, or AskingFailed where it cannot be decoded."""
        made = next((made for data, made in self._recent if data is picture.data), None)
        if made is None:
            made = _address(picture) if goes_as_it_is(picture) else asyncio.create_task(_encoded_anew(picture))
            self._recent.append((picture.data, made))
        # Others wait for it too: that one is told to stop must not stop them.
        return made if isinstance(made, str) else await asyncio.shield(made)


async def _encoded_anew(picture: Picture) -> str:
    try:
        return await asyncio.to_thread(lambda: _address(to_send(picture)))
    except BadPicture as error:
        raise AskingFailed(f"the picture {error}", again=False) from None


def _address(picture: Picture) -> str:
    return data_url(picture.mime, picture.data)


def parted(address: str) -> tuple[str, str]:
    """The kind of a picture and its data in base64, out of the address that holds both."""
    mime, _, data = address.removeprefix("data:").partition(";base64,")
    return mime, data

"""Content credentials (C2PA) on edited pictures: a signed statement inside the file that it was edited for a test.

They need the extra `c2pa` and a certificate of your own, as the standard asks for: `chain.pem` (yours first) and its
`key.pem` in one folder. Pixels stay as they are.
"""

import io
import json
from pathlib import Path
from typing import Final

from msgspec.structs import replace

from countersight import __version__
from countersight.editing.marking import MARK, SOURCE
from countersight.errors import CountersightError
from countersight.picture import Picture

CHAIN: Final = "chain.pem"
KEY: Final = "key.pem"
_SETTINGS: Final = {"builder": {"thumbnail": {"enabled": False}}}
"""A small picture inside would make every picture of an audit larger by as much again."""


class Credentials:
    """Signs pictures with the certificate of a folder."""

    def __init__(self, folder: Path) -> None:
        try:
            import c2pa
        except ImportError:
            raise CountersightError(
                "content credentials need the extra c2pa: pip install 'countersight[c2pa]'"
            ) from None
        try:
            chain, key = (folder / CHAIN).read_bytes(), (folder / KEY).read_bytes()
        except OSError as error:
            raise CountersightError(f"{error.filename} cannot be read; {folder} holds {CHAIN} and {KEY}") from None
        self._context = c2pa.Context.from_dict(_SETTINGS)
        try:
            self._signer = c2pa.Signer.from_info(c2pa.C2paSignerInfo(b"es256", chain, key, None))
        except c2pa.C2paError as error:
            raise CountersightError(f"{folder} holds no certificate that can sign: {error}") from None

    def sign(self, picture: Picture) -> Picture:
        """The picture with its credentials; one that has some already carries those as they are, and ours."""
        import c2pa

        signed = io.BytesIO()
        try:
            builder = c2pa.Builder(json.dumps(_STATEMENT), self._context)
            builder.sign(self._signer, picture.mime, io.BytesIO(picture.data), signed)
        except c2pa.C2paError as error:
            raise CountersightError(f"an edited picture cannot be given content credentials: {error}") from None
        return replace(picture, data=signed.getvalue())


_STATEMENT: Final = {
    "claim_generator_info": [{"name": "countersight", "version": __version__}],
    "title": MARK,
    "assertions": [
        {
            "label": "c2pa.actions",
            "data": {"actions": [{"action": "c2pa.created", "digitalSourceType": SOURCE}]},
        }
    ],
}

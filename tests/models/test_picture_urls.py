"""Pictures are sent to servers as a viewer shows them."""

import asyncio
import base64
import io

import pytest
from chat_server import ChatServer
from making import picture
from PIL import Image

from countersight.errors import AskingFailed
from countersight.models import dialects, open_model
from countersight.models.dialects import PictureUrls
from countersight.models.protocol import ModelSettings, Request, Turn
from countersight.picture.checking import Picture, check_picture


def lying() -> bytes:
    """Return a photograph with EXIF rotation."""
    exif = Image.Exif()
    exif[0x0112] = 6
    file = io.BytesIO()
    Image.new("RGB", (30, 20), "red").save(file, "JPEG", exif=exif)
    return file.getvalue()


def ask(server: ChatServer, *pictures: Picture) -> list[object]:
    async def all_of_them() -> list[object]:
        model = open_model(server.name, ModelSettings())
        requests = [Request("", (Turn("user", f"question {n}", one),), "open") for n, one in enumerate(pictures)]
        said = await asyncio.gather(*map(model.reply, requests), return_exceptions=True)
        await model.close()
        return list(said)

    return asyncio.run(all_of_them())


def address(request: dict) -> tuple[str, bytes]:
    head, _, data = request["messages"][0]["content"][0]["image_url"]["url"].partition(",")
    return head, base64.b64decode(data)


def test_exif_rotation_is_applied_and_a_picture_that_cannot_be_decoded_fails_alone() -> None:
    bad = Picture(lying()[:200], "image/jpeg", 30, 20, orientation=6)
    with ChatServer() as server:
        *_, failed = ask(server, check_picture(picture()), check_picture(lying()), bad)
    sent = dict(map(address, server.requests))
    assert sent["data:image/png;base64"] == picture()  # byte for byte
    seen = Image.open(io.BytesIO(sent["data:image/jpeg;base64"]))
    assert seen.size == (20, 30)
    assert not seen.getexif()
    assert len(sent) == 2
    assert isinstance(failed, AskingFailed)
    assert not failed.again
    assert "the picture cannot be decoded" in str(failed)


def test_concurrent_questions_encode_a_picture_once(monkeypatch: pytest.MonkeyPatch) -> None:
    made = []
    encode = dialects.to_send
    monkeypatch.setattr(dialects, "to_send", lambda one: made.append(one) or encode(one))
    one = check_picture(lying())

    async def both() -> list[str]:
        sending = PictureUrls()
        first, others = asyncio.create_task(sending.of(one)), [sending.of(one) for _ in range(3)]
        await asyncio.sleep(0)
        first.cancel()  # cancelling one request does not affect the others
        return await asyncio.gather(*others)

    assert len(set(asyncio.run(both()))) == 1
    assert len(made) == 1

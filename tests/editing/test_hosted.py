"""Editors behind a server, against servers that speak the services' protocols and fail as they do."""

import asyncio
import time

import pytest
from editing.edits import white
from editing.hosting import (
    CHANGE,
    CHAT,
    FIRST,
    FLUX,
    KEY,
    NOTHING,
    PICTURE,
    SERVICES,
    edit,
    edits,
    photograph,
)
from editing.servers import WORDS, PictureServer, negative
from PIL import Image

from countersight.editing.protocol import EditorSettings, EditRequest, open_editor
from countersight.errors import AskingFailed, EditFailed, EditorError, Overloaded
from countersight.picture.checking import Picture


@pytest.mark.parametrize("name", SERVICES)
def test_the_service_receives_picture_and_words_and_returns_a_picture(at, name):
    with PictureServer() as server:
        at(server)
        edited = edit(name, seed=7)
    assert edited.picture.data == negative(PICTURE.data)
    assert edited.mask is None
    assert edited.log["sent"] == edited.log["received"] == "48 x 32 image/png"
    assert edited.log["seed"] == 7
    assert "The square is blue." in edited.log["prompt"]
    assert "A red square." in edited.log["prompt"]
    assert "The square is blue." in server.asked[0].body.decode()


@pytest.mark.parametrize("name", SERVICES)
def test_a_control_edit_has_an_empty_mask_and_sideways_pictures_are_sent_upright(at, name):
    exif = Image.Exif()
    exif[0x0112] = 6  # held sideways
    with PictureServer() as server:
        at(server)
        control = edit(name, instruction=NOTHING)
        upright = edit(name, picture=photograph(kind="JPEG", exif=exif))
        server.size = (100, 40)
        other = edit(name)
    assert "Change nothing at all." in control.log["prompt"]
    assert control.picture.data == negative(PICTURE.data)  # the real thing is measured, not assumed
    assert not white(control.mask).any()
    assert white(control.mask).shape == (32, 48)
    assert upright.log["sent"] == "32 x 48 image/jpeg"
    assert (upright.picture.width, upright.picture.height) == (32, 48)
    assert (other.picture.width, other.log["received"]) == (100, "100 x 40 image/png")


def test_a_picture_that_cannot_be_decoded_is_a_failed_edit(at):
    bad = Picture(PICTURE.data[:60], "image/png", 48, 32, plain=False)
    with PictureServer() as server:
        at(server)
        with pytest.raises(EditFailed, match="the picture cannot be decoded"):
            edit(CHAT, picture=bad)
    assert server.asked == []


@pytest.mark.parametrize(
    ("name", "fault", "kind", "again", "why"),
    [
        *((name, "html", EditFailed, True, "is not (a )?JSON") for name in SERVICES),
        *((name, "status:429:2.5", Overloaded, True, "HTTP 429") for name in SERVICES),
        *((name, "status:400", AskingFailed, False, "HTTP 400") for name in SERVICES),
        (CHAT, "deep", EditFailed, True, "is not (a )?JSON"),
        (CHAT, "a list", EditFailed, True, "is not a JSON object"),
        (FLUX, "nothing", EditFailed, True, "is not (a )?JSON"),
        (CHAT, "error within:429", Overloaded, True, "the provider is down"),
        (CHAT, "error within:502", AskingFailed, True, "the provider is down"),
        (CHAT, "no choices", AskingFailed, True, "the server sent no choices"),
    ],
)
def test_faults_of_services_are_classified(at, name, fault, kind, again, why):
    with PictureServer(**{FIRST[name]: fault}) as server:
        at(server)
        with pytest.raises(kind, match=why) as caught:
            edit(name)
    assert caught.value.again is again
    if "2.5" in fault:
        assert caught.value.wait == 2.5
    assert len(server.asked) == 1


def test_a_silent_service_times_out_and_large_responses_are_refused(at, monkeypatch):
    monkeypatch.setattr("countersight.editing.hosted.MAX_ANSWER", 2_000_000)
    with PictureServer(ask=[lambda server: time.sleep(0.6), "bomb"]) as server:
        at(server)
        with pytest.raises(AskingFailed, match=r"no answer within 0\.2 s") as caught:
            edit(CHAT, settings=EditorSettings(timeout=0.2))
        assert caught.value.again
        with pytest.raises(AskingFailed, match="longer than 2,000,000 bytes") as caught:
            edit(CHAT)
    assert not caught.value.again


@pytest.mark.parametrize("name", SERVICES)
def test_the_key_is_sent_and_never_logged(at, name):
    echo = {"error": {"message": f"the key {KEY} is not for this"}, "detail": KEY}
    with PictureServer(**{FIRST[name]: [lambda server: _echo(echo), None]}) as server:
        at(server)
        failed, edited = edits(name, *[EditRequest(PICTURE, CHANGE)] * 2)
    if not isinstance(failed, Exception):
        failed, edited = edited, failed
    assert "[key]" in str(failed)
    editor = open_editor(name)
    assert "very/secret" not in f"{failed} {edited.log} {editor.settings} {editor.name}"
    assert any(KEY in value for value in server.asked[0].headers.values())


def _echo(body):
    from aiohttp import web

    return web.json_response(body, status=400)


@pytest.mark.parametrize("name", SERVICES)
def test_a_missing_key_is_an_error_message(name, monkeypatch):
    variable = f"{SERVICES[name][0]}_API_KEY"
    monkeypatch.delenv(variable, raising=False)
    with pytest.raises(EditorError, match=f"needs a key; set {variable}"):
        open_editor(name)


def test_names_that_would_change_an_address_are_refused(monkeypatch):
    monkeypatch.setenv("BFL_API_KEY", KEY)
    for model in ("../v2/x", "a b", "x%2f", "x#y", "a/b"):
        with pytest.raises(EditorError, match="may contain only letters"):
            open_editor(f"flux:{model}")


# Chat that answers with pictures


def test_openrouter_requests_have_its_format_and_responses_its_cost(at):
    with PictureServer() as server:
        at(server)
        edited = edit(CHAT, seed=5)
    (asked,) = server.asked
    assert asked.path == "/api/v1/chat/completions"
    assert asked.headers["Authorization"] == f"Bearer {KEY}"
    assert asked.json["model"] == "google/painter"
    assert asked.json["modalities"] == ["image", "text"]
    assert asked.json["seed"] == 5
    assert edited.cost == 0.039
    assert edited.log["model"] == "google/painter"


def test_a_model_without_text_output_is_asked_for_pictures_only(at):
    with PictureServer(ask=["only images", None]) as server:
        at(server)

        async def twice():
            editor = open_editor(CHAT)
            made = [await editor.edit(EditRequest(PICTURE, CHANGE)) for _ in range(2)]
            await editor.close()
            return made

        first, second = asyncio.run(twice())
    assert first.picture == second.picture
    assert [asked.json["modalities"] for asked in server.asked] == [["image", "text"], ["image"], ["image"]]


@pytest.mark.usefixtures("at")
def test_another_server_can_be_used_by_its_address(monkeypatch):
    monkeypatch.setenv("COUNTERSIGHT_API_KEY", KEY)
    with PictureServer() as server:
        edited = edit(f"chat-image:{server.url}/v1#painter")
        assert edited.picture.data == negative(PICTURE.data)
        assert server.asked[0].headers["Authorization"] == f"Bearer {KEY}"
        monkeypatch.delenv("COUNTERSIGHT_API_KEY")
        edit(f"chat-image:{server.url}/v1#painter")
        assert "Authorization" not in server.asked[1].headers
    with pytest.raises(EditorError, match="chat-image:URL#MODEL"):
        open_editor("chat-image:http://127.0.0.1:1/v1")


@pytest.mark.parametrize("fault", ["wrong mime", "in the content"])
def test_the_picture_type_is_detected_and_the_picture_may_be_in_the_content(at, fault):
    with PictureServer(ask=fault) as server:
        at(server)
        edited = edit(CHAT)
    assert (edited.picture.mime, edited.picture.width) == ("image/png", 4)


def test_the_last_of_several_pictures_is_used(at):
    with PictureServer(ask="two pictures") as server:
        at(server)
        edited = edit(CHAT)
    assert (edited.picture.width, edited.log["pictures"]) == (4, 2)


@pytest.mark.parametrize(
    ("fault", "again", "why"),
    [
        ("huge", True, "900,000,000|30000 x 30000"),
        ("no picture", True, "is not a PNG"),
        ("half a picture", True, "is cut off"),
        ("no base64", True, "base64"),
        ("words", False, f"the server sent no picture, only this text: {WORDS}"),
        ("words in parts", False, WORDS),
        ("silence", True, "the server sent no picture$"),
        ("filtered", False, "moderated: content_filter"),
        ("blocked behind", False, "moderated: IMAGE_SAFETY"),
        ("flagged", False, "moderated: Your input was flagged"),
        ("plain data", False, "not valid base64"),
        ("address:http://127.0.0.1:9/x.png", False, "an address instead of the picture"),
        ("address:file:///etc/passwd", False, "an address instead of the picture"),
    ],
)
def test_responses_without_a_picture_are_failed_edits(at, fault, again, why):
    with PictureServer(ask=fault) as server:
        at(server)
        with pytest.raises(EditFailed, match=why) as caught:
            edit(CHAT)
    assert caught.value.again is again
    assert len(server.asked) == 1

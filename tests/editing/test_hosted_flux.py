"""Black Forest Labs: an edit is ordered, waited for and fetched, and each of these can go wrong."""

import pytest
from editing.edits import pixels, white
from editing.hosting import CHANGE, FLUX, KEY, NOTHING, PICTURE, SQUARE, annotated_square, edit, edits
from editing.servers import PictureServer, as_json, negative
from msgspec.structs import replace

from countersight.editing.protocol import EditorSettings, EditRequest, open_editor
from countersight.errors import AskingFailed, EditFailed, EditorError, Overloaded

FILL = "flux:flux-pro-1.0-fill"


def test_an_edit_is_ordered_polled_and_fetched_without_the_key(at):
    with PictureServer(look=["Pending", "Reasoning", None]) as server:
        at(server)
        edited = edit(FLUX, seed=9)
    ordered, *looked, fetched = server.asked
    assert (ordered.method, ordered.path) == ("POST", "/v1/flux-2-pro")
    told = ordered.json
    assert (told["seed"], told["output_format"], told["prompt_upsampling"]) == (9, "png", False)
    assert "safety_tolerance" not in told
    assert [one.path for one in looked] == ["/v1/get_result?id=order-0"] * 3
    assert {one.headers["x-key"] for one in (ordered, *looked)} == {KEY}
    assert KEY not in str(fetched.headers)
    assert edited.picture.data == negative(PICTURE.data)
    assert edited.cost == 0.04
    assert edited.log["order"] == "order-0"


def test_concurrent_orders_are_kept_apart(at):
    with PictureServer() as server:
        at(server)
        made = edits(FLUX, *[EditRequest(PICTURE, CHANGE, seed=seed) for seed in range(8)])
    assert {one.log["order"] for one in made} == {f"order-{number}" for number in range(8)}


def test_fill_models_change_only_the_named_object(at, tmp_path):
    file = annotated_square(tmp_path / "coco.json")
    with PictureServer() as server:
        at(server)
        server.size = (96, 64)
        (edited,) = edits(f"{FILL}?annotations={file}", EditRequest(SQUARE, CHANGE, name="a.png"))
        with pytest.raises(EditorError, match="flux-2-pro takes no options; only fill models"):
            open_editor(f"{FLUX}?annotations=a.json")
    painted = white(edited.mask)
    assert painted[8:16, 8:20].all()
    assert not painted[26:].any()
    before, after = pixels(SQUARE.data), pixels(edited.picture.data)
    assert (after[~painted] == before[~painted]).all()
    assert (after[painted] != before[painted]).any()
    assert (edited.log["mask from"], edited.log["received"]) == ("annotation of square 1", "96 x 64 image/png")
    told = server.asked[0].json
    assert {"image", "mask"} < told.keys()
    assert "input_image" not in told
    assert told["prompt"] == edited.log["prompt"] == "The square is blue."


def test_fill_without_a_mask_fails_and_changes_nothing_at_no_cost(at):
    with PictureServer() as server:
        at(server)
        with pytest.raises(EditFailed, match="“square” could not be located"):
            edit(FILL)
        with pytest.raises(EditFailed, match="needs a mask, and there is none for “add”"):
            edit(FILL, instruction=replace(CHANGE, action="add"))
        edited = edit(FILL, instruction=NOTHING)
    assert edited.picture == PICTURE
    assert not white(edited.mask).any()
    assert server.asked == []


@pytest.mark.parametrize(
    ("faults", "again", "why"),
    [
        ({"order": "moderated"}, False, r"moderated: Request Moderated \(Violence\)"),
        ({"order": "moderated, 422"}, False, "moderated: Request Moderated: the prompt was flagged"),
        ({"look": "Request Moderated"}, False, "moderated: Request Moderated"),
        ({"look": "Content Moderated"}, False, r"moderated: Content Moderated \(Nudity, Celebrity\)"),
        ({"look": "Content Moderated, HTTP 503"}, False, "moderated: Content Moderated"),
        ({"look": "Error"}, True, r"the service reports: Error \(out of memory\)"),
        ({"look": "Failed"}, True, "the service reports: Failed"),
        ({"look": "Task not found, HTTP 404"}, True, "Task not found"),
        ({"look": "Ready, no sample"}, False, "gives no address"),
        ({"look": "html"}, True, "does not report the state of the order"),
        ({"fetch": "html"}, True, "the edited picture is not a PNG"),
        ({"fetch": "nothing"}, True, "the edited picture is empty"),
        ({"fetch": "status:410"}, True, "expired before it was fetched"),
        ({"fetch": "status:403"}, True, "expired before it was fetched"),
        ({"fetch": "redirect:file:///etc/passwd"}, True, r"cannot be fetched \(HTTP 302\)"),
    ],
)
def test_failed_orders_are_failed_edits(at, faults, again, why):
    with PictureServer(**faults) as server:
        at(server)
        with pytest.raises(EditFailed, match=why) as caught:
            edit(FLUX)
    assert caught.value.again is again
    assert len([one for one in server.asked if one.method == "POST"]) == 1


def test_an_order_that_is_never_ready_times_out(at):
    with PictureServer(look="Pending") as server:
        at(server)
        with pytest.raises(EditFailed, match="not ready within 1 s") as caught:
            edit(FLUX, settings=EditorSettings(timeout=1))
    assert caught.value.again
    assert len(server.asked) > 1


@pytest.mark.parametrize(
    "faults",
    [
        {"look": ["status:429:0.05", "status:500", "html", "Pending", None]},
        {"fetch": ["status:503", "status:410", None]},
    ],
)
def test_a_paid_order_is_polled_and_not_placed_again(at, faults):
    with PictureServer(**faults) as server:
        at(server)
        assert edit(FLUX).picture.data == negative(PICTURE.data)
    assert len([one for one in server.asked if one.method == "POST"]) == 1


def test_a_service_that_stays_busy_is_overloaded(at):
    with PictureServer(look="status:429:0.01") as server:
        at(server)
        with pytest.raises(Overloaded):
            edit(FLUX)


@pytest.mark.parametrize(
    "place",
    [
        "{other}/v1/get_result?id=order-0",
        "http://localhost:OWN/v1/get_result?id=order-0",
        "https://127.0.0.1:OWN/v1/get_result?id=order-0",
        "http://api.bfl.ai:443/v1/get_result",
        "http://api.bfl.ai/v1/get_result?id=order-0",
        "https://api.bfl.ai.example.org/v1/get_result",
        "https://notbfl.ai/v1/get_result",
        "https://api.bfl.ai@127.0.0.1:{port}/v1/get_result",
        "https://127.0.0.1\\@api.bfl.ai/v1/get_result",
        "https://api.bfl.ai:8443/v1/get_result",
        "file:///etc/passwd",
        "//api.bfl.ai/v1",
        "",
        "http://[",
        7,
        ["https://api.bfl.ai"],
    ],
)
def test_the_key_is_sent_only_to_the_service(at, place):
    with PictureServer() as other, PictureServer() as server:
        if isinstance(place, str):
            place = place.format(other=other.url, port=other.port).replace("OWN", str(server.port))
        server.faults["order"] = [lambda server: as_json({"id": "order-0", "polling_url": place})]
        at(server)
        with pytest.raises(EditFailed, match="unexpected address"):
            edit(FLUX)
        assert len(server.asked) == 1
    assert other.asked == []


def test_addresses_under_bfl_ai_belong_to_the_service():
    from yarl import URL

    from countersight.editing.flux import _is_bfl

    assert all(_is_bfl(URL(f"https://{host}/v1/get_result")) for host in ("api.bfl.ai", "api.us1.bfl.ai", "bfl.ai"))


@pytest.mark.parametrize("where", ["look", "fetch"])
def test_polling_and_fetching_follow_no_redirect(at, where):
    with PictureServer() as other, PictureServer(**{where: f"redirect:{other.url}/delivery/order-0.png"}) as server:
        at(server)
        with pytest.raises(AskingFailed, match="HTTP 302"):
            edit(FLUX)
    assert other.asked == []


@pytest.mark.parametrize("sample", ["file:///etc/passwd", "http://169.254.169.254/latest", "{other}/x.png", "data:,x"])
def test_results_are_fetched_only_from_safe_addresses(at, sample):
    with PictureServer() as other, PictureServer(look=f"Ready at {sample.format(other=other.url)}") as server:
        at(server)
        with pytest.raises(EditFailed, match="gives no address"):
            edit(FLUX)
    assert other.asked == []

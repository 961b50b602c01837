"""The causal graph of a case in the gallery: in words, and as boxes over its picture."""

import io
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image
from playwright.sync_api import Browser, Page, expect
from waiting import settled

from countersight.case import Case, Question
from countersight.dataset.folder import Dataset
from countersight.dataset.writing import DatasetWriter
from countersight.reports.data import GraphThing
from countersight.reports.gallery import MOST_BOXES, MOST_THINGS, shown_graph
from countersight.reports.write import write_report

from .running import answered, right

WIDE = (200, 100)


def graph(*boxes: Any) -> dict[str, Any]:
    """A shelf that supports books, with these boxes of the shelf."""
    return {
        "nodes": [{"id": "s", "obj_name": "shelf", "boxes": list(boxes)}, {"id": "b", "obj_name": "books"}],
        "edges": [{"source": "s", "target": "b", "relation": "supports"}],
    }


def case(name: str, image: str | None, of: dict[str, Any] | None) -> Case:
    return Case(
        id=name,
        suite="cello",
        group="sufficient_cause",
        image=image,
        counterfactual=Question("Would the books fall?", "yes", "boolean"),
        graph=of,
        provenance={"why": "the books depend on the shelf"},
    )


def dataset(folder: Path, *cases: Case) -> Dataset:
    """The cases in a dataset whose pictures are twice as wide as high."""
    with DatasetWriter(folder, name="tiny", description="", license="CC0-1.0", provenance={}) as writer:
        for one in cases:
            if one.image:
                file = io.BytesIO()
                Image.new("RGB", WIDE, (90, 90, 200)).save(file, "PNG")
                (writer.staging / one.image).write_bytes(file.getvalue())
            writer.add(one)
    return Dataset.open(folder)


def test_a_graph_is_told_in_words_with_the_reason_and_boxes_in_parts_of_the_picture(tmp_path: Path) -> None:
    one = case("a", "images/a.png", graph([50, 25, 100, 50], [150, 80, 100, 40]))
    shown = shown_graph(one, dataset(tmp_path / "d", one))
    assert shown is not None
    assert (shown.edges, shown.why) == (("shelf supports books",), "the books depend on the shelf")
    # The second box leaves the picture and ends at its edge.
    assert shown.things == (GraphThing("shelf", ((0.25, 0.25, 0.5, 0.5), (0.75, 0.8, 0.25, 0.2))), GraphThing("books"))


def test_without_a_picture_there_are_words_and_no_boxes(tmp_path: Path) -> None:
    one = case("a", None, graph([50, 25, 100, 50]))
    source = dataset(tmp_path / "d", one, case("b", "images/b.png", graph([50, 25, 100, 50])))
    (source.path / "images/b.png").write_bytes(b"nothing")
    for each in (one, case("b", "images/b.png", one.graph)):
        shown = shown_graph(each, source)
        assert shown is not None
        assert shown.edges == ("shelf supports books",)
        assert not any(thing.boxes for thing in shown.things)


@pytest.mark.parametrize("nothing", [None, {}, {"nodes": 3}, {"nodes": [{"id": "s"}], "edges": [{"source": "s"}]}])
def test_a_case_without_a_graph_to_tell_has_none(tmp_path: Path, nothing: dict[str, Any] | None) -> None:
    one = case("a", "images/a.png", nothing)
    assert shown_graph(one, dataset(tmp_path / "d", one)) is None


@pytest.mark.parametrize(
    "box",
    ["", None, [1, 2, 3], [1, 2, 3, "4"], [True, 0, 5, 5], [10**400, 0, 5, 5], [0, 0, -5, 5], [0, 0, 0, 5], {"x": 1}],
)
def test_what_is_no_box_is_left_out(tmp_path: Path, box: Any) -> None:
    one = case("a", "images/a.png", None)
    source = dataset(tmp_path / "d", one)
    shown = shown_graph(case("a", "images/a.png", graph(box, [0, 0, 20, 10])), source)
    assert shown is not None
    assert shown.things[0].boxes == ((0, 0, 0.1, 0.1),)


def test_many_things_and_many_boxes_are_cut(tmp_path: Path) -> None:
    nodes = [{"id": n, "obj_name": f"thing {n}", "boxes": [[0, 0, 5, 5]] * 99} for n in range(99)]
    edges = [{"source": 0, "target": 1, "relation": "supports"}]
    one = case("a", "images/a.png", None)
    source = dataset(tmp_path / "d", one)
    shown = shown_graph(case("a", "images/a.png", {"nodes": nodes, "edges": edges}), source)
    assert shown is not None
    assert [len(thing.boxes) for thing in shown.things] == [MOST_BOXES] * MOST_THINGS


_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.sampled_from(["id", "boxes", "name"]), inner),
    max_leaves=12,
)


@pytest.fixture(scope="module")
def pictured(tmp_path_factory: pytest.TempPathFactory) -> Dataset:
    return dataset(tmp_path_factory.mktemp("graphs") / "d", case("a", "images/a.png", None))


@given(boxes=_JSON)
def test_whatever_stands_for_boxes_they_lie_in_the_picture(boxes: Any, pictured: Dataset) -> None:
    given_graph = graph()
    given_graph["nodes"][0]["boxes"] = boxes
    shown = shown_graph(case("a", "images/a.png", given_graph), pictured)
    assert shown is not None
    for left, top, width, height in shown.things[0].boxes:
        assert 0 <= left <= left + width <= 1.0001
        assert 0 <= top <= top + height <= 1.0001


@pytest.fixture
def page(browser: Browser, tmp_path: Path) -> Iterator[Page]:
    boxed = graph([50, 25, 100, 50])
    boxed["nodes"][1]["boxes"] = [[60, 10, 40, 30]]
    cases = [case("pictured", "images/a.png", boxed), case("told", None, graph([1, 2, 3, 4]))]
    dataset(tmp_path / "dataset", *cases)
    files = write_report([answered(tmp_path / "run", cases, right)], tmp_path / "out")
    context = browser.new_context(viewport={"width": 1280, "height": 900})
    opened = context.new_page()
    opened.goto(files.html.as_uri() + "#cases")
    yield opened
    context.close()


@pytest.mark.browser
def test_the_gallery_draws_the_things_in_their_colours_and_names_them_in_the_dialog(page: Page) -> None:
    troubles: list[str] = []
    page.on("console", lambda message: troubles.append(message.text))
    card = page.locator(".card").first
    expect(card.locator(".thing")).to_have_text(["shelf", "books"])
    expect(card.locator(".graph")).to_contain_text("shelf supports books")
    expect(card.locator(".graph")).to_contain_text("Why: the books depend on the shelf.")
    boxes = card.locator("button.picture svg rect")
    expect(boxes).to_have_count(2)
    colours = [each.evaluate("one => getComputedStyle(one).stroke") for each in boxes.all()]
    assert len(set(colours)) == 2
    assert colours == [
        each.evaluate("one => getComputedStyle(one).borderInlineStartColor") for each in card.locator(".thing").all()
    ]
    settled(lambda: _lies_there(boxes.first, card.locator("button.picture img")))

    card.locator("button.picture").click()
    enlarged = page.locator("#zoom-boxes")
    expect(enlarged.locator("text")).to_have_text(["shelf", "books"])
    expect(page.locator("#zoom-graph")).to_have_text("shelf supports books")
    settled(lambda: _lies_there(enlarged.locator("rect").first, page.locator("#zoom-picture")))
    assert Axe().run(page).violations_count == 0
    assert troubles == []


def _lies_there(box: Any, image: Any) -> None:
    """The box of the shelf is half as wide and high as the picture, which is fitted into the middle of its place."""
    drawn, place = box.bounding_box(), image.bounding_box()
    assert drawn
    assert place
    width = min(place["width"], 2 * place["height"])
    left = place["x"] + (place["width"] - width) / 2
    top = place["y"] + (place["height"] - width / 2) / 2
    assert drawn["width"] == pytest.approx(width / 2, abs=6)
    assert drawn["x"] == pytest.approx(left + width / 4, abs=4)
    assert drawn["y"] == pytest.approx(top + width / 8, abs=4)


@pytest.mark.browser
def test_a_case_without_a_picture_says_so_and_shows_its_graph_in_words(page: Page) -> None:
    card = page.locator(".card").nth(1)
    expect(card).to_contain_text("No picture: this case is its text and its graph.")
    expect(card).to_contain_text("shelf supports books")
    expect(card.locator("svg")).to_have_count(0)
    page.locator("#search").fill("supports books")
    expect(page.locator(".card")).to_have_count(2)

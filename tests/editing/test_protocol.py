"""Editors by name, the words they are told, and orders that are paid for once, whenever the process is killed."""

import pytest
from editing.edits import dots, drawing, white
from editing.edits import edit as edit_with
from editing.hosting import CHANGE, FLUX, PICTURE, edit, edits
from editing.photographs import jpeg, photograph
from editing.servers import PictureServer, negative
from msgspec.structs import replace

from countersight.audits.orders import ORDERS, FileOrders
from countersight.editing import EditOrder, EditRequest
from countersight.editing.protocol import Instruction, description_of, open_editor, words_for
from countersight.errors import AskingFailed, AuditError, EditFailed, EditorError, OrderInDoubt


class Killed(BaseException):
    """Stands for a kill: nothing of the process runs after it."""


class Dying:
    """A book whose process is killed right after it noted an order in a state."""

    def __init__(self, folder, state):
        self._book, self._state = FileOrders(folder), state

    def find(self, key):
        return self._book.find(key)

    def note(self, order):
        self._book.note(order)
        if order.state == self._state:
            raise Killed


def test_an_order_placed_before_a_kill_is_fetched_and_not_placed_again(at, tmp_path):
    with PictureServer() as server:
        at(server)
        with pytest.raises(Killed):
            edit(FLUX, orders=Dying(tmp_path, "placed"))
        edited = edit(FLUX, orders=FileOrders(tmp_path))
        assert len(server.to("flux-2-pro")) == 1
    assert edited.picture.data == negative(PICTURE.data)
    assert (edited.log["order"], edited.cost) == ("order-0", 0.04)


def test_a_doubtful_order_is_not_placed_again(at, tmp_path):
    with PictureServer() as server:
        at(server)
        with pytest.raises(Killed):
            edit(FLUX, orders=Dying(tmp_path, "placing"))
        with pytest.raises(EditFailed, match=r"may already be paid for.*orders\.jsonl"):
            edit(FLUX, orders=FileOrders(tmp_path))
        (tmp_path / ORDERS).unlink()
        edit(FLUX, orders=FileOrders(tmp_path))
        assert len(server.to("flux-2-pro")) == 1


@pytest.mark.parametrize("fault", ["nothing", "html"])
def test_an_order_with_a_lost_response_is_not_placed_again(at, tmp_path, fault):
    with PictureServer(order=[fault, None]) as server:
        at(server)
        for _ in range(2):
            with pytest.raises(OrderInDoubt, match="may already be paid for"):
                edit(FLUX, orders=FileOrders(tmp_path))
        assert len(server.to("flux-2-pro")) == 1


@pytest.mark.parametrize("fault", ["status:429:0.01", "status:500"])
def test_a_rejected_order_is_placed_again(at, tmp_path, fault):
    with PictureServer(order=[fault, None]) as server:
        at(server)
        with pytest.raises(AskingFailed):
            edit(FLUX, orders=FileOrders(tmp_path))
        assert edit(FLUX, orders=FileOrders(tmp_path)).log["order"] == "order-0"


def test_a_failed_or_expired_order_is_placed_again(at, tmp_path):
    with PictureServer(look=["Error", None]) as server:
        at(server)
        book = FileOrders(tmp_path)
        with pytest.raises(EditFailed, match="Error"):
            edit(FLUX, orders=book)
        assert edit(FLUX, orders=book).log["order"] == "order-1"


def test_other_edits_are_other_orders(at, tmp_path):
    with PictureServer() as server:
        at(server)
        made = edits(FLUX, *[EditRequest(PICTURE, CHANGE, seed=seed, orders=FileOrders(tmp_path)) for seed in (1, 2)])
    assert len({one.log["order"] for one in made}) == 2


def test_an_incomplete_order_line_is_ignored_and_other_damage_reported(tmp_path):
    FileOrders(tmp_path).note(EditOrder("a" * 64, "placing"))
    with open(tmp_path / ORDERS, "ab") as file:
        file.write(b'{"key":"bb')
    assert FileOrders(tmp_path).find("a" * 64).state == "placing"
    (tmp_path / ORDERS).write_bytes(b"{}\n")
    with pytest.raises(AuditError, match="line 1 is damaged"):
        FileOrders(tmp_path)


BLUE = Instruction(
    "the red car", "attribute", "recolour", "The car is blue, with  the\nsame wheels", "A red car", "car"
)


def test_a_prompt_contains_both_parts_of_an_instruction():
    words = words_for(BLUE)
    told = (
        "The car is blue, with the same wheels.",
        "A red car.",
        "else must stay exactly as they are",
        "picture alone",
    )
    assert all(part in words for part in told)
    assert "touched" not in words_for(replace(BLUE, negative=" "))
    control = words_for(replace(BLUE, action="nothing"))
    assert "Change nothing at all." in control
    assert "blue" not in control
    assert description_of(BLUE) == "The car is blue, with the same wheels."
    assert description_of(replace(BLUE, positive="Is it blue?")) == "Is it blue?"


@pytest.mark.parametrize(("editor", "scene"), [("exact", dots()), ("classical", None)])
def test_a_control_edit_without_a_generator_returns_the_same_bytes_and_a_black_mask(editor, scene):
    picture = drawing(scene) if scene else jpeg(photograph())
    edited = edit_with(editor, picture, "nothing", scene=scene)
    assert (edited.picture.data, edited.scene) == (picture.data, scene)
    assert not white(edited.mask).any()


def test_an_unknown_name_gets_a_suggestion():
    with pytest.raises(EditorError, match="did you mean 'exact'"):
        open_editor("exakt")

"""Which part of a change mattered: each left out in turn, asked of any model that ranks."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from making import dataset

from countersight.ablation import by_kind, make_variants, read_effects
from countersight.ablation.parts import CaseParts
from countersight.case import LETTERS, Case, Change, Option, Question
from countersight.cli import main
from countersight.dataset import Dataset
from countersight.engine import RunFolder
from countersight.errors import CountersightError
from countersight.models import Answer
from countersight.suites.cosim import change_parts

CHANGE = "The rain has stopped, but there is a barking dog. Add a red car."


class Listening:
    """Finds a response the likelier, the more of its words stand in the change."""

    name = "listening"
    needs_picture = False

    def __init__(self):
        self.settings = {}

    async def losses(self, request):
        heard = set(request.parts.change.lower().replace(".", "").split()) - {"the", "is", "it", "a"}
        return tuple(-2.0 * len(heard & set(option.text.lower().split())) for option in request.options)

    async def reply(self, request):
        return Answer("A")

    async def close(self):
        pass


def case(number: int, change: str = CHANGE) -> Case:
    right = number % 3
    options = ["the dog wakes me", "it is quiet", "nobody is here"]
    options.insert(right, options.pop(0))
    return Case(
        id=f"case-{number}",
        image=f"images/{number}.png",
        context="Yes.",
        change=Change(change),
        counterfactual=Question("Why?", LETTERS[right], "choice", tuple(map(Option, options))),
    )


@pytest.fixture
def cases(tmp_path):
    return dataset(tmp_path / "cases", [*(case(number) for number in range(12)), case(12, "There is a bus.")])


def test_a_change_is_cut_into_its_clauses_in_its_own_words() -> None:
    assert change_parts(CHANGE) == ("The rain has stopped.", "There is a barking dog.", "Add a red car.")
    assert change_parts("There is a bus.") == ("There is a bus.",)
    assert change_parts("The man hums and she yodels, and it snows") == ("The man hums.", "She yodels.", "It snows.")
    assert change_parts("The oars and boat are wet and it is 7 p.m. here.") == (
        "The oars and boat are wet.",
        "It is 7 p.m. here.",
    )
    assert change_parts("  ") == ()
    assert change_parts("İ is here, but there is a dog.") == ("İ is here.", "There is a dog.")


@pytest.mark.parametrize("change", ["The red and gold banner is torn.", "The ceiling and the shed are damp."])
def test_and_between_nouns_begins_no_part(change) -> None:
    assert change_parts(change) == (change,)


@given(st.text(max_size=300))
def test_parts_are_pieces_of_the_change_in_order(text) -> None:
    plain, at = " ".join(text.split()), 0
    for part in change_parts(text):
        at = plain.find(part[1:-1], at)  # its first letter may have become a capital
        assert at >= 0


def test_the_part_that_names_the_thing_carries_the_answer(cases, tmp_path, monkeypatch, capsys) -> None:
    monkeypatch.setattr("countersight.models.open_model", lambda name, settings: Listening())
    assert main(["ablate", str(cases), "--model", "listening", "-o", str(tmp_path / "parts")]) == 0
    assert "all parts" in capsys.readouterr().out
    found = read_effects(RunFolder.open(tmp_path / "parts/run"), Dataset.open(tmp_path / "parts/variants"))
    assert len(found) == 12  # the change of the thirteenth has one part
    for one in found:
        assert set(one.probabilities) == {"", "1", "2", "3", "1+2", "1+3", "2+3"}
        assert one.loses("2") == (one.right != 0)  # without the dog all are alike, and the first wins
        assert not one.loses("3")
        assert one.effect("2") > 0.3 > abs(one.effect("3"))
    whole, strongest, *_ = by_kind(found)
    assert (whole.kind, whole.parts, whole.cases) == ("all parts", 36, 12)
    assert strongest.kind == "object addition"
    assert strongest.gain.low <= strongest.gain.value <= strongest.gain.high
    page = (tmp_path / "parts/index.html").read_text()
    assert page.count("<caption>") == 12
    assert "Without: There is a barking dog." in page


def test_few_cases_have_a_wide_interval() -> None:
    likely = {"": (0.7, 0.3), "1": (0.4, 0.6), "2": (0.7, 0.3)}
    parts = ("There is a dog.", "It rains.")
    (whole, *_) = by_kind([CaseParts(str(number), "Why?", ("a", "b"), 0, parts, likely) for number in range(9)])
    assert whole.gain.low < whole.gain.value - 0.08 < whole.gain.value + 0.08 < whole.gain.high
    assert whole.lost == 0.5


def test_a_dataset_without_such_changes_gets_a_sentence(tmp_path) -> None:
    with pytest.raises(CountersightError, match="of several parts"):
        make_variants(Dataset.open(dataset(tmp_path / "cases", 3)), tmp_path / "variants")
    assert not (tmp_path / "variants").exists()

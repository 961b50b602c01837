"""Planted bad pairs are rejected, by rules and by a model, and good pairs are not."""

import json
import re
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path

import planted
import pytest
from chat_server import ChatServer, question_of
from pairing import build, rejected, write_csv
from published import published

from countersight.authoring import (
    CHECKS,
    REJECTED,
    BuiltPairs,
    PairDraft,
    SourceQuestion,
)
from countersight.dataset import Dataset
from countersight.suites import find_suite, rows_of

GOOD = ("Is the dog asleep?", "yes", "Would the dog be asleep if the doorbell had just rung?", "no")


def scripted(
    pairs: list[planted.Planted],
    blind: str = "unknown",
    derived: dict[str, str] | None = None,
) -> Callable[[ChatServer, int, dict], str]:
    """Return a server that writes these pairs, each for its own question, and gives scripted verdicts."""
    drafts: dict[tuple[str, str], list[tuple[str, str]]] = {}
    for question, answer, draft, new in pairs:
        drafts.setdefault((question, answer), []).append((draft, new))

    def behave(server: ChatServer, number: int, body: dict) -> str:
        text = question_of(body)
        if "unknown" in text:
            return f"say:{blind}"
        if supposed := re.search("Now suppose that (.+?)[.] What", text):
            known = text.partition("Now suppose")[0]
            return "say:" + next(
                (derived or {}).get(draft, new)
                for question, answer, draft, new in pairs
                if f"{question}\nThe answer is {answer}." in known and supposed[1] in draft.casefold()
            )
        if text.startswith("Correct the grammar"):
            return "say:" + json.dumps({"question": text.rpartition("Question: ")[2]})
        question, answer = re.findall(r"Question: (.+)\nAnswer: (\w+)", text)[-1]
        draft, new = drafts[question, answer].pop()
        return "say:" + json.dumps({"operation": "another", "new_answer": new, "question": draft})

    return behave


def build_pairs(folder: Path, server: ChatServer, pairs: list[planted.Planted], **options: object) -> BuiltPairs:
    source = write_csv(folder / "questions.csv", [(question, answer) for question, answer, _, _ in pairs])
    return build(source, folder / "pairs", **{"writer": server.name, "size": 2 * len(pairs)} | options)


def faults(pair: planted.Planted) -> list[str]:
    """Return the names of the rules that reject a pair."""
    question, answer, written, new = pair
    source = SourceQuestion("1", question, answer, "direct" if answer.isdigit() else "boolean")
    return [name for name, check in CHECKS if check(source, PairDraft(written, new, "another"))]


def test_good_pairs_pass_every_rule() -> None:
    good = list(planted.good_pairs())
    assert not [pair for pair in good if faults(pair)]


@pytest.mark.slow
def test_pairs_that_people_wrote_pass_the_rules() -> None:
    """C-VQA-Real: at least 95 % of the pairs whose answer changes and does not follow from the text alone."""
    layout = find_suite("cvqa-real").open_layout()
    found: Counter[str] = Counter()
    for number, (_, row) in enumerate(rows_of(layout, published("cvqa/C-VQA-Real_questions.csv")), start=1):
        case = layout.as_case(row, number)
        factual, changed = case.factual, case.counterfactual
        name, *_ = [*faults((factual.text, factual.answer, changed.text, changed.answer)), "passed"]
        is_bad = factual.answer == changed.answer or name == "the text alone gives the answer"
        is_bad |= changed.answer == "0" and name == "an answer or a count is stated"  # "if the dog left"
        found["" if is_bad else name] += 1
    assert found["passed"] >= 0.95 * (found.total() - found[""])
    assert found[""] <= 0.07 * found.total()


def test_stated_counts_are_rejected_by_rule() -> None:
    assert not [pair for pair in planted.stated_counts() if not faults(pair)]


def test_suppositions_that_bring_nothing_new_are_rejected_by_rule() -> None:
    assert not [pair for pair in planted.flipped(planted.EMPTY) if faults(pair) != ["nothing is supposed"]]


def test_a_supposition_that_changes_nothing_for_the_model_is_rejected(tmp_path: Path) -> None:
    bad = list(planted.flipped(planted.IRRELEVANT))[::21]
    pairs = [*bad, GOOD]
    with ChatServer(scripted(pairs, derived={draft: old for _, old, draft, _ in bad})) as server:
        built = build_pairs(tmp_path, server, pairs, groups=("boolean",))
    taken = [case.counterfactual.text for _, case in Dataset.open(tmp_path / "pairs").cases() if case.counterfactual]
    assert taken == [GOOD[2]]
    differing = [row for row in rejected(tmp_path / "pairs") if row["reason"] == "a model gives a different answer"]
    assert built.funnel.dropped_as_underived == len(differing) > 0
    assert {row["details"].rpartition(" answers ")[2] for row in differing} == {"yes, not no", "no, not yes"}
    assert f"{len(differing)} pairs were left out because the model's answer was not the writer's" in (
        (tmp_path / "pairs/README.md").read_text()
    )


@pytest.mark.parametrize(("derived", "cases"), [("5", 2), ("6", 1), ("unknown", 1)])
def test_a_count_that_no_rule_computes_is_worked_out_by_a_model(tmp_path: Path, derived: str, cases: int) -> None:
    felled = ("How many trees are there?", "7", "How many trees would stand if a beaver gnawed through 2 trees?", "5")
    with ChatServer(scripted([felled, ADDED[0]], derived={felled[2]: derived})) as server:
        assert build_pairs(tmp_path, server, [felled, ADDED[0]], groups=("direct",)).cases == cases


def test_a_count_that_the_composer_computes_is_not_worked_out_by_a_model(tmp_path: Path) -> None:
    with ChatServer(scripted(ADDED)) as server:
        assert build_pairs(tmp_path, server, ADDED, groups=("direct",)).cases == 2
        assert not [body for body in server.requests if question_of(body).startswith("Somebody asks")]


def test_the_checking_model_sees_the_old_answer_but_not_the_new_one(tmp_path: Path) -> None:
    with ChatServer(scripted([GOOD])) as server:
        build_pairs(tmp_path, server, [GOOD], groups=("boolean",))
        (asked,) = [text for body in server.requests if "Now suppose" in (text := question_of(body))]
    assert re.findall("The answer is (.+)[.]", asked) == ["yes"]


WETTED = ("it had rained", "a bucket had tipped over", "the hose had burst", "a wave had come", "snow had melted on it")
DRIED = ("the sun had dried it", "somebody had wiped it")


def wet(things: str, reasons: Sequence[str], new: str) -> list[planted.Planted]:
    """Return a pair for each reason, about a thing of its own."""
    return [
        (f"Is the {thing} wet?", "no" if new == "yes" else "yes", f"Would the {thing} be wet if {reason}?", new)
        for thing, reason in zip(things.split(), reasons, strict=True)
    ]


UNEVEN = [*wet("dog car road bench lawn", WETTED, "yes"), *wet("tent wall", DRIED, "no")]


def test_yes_and_no_are_balanced_when_questions_run_out(tmp_path: Path) -> None:
    with ChatServer(scripted(UNEVEN)) as server:
        built = build_pairs(tmp_path, server, UNEVEN)
    assert built.empty == ("direct",)
    cases = [case for _, case in Dataset.open(tmp_path / "pairs").cases()]
    assert Counter(case.counterfactual.answer for case in cases if case.counterfactual) == {"yes": 3, "no": 2}
    rows = rejected(tmp_path / "pairs")
    assert [row["reason"] for row in rows] == ["enough answers yes"] * 2


def test_cfmm_pairs_share_two_options(tmp_path: Path) -> None:
    with ChatServer(scripted(UNEVEN)) as server:
        build_pairs(tmp_path, server, [*UNEVEN, ADDED[0]], suite="cfmm")
    assert "of another group" in (tmp_path / "pairs/funnel.json").read_text()
    cases = [case for _, case in Dataset.open(tmp_path / "pairs").cases()]
    assert len(cases) == 5
    for each in cases:
        assert each.group == "common"
        assert each.factual
        assert each.counterfactual
        assert each.factual.options == each.counterfactual.options
        assert each.factual.answer != each.counterfactual.answer
        assert {option.text.casefold() for option in each.factual.options} == {"yes", "no"}


def test_a_supposition_is_used_for_at_most_two_per_cent(tmp_path: Path) -> None:
    pairs = [
        (f"Is the {noun} wet?", old, f"Would the {noun} be wet if it had rained all night?", new)
        for place, noun in enumerate(["dog", "car", "road", "bench", "cat", "hat", "boat", "tent", "wall", "lawn"])
        for old, new in [("yes", "no") if place % 2 else ("no", "yes")]
    ]
    with ChatServer(scripted(pairs)) as server:
        assert build_pairs(tmp_path, server, pairs, size=100, groups=("boolean",)).cases == 1
    assert (tmp_path / "pairs" / REJECTED).read_text().count("repeated supposition") == 9


ADDED = [("How many dogs are there?", "4", "How many dogs would there be if 3 more dogs were added?", "7")]
ADDED += [("How many cats are there?", "6", "How many cats would there be if 3 more cats were added?", "9")]


def test_the_writer_is_asked_without_the_picture_by_default(tmp_path: Path) -> None:
    with ChatServer(scripted(ADDED, blind="7")) as server:
        built = build_pairs(tmp_path, server, ADDED, groups=("direct",))
        blind = [text for body in server.requests if "unknown" in (text := question_of(body))]
    assert (built.cases, built.funnel.dropped_as_blind) == (1, 1)
    assert len(blind) == 3 + 1  # a wrong answer is enough
    assert len(set(blind)) == 4  # the same words would be answered alike
    assert not any("Answer: " in text for text in blind)
    card = (tmp_path / "pairs/README.md").read_text()
    assert "1 question was left out because it answered correctly every time" in card


def test_the_blind_check_can_be_turned_off_and_the_card_says_so(tmp_path: Path) -> None:
    with ChatServer(scripted(ADDED, blind="7")) as server:
        assert build_pairs(tmp_path, server, ADDED, groups=("direct",), blind="none").cases == 2
    assert "No model checked the pairs" in (tmp_path / "pairs/README.md").read_text()

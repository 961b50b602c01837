"""CoSIm's own statistics: lengths and words of the parts, types of change, and the paper's figures beside them."""

import io
from statistics import fmean, pstdev

import pytest
from importing import import_suite
from published import published
from rich.console import Console

from countersight.case import Case, Change, Option, Question
from countersight.description import describe, render
from countersight.suites import table


def instance(number, change="Add a cat.", kinds=("object addition",), context="Yes, it is dry.", **more):
    options = tuple(Option(text) for text in ("No, it is wet!", "yes, it is dry.", "no cat", "Yes."))
    question = Question("Is it dry?", "A", "choice", options)
    return Case(
        str(number), suite="cosim", change=Change(change, kinds), counterfactual=question, context=context, **more
    )


def printed(statistics):
    console = Console(file=io.StringIO(), width=100)
    render(statistics, console)
    return " ".join(console.file.getvalue().split())


def test_parts_have_their_lengths_and_different_words():
    cosim = describe([instance(1), instance(2, change="Remove the cat and add a dog.")]).suites["cosim"]
    assert cosim.lengths["scene change"] == [3, 7]
    assert cosim.words["scene change"] == {"add", "a", "cat", "remove", "the", "and", "dog"}
    assert len(cosim.lengths["distractor"]) == 6
    assert len(cosim.words["new response"]) == 4
    assert (cosim.lengths["question"], len(cosim.words["question"])) == ([3, 3], 3)


def test_types_and_how_many_a_change_has():
    several = ("object addition", "human addition", "event description", "object removal")
    cases = [instance(1), instance(2, kinds=several[:2]), instance(3, kinds=several), instance(4, kinds=())]
    cosim = describe(cases).suites["cosim"]
    assert cosim.kinds["object addition"] == 3
    assert cosim.kinds["human removal"] == 0
    assert cosim.types == {"1": 1, "2": 1, "more than 3": 1}
    assert (cosim.cases, cosim.untyped, cosim.assigned) == (4, 1, 0)


def test_two_changes_of_one_type_are_two_changes():
    once = instance(1, change="Remove the cat. Remove the dog.", kinds=("object removal",))
    cosim = describe([once]).suites["cosim"]
    assert cosim.types["1"] == cosim.changes["2"] == 1


def test_a_kept_and_a_flipped_answer_are_told_apart():
    cases = [
        instance(1),
        instance(2, context="no."),
        instance(3, context="NO, never."),
        instance(4, context="Perhaps."),
    ]
    assert describe(cases).suites["cosim"].guides == {"answer kept": 2, "answer flipped": 1}


def test_whose_the_types_are_is_said():
    assigned = instance(2, provenance={"kinds": "assigned"})
    assert "1 of 2 assigned by people, the others proposed" in printed(describe([instance(1), assigned]))


def test_other_suites_have_none_of_it():
    statistics = describe([Case("1", suite="cello", counterfactual=Question("Why?", "yes", "boolean"))])
    assert "cosim" not in statistics.suites
    assert "CoSIm" not in printed(statistics)


def test_sentences_written_for_one_case_are_no_frequent_answers():
    responses = [
        Question("Is it?", "A", "choice", (Option(f"yes, for reason {n}."), Option("no."))) for n in range(300)
    ]
    text = printed(describe(Case(str(n), counterfactual=question) for n, question in enumerate(responses)))
    assert "Right answers" not in text
    assert "reason" not in text


@pytest.mark.slow
def test_the_published_training_file_is_near_what_the_paper_reports(tmp_path):
    """It is 1,923 of 3.5K instances: no part is longer or has more words than reported, and means are near."""
    cases, _, _ = import_suite("cosim", published("cosim/train.json"), tmp_path / "d")
    cosim = describe(cases).suites["cosim"]
    for part, lengths in cosim.lengths.items():
        longest, shortest, mean, deviation = (
            float(table("cosim-1").cell(part, name).value) for name in ("max", "min", "avg", "sd")
        )
        assert longest * 0.85 <= max(lengths) <= longest
        assert shortest <= min(lengths) <= shortest + 1
        assert fmean(lengths) == pytest.approx(mean, rel=0.1)
        assert pstdev(lengths) == pytest.approx(deviation, rel=0.16)
    words = {part: len(each) for part, each in cosim.words.items()}
    assert list(words.values()) == sorted(words.values())  # questions have fewest, distractors most, as reported
    assert (words["question"], words["distractor"]) == (1836, 4681)
    assert cosim.guides["answer kept"] / cosim.guides.total() == pytest.approx(0.4293, abs=0.01)
    assert max(cosim.kinds, key=cosim.kinds.get) == "object addition"
    for counted in (cosim.types, cosim.changes):
        shares = [counted[number] / counted.total() for number in ("1", "2", "3", "more than 3")]
        assert shares == pytest.approx([0.3470, 0.3582, 0.2139, 0.0808], abs=0.07)
    text = printed(describe(cases))
    for figure in ("18.62", "4,637", "9,946", "34.70", "57.07", "reported"):
        assert figure in text

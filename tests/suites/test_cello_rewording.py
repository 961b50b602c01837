"""Questions worded by a language model: checked by rules, compared with the template, paid for once."""

import asyncio

import pytest
from causal.specimens import graph
from chat_server import ChatServer
from hypothesis import given
from hypothesis import strategies as st
from suites.test_cello_cases import BESIDE, mined

from countersight.cli import main
from countersight.engine import RetriesExhausted
from countersight.errors import AskingFailed
from countersight.suites.cello.cases import draft_yes_no
from countersight.suites.cello.queries import Shape
from countersight.suites.cello.rewording import ATTEMPTS, comparison, instructions, reword
from countersight.suites.cello.tasks import TASKS, queries
from countersight.suites.cello.wording import MAX_LENGTH, leaked_names, wording_error


def drafted(name="counterfactual_reasoning", kind="direct", stays=True, **fields):
    one = graph(kind, descriptions=("a plate on a table",), **fields)
    query = next(query for query in queries(TASKS[name], one) if query.effect_goes)
    return draft_yes_no(TASKS[name], query, Shape.of(one), 0, stays)


def worded(draft, *said):
    """The case after a model said these things in turn, and what it was told."""
    left, heard = list(said), []

    async def say(turns):
        heard.append(turns[-1].text)
        answer = left.pop(0)
        if isinstance(answer, Exception):
            raise answer
        return answer

    return asyncio.run(reword(say, draft, "somebody")), heard


GOOD = "With the table gone, would the plate still be up there?"


def test_a_good_wording_is_taken_and_both_texts_are_kept():
    draft = drafted()
    case, heard = worded(draft, f'Question: "{GOOD}"', "Yes.")
    assert case.counterfactual.text == GOOD
    assert case.counterfactual.answer == draft.case.counterfactual.answer
    assert case.provenance["wording"] == "somebody"
    assert case.provenance["template"] == draft.case.counterfactual.text
    assert draft.case.counterfactual.text in heard[1]
    assert GOOD in heard[1]


def test_the_model_is_told_the_descriptions_the_graph_and_the_constraints():
    told = instructions(drafted())
    assert "a plate on a table" in told
    assert "table supports plate" in told
    assert "Mention table, plate." in told


@pytest.mark.parametrize("answer", ["No.", "", "I cannot say."])
def test_a_wording_that_does_not_mean_the_same_for_sure_is_refused(answer):
    turned = "With the plate gone, would the table still be there?"
    case, heard = worded(drafted(), turned, answer, GOOD, "Yes.")
    assert heard[1] == comparison(drafted().case.counterfactual.text, turned)
    assert "does not suppose and ask the same" in heard[2]
    assert case.counterfactual.text == GOOD


def test_after_a_few_refusals_the_template_is_used():
    draft = drafted()
    case, _ = worded(draft, *[GOOD, "No."] * ATTEMPTS)
    assert case.counterfactual == draft.case.counterfactual
    assert case.provenance["wording"] == "template"
    assert case.provenance["rejected"] == GOOD
    assert "the same" in case.provenance["rejected_because"]


def test_a_model_that_says_nothing_leaves_the_template():
    case, _ = worded(drafted(), RetriesExhausted(AskingFailed("no route", again=False), 3))
    assert case.provenance["wording"] == "template"
    assert "did not answer" in case.provenance["rejected_because"]


# What the rules alone send back


@pytest.mark.parametrize(
    ("text", "forbidden", "named", "leaked"),
    [
        ("What keeps the books on the shelf?", "shelf", "books", True),
        ("What keeps the books on the Shelves?", "shelf", "books", True),
        ("Are the books in a shelf?", "shelf", "books", True),
        ("Which shelf-like thing holds books?", "shelf", "books", False),
        ("What does the man on the couch hold?", "sofa", "man", True),  # a synonym
        ("Where is the racket?", "tennis racket", "ball", True),  # the head of the name
        ("What is on the fire hydrants?", "fire hydrant", "cup", True),
        ("What keeps the cup up?", "tray", "cup", False),
        ("What does the tennis player hold?", "tennis racket", "tennis player", False),
        ("What does the racket player hold?", "tennis racket", "tennis player", True),
    ],
)
def test_a_forbidden_name_is_found_in_any_form_but_not_in_words_that_must_occur(text, forbidden, named, leaked):
    assert leaked_names(text, [forbidden], [named]) == [forbidden] * leaked


PLAIN = "If the shelf came down, would the books still be where they are?"


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "10 to 400 characters"),
        ("x" * MAX_LENGTH + "?", "10 to 400 characters"),
        (PLAIN.removesuffix("?"), "one question"),
        (PLAIN + " Why?", "one question"),
        ("Sure:\n" + PLAIN, "one question"),
        (PLAIN.replace("came down", "fell off the wall"), "must not mention wall"),
        (PLAIN.replace("the books", "they"), "must mention books"),
    ],
)
def test_a_fault_is_told_in_words(text, reason):
    assert wording_error(PLAIN, forbidden=["wall"], named=["shelf", "books"]) is None
    found = wording_error(text, forbidden=["wall"], named=["shelf", "books"])
    assert found is not None
    assert reason in found


@given(st.text(max_size=60), st.lists(st.text(max_size=10), max_size=3), st.lists(st.text(max_size=10), max_size=3))
def test_no_text_makes_the_check_fail(text, forbidden, named):
    found = wording_error(text, forbidden=forbidden, named=named)
    assert found is None or isinstance(found, str)


# The whole way, with a server


def prompt(body):
    content = body["messages"][-1]["content"]
    return content if isinstance(content, str) else content[0]["text"]


def obliging(server, number, body):
    """Words a question as it is, and says of nothing that it is the same."""
    text = prompt(body)
    if text.startswith("Word a question"):
        return "say:" + text.partition("The question to word: ")[2].partition("\n")[0]
    return "say:I do not know."


def test_what_was_paid_for_is_kept_when_a_key_is_refused_and_not_asked_again(tmp_path, capsys):
    graphs = [graph("chain", others=BESIDE, image="1"), graph("chain", ("shelf", "tray", "books"), image="2")]
    source = mined(tmp_path / "mined", graphs)
    arguments = ["make", "cello", "--from", str(source), "-o", str(tmp_path / "out"), "--per-task", "2"]

    def refuses_late(server, number, body):
        return "status:401" if len(server.requests) > 12 else obliging(server, number, body)

    with ChatServer(refuses_late) as server:
        assert main([*arguments, "--wording", server.name]) == 2
        paid = sum(1 for _ in (tmp_path / "out.wording" / "replies.jsonl").open("rb"))
        assert paid >= 6
        assert not (tmp_path / "out").exists()
        capsys.readouterr()
        server.behaviour = obliging
        before = len(server.requests)
        assert main([*arguments, "--wording", server.name]) == 0
        asked = [prompt(body) for body in server.requests[before:]]
    lines = (tmp_path / "out.wording" / "replies.jsonl").read_bytes().count(b"\n")
    assert lines == paid + len(asked)
    assert "by templates" in capsys.readouterr().out


def test_a_model_that_cannot_be_asked_at_all_is_told_of(tmp_path, capsys):
    source = mined(tmp_path / "mined", [graph("chain")])
    with ChatServer("status:401") as server:
        status = main(["make", "cello", "--from", str(source), "-o", str(tmp_path / "o"), "--wording", server.name])
    assert status == 2
    assert capsys.readouterr().err.startswith("countersight: ")
    assert not (tmp_path / "o").exists()

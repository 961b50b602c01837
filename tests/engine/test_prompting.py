"""Every prompting method: the requests that the server receives, and the outcomes."""

import json
import re
from collections import Counter

import msgspec
import pytest
from chat_server import ChatServer, question_of
from making import case, choice, dataset, picture
from running import Ranking, Scripted, answers, ask, command_here, journal_size, replies, run_command, run_killed

from countersight.case import LETTERS, Case, Change, Option, Question
from countersight.engine import PROMPTS, RetryPolicy, RunFolder, orders_of
from countersight.errors import AskingFailed, RunError
from countersight.models.protocol import Answer
from countersight.scoring import OUTCOMES, judge_run


def spoken(request):
    """The turns of a conversation as the server saw them: who, what, and how many pictures."""
    turns = []
    for message in request["messages"]:
        parts = message["content"]
        parts = [{"type": "text", "text": parts}] if isinstance(parts, str) else parts
        texts = [part["text"] for part in parts if part["type"] == "text"]
        turns.append((message["role"], "".join(texts), sum(part["type"] == "image_url" for part in parts)))
    return turns


def pictures(request):
    contents = [message["content"] for message in request["messages"] if not isinstance(message["content"], str)]
    return [part["image_url"]["url"] for parts in contents for part in parts if part["type"] == "image_url"]


def judged(folder, output):
    """What became of the questions of a run, read as its prompt says."""
    found = judge_run(RunFolder.open(output), dataset=folder).outcomes
    places = [(row, column) for row in range(len(found)) for column in (0, 1)]
    worlds = ("factual", "counterfactual")
    return {(found.case(row), worlds[column]): OUTCOMES[found.codes[row, column]] for row, column in places}


def knows(request):
    """The reply of a model that knows the right option and finds it wherever it stands."""
    texts = [option.text for option in request.options]
    return Answer(LETTERS[texts.index("5")] if "5" in texts else "yes", tokens_in=10, cost=0.5)


def ranks():
    """The same model with losses: the option that it knows has the smallest."""
    return Ranking(knows, lambda option: 0.1 if option.text in ("5", "yes") else 1.0)


# thinking aloud


def test_reasoning_is_read_from_its_end_and_is_no_answer_if_it_was_cut_off(tmp_path, monkeypatch):
    folder = dataset(tmp_path / "d", [case(1)])  # the right answers are B and B
    thought = "say:A is what I see first. The answer is A for now.\n\nBut two more come, so it is not A.\nAnswer: B"
    with ChatServer(thought) as server:
        ask(folder, tmp_path / "r", server.name, prompt="cot")
    assert all("step by step" in question_of(request) for request in server.requests)
    assert set(judged(folder, tmp_path / "r").values()) == {"right"}
    cut = {"choices": [{"message": {"content": "I see 5 dots, which is B, and"}, "finish_reason": "length"}]}
    monkeypatch.setattr("chat_server.completion", lambda text: cut)
    with ChatServer() as server:
        ask(folder, tmp_path / "cut", server.name, prompt="cot")
    assert set(judged(folder, tmp_path / "cut").values()) == {"cut"}


def test_the_prompt_says_how_long_an_answer_may_be_unless_the_user_does(tmp_path):
    folder = dataset(tmp_path / "d", 1)
    with ChatServer() as server:
        assert run_command(folder, tmp_path / "a", server.name, "--prompt", "cot").returncode == 0
        assert run_command(folder, tmp_path / "b", server.name, "--prompt", "cot", "--max-tokens", "9").returncode == 0
    assert [request["max_tokens"] for request in server.requests] == [1024, 1024, 9, 9]


def test_options_are_ranked_after_the_reasoning(tmp_path):
    model = ranks()
    folder = dataset(tmp_path / "d", [case(1)])
    ask(folder, tmp_path / "r", model, prompt="cot", answering="rank")
    *_, last = model.requests
    assert [turn.role for turn in last.turns] == ["user", "assistant", "user"]
    assert last.turns[-1].text == PROMPTS["cot"].concluding
    assert {r.text for r in replies(tmp_path / "r")} == {"B\nAnswer: B"}
    assert set(judged(folder, tmp_path / "r").values()) == {"right"}


# examples


def test_an_example_is_an_earlier_turn_with_its_own_picture_and_right_answer(tmp_path):
    folder = dataset(tmp_path / "d", 8)
    with ChatServer() as server:
        ask(folder, tmp_path / "r", server.name, prompt="1-shot", shown=True)
    assert len(server.requests) == 24
    for request in server.requests:
        (_, example, shown), (role, said, none), (_, asked, own) = spoken(request)
        assert (role, shown, none, own) == ("assistant", 1, 0, 1)
        number, other = (int(re.search(r"picture (\d)", text)[1]) for text in (example, asked))
        assert number != other
        assert number % 2 == other % 2  # the same group
        assert ("if 2" in example) == ("if 2" in asked)
        one = case(number)
        assert said in (one.factual.answer if "if 2" not in asked else "B", one.shown.answer)
        assert len(set(pictures(request))) == 2


def test_examples_may_come_from_another_dataset_which_is_part_of_the_run(tmp_path):
    folder = dataset(tmp_path / "d", 2)
    pool = dataset(tmp_path / "pool", [case(n, id=f"p{n}", factual=choice(f"Pool {n}?", "C")) for n in range(50, 54)])
    with ChatServer() as server:
        ask(folder, tmp_path / "r", server.name, prompt="1-shot", pool=pool)
        factual = [spoken(r) for r in server.requests if "if 2" not in question_of(r)]
        assert all(turns[0][1].startswith("Pool 5") and turns[1][1] == "C" for turns in factual)
        manifest = RunFolder.open(tmp_path / "r").manifest
        assert (manifest.examples.dataset.name, manifest.examples.seed) == ("pool", 0)
        assert manifest.answer_settings()["examples"] == "pool, seed 0"
        for changed in ({"pool": None}, {"pool": pool, "seed": 3}):
            with pytest.raises(RunError, match=r"a different (pool or seed of examples|set of settings)"):
                ask(folder, tmp_path / "r", server.name, prompt="1-shot", **changed)


def test_examples_with_bad_pictures_are_skipped_and_missing_examples_fail_the_question(tmp_path):
    folder = dataset(tmp_path / "d", [case(n, group="") for n in range(5)])
    for bad in (1, 2, 3):
        (folder / f"images/{bad}.png").write_bytes(picture()[:-9])
    with ChatServer() as server:
        tally = ask(folder, tmp_path / "r", server.name, prompt="1-shot")
    assert (tally.answered, tally.failed, tally.bad_pictures) == (4, 6, 3)
    alone = dataset(tmp_path / "alone", 1)
    with ChatServer() as server:
        tally = ask(alone, tmp_path / "s", server.name, prompt="1-shot")
    assert (tally.failed, len(server.requests)) == (2, 0)
    assert "there is no example" in next(iter(tally.reasons))


def test_ranked_examples_are_answered_with_the_option_itself(tmp_path):
    model = ranks()
    ask(dataset(tmp_path / "d", 4), tmp_path / "r", model, prompt="1-shot", answering="rank")
    for request in model.requests:
        example, said, asked = request.turns
        assert said.text in ("3", "5", "7", "9")
        assert "A: 3" not in example.text + asked.text


# the model's own answer


def test_the_models_own_answer_precedes_the_counterfactual_question(tmp_path):
    folder = dataset(tmp_path / "d", 6)
    with ChatServer() as server:
        tally = ask(folder, tmp_path / "r", server.name, prompt="given-fact", shown=True)
    assert tally.answered == len(server.requests) == 18
    said = {(r.row, r.world): r.text for r in replies(tmp_path / "r") if r.telling == "told"}
    told = [spoken(request) for request in server.requests if "if 2" in question_of(request)]
    assert len(told) == 6
    for turns in told:
        row = int(re.search(r"picture (\d)", turns[0][1])[1])
        one = case(row)
        assert turns == [
            ("user", PROMPTS["0-shot"].render(one.factual), 1),
            ("assistant", said[row, "factual"], 0),
            ("user", PROMPTS["0-shot"].render(one.counterfactual), 0),
        ]
    others = [spoken(request) for request in server.requests if "if 2" not in question_of(request)]
    assert {len(turns) for turns in others} == {1}


def test_a_case_without_a_factual_question_keeps_its_context(tmp_path):
    kite = Case(
        "kite",
        image="images/0.png",
        context="Yes, there is a breeze.",
        change=Change("The air is still."),
        counterfactual=Question("Will it fly?", "A", "choice", (Option("no"), Option("yes"))),
    )
    flies = Question("Will it?", "yes", "boolean")
    both = msgspec.structs.replace(kite, id="both", image="images/1.png", factual=flies)
    folder = dataset(tmp_path / "d", [kite, both])
    with ChatServer("say:yes") as server:
        ask(folder, tmp_path / "r", server.name, prompt="given-fact")
    plain, factual, after = sorted(
        (spoken(request) for request in server.requests), key=lambda turns: (len(turns), -len(turns[0][1]))
    )
    assert "breeze" in plain[0][1]
    assert "The air is still." in plain[0][1]
    assert "breeze" not in factual[0][1]
    assert [turn[1] for turn in after[:2]] == [factual[0][1], "yes"]
    assert "The air is still." in after[2][1]
    assert "breeze" not in after[2][1]


def test_a_failed_fact_fails_the_question_that_needs_it_and_both_are_asked_again(tmp_path):
    folder = dataset(tmp_path / "d", 3)
    with ChatServer(lambda s, n, body: "status:400" if "picture 1?" in question_of(body) else "answer") as server:
        tally = ask(folder, tmp_path / "r", server.name, prompt="given-fact")
        assert (tally.answered, tally.failed, len(server.requests)) == (4, 2, 5)
        reasons = {r.world: r.reason for r in replies(tmp_path / "r") if r.state == "failed"}
        assert reasons["factual"] in reasons["counterfactual"]
        assert reasons["counterfactual"].startswith("the factual question failed: HTTP 400")
        server.behaviour = "answer"
        tally = ask(folder, tmp_path / "r", server.name, prompt="given-fact")
    assert (tally.before, tally.answered, tally.failed) == (4, 2, 0)
    assert spoken(server.requests[-1])[1][1] == spoken_answer(tmp_path / "r", 1)


def spoken_answer(output, row):
    return next(r.text for r in replies(output) if (r.row, r.world, r.state) == (row, "factual", "answered"))


def test_the_recorded_answer_is_used_when_the_run_resumes(tmp_path):
    folder = dataset(tmp_path / "d", 5)
    with ChatServer(lambda s, n, body: "status:400" if "if 2" in question_of(body) else "answer") as server:
        assert ask(folder, tmp_path / "r", server.name, prompt="given-fact").failed == 5
        server.behaviour = "say:Z"  # another answer now: the recorded one must stand in the conversation
        del server.requests[:]
        assert ask(folder, tmp_path / "r", server.name, prompt="given-fact").answered == 5
    assert len(server.requests) == 5
    for request in server.requests:
        row = int(re.search(r"picture (\d)", question_of(request))[1])
        assert spoken(request)[1] == ("assistant", spoken_answer(tmp_path / "r", row), 0)
        assert spoken(request)[1][1] != "Z"


def test_a_ranked_factual_answer_is_given_as_text(tmp_path):
    model = ranks()
    kinds = [
        case(0),
        case(1, factual=Question("Is it?", "yes", "boolean")),
        case(2, factual=Question("?", "1", "number")),
    ]
    ask(dataset(tmp_path / "d", kinds), tmp_path / "r", model, prompt="given-fact", answering="rank")
    said = {
        request.key: [turn.text for turn in request.turns if turn.role == "assistant"] for request in model.requests
    }
    assert said["case-0/counterfactual/told"] == ["5"]
    assert said["case-1/counterfactual/told"] == ["yes"]
    assert said["case-2/counterfactual/told"] == []  # nothing to rank in its fact, so it was not asked


# without the picture


def test_without_the_picture_no_picture_is_sent_or_needed(tmp_path):
    folder = dataset(tmp_path / "d", [case(0), case(1, image=None), case(2)])
    (folder / "images/2.png").unlink()
    with ChatServer() as server:
        tally = ask(folder, tmp_path / "r", server.name, prompt="text-only")
    assert (tally.answered, tally.failed, tally.unasked.total(), tally.bad_pictures) == (6, 0, 0, 0)
    assert all(turns == 0 for request in server.requests for *_, turns in spoken(request))
    assert all("is not shown" in question_of(request) for request in server.requests)


def test_a_case_without_a_picture_is_asked_with_its_graph(tmp_path):
    nodes = [{"id": 1, "obj_name": "shelf"}, {"id": 2, "obj_name": "books"}]
    graph = {"nodes": nodes, "edges": [{"source": 1, "target": 2, "relation": "supports"}]}
    told = case(0, image=None, graph=graph)
    folder = dataset(tmp_path / "d", [told, case(1, image=None), case(2, graph=graph)])
    for prompt, answered, left_out in (("given-graph", 4, 2), ("graph-cot", 2, 4), ("0-shot", 2, 4)):
        with ChatServer() as server:
            tally = ask(folder, tmp_path / prompt, server.name, prompt=prompt)
        assert (tally.answered, tally.unasked.total()) == (answered, left_out)
        by_its_graph = [question_of(request) for request in server.requests if not pictures(request)]
        assert len(by_its_graph) == (2 if prompt == "given-graph" else 0)
        assert all("hold in the picture: shelf supports books" in words for words in by_its_graph)


# options in every order


def test_every_option_has_every_position_equally_often():
    for options in (2, 4, 7):
        asked = orders_of(options)
        assert all(sorted(places) == list(range(options)) for places in (*asked, *zip(*asked, strict=True)))


def test_a_model_that_knows_the_text_wins_in_every_order_and_one_that_says_a_ends_unread(tmp_path):
    model = Scripted(knows)
    folder = dataset(tmp_path / "d", [case(1), case(2, factual=Question("Is it?", "yes", "boolean"))])
    tally = ask(folder, tmp_path / "r", model, prompt="swapped")
    assert (tally.total, tally.answered) == (4, 4)
    assert len(model.requests) == 4 * 3 + 1  # yes or no has no order
    assert len({request.key for request in model.requests}) == len(model.requests)
    assert judged(folder, tmp_path / "r")["case-1", "factual"] == "right"
    reply = next(r for r in replies(tmp_path / "r") if r.orders)
    assert [order.places for order in reply.orders] == list(orders_of(4))
    assert (reply.tokens_in, reply.cost, reply.attempts) == (40, 2.0, 4)
    for request in model.requests[:4]:
        listed = "\n".join(f"{LETTERS[n]}: {option.text}" for n, option in enumerate(request.options))
        assert listed in request.turns[-1].text
    with ChatServer("say:A") as server:
        ask(folder, tmp_path / "a", server.name, prompt="swapped")
    assert judged(folder, tmp_path / "a")["case-1", "factual"] == "unread"


def test_one_order_that_fails_fails_the_question_and_keeps_what_was_answered(tmp_path):
    def stumbles(request):
        if [option.text for option in request.options[:2]] == ["7", "9"]:
            raise AskingFailed("stumbled", again=True)
        return knows(request)

    model = Scripted(stumbles)
    folder = dataset(tmp_path / "d", [case(0, counterfactual=None)])
    tally = ask(
        folder, tmp_path / "r", model, prompt="swapped", retry=RetryPolicy(concurrency=1, attempts=3, backoff=0.001)
    )
    assert (tally.answered, tally.failed) == (0, 1)
    [reply] = replies(tmp_path / "r")
    before = orders_of(4).index((2, 3, 0, 1))
    assert (reply.state, reply.reason) == ("failed", "stumbled")
    assert [order.places for order in reply.orders] == list(orders_of(4)[:before])
    assert (len(model.requests), reply.attempts, reply.tokens_in) == (before + 3, before + 3, 10 * before)
    whole = Scripted(knows)
    assert ask(folder, tmp_path / "r", whole, prompt="swapped").answered == 1
    assert len(whole.requests) == 4 - before  # what was answered is not asked again
    assert [order.places for order in replies(tmp_path / "r")[-1].orders] == list(orders_of(4))


def test_stopping_between_orders_loses_no_question_and_pays_for_none_twice(tmp_path):
    folder = dataset(tmp_path / "d", 24)
    with ChatServer(latency=0.01) as server:
        ask(folder, tmp_path / "whole", server.name, prompt="swapped")
        del server.requests[:]
        ask(folder, tmp_path / "r", server.name, prompt="swapped", stop_when=lambda: journal_size(tmp_path / "r"))
        assert 0 < len(answers(tmp_path / "r")) < 48
        assert all(len(orders) == 4 for *_, orders in answers(tmp_path / "r"))
        assert (tmp_path / "r/orders.jsonl").stat().st_size  # questions that are answered in some of their orders
        ask(folder, tmp_path / "r", server.name, prompt="swapped")
    assert answers(tmp_path / "r") == answers(tmp_path / "whole")
    assert len(server.requests) == 48 * 4
    assert spent(tmp_path / "r") == spent(tmp_path / "whole")
    assert not (tmp_path / "r/orders.jsonl").exists()


def test_a_run_stopped_in_its_first_question_can_be_resumed(tmp_path):
    folder = dataset(tmp_path / "d", 4)
    orders = tmp_path / "r/orders.jsonl"
    with ChatServer(latency=0.01) as server:
        alone = RetryPolicy(concurrency=1)
        ask(
            *(folder, tmp_path / "r", server.name),
            prompt="swapped",
            retry=alone,
            stop_when=lambda: orders.exists() and orders.stat().st_size,
        )
        assert not answers(tmp_path / "r")
        with pytest.raises(RunError, match="a different prompt"):
            ask(folder, tmp_path / "r", server.name)
        ask(folder, tmp_path / "r", server.name, prompt="swapped")
    assert len(server.requests) == 8 * 4


def spent(run):
    return sum(reply.tokens_in for reply in replies(run)), sum(reply.attempts for reply in replies(run))


def test_an_older_run_with_all_orders_opens_and_scores(tmp_path):
    """A run of swapped once asked four options in all 24 orders."""
    folder = dataset(tmp_path / "d", [case(1)])
    before = msgspec.structs.replace(PROMPTS["swapped"], orders="every")
    model = Scripted(knows)
    ask(folder, tmp_path / "r", model, prompt=before)
    assert [len(reply.orders) for reply in replies(tmp_path / "r")] == [24, 24]
    assert set(judged(folder, tmp_path / "r").values()) == {"right"}
    with pytest.raises(RunError, match="an earlier version of swapped, which differs in orders"):
        ask(folder, tmp_path / "r", model, prompt="swapped")


# prompts of the papers


@pytest.mark.parametrize(("name", "thinks"), [("cfmm-1-shot", False), ("cfmm-1-shot-cot", True)])
def test_cfmm_shows_its_example_before_counterfactual_questions_only(tmp_path, name, thinks):
    folder = dataset(tmp_path / "d", 6)
    with ChatServer("say:It is B, since five dots are there.") as server:  # read as a whole without reasoning
        ask(folder, tmp_path / "r", server.name, prompt=name)
        basic = [request for request in server.requests if "if 2" not in question_of(request)]
        assert [len(spoken(request)) for request in basic] == [1] * 6
        asked_so = {question_of(request) for request in basic}
        for request in server.requests:
            if request not in basic:
                _, (_, said, _), (_, asked, _) = spoken(request)
                assert ("What is different: " in said, "step by step" in asked) == (thinks, thinks)
        ask(folder, tmp_path / "plain", server.name)
    plain = {question_of(request) for request in server.requests[12:] if "if 2" not in question_of(request)}
    assert asked_so == plain  # acc_b is that of 0-shot
    found = [judged(folder, tmp_path / run) for run in ("r", "plain")]
    first, second = ([each for each in outcomes.items() if each[0][1] == "factual"] for outcomes in found)
    assert first == second


def test_cfmm_thinks_before_ranking_counterfactual_options_only(tmp_path):
    model = ranks()
    folder = dataset(tmp_path / "d", 2)
    ask(folder, tmp_path / "r", model, prompt="cfmm-1-shot-cot", answering="rank")
    concluded = [request.key for request in model.requests if request.turns[-1].text == PROMPTS["cot"].concluding]
    assert len(concluded) == 2
    assert all("counterfactual" in key for key in concluded)


def test_response_only_shows_the_options_and_nothing_else(tmp_path):
    folder = dataset(
        tmp_path / "d", [case(1, context="Yes, it is."), case(2, factual=Question("Is it?", "yes", "boolean"))]
    )
    with ChatServer("say:B") as server:
        ask(folder, tmp_path / "r", server.name, prompt="response-only")
    told = [spoken(request) for request in server.requests]
    assert all(len(turns) == 1 and turns[0][2] == 0 for turns in told)
    words = [turns[0][1] for turns in told]
    assert not any("dots" in each or "Is it?" in each or "Yes, it is" in each for each in words)
    assert sum("A: 3\nB: 5\nC: 7\nD: 9" in each for each in words) == 3


# what a run is


@pytest.mark.slow
@pytest.mark.parametrize("prompt", ["0-shot", "given-fact", "swapped"])
def test_a_run_killed_repeatedly_ends_like_an_undisturbed_one(tmp_path, prompt):
    def two(number, world):  # two options, so that an order is asked twice
        return Question(f"{number} {world}?", "A", "choice", (Option("one"), Option("two")))

    worlds = ("factual", "counterfactual", "shown")
    folder = dataset(tmp_path / "d", [case(n, **{world: two(n, world) for world in worlds}) for n in range(40)])
    with ChatServer(latency=0.02) as server:
        ask(folder, tmp_path / "whole", server.name, prompt=prompt, retry=RetryPolicy())
        whole = Counter(json.dumps(request["messages"]) for request in server.requests)
        del server.requests[:]
        run_killed(folder, tmp_path / "r", server.name, "--prompt", prompt, "--concurrency", "4", kills=3)
    assert answers(tmp_path / "r") == answers(tmp_path / "whole")
    assert len(answers(tmp_path / "r")) == 80
    # What was under way was asked again, and nothing else ever was: no question with another answer before it.
    assert {json.dumps(request["messages"]) for request in server.requests} == set(whole)
    assert len(server.requests) <= whole.total() + 3 * 4


def test_the_whole_prompt_is_in_the_run_and_another_or_a_changed_one_is_refused(tmp_path):
    folder, file, prompt = dataset(tmp_path / "d", 2), tmp_path / "mine.toml", "cfmm-1-shot-cot"
    ask(folder, tmp_path / "cfmm", "chance", prompt=prompt)
    assert RunFolder.open(tmp_path / "cfmm").manifest.prompt == PROMPTS[prompt]
    with pytest.raises(RunError, match=f"a different prompt: {prompt}, not 0-shot"):
        ask(folder, tmp_path / "cfmm", "chance")
    file.write_text('open = "{question} Briefly."')
    ask(folder, tmp_path / "r", "chance", prompt=file)
    file.write_text('open = "{question} In a word."')
    with pytest.raises(RunError, match="an earlier version of mine, which differs in open, not mine"):
        ask(folder, tmp_path / "r", "chance", prompt=file)


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["embedded", "--rank", "--prompt", "swapped"], "makes no difference to ranking"),
        (["embedded", "--prompt", "text-only"], "embedded needs a picture"),
        (["embedded", "--prompt", "1-shot"], "embedded accepts one picture at a time"),
        (["chance", "--prompt", "text-only", "--shown"], "text-only shows no picture; leave out --shown"),
        (["chance", "--shots-from", "d"], "0-shot shows no examples"),
        (["chance", "--prompt", "1-shot", "--shots-from", "none"], "none is not a folder"),
        (["chance", "--prompt", "none.toml"], "none.toml: No such file"),
        (["chnce"], "there is no model 'chnce'; did you mean 'chance'?"),
    ],
)  # fmt: skip
def test_contradictory_options_are_refused_before_anything_is_asked(tmp_path, monkeypatch, arguments, sentence):
    monkeypatch.chdir(tmp_path)
    dataset(tmp_path / "d", 1)
    model, *more = arguments
    done = command_here("run", "d", "--model", model, "-o", "r", *more)
    assert done.returncode == 2
    assert done.stderr.startswith("countersight: ")
    assert sentence in done.stderr
    assert len(done.stderr.splitlines()) == 1
    assert not (tmp_path / "r").exists()

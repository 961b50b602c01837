"""CoSIm's matcher: training tiny networks, resuming, export, and use as a model."""

import asyncio
import io
import json
import shutil
import sys
from random import Random

import msgspec
import numpy as np
import pytest
import torch
from making import dataset
from running import replies, run_command

from countersight.case import LETTERS, Case, Change, Option, Question
from countersight.cli import main
from countersight.dataset import Dataset
from countersight.errors import CountersightError
from countersight.models import ModelSettings, open_model
from countersight.training import TrainingPlan, features_by_encoder, folds, read_examples, read_vcr, train_matcher

torch.set_num_threads(1)  # on a shared machine, threads of models this small wait for each other
TINY = {"hidden": 32, "heads": 2, "text_layers": 1, "vision_layers": 1, "cross_layers": 1, "dropout": 0.0}
THINGS = ("dog", "cat", "kite", "boat", "lamp", "drum")


def example(number: int) -> Case:
    """Return an example whose change names one thing; the right response names it too."""
    chance = Random(number)
    things = chance.sample(THINGS, 4)
    right = chance.randrange(4)
    return Case(
        id=f"case-{number}",
        image=f"images/{number}.png",
        context="Yes, it is quiet.",
        change=Change(f"There is a {things[right]}."),
        counterfactual=Question(
            "Is it loud?", LETTERS[right], "choice", tuple(Option(f"No, I hear the {one}.") for one in things)
        ),
    )


@pytest.fixture(scope="module")
def cases(tmp_path_factory):
    return dataset(tmp_path_factory.mktemp("matcher") / "cases", [example(number) for number in range(120)])


@pytest.fixture(scope="module")
def trained(cases):
    """A matcher with two seeds, trained to find the word of the change."""
    plan = TrainingPlan(**TINY, seeds=(1, 2), epochs=12, rate=3e-3, batch=10)
    return train_matcher(Dataset.open(cases), cases.with_name("trained"), plan, say=lambda _: None)


def test_training_reports_accuracy_beside_the_published_one(trained, tmp_path) -> None:
    result = json.loads((trained / "result.json").read_text())
    assert result["mean"] > 0.6
    assert result["chance"] == 0.25
    assert set(result["by_seed"]) == {"1", "2"}
    card = (trained / "README.md").read_text()
    assert "44.62" in card
    assert "which is optimistic" in card
    assert main(["train", "tables", str(trained.parent), "-o", str(tmp_path / "tables.md")]) == 0
    written = (tmp_path / "tables.md").read_text().splitlines()
    (row,) = [line for line in written if line.startswith("| trained | text | from scratch | ce |")]
    assert f"{100 * result['mean']:.2f} ± {100 * result['spread']:.2f}" in row
    assert row.endswith("| 44.62 |")
    assert main(["train", "tables", str(tmp_path), "-o", str(tmp_path / "none.md")]) == 2


def test_a_matcher_is_used_like_any_model_without_torch(trained, cases, tmp_path) -> None:
    done = run_command(cases, tmp_path / "run", f"matcher:{trained}", "--rank", here=False)
    assert done.returncode == 0, done.stderr
    opened = dict(Dataset.open(cases).cases())
    right = [
        LETTERS[reply.losses.index(min(reply.losses))] == opened[reply.row].counterfactual.answer
        for reply in replies(tmp_path / "run")
    ]
    assert len(right) == 120
    assert np.mean(right) > 0.6
    assert all(abs(sum(np.exp(-np.array(reply.losses))) - 1) < 1e-4 for reply in replies(tmp_path / "run"))


def test_unfinished_training_is_reported_and_its_log_is_kept(trained, tmp_path) -> None:
    """A matcher with fewer seeds than planned is used with a remark, which the run records."""
    assert open_model(f"matcher:{trained}", ModelSettings()).remarks == []
    assert (trained / "training.log").read_text().count("\n") >= 12
    part = tmp_path / "part"
    shutil.copytree(trained, part)
    shutil.rmtree(part / "seed-2")
    half = open_model(f"matcher:{part}", ModelSettings())
    assert half.settings["seeds"] == "1 of 2 planned"
    assert "has 1 of 2 planned seeds" in half.remarks[0]


def test_a_matcher_can_be_used_in_collection(trained) -> None:
    from countersight.collect.flows import Instance
    from countersight.collect.hamlet import RankingModel

    model = RankingModel(f"matcher:{trained}", timeout=30.0)
    change, responses = "There is a dog.", ("I hear the dog.", "The cat.")
    said = asyncio.run(model.likely(Instance(f"Is it loud? Yes, it is quiet. {change}", change, responses)))
    assert len(said) == 2
    assert sum(said) == pytest.approx(1)


def test_the_exported_matcher_gives_the_same_scores(trained, cases) -> None:
    from countersight.models.matcher import Sequences
    from countersight.models.matcher.model import Member, read_sheet
    from countersight.models.protocol import Request
    from countersight.training.loop import CHECKPOINT, Trainer, TrainingBatches
    from countersight.training.network import build

    one = trained / "seed-1"
    plan = TrainingPlan(**TINY, seeds=(1, 2), epochs=12, rate=3e-3, batch=10)
    sequences = Sequences.open(one / "tokenizer.json")
    network = build(plan, sequences.size, sequences.pad)
    network.load_state_dict(torch.load(one / CHECKPOINT, weights_only=True)["best"])
    trainer = Trainer(plan, network, TrainingBatches(sequences, plan, {}), one, torch.device("cpu"))
    examples = read_examples(Dataset.open(cases))[:20]
    member = Member(one)
    for key, scores in trainer.scores(examples).items():
        asked = next(each for each in examples if each.key == key)
        request = Request(key, (), "choice", tuple(map(Option, asked.options)), parts=asked.parts)
        assert member.scores(read_sheet(one), request, []) == pytest.approx(scores.numpy(), abs=1e-4)


def test_surface_features_alone_find_a_response_with_the_words_of_the_change(cases, tmp_path) -> None:
    plan = TrainingPlan(encoder="counts", surface=True, seeds=(1,), folds=3, epochs=8, rate=1e-2, batch=16, held_out=0)
    train_matcher(Dataset.open(cases), tmp_path / "run", plan, say=lambda _: None)
    assert json.loads((tmp_path / "run/result.json").read_text())["mean"] > 0.9


def test_progress_is_written_to_a_pipe_immediately(cases, tmp_path, monkeypatch) -> None:
    pipe = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(pipe))
    plans = []

    def train(_dataset, _folder, plan, *, vcr, say) -> None:
        plans.append(plan)
        say("epoch 1")
        assert pipe.getvalue() == b"epoch 1\n"

    monkeypatch.setattr("countersight.training.train_matcher", train)
    assert main(["train", "matcher", str(cases), "--size", "small", "-o", str(tmp_path / "run")]) == 0
    assert (plans[0].hidden, plans[0].cross_layers, plans[0].rate) == (128, 2, 1e-5)


class Killed(BaseException):
    """Raised instead of killing the process."""


@pytest.mark.slow
def test_resumed_training_gives_the_same_curve(cases, tmp_path) -> None:
    plan = TrainingPlan(**{**TINY, "dropout": 0.2}, seeds=(5,), epochs=4, rate=1e-3, batch=16)
    opened = Dataset.open(cases)
    train_matcher(opened, tmp_path / "whole", plan, say=lambda _: None)

    def dies(said: str) -> None:
        if "epoch 2" in said:
            raise Killed

    with pytest.raises(Killed):
        train_matcher(opened, tmp_path / "killed", plan, say=dies)
    said: list[str] = []
    train_matcher(opened, tmp_path / "killed", plan, say=said.append)
    assert [one.split(":")[0] for one in said] == ["seed-5 epoch 3", "seed-5 epoch 4"]
    curves = [
        torch.load(tmp_path / name / "seed-5/checkpoint.pt", weights_only=True)["curve"] for name in ("whole", "killed")
    ]
    assert curves[0] == curves[1]
    assert [one["epoch"] for one in curves[0]] == [1, 2, 3, 4]
    with pytest.raises(CountersightError, match="started with other settings"):
        train_matcher(opened, tmp_path / "killed", TrainingPlan(**TINY), say=lambda _: None)


def test_folds_keep_the_cases_of_a_picture_together_and_test_every_case(cases, tmp_path) -> None:
    examples = [
        msgspec.structs.replace(one, picture=str(number // 3))
        for number, one in enumerate(read_examples(Dataset.open(cases)))
    ]
    parts = folds(examples, 3, 0)
    pictures = [{one.picture for one in part} for part in parts]
    assert not pictures[0] & pictures[1] | pictures[0] & pictures[2] | pictures[1] & pictures[2]
    assert sorted(one.key for part in parts for one in part) == sorted(one.key for one in examples)
    plan = TrainingPlan(**TINY, inputs="response", seeds=(1,), folds=3, epochs=1, batch=40)
    train_matcher(Dataset.open(cases), tmp_path / "run", plan, say=lambda _: None)
    result = json.loads((tmp_path / "run/result.json").read_text())
    assert result["together"]["n"] == 120
    assert "3-fold by picture" in (tmp_path / "run/README.md").read_text()


@pytest.mark.slow
def test_two_streams_learn_from_pictures_by_contrast(tmp_path) -> None:
    from countersight import make

    made = make("cvqa-synthetic", tmp_path / "flowers", size=12, seed=1)
    features_by_encoder(made, "embedded", tmp_path / "regions")
    plan = TrainingPlan(
        **TINY,
        inputs="full",
        features=str(tmp_path / "regions"),
        objective="contrastive",
        surface=True,
        seeds=(1,),
        epochs=2,
        batch=8,
        rate=1e-3,
    )
    train_matcher(made, tmp_path / "run", plan, say=lambda _: None)
    done = run_command(tmp_path / "flowers", tmp_path / "asked", f"matcher:{tmp_path / 'run'}", "--rank", here=False)
    assert done.returncode == 0, done.stderr
    assert len(replies(tmp_path / "asked")) == 24


def test_no_gradient_dominates_at_the_start() -> None:
    """A visual token of zeros made one gradient 10^5 times larger than all others, so that nothing was learned."""
    from countersight.training.network import build

    torch.manual_seed(0)
    network = build(TrainingPlan(**TINY, inputs="full", features="regions"), 20, 0, 9)
    seen, places = torch.rand(1, 5, 9), torch.rand(1, 5, 4)
    tokens, shown = torch.randint(1, 20, (4, 6)), torch.zeros(4, dtype=torch.int64)
    scores = network(tokens, torch.ones(4, 6), seen, places, torch.ones(1, 5), shown)
    torch.nn.functional.cross_entropy(scores[None], torch.tensor([2])).backward()
    assert max(float(one.grad.norm()) for one in network.parameters() if one.grad is not None) < 10


def test_weights_of_lxmert_give_the_same_features_as_transformers(tmp_path) -> None:
    from transformers import LxmertConfig, LxmertModel

    from countersight.training.network import build

    config = LxmertConfig(
        vocab_size=50,
        hidden_size=32,
        num_attention_heads=2,
        intermediate_size=64,
        l_layers=2,
        r_layers=1,
        x_layers=2,
        visual_feat_dim=16,
    )
    theirs = LxmertModel(config).eval()
    theirs.save_pretrained(tmp_path)
    ours = build(TrainingPlan(inputs="full", features="regions", encoder=str(tmp_path)), 50, 0, 16).eval()
    tokens, seen, places = torch.randint(1, 50, (3, 7)), torch.rand(2, 4, 16), torch.rand(2, 4, 4)
    real, there, shown = torch.ones(3, 7), torch.ones(2, 4), torch.tensor([0, 1, 1])
    real[1, 5:], there[1, 3:] = 0, 0
    with torch.inference_mode():
        out = theirs(
            input_ids=tokens,
            attention_mask=real,
            visual_feats=torch.cat([ours.visual_token.expand(3, -1, -1), seen[shown]], 1),
            visual_pos=torch.cat([ours.visual_box.expand(3, -1, -1), places[shown]], 1),
            visual_attention_mask=torch.cat([torch.ones(3, 1), there[shown]], 1),
        )
        text, vision = ours.tokens(tokens, real, seen, places, there, shown)
    assert torch.allclose(text, out.language_output[:, 0], atol=1e-5)
    assert torch.allclose(vision, out.vision_output[:, 0], atol=1e-5)


def test_the_language_stream_starts_with_the_weights_of_bert(tmp_path) -> None:
    from transformers import BertConfig, BertModel

    from countersight.training.network import build

    config = BertConfig(vocab_size=50, hidden_size=32, num_attention_heads=2, intermediate_size=64, num_hidden_layers=2)
    bert = BertModel(config)
    bert.save_pretrained(tmp_path)
    ours = build(
        TrainingPlan(inputs="full", features="r", encoder=str(tmp_path), cross_layers=1, vision_layers=1), 50, 0, 9
    )
    weights = ours.body.state_dict()
    for name in ("embeddings.word_embeddings.weight", "encoder.layer.1.attention.self.query.weight"):
        assert torch.equal(weights[name], bert.state_dict()[name])
    config.is_decoder = config.add_cross_attention = True  # no plain BERT
    BertModel(config).save_pretrained(tmp_path)
    with pytest.raises(CountersightError, match=r"not a plain BERT model: it has encoder\.layer\.0\.crossattention"):
        build(
            TrainingPlan(inputs="full", features="r", encoder=str(tmp_path), cross_layers=1, vision_layers=1), 50, 0, 9
        )


def test_vcrs_published_lines_are_read(tmp_path) -> None:
    row = {
        "img_fn": "movie/1.jpg",
        "objects": ["person", "person", "dog"],
        "question": ["Why", "does", [0, 2], "run", "?"],
        "answer_choices": [[[1], "calls", "."], ["It", "rains", "."], ["No", "."], ["Yes", "."]],
        "answer_label": 1,
    }
    (tmp_path / "vcr.jsonl").write_text(json.dumps(row) + "\n")
    (found,) = read_vcr(tmp_path / "vcr.jsonl")
    assert found.parts.question == "Why does person and dog run ?"
    assert found.options[0] == "person calls ."
    assert found.right == 1
    (tmp_path / "bad.jsonl").write_text('{"img_fn": 3}\n')
    with pytest.raises(CountersightError, match=r"bad.jsonl line 1 is not a VCR annotation"):
        read_vcr(tmp_path / "bad.jsonl")


def test_training_alternates_with_vcr(cases, tmp_path) -> None:
    row = {"img_fn": "a", "objects": [], "question": ["Why", "?"], "answer_choices": [["A"], ["B"]], "answer_label": 0}
    (tmp_path / "vcr.jsonl").write_text((json.dumps(row) + "\n") * 3)
    plan = TrainingPlan(**TINY, seeds=(1,), epochs=1, batch=60)
    train_matcher(Dataset.open(cases), tmp_path / "run", plan, vcr=tmp_path / "vcr.jsonl", say=lambda _: None)
    train_matcher(Dataset.open(cases), tmp_path / "alone", plan, say=lambda _: None)
    learned, alone = ((tmp_path / name / "seed-1/matcher.onnx").read_bytes() for name in ("run", "alone"))
    assert learned != alone
    assert "47.37 (full inputs)" in (tmp_path / "run/README.md").read_text()


@pytest.mark.parametrize(
    ("plan", "said"),
    [
        (TrainingPlan(objective="contrastive"), "set `inputs` to `full`"),
        (TrainingPlan(rate=float("nan")), "rate is nan; it must be from"),
        (TrainingPlan(held_out=0.9), "held_out is 0.9; it must be from 0 to 0.5"),
        (TrainingPlan(hidden=10**9), "hidden is 1000000000; it must be from"),
        (TrainingPlan(seeds=(1, 1)), "a seed is given twice"),
        (TrainingPlan(seeds=(2**70,)), "a seed must be a number from 0"),
        (TrainingPlan(inputs="full"), "needs regions of pictures"),
        (TrainingPlan(hidden=30, heads=4), "must be a multiple"),
        (TrainingPlan(folds=1), "must be at least 2"),
        (TrainingPlan(encoder="counts"), "surface counts can be used: set `surface`"),
        (TrainingPlan(encoder="no/such/folder"), "not an encoder folder"),
    ],
)
def test_invalid_settings_are_reported(plan, said, cases, tmp_path) -> None:
    with pytest.raises(CountersightError, match=said):
        train_matcher(Dataset.open(cases), tmp_path / "run", plan)

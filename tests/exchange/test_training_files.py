"""Files for training: right answers, rejected answers and pictures, rewards, and no test pictures."""

import json

import pytest
from lazily import Lazy
from making import case, dataset

import countersight as cs
from countersight.case import Question
from countersight.errors import CountersightError, ExchangeError
from countersight.exchange import Export, Splits, export_to
from countersight.rewards import paired_reward, reward, trl_format_reward, trl_paired_reward, trl_reward

datasets = Lazy("datasets")

SHOUTS = Question('Is "<image>" written there?', "yes", "boolean")
COUNT = Question("How many dogs are there?", "3", "number")
FORMATS = ("trl-sft", "trl-dpo", "trl-grpo", "ms-swift", "llama-factory", "llava")


@pytest.fixture(scope="module")
def source(tmp_path_factory):
    """Cases of every kind of answer; in some the change does not touch what is asked."""
    cases = [case(number) for number in range(24)]
    cases += [case(24, factual=SHOUTS, counterfactual=SHOUTS), case(25, factual=COUNT, counterfactual=COUNT)]
    return dataset(tmp_path_factory.mktemp("training") / "tiny", cases)


@pytest.fixture(scope="module")
def written(source, tmp_path_factory):
    base = tmp_path_factory.mktemp("written")
    for name in FORMATS:
        export_to(name, Export(source, base / name))
    return base


def parquet(folder, cache):
    files = str(folder / "*.parquet")
    return datasets.load_dataset("parquet", data_files=files, split="train", cache_dir=str(cache))


@pytest.fixture(scope="module")
def tables(written, tmp_path_factory):
    cache = tmp_path_factory.mktemp("cache")
    return {name: parquet(written / name, cache) for name in FORMATS[:3]}


def trained_on(source) -> dict[str, cs.Question]:
    opened = cs.Dataset.open(source)
    splits = Splits(opened)
    askings = ("factual", "counterfactual", "shown")
    cases = [each for _, each in opened.cases() if splits.side(each) == "train"]
    return {
        f"{each.id}:{asking}": getattr(each, asking) for each in cases for asking in askings if getattr(each, asking)
    }


def test_a_file_contains_only_the_pictures_of_its_split(source, tables):
    expected = trained_on(source)
    assert 0 < len(expected) < 78
    for table in tables.values():
        assert set(table["key"]) == expected.keys()


def test_supervised_examples_have_the_right_answer(source, tables):
    expected = trained_on(source)
    for row in tables["trl-sft"]:
        assert row["completion"] == [{"role": "assistant", "content": expected[row["key"]].answer}]
        assert expected[row["key"]].text in row["prompt"][0]["content"]
        assert [picture.size for picture in row["images"]] == [(16, 16)]


def test_rejected_answers_are_wrong_and_preferably_from_the_other_world(source, tables):
    expected = trained_on(source)
    for row in tables["trl-dpo"]:
        question, rejected = expected[row["key"]], row["rejected"][0]["content"]
        assert rejected != row["chosen"][0]["content"] == question.answer
        assert reward(rejected, question) == 0.0
    case_0 = next(row for row in tables["trl-dpo"] if row["key"] == "case-0:counterfactual")
    assert case_0["rejected"][0]["content"] == "A"  # which is right in the factual world


def test_the_reward_uses_our_answer_extraction(tables):
    rows = tables["trl-grpo"]
    columns = {"gold": rows["gold"], "key": rows["key"], "prompts": rows["prompt"]}  # TRL hands over every column
    right = [[{"role": "assistant", "content": f"The answer is {answer}."}] for answer in rows["answer"]]
    everything = [1.0] * len(right)
    assert trl_reward(right, **columns) == trl_format_reward(right, **columns) == everything
    assert trl_paired_reward(right, **columns) == everything
    parts = [[{"role": "assistant", "content": [{"type": "text", "text": "I cannot tell."}]}]] * len(right)
    nothing = [0.0] * len(right)
    assert trl_reward(parts, **columns) == trl_reward(["?"] * len(right), **columns) == nothing
    assert trl_format_reward(parts, **columns) == nothing


def test_a_readable_answer_can_be_rewarded_separately_and_a_missing_reply_gets_nothing():
    assert [reward(said, COUNT, format_weight=0.1) for said in ("3", "4", "Who knows?")] == [1.1, 0.1, 0.0]
    for reply in (None, [], "", [{"role": "assistant", "content": None}], [{"role": "assistant"}]):
        assert reward(reply, COUNT, format_weight=0.1) == 0.0
        assert paired_reward([reply, "3"], [COUNT, COUNT]) == 0.0


def test_a_pair_is_rewarded_only_if_both_replies_are_right():
    gold = [
        '{"text": "How many?", "answer": "3", "kind": "number"}',
        '{"text": "If?", "answer": "2", "kind": "number"}',
    ]
    twice = {"gold": [gold[0]] * 2 + [gold[1]] * 2, "key": ["a:factual"] * 2 + ["a:counterfactual"] * 2}
    assert trl_paired_reward(["3", "3", "2", "3"], **twice) == [1.0, 0.0, 1.0, 0.0]
    with pytest.raises(CountersightError, match="only part of a"):
        trl_paired_reward(["3"], gold[:1], ["a:factual"])


def test_ms_swift_rejects_the_picture_of_the_other_world_or_a_wrong_answer(written, source):
    lines = [json.loads(line) for line in (written / "ms-swift/train.jsonl").read_text().splitlines()]
    assert len(lines) == len(trained_on(source))
    by_picture = [line for line in lines if line["rejected_images"] != line["images"]]
    assert 0 < len(by_picture) < len(lines)
    for line in by_picture:
        assert len(line["images"]) == len(line["rejected_images"]) == 1
        before, after = (written / "ms-swift" / line[name][0] for name in ("images", "rejected_images"))
        assert before.read_bytes() != after.read_bytes()
    for line in lines:  # one of the two differs, and no row lacks what others have: ms-swift leaves such rows out
        assert (line["rejected_messages"] == line["messages"]) == (line in by_picture)
        assert "rejected_response" not in line


def test_there_is_one_placeholder_per_picture(written):
    factory = json.loads((written / "llama-factory/train.json").read_text())
    llava = json.loads((written / "llava/train.json").read_text())
    assert all(each["conversations"][0]["value"].count("<image>") == len(each["images"]) for each in factory)
    assert all(each["conversations"][0]["value"].startswith("<image>\n") for each in llava)
    assert all((written / "llava" / each["image"]).is_file() for each in llava)
    info = json.loads((written / "llama-factory/dataset_info.json").read_text())
    assert info["countersight"]["file_name"] == "train.json"


@pytest.mark.parametrize("name", FORMATS)
def test_test_pictures_are_exported_for_training_only_on_request(name, source, tmp_path):
    for split in ("test", "all"):
        with pytest.raises(ExchangeError, match="`yes_train_on_test`"):
            export_to(name, Export(source, tmp_path / "out", split=split))
    assert not (tmp_path / "out").exists()
    if name == "llava":
        assert export_to(name, Export(source, tmp_path / "out", split="all", train_on_test=True)).count == 78


def test_a_published_benchmark_is_not_exported_for_training(tmp_path):
    rows = "img_path,query,answer,new query,new answer,type\n1.jpg,How many dogs?,2,How many if one left?,1,direct\n"
    test, train = (
        cs.make("cvqa-real", tmp_path / name, source=_written(tmp_path / f"{name}.csv", rows)).path
        for name in ("questions", "train_questions")
    )
    with pytest.raises(ExchangeError, match="questions of a published benchmark"):
        export_to("trl-sft", Export(test, tmp_path / "out"))
    with pytest.raises(ExchangeError, match="has no questions in the split 'train'; choose another `split`"):
        export_to("trl-sft", Export(test, tmp_path / "out", train_on_test=True))
    assert not (tmp_path / "out").exists()
    assert export_to("trl-sft", Export(train, tmp_path / "out")).count == 2


def test_pairs_built_from_published_questions_are_not_exported_for_training(tmp_path):
    rows = "img_path,query,answer,new query,new answer,type\n1.jpg,How many dogs are there?,4,How many if?,1,direct\n"
    cs.make("cvqa-real", tmp_path / "imported", source=_written(tmp_path / "questions.csv", rows))
    sources = {"file": tmp_path / "questions.csv", "folder": tmp_path / "imported"}
    for name, source in sources.items():
        cs.build("cvqa", source, tmp_path / name, size=1, groups=("direct",))
        with pytest.raises(
            ExchangeError, match=r"was built from, questions of a published benchmark \(questions\.csv\)"
        ):
            export_to("llava", Export(tmp_path / name, tmp_path / "out"))
    cs.build("cvqa", _written(tmp_path / "train2014.csv", rows), tmp_path / "train", size=1, groups=("direct",))
    assert export_to("llava", Export(tmp_path / "train", tmp_path / "out")).count > 0


def _written(path, text):
    path.write_text(text)
    return path

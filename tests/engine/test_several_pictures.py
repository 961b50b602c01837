"""A case may show several pictures: all of them reach the model, in order, or a sentence says why they do not."""

import pytest
from making import case, dataset
from running import Scripted, ask, replies

from countersight.dataset import Dataset
from countersight.models import Answer, FunctionModel

FRAMES = ("images/0-b.png", "images/0-c.png")


@pytest.fixture
def frames(tmp_path):
    return dataset(tmp_path / "d", [case(0, further_images=FRAMES), case(1)])


def test_all_pictures_of_a_case_are_shown_in_order(frames, tmp_path):
    model = Scripted(lambda request: Answer("3"))
    ask(frames, tmp_path / "r", model, shown=True)
    shown = {request.key: request.pictures for request in model.requests}
    data = {name: (frames / name).read_bytes() for name in ("images/0.png", *FRAMES)}
    assert [picture.data for picture in shown["case-0/factual/told"]] == list(data.values())
    counts = {key: len(pictures) for key, pictures in shown.items()}
    assert (counts["case-0/counterfactual/told"], counts["case-0/counterfactual/shown"]) == (3, 1)
    assert counts["case-1/factual/told"] == 1


def test_an_exchanged_further_picture_fails_only_its_case(frames, tmp_path):
    (frames / FRAMES[1]).write_bytes((frames / "images/0.png").read_bytes())
    tally = ask(frames, tmp_path / "r", Scripted(lambda request: Answer("3")))
    assert (tally.failed, tally.bad_pictures) == (2, 1)
    assert {reply.reason for reply in replies(tmp_path / "r") if reply.state == "failed"} == {
        f"picture {FRAMES[1]} has changed since the dataset was made"
    }


@pytest.mark.parametrize(
    ("model", "words"),
    [
        (FunctionModel(lambda picture, question: "A", "mine"), "mine accepts one picture, but this question has 3"),
        ("embedded", "the embedded model accepts one picture at a time"),
        ("visprog:reference;vision=scene", "a program needs one picture at a time"),
    ],
)
def test_a_model_limited_to_one_picture_says_so(frames, tmp_path, model, words):
    ask(frames, tmp_path / "r", model)
    assert [reply.reason for reply in replies(tmp_path / "r") if reply.row == 0] == [words] * 2


def test_a_case_names_what_is_wrong_with_its_pictures_and_its_control(tmp_path):
    assert case(0, image=None, further_images=FRAMES).fault().startswith("further_file_names: ")
    assert case(0, further_images=FRAMES, further_digests=("a",)).fault().startswith("further_digests: ")
    assert case(0, control_of="case-0").fault() == "control_of: must not be the id of the case itself"
    assert case(0, further_images=FRAMES).fault() is None


def test_hugging_face_opens_further_pictures_as_a_list(frames, tmp_path, monkeypatch):
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    datasets = pytest.importorskip("datasets")
    rows = datasets.load_dataset("imagefolder", data_dir=str(frames), cache_dir=str(tmp_path / "cache"))["train"]
    assert [len(row["further"]) for row in rows] == [2, 0]
    assert rows[0]["further"][0].size == (16, 16)


def test_further_pictures_survive_writing_and_reading(frames):
    first, second = (case for _, case in Dataset.open(frames).cases())
    assert first.further_images == FRAMES
    assert len(first.further_digests) == 2
    assert second.further_images == second.further_digests == ()

"""Parquet folders for the hub: `datasets` opens them, nothing is lost, and no picture is on both sides."""

import msgspec
import pytest
from lazily import Lazy
from making import case, dataset, picture

import countersight as cs
from countersight.case import Case
from countersight.errors import CountersightError, ExchangeError
from countersight.exchange import Export, Splits, export_to

datasets = Lazy("datasets")


@pytest.fixture(scope="module")
def opened(folder, tmp_path_factory):
    out = tmp_path_factory.mktemp("hf") / "tiny"
    export_to("hf", Export(folder, out))
    return out, datasets.load_dataset(str(out), cache_dir=str(tmp_path_factory.mktemp("cache")))


def test_datasets_opens_the_folder_with_every_case(opened, folder):
    rows = [row for split in opened[1].values() for row in split]
    back = {row["id"]: msgspec.json.decode(row["case"], type=Case) for row in rows}
    assert back == {case.id: case for _, case in cs.Dataset.open(folder).cases()}
    row = opened[1]["train"][0]
    (before,), (after,) = row["images"], row["counterfactual_images"]
    assert before.size == after.size == (16, 16)
    assert before.getpixel((0, 0)) != after.getpixel((0, 0))
    assert row["factual_options"] == ["3", "5", "7", "9"]


def test_the_card_has_the_metadata_of_the_hub(opened):
    card = (opened[0] / "README.md").read_text()
    for field in ("license", "task_categories", "size_categories", "configs", "annotations_creators"):
        assert f"\n{field}: " in card
    assert 'load_dataset("path/to/this/folder")' in card


def test_a_bad_picture_stops_the_export_and_leaves_no_files(tmp_path):
    source = dataset(tmp_path / "d", 3)
    (source / "images/1.png").write_bytes(picture((1, 2, 3)))
    with pytest.raises(ExchangeError, match=r"row 2: picture images/1\.png has changed since"):
        export_to("hf", Export(source, tmp_path / "out"))
    assert not (tmp_path / "out").exists()


def test_an_existing_folder_is_not_overwritten_and_a_run_is_no_dataset(folder, run, tmp_path):
    (tmp_path / "mine.txt").write_text("mine")
    with pytest.raises(CountersightError, match="exists already"):
        export_to("hf", Export(folder, tmp_path))
    with pytest.raises(ExchangeError, match=r"hf needs a dataset, but .* is a run"):
        export_to("hf", Export(run.path, tmp_path / "out"))


def test_cases_that_share_a_picture_are_in_the_same_split(tmp_path):
    """A chain: the second picture of each case is the first of the next, twelve times over."""
    chain = [case(n, counterfactual_image=f"images/{n + 1}.png") for n in range(12)]
    alone = [case(n, counterfactual_image=None, shown=None) for n in range(20, 60)]
    about = {"name": "chain", "description": "", "license": "CC0-1.0", "provenance": {}}
    with cs.DatasetWriter(tmp_path / "d", **about) as writer:
        for number in range(60):
            (writer.staging / f"images/{number}.png").write_bytes(picture((number, 0, 0)))
        for each in chain + alone:
            writer.add(each)
    sides = sides_of(tmp_path / "d")
    assert len({sides[each.id] for each in chain}) == 1
    assert {sides[each.id] for each in alone} == {"train", "test"}


def test_a_case_is_in_the_same_split_in_every_dataset(tmp_path):
    few, many = (sides_of(dataset(tmp_path / str(size), size)) for size in (10, 30))
    assert few.items() <= many.items()


def sides_of(folder) -> dict[str, str]:
    opened = cs.Dataset.open(folder)
    splits = Splits(opened)
    return {each.id: splits.side(each) for _, each in opened.cases()}

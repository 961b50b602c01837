"""Croissant's RAI fields: filled where we know the facts, named where a person must add them."""

import json

import pytest
from lazily import Lazy
from making import dataset

import countersight as cs
from countersight.dataset.croissant import croissant
from countersight.errors import DatasetError, ExchangeError
from countersight.exchange import Export, export_to

mlcroissant = Lazy("mlcroissant")


@pytest.fixture(scope="module")
def flowers(tmp_path_factory):
    return cs.make("cvqa-synthetic", tmp_path_factory.mktemp("croissant") / "flowers", size=6, seed=7, workers=1).path


def test_metadata_of_generated_datasets_is_complete_without_a_file_of_facts(flowers):
    card = json.loads((flowers / "croissant.json").read_text())
    assert card["conformsTo"] == ["http://mlcommons.org/croissant/1.1", "http://mlcommons.org/croissant/RAI/1.0"]
    assert card["rai:hasSyntheticData"] is True
    assert "seed 7" in card["prov:wasGeneratedBy"]
    opened = mlcroissant.Dataset(jsonld=str(flowers / "croissant.json"))
    assert not opened.metadata.ctx.issues.errors
    assert opened.metadata.personal_sensitive_information is not None
    assert len(list(opened.records("cases"))) == 6


def test_metadata_outside_the_dataset_folder_says_so(flowers, tmp_path):
    away = export_to("croissant", Export(flowers, tmp_path / "croissant.json")).note
    assert f"its paths are relative to {flowers}" in away
    assert "its paths" not in export_to("croissant", Export(flowers, flowers / "croissant.json")).note


def test_facts_that_only_people_know_are_listed_and_read_from_a_file(flowers, tmp_path):
    out = flowers / "croissant.json"
    assert "rai:dataSocialImpact" in export_to("croissant", Export(flowers, out)).note
    (tmp_path / "facts.json").write_text('{"dataSocialImpact": "Little.", "rai:annotationsPerItem": "none"}')
    written = export_to("croissant", Export(flowers, out, facts=tmp_path / "facts.json"))
    assert written.note == "all required fields are present"
    card = json.loads(out.read_text())
    assert (card["rai:dataSocialImpact"], card["rai:annotationsPerItem"]) == ("Little.", "none")
    assert not mlcroissant.Dataset(jsonld=str(out)).metadata.ctx.issues.errors


@pytest.mark.parametrize(
    ("names", "formats"),
    [(("a.jpg",), "image/jpeg"), (("a.png", "b.JPEG"), ["image/jpeg", "image/png"]), ((), "image/png")],
)
def test_the_card_names_the_media_types_of_the_pictures(names, formats, tmp_path):
    (tmp_path / "images").mkdir()
    (tmp_path / "metadata.jsonl").write_text("{}\n")
    for name in names:
        (tmp_path / "images" / name).write_bytes(b"")
    card = croissant(tmp_path, "d", "", "CC0-1.0", {"id"})
    assert card["distribution"][1]["encodingFormat"] == formats


def test_no_facts_are_invented_for_imported_datasets_and_a_card_is_needed(tmp_path):
    folder = dataset(tmp_path / "d", 2)
    card = json.loads((folder / "croissant.json").read_text())
    assert [name for name in card if name.startswith("rai:")] == []
    (folder / "croissant.json").unlink()
    with pytest.raises(DatasetError, match=r"has no croissant\.json"):
        export_to("croissant", Export(folder, tmp_path / "out.json"))


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ('{"dataBias": "x"}', "there is no field 'dataBias'; did you mean"),
        ('{"dataBiases": 3}', "is not a JSON object with text values"),
        ("[", "is not a JSON object with text values"),
        (" " * 2_000_000, "has more than"),
    ],
)
def test_invalid_facts_are_an_error(flowers, tmp_path, text, sentence):
    (tmp_path / "facts.json").write_text(text)
    with pytest.raises(ExchangeError, match=sentence):
        export_to("croissant", Export(flowers, tmp_path / "out.json", facts=tmp_path / "facts.json"))
    assert not (tmp_path / "out.json").exists()

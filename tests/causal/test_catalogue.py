"""The catalogue of relations: which are causal, of which kind, and which way cause runs."""

import csv
import hashlib
import tomllib
from collections import Counter
from importlib.resources import files
from pathlib import Path

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from published import published

from countersight.causal.catalogue import Catalogue, CatalogueFile, Nouns, NounsFile, catalogue
from countersight.causal.scene_graphs import read_scene_graphs

LABELS = Path(__file__).parents[1] / "data" / "relation_labels.csv"
CAUSES = Path(__file__).parents[1] / "data" / "relation_causes.csv"
READER = Path(__file__).parents[1] / "data" / "relation_reader.csv"


def decided(subject, relation, object):
    """The verdict as the cause, the effect and the kind, or as its word alone."""
    verdict = catalogue().decide(subject, relation, object)
    if verdict.cause is None:
        return verdict.decision
    return (*((subject, object) if verdict.cause == "subject" else (object, subject)), verdict.kind)


@pytest.mark.parametrize(
    ("subject", "relation", "object", "expected"),
    [
        # every kind of cause has its direction
        ("book", "on", "shelf", ("shelf", "book", "support")),
        ("man", "holding", "cup", ("man", "cup", "holding")),
        ("woman", "riding", "horse", ("horse", "woman", "support")),
        ("women", "ride", "horse", ("horse", "women", "support")),
        ("sign", "attached to", "pole", ("pole", "sign", "attachment")),
        ("water", "in", "glass", ("glass", "water", "containment")),
        ("umbrella", "covering", "woman", ("umbrella", "woman", "covering")),
        ("man", "pulls", "suitcase", ("man", "suitcase", "force")),
        ("man", "wearing", "hat", ("man", "hat", "wearing")),
        ("smoke", "coming out of", "chimney", ("chimney", "smoke", "source")),
        # the passive is the active the other way round
        ("cup", "being held by", "man", ("man", "cup", "holding")),
        ("horse", "ridden by", "woman", ("horse", "woman", "support")),
        ("man", "standing by", "horse", "none"),
        # what readers found wrong
        ("food", "in", "frame", "ambiguous"),
        ("picture", "in", "frame", ("frame", "picture", "containment")),
        ("refrigerator", "in", "wall", "ambiguous"),
        ("man", "waiting on", "frisbee", "ambiguous"),
        ("man", "waiting on", "bench", ("bench", "man", "support")),
        ("man", "hold", "woman", "ambiguous"),
        ("man", "hold", "baby", ("man", "baby", "holding")),
        ("monkey", "clutching", "vine", ("vine", "monkey", "support")),
        ("bird", "gripping", "branch", ("branch", "bird", "support")),
        ("elephant", "grabbing", "branch", "ambiguous"),
        ("boy", "gripping", "tree", "ambiguous"),
        ("boy", "holding", "elephant", "ambiguous"),
        ("boy", "holding", "stick", ("boy", "stick", "holding")),
        ("woman", "clutching", "purse", ("woman", "purse", "holding")),
        ("tortilla", "wrapped around", "beans", ("tortilla", "beans", "containment")),
        ("napkin", "wrapped around", "fork", ("napkin", "fork", "containment")),
        ("ribbon", "wrapped around", "box", ("box", "ribbon", "attachment")),
        # the things decide what bare prepositions mean
        ("shirt", "on", "man", ("man", "shirt", "wearing")),
        ("clock", "on", "wall", ("wall", "clock", "attachment")),
        ("man", "on", "wall", "ambiguous"),
        ("man", "on", "phone", "ambiguous"),
        ("hair", "on", "head", "none"),
        ("kite", "in", "sky", "none"),
        ("man", "in", "jacket", ("man", "jacket", "wearing")),
        ("man", "in", "boat", ("boat", "man", "containment")),
        ("man", "in", "kitchen", "none"),
        ("racket", "in", "hand", ("hand", "racket", "holding")),
        ("sheep", "in", "pen", ("pen", "sheep", "containment")),
        ("building", "with", "windows", ("building", "windows", "attachment")),
        ("plate", "with", "food", ("plate", "food", "support")),
        ("man", "has", "hair", "none"),
        ("skateboard", "has", "wheels", "ambiguous"),
        ("leaves", "of", "tree", ("tree", "leaves", "attachment")),
        ("plate", "under", "sandwich", ("plate", "sandwich", "support")),
        ("woman", "under", "umbrella", ("umbrella", "woman", "covering")),
        # others of the same classes
        ("frost", "covers", "car", ("car", "frost", "support")),
        ("quilt", "covering", "mattress", ("mattress", "quilt", "support")),
        ("roof", "covered with", "leaves", ("roof", "leaves", "support")),
        ("icing", "covering", "cupcake", ("cupcake", "icing", "support")),
        ("bushes", "covering", "hillside", ("hillside", "bushes", "support")),
        ("ivy", "covering", "house", ("house", "ivy", "attachment")),
        ("curtains", "covering", "window", "ambiguous"),
        ("shades", "over", "glass", "ambiguous"),
        ("burger", "on", "roll", "ambiguous"),
        ("stools", "on side of", "counter", "ambiguous"),
        ("dog", "on", "poster", "ambiguous"),
        ("woman", "in", "mirror", "ambiguous"),
        ("boys", "surfing on", "shore", "ambiguous"),
        ("trees", "on", "road", "ambiguous"),
        ("girl", "writing on", "paper", "ambiguous"),
        ("ham", "between", "buns", ("buns", "ham", "containment")),
        ("lantern", "swaying from", "branch", ("branch", "lantern", "attachment")),
        ("cellist", "wielding", "bow", ("cellist", "bow", "holding")),
        ("dog", "with", "ball", "ambiguous"),
        ("woman", "with", "purse", ("woman", "purse", "holding")),
        ("lamp", "on the left side of", "door", "none"),
        ("mirror", "on left side of", "truck", ("truck", "mirror", "attachment")),
        ("stop sign", "on", "road", "ambiguous"),
        ("sign", "on", "pole", ("pole", "sign", "attachment")),
        ("man", "walking", "horse", "ambiguous"),
        ("canopy", "over", "stall", "ambiguous"),
        ("parasol", "over", "girl", ("parasol", "girl", "covering")),
        ("mat", "under", "desk", "ambiguous"),
        ("shelf", "under", "basket", ("shelf", "basket", "support")),
        ("bench", "under", "umbrella", "ambiguous"),
        ("deer", "has", "antlers", ("deer", "antlers", "attachment")),
        ("tire", "of", "truck", ("truck", "tire", "attachment")),
        ("handle", "for", "cabinet", ("cabinet", "handle", "attachment")),
        ("reflection", "in", "water", ("water", "reflection", "source")),
        ("forklift", "lifting", "pallet", ("forklift", "pallet", "holding")),
        # rules for classes cover what no rule names
        ("couch", "on", "truck", ("truck", "couch", "support")),
        ("pitchfork", "trotting on", "sand", ("sand", "pitchfork", "support")),
        ("dog", "dozing on", "rug", ("rug", "dog", "support")),
        ("bench", "shaded by", "tree", ("tree", "bench", "covering")),
        ("truck", "painted with", "graffiti", ("truck", "graffiti", "attachment")),
        ("field", "filled with", "zebra", ("field", "zebra", "support")),
        ("tower", "supports", "lines", ("tower", "lines", "support")),
        ("stripe", "on", "bus", ("bus", "stripe", "attachment")),
        ("flag", "flying on top of", "building", "none"),
        ("baguette", "on", "table", ("table", "baguette", "support")),
        ("grass", "under", "trees", "ambiguous"),
    ],
)
def test_a_relation_between_two_things_is_decided(subject, relation, object, expected):
    assert decided(subject, relation, object) == expected


@pytest.mark.parametrize("form", ["sit on", "sits on", "sat on", "sitting on", "is sitting on a", "are seated on the"])
def test_inflections_articles_and_auxiliaries_are_understood(form):
    assert decided("cat", form, "bed") == ("bed", "cat", "support")


@pytest.mark.parametrize("marked", ["v:sit on", "SIT ON", "  Sitting   on ", "calmly sitting on"])
def test_marks_capitals_spaces_and_adverbs_do_not_matter(marked):
    assert decided("cat", marked, "bed") == ("bed", "cat", "support")


@pytest.mark.parametrize("unreal", ["not wearing", "without", "about to throw", "trying to catch"])
def test_what_is_denied_or_only_intended_is_not_decided(unreal):
    assert decided("man", unreal, "hat") == "unknown"


def test_names_are_known_by_their_heads_plurals_and_measures():
    known = catalogue().classes
    assert "surface" in known("wooden coffee tables")
    assert "person" in known("group of people")
    assert "worn" in known("glasses")
    assert "container" in known("wine glass")
    assert "container" not in known("glasses")
    assert "animal" not in known("teddy bear")
    assert known("flibbertigibbet") == frozenset()


def test_the_same_said_the_other_way_round_is_the_same():
    assert decided("table", "has", "plate") == decided("plate", "on", "table")
    assert decided("table", "under", "plate") == decided("plate", "on", "table")


@given(st.text(max_size=40), st.text(max_size=60), st.text(max_size=40))
def test_any_words_get_a_verdict(subject, relation, object):
    verdict = catalogue().decide(subject, relation, object)
    assert (verdict.cause is None) == (verdict.decision != "causal")
    assert (verdict.kind in catalogue().kinds) == (verdict.decision == "causal")


def own(*rules):
    """A catalogue of these rules."""
    file = {"kinds": {"support": ""}, "words": {"skipped": "", "unreal": ""}, "forms": {}, "rule": rules}
    nouns = {"measures": "", "classes": {"person": "man, woman", "immaterial": "sky"}, "groups": {}}
    return Catalogue(msgspec.convert(file, CatalogueFile), Nouns(msgspec.convert(nouns, NounsFile)))


def test_the_rules_name_only_classes_and_kinds_of_cause_that_exist():
    read = {
        name: files("countersight.causal").joinpath(name).read_text("utf-8")
        for name in ("catalogue.toml", "nouns.toml")
    }
    relations, nouns = (tomllib.loads(text) for text in read.values())
    classes = {*nouns["classes"], *nouns["groups"]}
    for rule in relations["rule"]:
        assert rule["kind"] in {*relations["kinds"], "none", "undecided"}
        assert ("cause" in rule) == (rule["kind"] in relations["kinds"])
        for field in ("subject", "object", "not_subject", "not_object"):
            assert classes.issuperset(rule.get(field, ()))


def test_what_is_no_thing_neither_holds_nor_is_held_unless_a_rule_names_it():
    rule = {"kind": "support", "say": ["on"], "cause": "object"}
    assert own(rule).decide("man", "on", "box").decision == "causal"
    assert own(rule).decide("man", "on", "sky").decision == "ambiguous"
    assert own(rule | {"object": ["immaterial"]}).decide("man", "on", "sky").decision == "causal"


def test_a_rule_can_leave_open_what_those_below_would_decide():
    first = {"kind": "undecided", "say": ["on"], "object": ["person"]}
    second = {"kind": "support", "say": ["on"], "cause": "object"}
    assert own(first, second).decide("hat", "on", "man").decision == "ambiguous"
    assert own(first, second).decide("hat", "on", "box").decision == "causal"


def test_the_first_rule_that_fits_decides():
    first = {"kind": "none", "say": ["on"], "object": ["person"]}
    second = {"kind": "support", "say": ["on"], "cause": "object"}
    assert own(first, second).decide("hat", "on", "man").decision == "none"
    assert own(second, first).decide("hat", "on", "man").decision == "causal"


@pytest.fixture(scope="module")
def regions():
    path = published("scene_graphs/factual_regions.csv.gz")
    return {(scene.image, scene.id): scene for scene in read_scene_graphs(path, pytest.fail)}


@pytest.mark.slow
def test_most_relations_of_real_graphs_are_decided(regions):
    """88.3% of 23,081 when it was last mended: 58.8% causal, 29.5% not."""
    decisions = Counter()
    for scene in regions.values():
        names = {thing.id: thing.name for thing in scene.things}
        for relation in scene.relations:
            verdict = catalogue().decide(names[relation.subject], relation.relation, names[relation.object])
            decisions[verdict.decision] += 1
    assert (decisions["causal"] + decisions["none"]) / decisions.total() > 0.8
    assert decisions["unknown"] / decisions.total() < 0.05


def labelled(path, regions):
    """Each label of a file, with the catalogue's verdict on its relation."""
    with open(path, encoding="utf-8", newline="") as file:
        for label in csv.DictReader(file):
            scene = regions[label["image_id"], label["region_id"]]
            relation = scene.relations[int(label["position"])]
            told = f"{relation.subject}|{relation.relation}|{relation.object}"
            assert hashlib.blake2b(told.encode(), digest_size=8).hexdigest() == label["digest"]
            names = {thing.id: thing.name for thing in scene.things}
            yield label, catalogue().decide(names[relation.subject], relation.relation, names[relation.object])


@pytest.mark.slow
def test_kind_and_direction_are_right_for_95_percent_of_relations_that_a_person_checked(regions):
    """291 of 300, drawn by chance after the catalogue was made; of 60 said to be no cause, all are none."""
    right, said = Counter(), Counter()
    for label, verdict in labelled(LABELS, regions):
        said[verdict.decision] += 1
        right[verdict.decision] += (verdict.kind or "none", verdict.cause or "") == (label["kind"], label["cause"])
    assert said["causal"] >= 290
    assert right["causal"] / said["causal"] >= 0.95
    assert right["none"] / said["none"] >= 0.95


@pytest.mark.slow
def test_causes_that_a_person_sees_are_found_and_none_is_turned_round(regions):
    """149 of 157 at first look: relations that were not looked at while the catalogue was mended, read beforehand.

    148 since an umbrella over a table decides nothing. One label was turned round by an outside reader's rule: a bed
    that a comforter covers keeps the comforter where it is (and so, above, for the ground under snow).
    """
    found = Counter(
        "missed" if verdict.cause is None else "right" if verdict.cause == label["cause"] else "turned round"
        for label, verdict in labelled(CAUSES, regions)
    )
    assert found["turned round"] == 0
    assert found["right"] / found.total() >= 0.92


def test_the_relations_of_an_outside_reader_are_found_and_none_is_turned_round():
    """84 of 85 causes, where 71 were and 5 turned round; of 35 without a cause 3 have one (clothes that somebody is
    "in", and what a nun pushes), where 9 had. The reader chose all 120; the catalogue was mended by classes after."""
    found = Counter()
    with open(READER, encoding="utf-8", newline="") as file:
        for label in csv.DictReader(file):
            cause = catalogue().decide(label["subject"], label["relation"], label["object"]).cause or ""
            found[bool(label["cause"]), "right" if cause == label["cause"] else "wrong" if cause else "missed"] += 1
    assert found[True, "wrong"] == 0
    assert found[True, "right"] / (found[True, "right"] + found[True, "missed"]) >= 0.95
    assert found[False, "wrong"] <= 3


def test_a_name_that_is_not_listed_is_what_wordnet_says_it_is():
    assert "container" in catalogue().classes("carafe")
    assert "person" in catalogue().classes("angler")
    assert "device" not in catalogue().classes("buckle")


@pytest.mark.slow
def test_every_relation_of_visual_genomes_usual_list_is_known():
    path = published("scene_graphs/vg_vocab/danfeiX/predicate_list.txt")
    relations = path.read_text(encoding="utf-8").split("\n")
    unknown = [each for each in relations if each and decided("man", each, "table") == "unknown"]
    assert unknown == []

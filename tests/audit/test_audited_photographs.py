"""The whole path on photographs: a model behind an endpoint, language models around it, edits by OpenCV."""

import base64
import io
import json
import shutil

import pytest
from audits import audit, verdict
from chat_server import ChatServer, question_of
from PIL import Image
from published import published

from countersight.audits.prompts import find_prompts
from countersight.audits.trail import read_audit
from countersight.case import Case, Question
from countersight.dataset.writing import DatasetWriter

ANNOTATIONS = "photos/annotations/instances_val2017.json"


def photographs(folder, number):
    """A dataset of COCO's photographs that each show one clear thing, and the thing in each."""
    file = published(ANNOTATIONS)
    coco = json.loads(file.read_text())
    names = {category["id"]: category["name"] for category in coco["categories"]}
    images = {image["id"]: image for image in coco["images"]}
    chosen = {}
    for each in coco["annotations"]:
        image = images[each["image_id"]]
        alone = sum(other["image_id"] == image["id"] for other in coco["annotations"]) == 1
        share = each["area"] / (image["width"] * image["height"])
        if alone and not each["iscrowd"] and 0.02 < share < 0.15 and _photograph(file, image) is not None:
            chosen[image["id"]] = names[each["category_id"]]
    things = dict(sorted(chosen.items())[:number])
    with DatasetWriter(folder, name="photographs", description="For a test.", license="", provenance={}) as writer:
        for image, thing in things.items():
            photograph = _photograph(file, images[image])
            shutil.copy(photograph, writer.staging / "images" / photograph.name)
            question = Question("What is the most striking thing in this picture?", thing, "open")
            writer.add(Case(id=photograph.stem, image=f"images/{photograph.name}", factual=question))
    return things


def _photograph(annotations, image):
    folder = annotations.parent.parent
    return next(iter(folder.glob(f"*{image['id']:012d}.jpg")), None)


def pixels_of(data):
    return Image.open(io.BytesIO(data)).convert("RGB").tobytes()


class Everybody:
    """Stands in for the model under audit, the extractor and the judge."""

    def __init__(self, folder, things):
        self.originals = {
            pixels_of(file.read_bytes()): things[int(file.stem[-12:])] for file in (folder / "images").iterdir()
        }

    def __call__(self, server, number, body):
        first = body["messages"][0]["content"]
        if not isinstance(first, str):
            thing = self._seen(first)
            if len(body["messages"]) == 1:
                return f"say:{thing}"
            return f"say:What decided it is the {thing}: it stands out from everything around it."
        asked = question_of(body)
        if "pcs" in asked:
            after = asked.split("--- explanation after")[1]
            return verdict(int("| the scenery" in asked), int("the scenery:" in after))
        thing = asked.split("decided it is the ")[1].split(":")[0]
        concept = {
            "concept": f"the {thing}",
            "kind": "object",
            "action": "remove",
            "target": thing,
            "value": "",
            "positive": f"The same place without the {thing}.",
            "negative": thing,
        }
        return f"say:```json\n{json.dumps({'concepts': [concept]})}\n```"

    def _seen(self, parts):
        url = next(part["image_url"]["url"] for part in parts if part["type"] == "image_url")
        return self.originals.get(pixels_of(base64.b64decode(url.partition(",")[2])), "the scenery")


@pytest.mark.slow
def test_photographs_are_audited_from_end_to_end(tmp_path):
    things = photographs(tmp_path / "d", 3)
    if not things:
        pytest.skip("no photograph shows one clear thing")
    editor = f"classical?annotations={published(ANNOTATIONS)}"
    with ChatServer(Everybody(tmp_path / "d", things)) as server:
        scores = audit(
            tmp_path / "d",
            tmp_path / "a",
            server.name,
            extractor=server.name,
            editor=editor,
            judges=(server.name, "rules"),
            votes=2,
            control=True,
            prompts=find_prompts("edct"),
        ).scores
    found = read_audit(tmp_path / "a")
    assert (scores.cases, scores.failed, len(scores.concepts)) == (len(things), 0, len(things))
    for trail in found.cases:
        (test,) = trail.concepts
        assert trail.baseline.answer.text in things.values()
        assert test.edit.mask
        assert test.edit.quality.changed_outside < 0.01
        assert test.again.answer.text == "the scenery"
        assert {(each.judge, each.vote) for each in test.verdicts} == {(server.name, 1), (server.name, 2), ("rules", 1)}
    good = [trail for trail in found.cases if trail.concepts[0].edit.quality.good]
    assert good
    assert scores.kept.ccs.value == 1
    assert scores.controls == len(things)

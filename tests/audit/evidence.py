"""Audits of scripted participants, run by the program's own stages: every outcome there is, in milliseconds."""

import asyncio
import io
import json
from contextlib import suppress
from pathlib import Path

import msgspec
from PIL import Image, ImageChops, ImageDraw, ImageOps

from countersight.audits.clients import add_to_step
from countersight.audits.extraction.model import ModelExtractor
from countersight.audits.folder import AuditFolder
from countersight.audits.judges.model import ModelJudge
from countersight.audits.manifest import Actor, Manifest
from countersight.audits.participants import Participants
from countersight.audits.prompts import find_prompts
from countersight.audits.records import CaseRecord, StepPlace, encode_record
from countersight.audits.score_records import SCORES
from countersight.audits.scores import score
from countersight.audits.selection import Selected, Selection, write_selection
from countersight.audits.stages import Stages
from countersight.audits.steps import AuditTally, StepFailed, Steps
from countersight.audits.trail import read_audit
from countersight.case import Question
from countersight.editing import Edited
from countersight.engine import Answered, DatasetReference, RetriesExhausted, blocking
from countersight.errors import AskingFailed
from countersight.files import write_whole
from countersight.models import Answer
from countersight.picture import check_picture

HOSTILE = "</script><img src=x onerror=alert(1)>\u202eevil\u2066\x00 <b>bold</b> {judge} $policy"
VERDICTS = {"consistent": (1, 1), "answer-only": (1, 0), "explanation-only": (0, 1), "neither": (0, 0)}
PROMPTS = find_prompts("edct")
SAID = "seer-2026-10-01"
EDITOR = "classical"
KINDS = (*VERDICTS, "undecided", "bad edit", "no picture", "no concept", "failed")
"""What can become of a case here."""


def picture(seed: int, *, after: bool = False, size: tuple[int, int] = (60, 40)) -> bytes:
    image = Image.new("RGB", size, (240, 236, 225))
    draw = ImageDraw.Draw(image)
    draw.ellipse((8, 8, 28, 28), fill=(200, 30 + seed % 200, 30))
    if not after:
        draw.ellipse((35, 10, 50, 25), fill=(30, 90, 200))
    return _png(image)


def shifted(data: bytes) -> bytes:
    """Return a picture shifted by a few pixels, as some editors do."""
    return _png(ImageChops.offset(Image.open(io.BytesIO(data)), 3, -2))


def repainted(data: bytes) -> bytes:
    """Return a picture that an editor changed completely."""
    return _png(ImageOps.invert(Image.open(io.BytesIO(data))))


def mask(size: tuple[int, int] = (60, 40)) -> bytes:
    image = Image.new("L", size, 0)
    ImageDraw.Draw(image).ellipse((34, 9, 51, 26), fill=255)
    return _png(image)


def _png(image: Image.Image) -> bytes:
    file = io.BytesIO()
    image.save(file, "PNG")
    return file.getvalue()


def manifest(**changes: object) -> Manifest:
    fields: dict[str, object] = {
        "dataset": DatasetReference("balls", "../balls", "f" * 32, 9),
        "model": Actor("endpoint:http://127.0.0.1:9/v1#seer", {"temperature": 0.0, "seed": 0}),
        "extractor": Actor("openai:gpt-8"),
        "editor": Actor(EDITOR),
        "judges": (Actor("openai:gpt-8"), Actor("openai:gpt-9", {"temperature": 0.0})),
        "votes": 1,
        "pool": "majority",
        "concepts": 2,
        "control": True,
        "seed": 0,
        "prompts": msgspec.structs.asdict(PROMPTS),
        "started": "2026-11-15T08:00:00+00:00",
        "countersight": "0.1.0",
        "python": "3.11.7",
        "platform": "Linux x86_64",
    }
    return Manifest(**(fields | changes))


SPOILT = {"explanation-only": shifted, "bad edit": repainted}
"""What was done to edited pictures beside the edit."""


class Party:
    """A participant of an audit whose replies are given by a function."""

    def __init__(self, party: Actor, reply) -> None:
        self.party, self._reply = party, reply

    async def ask(self, request):
        answered = Answered(self._reply(request), 0.5, 1)
        add_to_step(request, answered)
        return answered

    async def abilities(self, request) -> None:
        return None


def participants(about: Manifest, row: int, kind: str, words: str) -> Participants:
    """Return the participants of a case with this outcome."""
    why = f"I see a red ball and a blue ball, so there are 2. {words}"
    told = {
        "concept": "a blue ball",
        "kind": "object" if row % 2 else "attribute",
        "action": "remove" if row % 2 else "recolour",
        "positive": f"Remove the blue ball. {words}",
        "negative": "the red ball",
        "target": "ball",
    }

    def model(request):
        if kind == "failed":
            raise RetriesExhausted(AskingFailed("503: try later", again=True), 5)
        edited = request.key.endswith("/1")
        if "/answer" in request.key:
            return Answer("1" if edited else "2", finish="stop", model=SAID, tokens_in=10)
        return Answer(f"I see one red ball. {words}" if edited else why, finish="stop", model=SAID, cost=0.01)

    def extractor(request):
        return Answer(json.dumps({"concepts": [] if kind == "no concept" else [told]}))

    def editor(request):
        if request.instruction.action == "nothing":
            return Edited(request.picture, None, {})
        if kind == "no picture":
            raise RetriesExhausted(AskingFailed(f"there is no blue ball {words}", again=False), 1)
        edited = picture(row, after=True)
        return Edited(check_picture(SPOILT[kind](edited) if kind in SPOILT else edited), mask(), {})

    def judge(number):
        pcs, ncc = VERDICTS.get(kind, (1, 1))
        said = {
            "pcs_reason": f"the answer is 1 {words}",
            "pcs": 0 if kind == "undecided" and number else pcs,
            "ncc_reason": f"it no longer cites the blue ball {words}",
            "ncc": ncc,
        }
        return lambda request: Answer(json.dumps(said), model="gpt-9-0613" if number else "")

    judges = (ModelJudge(Party(each, judge(number)), PROMPTS) for number, each in enumerate(about.judges))
    finder = ModelExtractor(Party(about.extractor, extractor), PROMPTS)
    return Participants(Party(about.model, model), finder, tuple(judges), Party(about.editor, editor))


def write_audit(folder: Path, kinds=KINDS, *, words: str = "", **changes: object) -> Path:
    """Write an audit with one case of each of these kinds, and with the model's words if they matter."""
    about = manifest(**changes)
    audit = AuditFolder.begin(folder, about)

    async def run(journal) -> None:
        steps = Steps(journal, (), AuditTally(), asyncio.Event())
        for row, kind in enumerate(kinds):
            stages = Stages(audit, PROMPTS, participants(about, row, kind, words), steps)
            place, image = StepPlace(f"ball-{row}", row), f"images/{row}.png"
            question = Question(f"How many balls are there? {words}", "2", "number")
            record = CaseRecord("", question, image, "balls", f"group {row % 2}")
            with suppress(StepFailed):
                await stages.test(await stages.begin(place, record, check_picture(picture(row))))

    with audit.writing() as journal:
        blocking(lambda: run(journal))
    write_whole(folder / SCORES, encode_record(score(read_audit(folder))))
    rows = [Selected(row, f"ball-{row}") for row in range(len(kinds))]
    of = about.dataset
    write_selection(folder, Selection(of.fingerprint, of.rows, 0, (about.cases or of.rows) - len(rows), tuple(rows)))
    return folder

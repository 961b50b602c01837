"""Audit folders written step by step with the program's own writers: every outcome there is, in milliseconds."""

import io
from pathlib import Path

import msgspec
from PIL import Image, ImageChops, ImageDraw

from countersight.audit.folder import AuditFolder
from countersight.audit.log import LOG, encode_step
from countersight.audit.records import (
    CONTROL,
    CaseRecord,
    Concepts,
    EditRecord,
    Failed,
    Manifest,
    Party,
    Place,
    Said,
    Spent,
    Step,
    Verdict,
)
from countersight.audit.scores import SCORES, encode, score
from countersight.audit.trail import read_audit
from countersight.case import Question
from countersight.editing.protocol import Instruction
from countersight.editing.quality.record import EditQuality
from countersight.files import write_whole
from countersight.runs.folder import DatasetReference

HOSTILE = "</script><img src=x onerror=alert(1)>\u202eevil\u2066\x00 <b>bold</b> {judge} $policy"
GOOD = EditQuality(
    good=True, ssim_inside=0.31, ssim_outside=0.999, changed_inside=0.8, changed_outside=0.001, ssim=0.9, changed=0.1
)
BAD = EditQuality(
    good=False,
    reason="too much changed: 62% of the pixels outside the mask",
    warp=(1.0, 0.0, 3.0, 0.0, 1.0, -2.0),
    registration="shift by phase correlation",
    ssim_outside=0.4,
    changed_outside=0.62,
    lpips_outside=0.4,
    size=(60, 40),
)
VERDICTS = {"consistent": (1, 1), "answer-only": (1, 0), "explanation-only": (0, 1), "neither": (0, 0)}
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
    """A picture moved as `BAD` says that it was."""
    return _png(ImageChops.offset(Image.open(io.BytesIO(data)), 3, -2))


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
        "model": Party("endpoint:http://127.0.0.1:9/v1#seer", {"temperature": 0.0, "seed": 0}),
        "extractor": Party("rules"),
        "editor": Party("exact"),
        "judges": (Party("exact"), Party("openai:gpt-9", {"temperature": 0.0})),
        "votes": 1,
        "pool": "majority",
        "concepts": 2,
        "control": True,
        "seed": 0,
        "prompts": {"name": "edct", "version": 1, "why": "Why?", "judge": "Decide: {new_answer}", "again": "Again."},
        "started": "2026-11-15T08:00:00+00:00",
        "countersight": "0.1.0",
        "python": "3.11.7",
        "platform": "Linux x86_64",
    }
    return Manifest(**(fields | changes))


class Writer:
    """Appends steps to the log of an audit."""

    def __init__(self, folder: Path, about: Manifest) -> None:
        self.folder = AuditFolder.begin(folder, about)
        self.manifest = about
        self.lines: list[bytes] = []
        self._previous = ""

    def step(self, stage, place, output, by="", asked=(), **spent) -> None:
        n = len(self.lines)
        step = Step(
            n=n,
            stage=stage,
            place=place,
            inputs=f"{n:064x}",
            output=output,
            by=by,
            asked=asked,
            spent=Spent(**spent),
            at=f"2026-11-15T08:{n // 60:02}:{n % 60:02}.000+00:00",
            previous=self._previous,
        )
        line, self._previous = encode_step(step)
        self.lines.append(line)

    def case(self, row: int, kind: str, *, words: str = "") -> None:
        """A case of which this became, in the words of the model if they matter."""
        place, model = Place(f"ball-{row}", row), self.manifest.model.name
        before = self.folder.keep(picture(row), "image/png")
        question = Question(f"How many balls are there? {words}", "2", "number")
        self.step("case", place, CaseRecord(before, question, f"images/{row}.png", "balls", f"group {row % 2}"))
        if kind == "failed":
            self.step("answer", place, Failed("503: try later"), model, attempts=5)
            return
        self.step("answer", place, Said("2", "stop", "seer-2026-10-01"), model, seconds=0.5, tokens_in=10)
        why = f"I see a red ball and a blue ball, so there are 2. {words}"
        self.step("why", place, Said(why, "stop", "seer-2026-10-01"), model, seconds=0.5, cost=0.01)
        if kind == "no concept":
            self.step("concepts", place, Concepts(reason="it finds nothing that could be changed"), "rules")
            return
        told = Instruction(
            concept="a blue ball",
            kind="object" if row % 2 else "attribute",
            action="remove" if row % 2 else "recolour",
            positive=f"Remove the blue ball. {words}",
            negative="the red ball",
            target="ball",
        )
        self.step("concepts", place, Concepts((told,)), "rules")
        self._test(row, kind, told, before, words)
        if self.manifest.control:
            self.step("edit", Place(concept=CONTROL, picture=before), EditRecord(told, before, before), "exact")
            here = Place(f"ball-{row}", row, CONTROL)
            self.step("answer again", here, Said("2"), model)
            self.step("why again", here, Said(why), model)

    def _test(self, row: int, kind: str, told: Instruction, before: str, words: str) -> None:
        place, model = Place(f"ball-{row}", row, 1), self.manifest.model.name
        if kind == "no picture":
            self.step("edit", place, EditRecord(told, before, failure=f"there is no blue ball {words}"), "exact")
            return
        edited = picture(row, after=True)
        after = self.folder.keep(shifted(edited) if kind == "bad edit" else edited, "image/png")
        covered = self.folder.keep(mask(), "image/png")
        quality = BAD if kind == "bad edit" else GOOD
        self.step("edit", place, EditRecord(told, before, after, covered, quality, seed=3), "exact")
        self.step("answer again", place, Said("1", "stop", "seer-2026-10-01"), model)
        self.step("why again", place, Said(f"I see one red ball. {words}", "stop", "seer-2026-10-01"), model)
        pcs, ncc = VERDICTS.get(kind, (1, 1))
        for number, judge in enumerate(self.manifest.judges):
            disagrees = kind == "undecided" and number
            given = Verdict(
                judge.name,
                1,
                0 if disagrees else pcs,
                ncc,
                f"the answer is 1 {words}",
                f"it no longer cites the blue ball {words}",
                path="exact" if judge.name == "exact" else "model",
            )
            here = msgspec.structs.replace(place, judge=judge.name, vote=1)
            self.step("verdict", here, given, judge.name, model="gpt-9-0613" if number else "")

    def close(self) -> Path:
        path = self.folder.path
        (path / LOG).write_bytes(b"".join(self.lines))
        write_whole(path / SCORES, encode(score(read_audit(path))))
        return path


def write_audit(folder: Path, kinds=KINDS, *, words: str = "", **changes: object) -> Path:
    """An audit with one case of each of these kinds."""
    writer = Writer(folder, manifest(**changes))
    with writer.folder.writing():
        for row, kind in enumerate(kinds):
            writer.case(row, kind, words=words)
    return writer.close()

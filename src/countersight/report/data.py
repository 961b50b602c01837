"""What a report shows: plain values, so that tables, figures and the page know nothing of folders or scoring."""

from typing import Literal

import msgspec

from countersight.case import Telling, World

Asking = Literal["factual", "counterfactual", "shown"]
"""One way a case is asked: as it is, with the change told in words, or with the change shown as a picture."""

ASKINGS: tuple[Asking, ...] = ("factual", "counterfactual", "shown")


def asking_of(world: World, telling: Telling) -> Asking:
    """Which asking a world and the way it is told make."""
    if world == "factual":
        return "factual"
    return "shown" if telling == "shown" else "counterfactual"


Verdict = Literal["right", "wrong", "unread", "failed", "missing"]


class Figure(msgspec.Struct, frozen=True):
    """A share or a difference of shares, with its interval; `p` only where two things were compared."""

    value: float | None
    low: float
    high: float
    n: int
    p: float | None = None


class GroupScores(msgspec.Struct, frozen=True, kw_only=True):
    """How one run did on one group of cases; the last of a run is on all of them."""

    group: str
    n: int
    factual: Figure | None
    counterfactual: Figure | None
    drop: Figure | None
    both_right: Figure | None
    shown: Figure | None = None
    imagination_gap: Figure | None = None
    unread: int = 0
    failed: int = 0
    missing: int = 0


class LetterShare(msgspec.Struct, frozen=True):
    """How often a letter was answered, and how often it was the right one, in n questions with options."""

    asking: Asking
    letter: str
    answered: int
    gold: int
    n: int


class RunScores(msgspec.Struct, frozen=True, kw_only=True):
    """One model asked one dataset in one way."""

    label: str
    """A name for the run that no other run of the report has."""
    model: str
    prompt: str
    started: str
    version: str
    """The version of Countersight that asked."""
    answering: str = "generate"
    """Whether the model wrote its answers (generate), or options were ranked by their loss (rank)."""
    settings: tuple[tuple[str, str], ...] = ()
    """What else its answers depend on: temperature, seed and the like."""
    groups: tuple[GroupScores, ...]
    letters: tuple[LetterShare, ...] = ()

    @property
    def overall(self) -> GroupScores:
        """The scores on all cases."""
        return self.groups[-1]


class ComparedGroup(msgspec.Struct, frozen=True):
    """How much better the first run did than the second on a group, case by case."""

    group: str
    factual: Figure | None
    counterfactual: Figure | None
    both_right: Figure | None
    shown: Figure | None


class Comparison(msgspec.Struct, frozen=True):
    """Two runs of one dataset, paired over the cases that both answered."""

    first: str
    second: str
    groups: tuple[ComparedGroup, ...]


class ReportData(msgspec.Struct, frozen=True, kw_only=True):
    """Every figure of a report and how it was got."""

    dataset: str
    fingerprint: str
    cases: int
    runs: tuple[RunScores, ...]
    comparisons: tuple[Comparison, ...] = ()
    seed: int
    resamples: int
    confidence: float
    version: str
    """The version of Countersight that wrote the report."""
    bad_rows: int = 0
    """Rows of the dataset that could not be read as cases."""


class AskedQuestion(msgspec.Struct, frozen=True):
    """A question as the gallery shows it."""

    text: str
    gold: str
    options: tuple[str, ...] = ()


class Answer(msgspec.Struct, frozen=True, omit_defaults=True):
    """What a run made of a question. `text` may be cut; `length` is how long it was."""

    verdict: Verdict
    text: str = ""
    length: int = 0
    read: str | None = None
    reason: str = ""


class GalleryCase(msgspec.Struct, frozen=True, kw_only=True):
    """A case to look at: its pictures by number, its questions, and the answers of each run in the report's order."""

    id: str
    group: str
    change: str
    picture: int | None
    counterfactual_picture: int | None
    questions: dict[Asking, AskedQuestion]
    answers: tuple[dict[Asking, Answer], ...]


class Thumbnail(msgspec.Struct, frozen=True):
    """A small picture as WebP, or why there is none."""

    webp: bytes = b""
    fault: str = ""


class PageData(msgspec.Struct, frozen=True):
    """Everything on the page."""

    report: ReportData
    cases: tuple[GalleryCase, ...] = ()
    pictures: tuple[Thumbnail, ...] = ()

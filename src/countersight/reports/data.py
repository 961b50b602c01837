"""The data of a report as plain values, from which the page is rendered without reading any folder."""

from collections.abc import Sequence
from typing import Final

import msgspec

from countersight.case import TWO_WORLDS, QuestionVariant, Trace, World
from countersight.figures import Figure
from countersight.html import Grid, Thumbnail, name, shortened
from countersight.scoring import (
    SHARED_PICTURES,
    ComparedRuns,
    GroupScores,
    Outcome,
    Scores,
    SetScores,
)
from countersight.suites import PaperTable, Terms, terms

MAX_NAME_LENGTH: Final = 28
"""The maximum length of a run's name in a sentence or figure, in characters."""


class DividedScores(msgspec.Struct, frozen=True):
    """The scores of one run by a division other than groups, such as the kind of change or the rung."""

    name: str
    lines: tuple[GroupScores, ...]
    unplaced: int = 0
    """The number of cases that are not on any of the lines."""


class RunScores(Scores, frozen=True, kw_only=True):
    """The scores of one run: one model, one dataset, one prompt."""

    label: str
    """A name for the run that is unique in the report; it starts with a number ("#1 …") if any name is too long."""
    number: int = 0
    """The number in the label; 0 if there is none."""
    model: str
    prompt: str
    started: str
    version: str
    """The version of Countersight that ran the model."""
    answering: str = "generate"
    """How the answers were obtained: written by the model (generate), or options ranked by their loss (rank)."""
    settings: tuple[tuple[str, str], ...] = ()
    """Other settings that affect the answers, such as the temperature and the seed."""
    shows_pictures: bool = True
    """Whether the model was shown the pictures; some prompts show none."""
    total: dict[str, Figure] = msgspec.field(default_factory=dict)
    """The sum of the groups' shares for each measure, if the suite reports it."""
    divisions: tuple[DividedScores, ...] = ()
    advice: tuple[str, ...] = ()
    """Advice to the user about the run, one sentence each."""
    stopping_note: str = ""
    """When the stopping rule (`--until`) ended the run, and what that saved; empty without a rule."""

    def sets_of(self, group: str) -> SetScores | None:
        """Return the scores of complete sets of a group, of "all", or of a line of a division."""
        is_only_group = len(self.rows) == 2 and group == self.rows[0].group
        wanted = self.overall.group if is_only_group else group
        return next((each for each in self.sets if each.group == wanted), None)

    @property
    def plain_label(self) -> str:
        """The label without its number, as used in files."""
        return self.label.removeprefix(f"#{self.number} ")

    def short_label(self, runs: "Sequence[RunScores]") -> str:
        """Return the label in at most `MAX_NAME_LENGTH` characters, with its number and what distinguishes the runs."""
        short = shortened(name(self.plain_label), MAX_NAME_LENGTH, [name(run.plain_label) for run in runs])
        return f"#{self.number} {short}" if self.number else short


class Analysis(msgspec.Struct, frozen=True, kw_only=True):
    """An analysis of the runs, as tables; `definitions.txt` defines their figures."""

    heading: str
    about: str
    tables: tuple[Grid, ...]
    key: str = ""
    """The anchor of its section on the page; numbered if empty."""


class ReportData(msgspec.Struct, frozen=True, kw_only=True):
    """Every figure of a report and its origin."""

    dataset: str
    fingerprint: str
    cases: int
    runs: tuple[RunScores, ...]
    comparisons: tuple[ComparedRuns, ...] = ()
    seed: int
    confidence: float
    version: str
    """The version of Countersight that wrote the report."""
    controls: int = 0
    """The number of cases whose change does not affect the question; they are not among `cases`."""
    bad_rows: int = 0
    """The number of invalid rows of the dataset."""
    suite: str = ""
    """The suite of all cases; empty if unknown or mixed."""
    worlds: tuple[World, ...] = TWO_WORLDS
    """The worlds of the questions."""
    soft: bool = False
    """Whether answers can be partly right (VQA's soft accuracy)."""
    gold: str = ""
    """The source of corrected answers and their number; empty if answers were not corrected."""
    references: tuple[PaperTable, ...] = ()
    """Tables of papers to compare with the runs."""
    analyses: tuple[Analysis, ...] = ()
    blind: dict[World, float] = {}
    """The accuracy without the pictures, by world, if it was measured when the dataset was made."""
    knowledge: dict[World, float] = {}
    """The accuracy of a baseline that uses only common knowledge, by world, if it was measured."""
    damaged: tuple[tuple[str, str], ...] = ()
    """The paths of runs that were left out because they cannot be read, each with the reason."""

    @property
    def terms(self) -> Terms:
        """The terms of the suite's scores."""
        return terms(self.suite, self.worlds)

    @property
    def units(self) -> str:
        """How to read the figures: their units and intervals, and what n counts."""
        level = f"each with its {self.confidence:.0%} interval"
        told = (
            f"Shares in per cent, differences in points, {level}."
            if self.two_worlds
            else f"Shares in per cent, {level}."
        )
        if self.two_worlds:
            told += " Figures are rounded: a drop may differ by 0.1 from the difference of the shown shares."
        if len(self.comparisons) > 1:
            told += " The intervals of comparisons between runs are corrected for the number of comparisons."
        shared = any(run.overall.is_clustered for run in self.runs)
        return f"{told} {SHARED_PICTURES}" if shared else told

    @property
    def two_worlds(self) -> bool:
        """Whether there are two worlds, and therefore a drop."""
        return len(self.worlds) > 1 and "drop" in self.terms.measures


class AskedQuestion(msgspec.Struct, frozen=True):
    """A question as shown in the gallery."""

    text: str
    gold: str
    options: tuple[str, ...] = ()


class GalleryAnswer(msgspec.Struct, frozen=True, omit_defaults=True):
    """A run's answer to a question. `text` may be cut; `length` is its full length."""

    verdict: Outcome
    text: str = ""
    length: int = 0
    read: str | None = None
    reason: str = ""
    composed: bool = False
    """Whether the composer computed the answer from the model's factual count; the model was not asked."""
    finish: str = ""
    """The stop reason, as reported by the server."""
    tokens_in: int = 0
    tokens_out: int = 0
    cost: float = 0.0
    seconds: float = 0.0
    attempts: int = 1
    sent: int | None = None
    """The index of its prompt in the case's `requests`; None if unknown."""
    program: Trace | None = None


class GalleryCase(msgspec.Struct, frozen=True, kw_only=True):
    """A case of the gallery: its pictures by number, its questions, and the answers of each run in order."""

    id: str
    group: str
    change: str
    picture: int | None
    counterfactual_picture: int | None
    questions: dict[QuestionVariant, AskedQuestion]
    answers: tuple[dict[QuestionVariant, GalleryAnswer], ...]
    requests: tuple[str, ...] = ()
    """The distinct prompts sent for this case; runs with the same prompt share one."""
    graph: tuple[str, ...] = ()
    """The edges of the causal graph behind the question, in words."""


class PageData(msgspec.Struct, frozen=True):
    """The content of the page."""

    report: ReportData
    cases: tuple[GalleryCase, ...] = ()
    pictures: tuple[Thumbnail, ...] = ()
    picture_names: tuple[str, ...] = ()
    """The file name of each picture in the dataset."""

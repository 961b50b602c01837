"""What a report shows: plain values, so that tables, figures and the page know nothing of folders or scoring."""

import msgspec

from countersight.case import TWO_WORLDS, Asking, Trace, World
from countersight.html import Grid, Measured, Thumbnail
from countersight.scoring import ComparedRuns, GroupScores, LetterShare, Outcome, RoleShare, SetScores, Sum, standing
from countersight.suites import PaperTable, Terms, terms


class DividedScores(msgspec.Struct, frozen=True):
    """How one run did on its cases divided otherwise than by group: by kind of change, by rung and the like."""

    name: str
    lines: tuple[GroupScores, ...]
    unplaced: int = 0
    """Cases that count on no line."""


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
    sees: bool = True
    """Whether it was shown the pictures; some prompts show none."""
    groups: tuple[GroupScores, ...]
    letters: tuple[LetterShare, ...] = ()
    total: dict[str, Sum] = {}
    """By measure the groups added up, where the suite does so: the sum can be as much as there are groups."""
    divisions: tuple[DividedScores, ...] = ()
    roles: tuple[RoleShare, ...] = ()
    advice: tuple[str, ...] = ()
    """What the user should do about the run, in sentences."""
    damaged: int = 0
    """Lines of its journal that cannot be read."""
    sets: tuple[SetScores, ...] = ()
    """What is right as a whole, by group and in all, where cases stand in sets."""
    stopped: str = ""
    """Where it stopped by a rule (`--until`), and what that saved."""

    @property
    def overall(self) -> GroupScores:
        """The scores on all cases."""
        return self.groups[-1]

    @property
    def standing(self) -> str:
        """How far the asking has come and what is amiss: "118 of 120 questions scored; 2 cut"."""
        return standing(self.overall, self.damaged)


class IntervalPlot(msgspec.Struct, frozen=True):
    """Named differences to draw on one scale."""

    title: str
    lines: tuple[tuple[str, Measured], ...]


class Point(msgspec.Struct, frozen=True):
    """Something that an analysis found, in sentences."""

    title: str
    sentences: tuple[str, ...]


class Analysis(msgspec.Struct, frozen=True, kw_only=True):
    """What a closer look at the runs shows: points in words, the tables behind them, and what their figures mean."""

    heading: str
    about: str
    points: tuple[Point, ...] = ()
    tables: tuple[Grid, ...]
    definitions: tuple[tuple[str, str], ...] = ()
    plot: IntervalPlot | None = None
    asked_for: bool = False
    """Whether it was called for by name; else it comes with every report, and the terminal shows its sentences only."""


class AnswerShares(msgspec.Struct, frozen=True):
    """Of the questions of a group that ask for a number under the change, the share of each right answer."""

    group: str
    questions: int
    shares: tuple[tuple[str, float], ...]


class ReportData(msgspec.Struct, frozen=True, kw_only=True):
    """Every figure of a report and how it was got."""

    dataset: str
    fingerprint: str
    cases: int
    runs: tuple[RunScores, ...]
    comparisons: tuple[ComparedRuns, ...] = ()
    seed: int
    resamples: int
    confidence: float
    version: str
    """The version of Countersight that wrote the report."""
    controls: int = 0
    """Cases whose change does not touch what is asked; they are not among `cases`."""
    bad_rows: int = 0
    """Rows of the dataset that could not be read as cases."""
    suite: str = ""
    """The suite of all cases; empty where it is not known or they are of several."""
    worlds: tuple[World, ...] = TWO_WORLDS
    """Those that the cases ask about."""
    soft: bool = False
    """Whether an answer can be worth something between nothing and all (VQA's soft accuracy)."""
    references: tuple[PaperTable, ...] = ()
    """Tables of papers to set beside the runs."""
    analyses: tuple[Analysis, ...] = ()
    answers: tuple[AnswerShares, ...] = ()
    """How often each number is the right answer, by group, where numbers are asked for (C-VQA's Figure 3)."""
    readings: tuple[Grid, ...] = ()
    """The runs as somebody else reads them: a second reader, or a paper's own rules. Kept apart from all else."""
    blind: dict[World, float] = {}
    """What is answered without the pictures, by world, where it was measured when the dataset was made."""
    knowledge: dict[World, float] = {}
    """What is answered by who knows what usually keeps what, likewise."""

    @property
    def terms(self) -> Terms:
        """How the suite's paper tells its scores."""
        return terms(self.suite, self.worlds)

    @property
    def two_worlds(self) -> bool:
        """Whether there is a way from one world to the other, and so a drop to speak of."""
        return len(self.worlds) > 1 and "drop" in self.terms.measures


class AskedQuestion(msgspec.Struct, frozen=True):
    """A question as the gallery shows it."""

    text: str
    gold: str
    options: tuple[str, ...] = ()


class GalleryAnswer(msgspec.Struct, frozen=True, omit_defaults=True):
    """What a run made of a question. `text` may be cut; `length` is how long it was."""

    verdict: Outcome
    text: str = ""
    length: int = 0
    read: str | None = None
    reason: str = ""
    composed: bool = False
    """Whether a grammar worked it out from the model's own number."""
    finish: str = ""
    """Why the model stopped, in the server's word."""
    tokens_in: int = 0
    tokens_out: int = 0
    cost: float = 0.0
    seconds: float = 0.0
    attempts: int = 1
    sent: int | None = None
    """Which of the case's requests it answers; None where nobody can say any more what was sent."""
    unfit: str = ""
    """Why the prompt makes no difference to this question, where it does not."""
    program: Trace | None = None


class ShownGraph(msgspec.Struct, frozen=True, omit_defaults=True):
    """The causal graph behind a question: its edges in words, and why the gold answer follows from it."""

    edges: tuple[str, ...]
    why: str = ""


class GalleryCase(msgspec.Struct, frozen=True, kw_only=True):
    """A case to look at: its pictures by number, its questions, and the answers of each run in the report's order."""

    id: str
    group: str
    change: str
    picture: int | None
    counterfactual_picture: int | None
    questions: dict[Asking, AskedQuestion]
    answers: tuple[dict[Asking, GalleryAnswer], ...]
    requests: tuple[str, ...] = ()
    """What was sent for it, each text once; runs with the same prompt send the same."""
    graph: ShownGraph | None = None


class PageData(msgspec.Struct, frozen=True):
    """Everything on the page."""

    report: ReportData
    cases: tuple[GalleryCase, ...] = ()
    pictures: tuple[Thumbnail, ...] = ()
    picture_names: tuple[str, ...] = ()
    """Of each picture, the name of its file in the dataset."""

"""scores.json: the scores of runs in a file with a documented schema."""

from pathlib import Path
from typing import Any, Final, Literal

import msgspec

from countersight import __version__
from countersight.case import TWO_WORLDS
from countersight.engine import MANIFEST
from countersight.errors import CountersightError
from countersight.figures import Figure
from countersight.reports.data import ReportData, RunScores
from countersight.reports.loading import load
from countersight.scoring import GroupScores, SetScores
from countersight.suites import PLAIN_MEASURES

SCORES_JSON: Final = "scores.json"


class GroupOfScores(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The scores of one group of cases. A measure is absent if nothing was scored."""

    n: int
    """The number of cases in the group."""
    questions: int
    scored: int
    """The number of scored questions: right, wrong or unread."""
    unread_rate: float | None = None
    """The share of unread replies among the scored questions."""
    failed: int = 0
    """The number of questions without a reply, which are not scored."""
    factual: Figure | None = None
    """Accuracy over all answers about the original picture."""
    counterfactual: Figure | None = None
    """Accuracy over all answers under a change."""
    factual_in_both: Figure | None = None
    """Accuracy over the cases scored in both worlds, like the following fields up to `both_right`."""
    counterfactual_in_both: Figure | None = None
    drop: Figure | None = None
    both_right: Figure | None = None
    shown: Figure | None = None
    imagination_gap: Figure | None = None
    fell_back: Figure | None = None
    question_accuracy: Figure | None = None
    """The share of questions right for all their pictures; n counts questions (HallusionBench: qAcc)."""
    picture_accuracy: Figure | None = None
    """The share of pictures with all questions right; n counts pictures (HallusionBench: fAcc)."""
    set_accuracy: Figure | None = None
    """The share of sets with all answers right; n counts sets (NaturalBench: G-Acc, MMVP: pair accuracy)."""


_SETS: Final = {"question": "question_accuracy", "picture": "picture_accuracy", "set": "set_accuracy"}
_COUNTS: Final = ("n", "questions", "scored", "unread_rate", "failed")
MEASURES: Final = (*(key for key in GroupOfScores.__struct_fields__ if key not in _COUNTS), "unread_rate")
"""The measures that can be compared."""


class ScoredRun(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The scores of one run: one model, one dataset, one way of asking."""

    label: str
    model: str
    prompt: str
    answering: str
    started: str
    groups: dict[str, GroupOfScores]
    """One entry per group, and "all"."""
    divisions: dict[str, dict[str, GroupOfScores]] = {}
    """The scores by other divisions, such as category (HallusionBench: VD and VS) or kind of change."""
    total: dict[str, Figure] = {}
    """The sum of the groups' shares, if the suite has one (CFMM: out of 6)."""


class ScoresFile(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The content of scores.json."""

    format: Literal["countersight-scores-1"]
    countersight: str
    dataset: str
    fingerprint: str
    cases: int
    confidence: float
    runs: tuple[ScoredRun, ...]
    gold: str = ""
    """The source of corrected answers and their number, such as "corrected.csv, 4 answers corrected"."""
    names: dict[str, str] = {}
    """The name of each measure in the suite's paper, if it differs."""


def scores_file(report: ReportData) -> ScoresFile:
    """Return the scores of a report as a file's content."""
    called = {**report.terms.measures, **{_SETS[key]: words for key, words in report.terms.wholes.items()}}
    return ScoresFile(
        format="countersight-scores-1",
        countersight=__version__,
        dataset=report.dataset,
        fingerprint=report.fingerprint,
        cases=report.cases,
        confidence=report.confidence,
        runs=tuple(map(_run, report.runs)),
        gold=report.gold,
        names={key: words for key, words in called.items() if words != PLAIN_MEASURES.get(key)},
    )


def _run(run: RunScores) -> ScoredRun:
    sets = {each.group: each for each in run.sets}
    return ScoredRun(
        label=run.plain_label,
        model=run.model,
        prompt=run.prompt,
        answering=run.answering,
        started=run.started,
        groups={row.group: _group(row, sets.get(row.group)) for row in run.groups},
        divisions={
            each.name: {row.group: _group(row, sets.get(row.group)) for row in each.lines} for each in run.divisions
        },
        total={key: found for key, figure in run.total.items() if (found := _figure(figure))},
    )


def _group(row: GroupScores, sets: SetScores | None) -> GroupOfScores:
    figures: dict[str, Figure | None] = {key: getattr(row, key) for key in PLAIN_MEASURES}
    figures |= {f"{world}_in_both": rate for world, rate in zip(TWO_WORLDS, row.in_both or (), strict=False)}
    if sets:
        wholes = {"question": sets.question, "picture": sets.picture, "set": sets.whole}
        figures |= {_SETS[key]: whole.rate for key, whole in wholes.items() if whole}
    found: dict[str, Any] = {key: getattr(row, key) for key in _COUNTS}
    found |= {key: _figure(figure) for key, figure in figures.items()}
    return GroupOfScores(**found)


def _figure(found: Figure | None) -> Figure | None:
    if found is None or found.value is None:
        return None
    return Figure(found.value, found.low, found.high, found.n, found.p, found.right, found.bounds, found.method)


def read_scores(path: Path) -> ScoresFile:
    """Read a scores.json file or the one in a report folder; for a run folder, compute the scores."""
    if (path / MANIFEST).is_file():
        return scores_file(load([path], gallery=0).report)
    file = path / SCORES_JSON if path.is_dir() else path
    if not file.is_file():
        raise CountersightError(f"{file} does not exist; specify a run, the folder of a report, or its scores.json")
    try:
        return msgspec.json.decode(file.read_bytes(), type=ScoresFile)
    except (msgspec.MsgspecError, UnicodeDecodeError) as error:
        raise CountersightError(f"{file} is not a scores.json of this version: {error}") from None

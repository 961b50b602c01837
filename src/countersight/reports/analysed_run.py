"""Runs as used in analyses, with helpers for table lines and names."""

import msgspec

from countersight.detection import parted
from countersight.engine import RunManifest
from countersight.html import Content, Line, table_line
from countersight.scoring import ALL, NO_GROUP, JudgedRun, Outcomes, Scores
from countersight.suites import Terms


class AnalysedRun(msgspec.Struct, frozen=True, eq=False):
    """A run as used in an analysis."""

    label: str
    judged: JudgedRun
    scores: Scores
    number: int = 0
    """The number in its label; 0 if there is none."""

    @property
    def outcomes(self) -> Outcomes:
        """The outcomes of its questions."""
        return self.judged.outcomes

    @property
    def manifest(self) -> RunManifest:
        """The manifest of the run."""
        return self.judged.run.manifest

    @property
    def prompt(self) -> str:
        """The name of its prompt."""
        return self.manifest.prompt.name


def group_words(group: str, terms: Terms) -> str:
    """Return the suite's name for a group."""
    return terms.groups.get(group, group) or NO_GROUP


def group_line(run: AnalysedRun, group: str, terms: Terms, n: int, *cells: Content) -> Line:
    """Return a table line for a group or for all cases: the number of cases, then the cells."""
    return table_line(group_words(group, terms), n, *cells, n=n, run=run.label, group=group, total=group == ALL)


def groups_in_order(run: AnalysedRun, terms: Terms) -> list[str]:
    """Return the groups of a run in the order of the suite's paper, then the others; none if there is only one."""
    found = run.outcomes.group_names
    named = [group for group in terms.groups if group in found]
    named += [group for group in found if group not in named]
    return named if len(named) > 1 else []


_PROGRAMS = ("viper:", "visprog:")
_DETECTOR, _TOLD = "detector:", "told:"


def short_name(model: str) -> str:
    """Return gpt-4o for openai:gpt-4o, qwen for endpoint:http://127.0.0.1/v1#qwen; for a program, both models."""
    if model.startswith(_PROGRAMS):
        style, _, rest = model.partition(":")
        code, named, vision = rest.rpartition(";vision=")
        return f"{style}:{short_name(code)};vision={_vision_name(vision)}" if named else f"{style}:{short_name(rest)}"
    _, mark, served = model.rpartition("#")
    return served if mark else model.removeprefix("openai:")


def _vision_name(name: str) -> str:
    """Return a short name: detector:yolo.onnx for detector:/weights/yolo.onnx?labels=/weights/names.txt."""
    if not name.startswith(_DETECTOR):
        return short_name(name)
    where, second = parted(name.removeprefix(_DETECTOR))
    file = _DETECTOR + where.partition("?")[0].rstrip("/").rpartition("/")[2]
    told = _TOLD if second.startswith(_TOLD) else ""
    return f"{file}+{told}{short_name(second.removeprefix(_TOLD))}" if second else file

"""Leave out parts of a change: make the variants, and measure what each part does to the answer."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations
from pathlib import Path
from statistics import mean

import msgspec
import numpy as np

from countersight.case import LETTERS, Case, Change
from countersight.dataset import Dataset, DatasetWriter
from countersight.engine import RunFolder
from countersight.errors import CountersightError
from countersight.figures import Figure
from countersight.files import write_text
from countersight.html import Grid, document, table_line
from countersight.scoring import paired
from countersight.suites.cosim import change_kinds, change_parts

MAX_PARTS = 6
"""The maximum number of parts; changes with more are skipped, because their pairs alone need more than 15 questions."""
OF, WITHOUT = "of", "without"


def make_variants(dataset: Dataset, folder: Path) -> int:
    """Write the variants of every case whose change has several parts; return the number of these cases."""
    count = 0
    with DatasetWriter(
        folder,
        name=f"{dataset.path.name}, changes in parts",
        description="Each change in full, without each of its parts, and without each pair of parts.",
        license="the same as the original dataset",
        provenance={"of": dataset.fingerprint},
    ) as writer:
        for _, case in dataset.cases():
            parts = change_parts(case.change.text) if case.change and case.context else ()
            if not 2 <= len(parts) <= MAX_PARTS or case.counterfactual is None or not case.counterfactual.options:
                continue
            if case.image:
                _copy_picture(dataset, case, writer.staging)
            for variant in _variants(case, parts):
                writer.add(variant)
            count += 1
        if not count:
            raise CountersightError(f"{dataset.path} has no case with options and a separate change of several parts")
    return count


def _variants(case: Case, parts: tuple[str, ...]) -> Iterator[Case]:
    for size in (0, 1, 2) if len(parts) > 2 else (0, 1):
        for left_out in combinations(range(len(parts)), size):
            told = " ".join(part for number, part in enumerate(parts) if number not in left_out)
            name = "+".join(str(number + 1) for number in left_out)
            yield msgspec.structs.replace(
                case,
                id=f"{case.id}/without-{name}" if name else f"{case.id}/whole",
                change=Change(told),
                factual=None,
                shown=None,
                counterfactual_image=None,
                counterfactual_digest="",
                provenance={OF: case.id, WITHOUT: name, "parts": msgspec.json.encode(parts).decode()},
            )


def _copy_picture(dataset: Dataset, case: Case, staging: Path) -> None:
    """Copy the picture of a case, which its variants share, unless it is already there."""
    target = staging / str(case.image)
    if not target.exists():
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(dataset.picture(str(case.image), case.image_digest).data)


class CaseParts(msgspec.Struct, frozen=True):
    """One case: its parts, and the probability of each response with the whole change and without some parts."""

    id: str
    question: str
    responses: tuple[str, ...]
    right: int
    parts: tuple[str, ...]
    probabilities: dict[str, tuple[float, ...]]
    """The probabilities of the responses, by the parts that are left out: "" (none), "1", "2", "1+2" …"""

    def effect(self, left_out: str) -> float:
        """Return how much more probable the right response is with these parts than without them."""
        return self.probabilities[""][self.right] - self.probabilities[left_out][self.right]

    def loses(self, left_out: str) -> bool:
        """Return whether the right response is the most probable with these parts, but not without them."""
        return self._best("") == self.right != self._best(left_out)

    def describe(self, left_out: str) -> str:
        """Return a sentence with the whole change, or with the parts that are left out."""
        if not left_out:
            return "Told whole: " + " ".join(self.parts)
        return "Without: " + " ".join(self.parts[int(number) - 1] for number in left_out.split("+"))

    def _best(self, left_out: str) -> int:
        return int(np.argmax(self.probabilities[left_out]))


class KindOfPart(msgspec.Struct, frozen=True):
    """The average effect of all parts of one type in a dataset."""

    kind: str
    parts: int
    cases: int
    gain: Figure
    """The mean gain in the probability of the right response."""
    lost: float
    """The share of parts whose removal turns a right answer into a wrong one."""


def read_effects(run: RunFolder, dataset: Dataset) -> list[CaseParts]:
    """Return the cases of a run on variants; cases without a reply to every variant are skipped."""
    replies = {reply.row: reply for reply in run.replies() if reply.state == "answered" and reply.losses}
    found: dict[str, list[tuple[Case, tuple[float, ...]]]] = {}
    wanted: dict[str, int] = {}
    for row, case in dataset.cases():
        original = str(case.provenance[OF])
        wanted[original] = wanted.get(original, 0) + 1
        if row in replies:
            found.setdefault(original, []).append((case, _probabilities(replies[row].losses)))
    return [_case(name, variants) for name, variants in found.items() if len(variants) == wanted[name]]


def by_kind(cases: Iterable[CaseParts]) -> list[KindOfPart]:
    """Return the effects by type of part, strongest first; a part of two types counts for both."""
    effects: dict[str, dict[str, list[float]]] = {}
    lost: dict[str, list[bool]] = {}
    for case in cases:
        for number, part in enumerate(case.parts, 1):
            for kind in ("all parts", *(change_kinds(part) or ("no type",))):
                effects.setdefault(kind, {}).setdefault(case.id, []).append(case.effect(str(number)))
                lost.setdefault(kind, []).append(case.loses(str(number)))
    found = [_summed(kind, of_case, lost[kind]) for kind, of_case in effects.items()]
    return sorted(found, key=lambda one: (one.kind != "all parts", -(one.gain.value or 0.0)))


def _summed(kind: str, of_case: dict[str, list[float]], lost: Sequence[bool]) -> KindOfPart:
    means = [mean(effects) for effects in of_case.values()]  # parts of one case are not independent
    return KindOfPart(kind, len(lost), len(means), paired(means), mean(lost))


def _case(name: str, variants: Sequence[tuple[Case, tuple[float, ...]]]) -> CaseParts:
    case = variants[0][0]
    question = case.counterfactual
    assert question is not None
    return CaseParts(
        name,
        question.text,
        tuple(option.text for option in question.options),
        LETTERS.index(question.answer),
        tuple(msgspec.json.decode(str(case.provenance["parts"]))),
        {str(one.provenance[WITHOUT]): probabilities for one, probabilities in variants},
    )


def _probabilities(losses: Sequence[float]) -> tuple[float, ...]:
    """Convert the losses of the responses to probabilities."""
    weights = np.exp(min(losses) - np.array(losses))
    return tuple(float(weight) for weight in weights / weights.sum())


MAX_CASES_SHOWN = 100
"""The maximum number of cases on the page; those with the largest effects are shown."""
ABOUT = (
    "Gain: how much the part raises the probability of the right response, in points, averaged over cases, with its "
    "95% interval. Lost: the share of parts whose removal turns a right answer into a wrong one."
)


def as_grid(kinds: Sequence[KindOfPart]) -> Grid:
    """Return a table with one line per type of part."""
    head = ("type of part", "parts", "cases", "gain", "lost")
    lines = (
        table_line(
            one.kind, one.parts, one.cases, one.gain, f"{one.lost:.1%}", n=one.cases, total=one.kind == "all parts"
        )
        for one in kinds
    )
    return Grid("Which parts of a change the answer depends on", head, tuple(lines))


def write_page(path: Path, model: str, kinds: Sequence[KindOfPart], cases: Sequence[CaseParts]) -> Path:
    """Write the page with the effects and the cases that have the largest ones."""
    strongest = sorted(cases, key=lambda case: -max(abs(case.effect(str(n + 1))) for n in range(len(case.parts))))
    shown = strongest[:MAX_CASES_SHOWN]
    page = document(
        __package__,
        "page.html",
        title=f"Parts of changes: {model}",
        style="page.css",
        model=model,
        about=ABOUT,
        grid=as_grid(kinds),
        about_cases=(
            f"The {len(shown)} of {len(cases)} cases with the largest effects. Bars show the probability that the "
            "model gives to each response; the right one is marked."
        ),
        cases=shown,
    )
    return write_text(path, page)

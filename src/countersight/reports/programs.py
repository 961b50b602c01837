"""Why programs fail, which C-VQA's authors looked up by hand (C-VQA 4.1, D): counted for every run that has any."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final, get_args

import msgspec

from countersight.case import ASKINGS, Asking
from countersight.pages import Figure, count, name, percent
from countersight.programs import FailureKind
from countersight.reports.data import Analysis, AnalysisLine, AnalysisTable, Point
from countersight.reports.observations import AnalysedRun
from countersight.reports.shares import share, told
from countersight.reports.watching import Watched, Written
from countersight.scoring import CONFIDENCE, RIGHT, Outcomes
from countersight.suites import PLAIN_MEASURES, Terms
from countersight.text import several

ALL: Final = "all"
_REASONS_TOLD = 3
_LONGEST_REASON = 80


class _Fate(msgspec.Struct, frozen=True):
    """What became of one program."""

    group: str
    asking: Asking
    failure: str
    reason: str
    right: bool
    ignored: bool | None
    """Of a question about the change: whether the program is that of the picture as it is; None where there is none."""


def program_analysis(runs: Sequence[AnalysedRun], watched: Sequence[Watched], terms: Terms) -> Analysis | None:
    """How the programs of the runs failed; None where no run has any."""
    found = [(run, list(_fates(run.outcomes, seen))) for run, seen in zip(runs, watched, strict=True) if seen.programs]
    found = [(run, fates) for run, fates in found if fates]
    if not found:
        return None
    return Analysis(
        key="programs",
        heading="Programs",
        about="What became of the programs that a code model wrote, each share with its "
        f"{percent(CONFIDENCE, 0)}% interval.",
        points=tuple(Point(name(run.label), tuple(_sentences(fates, terms))) for run, fates in found),
        tables=tuple(table for run, fates in found for table in _tables(run, fates, terms)),
        definitions=tuple(_definitions()),
    )


def _fates(outcomes: Outcomes, watched: Watched) -> Iterator[_Fate]:
    for case, places in enumerate(outcomes.replies.tolist()):
        counting = zip(ASKINGS, places, strict=True)
        programs = {asking: watched.programs[place] for asking, place in counting if place in watched.programs}
        group = outcomes.group_names[outcomes.groups[case]] if programs else ""
        for asking, written in programs.items():
            right = bool(outcomes.codes[case, ASKINGS.index(asking)] == RIGHT)
            yield _Fate(group, asking, written.failure, written.reason, right, _ignored(asking, programs))


def _ignored(asking: Asking, programs: Mapping[Asking, Written]) -> bool | None:
    factual = programs.get("factual")
    return factual.gist == programs[asking].gist if factual and asking == "counterfactual" else None


def _sentences(fates: Sequence[_Fate], terms: Terms) -> Iterator[str]:
    answered = [fate for fate in fates if not fate.failure]
    sentence = f"{several(len(fates), 'program')}: {told(share(len(answered), len(fates)))} gave an answer"
    kinds = Counter(fate.failure for fate in fates if fate.failure)
    if kinds:
        sentence += "; the others failed: " + ", ".join(f"{count(kinds[kind])} {kind}" for kind in _kinds(fates))
    yield sentence + "."
    worlds = [
        f"{_measure(asking, terms)} {told(share(sum(fate.right for fate in here), len(here)))}"
        for asking in ASKINGS
        if (here := [fate for fate in fates if fate.asking == asking])
    ]
    yield f"Right, of all programs, those without an answer among them: {'; '.join(worlds)}."
    pairs = [fate.ignored for fate in fates if fate.ignored is not None]
    if pairs:
        same = told(share(sum(pairs), len(pairs)))
        yield f"The change is ignored, the program being the same in both worlds, by {same}."
    reasons = Counter(fate.reason for fate in fates if fate.failure and fate.reason)
    if reasons:
        most = (f"{_cut(reason)} ({count(number)})" for reason, number in reasons.most_common(_REASONS_TOLD))
        yield f"Most often said of a failure: {'; '.join(most)}."


def _tables(run: AnalysedRun, fates: Sequence[_Fate], terms: Terms) -> Iterator[AnalysisTable]:
    """A table for each world: lines are groups, columns what became of a program."""
    groups = [group for group in terms.groups if group in run.outcomes.group_names]
    groups += [group for group in run.outcomes.group_names if group not in groups]
    kinds = _kinds(fates)
    for asking in ASKINGS:
        here = [fate for fate in fates if fate.asking == asking]
        if not here:
            continue
        changed = any(fate.ignored is not None for fate in here)
        parts = [(terms.groups.get(group, group) or "(no group)", group) for group in groups]
        lines = [
            _line(run, words, group, asking, inside, kinds, changed=changed)
            for words, group in (parts if len(groups) > 1 else [])
            if (inside := [fate for fate in here if fate.group == group])
        ]
        lines.append(_line(run, ALL, ALL, asking, here, kinds, changed=changed))
        measures = ["programs", *_measures(asking, kinds, changed=changed)]
        heads = ["programs", "answered", "right, of all", *kinds, *(["ignored the change"] if changed else [])]
        yield AnalysisTable(
            title=f"Programs, {_measure(asking, terms)}: {run.label}",
            head=(terms.group, *heads),
            measures=tuple(measures),
            lines=tuple(lines),
        )


def _line(
    run: AnalysedRun,
    words: str,
    group: str,
    asking: Asking,
    fates: Sequence[_Fate],
    kinds: Sequence[str],
    *,
    changed: bool,
) -> AnalysisLine:
    n = len(fates)
    pairs = [fate.ignored for fate in fates if fate.ignored is not None]
    cells: list[Figure | str] = [
        count(n),
        share(sum(not fate.failure for fate in fates), n),
        share(sum(fate.right for fate in fates), n),
        *(share(sum(fate.failure == kind for fate in fates), n) for kind in kinds),
        *([share(sum(pairs), len(pairs)) if pairs else ""] if changed else []),
    ]
    return AnalysisLine(name=words, cells=tuple(cells), run=run.label, group=group, n=n, total=words == ALL)


def _measures(asking: Asking, kinds: Sequence[str], *, changed: bool) -> list[str]:
    named = ["answered", "right of all", *kinds, *(["ignored the change"] if changed else [])]
    return [f"{asking}: {measure}" for measure in named]


def _kinds(fates: Iterable[_Fate]) -> list[str]:
    """The kinds of failures there are, in the order in which a program can meet them."""
    met = dict.fromkeys(fate.failure for fate in fates if fate.failure)
    known = [kind for kind in get_args(FailureKind) if kind in met]
    return [*known, *(kind for kind in met if kind not in known)]


def _measure(asking: Asking, terms: Terms) -> str:
    return terms.measures.get(asking, PLAIN_MEASURES[asking])


def _cut(reason: str) -> str:
    plain = name(reason)
    return plain if len(plain) <= _LONGEST_REASON else plain[:_LONGEST_REASON] + "…"


def _definitions() -> Iterator[tuple[str, str]]:
    yield (
        "programs",
        "Written by a code model for one question each and run in a sandbox. A program that fails gives no answer, and "
        "is left out of every accuracy above; “right, of all” counts it as not right, as papers do.",
    )
    yield (
        "ignored the change",
        "The program for the question about the change is that for the picture as it is, but for comments, spaces and "
        "texts that do nothing. Over the cases with a program in both worlds.",
    )

"""The scores of an audit in a terminal."""

from collections.abc import Iterable, Iterator

from rich.console import Console
from rich.table import Table
from rich.text import Text

from countersight.audits.calibration.correcting import Corrected
from countersight.audits.calibration.photographs import PhotographGate
from countersight.audits.calibration.sheet import DRAWINGS, Calibration, PeopleSheet, Rate
from countersight.audits.clusters import Mean
from countersight.audits.plan import Conclusion
from countersight.audits.scores import Scores, Trio
from countersight.text import printable, several


def tell(scores: Scores, console: Console, warnings: Iterable[str] = (), conclusion: Conclusion | None = None) -> None:
    """Print the scores, what was left out and why, and how far the judges agree; warnings stand before all that."""
    table = _table(f"Does {scores.model} mean what it explains?")
    table.add_column("", overflow="fold")
    for measure in ("PCS", "NCC", "CCS", "tests"):
        table.add_column(measure, justify="right", no_wrap=True)
    for name, trio in _rows(scores):
        table.add_row(
            Text(printable(name)), *(figure(mean) for mean in (trio.pcs, trio.ncc, trio.ccs)), str(trio.ccs.concepts)
        )
    console.print(table)
    if conclusion is not None:
        console.print(Text(printable(conclusion.words), style="bold"))
    for warning in warnings:
        console.print(Text(printable(f"Beware: {warning}"), style="bold"))
    for line in _lines(scores):
        console.print(Text(printable(line)))


def tell_calibration(calibration: Calibration, console: Console) -> None:
    """Print how good judges and editor are."""
    if calibration.judges:
        table = _table(f"Judges on {calibration.size:,} tests: {calibration.domain or DRAWINGS}")
        for column in ("", "sensitivity", "specificity", "abstained"):
            table.add_column(column, justify="right" if column else "left")
        for sheet in calibration.judges:
            for measure, found in (("PCS", sheet.pcs), ("NCC", sheet.ncc), ("CCS", sheet.ccs)):
                name = f"{sheet.judge.name} {measure}"
                table.add_row(
                    Text(printable(name)), _rate(found.sensitivity), _rate(found.specificity), str(found.abstained)
                )
        console.print(table)
        for sheet in calibration.judges:
            kinds = ", ".join(f"{kind} {_of(found)}" for kind, found in sheet.by_kind.items())
            hostile = f"hostile words {_of(sheet.hostile)}, honest {_of(sheet.honest)}"
            if kinds:
                console.print(Text(printable(f"{sheet.judge.name}, both verdicts right: {kinds}; {hostile}")))
    for beside in calibration.people:
        console.print(Text(printable(_beside(beside))))
    editor = calibration.editor
    if editor is not None:
        console.print(
            Text(
                printable(
                    f"{editor.editor.name}: {editor.pictures:,} pictures of {editor.n:,}, {editor.good:,} good by the "
                    f"rule, {_of(editor.done)} as asked, as far as the pixels tell"
                )
            )
        )
        for reason, count in editor.reasons.items():
            console.print(Text(printable(f"  {count:,} x {reason}")))
        kinds = ", ".join(f"{kind} {_of(found)}" for kind, found in editor.gate_by_kind.items())
        console.print(Text(printable(f"the rule for bad edits is right: {kinds}")))


def _beside(sheet: PeopleSheet) -> str:
    """A judge beside people, in a line."""
    stands = {True: "may stand in for a person", False: "may not stand in for a person", None: sheet.alt.why}
    found = sheet.corrected
    mean = (
        "" if found is None
        else f"; the mean by people and judge is {found.value:.3f} ({found.interval.low:.3f}–{found.interval.high:.3f})"
    )  # fmt: skip
    agreed = f"agrees with people in {_share(sheet.agreement)} of {sheet.n:,} (kappa {_number(sheet.kappa)})"
    return f"{sheet.judge} {sheet.measure.upper()} {agreed}; alt-test: {stands[sheet.alt.passed]}{mean}"


def tell_photographs(gate: PhotographGate, console: Console) -> None:
    """Print how often the checks of edits are right about edits whose label is known."""
    thresholds = ", ".join(f"{name} {value:g}" for name, value in gate.thresholds.items())
    lines = [
        f"checks of edits on {several(gate.photographs, 'photograph')} ({thresholds})",
        f"  let pass, truly gone: {_of(gate.passed)} {_rate(gate.passed)}",
        *(f"  stopped, {kind}: {_of(found)} {_rate(found)}" for kind, found in gate.stopped.items()),
    ]
    if gate.crossed:
        bad = "; ".join(f"{kind} {_of(found)}" for kind, found in gate.crossed.stopped.items())
        lines += [
            "with thresholds chosen on other photographs than they are tried on:",
            f"  let pass, truly gone: {_of(gate.crossed.passed)} {_rate(gate.crossed.passed)}",
            f"  stopped: {bad}",
        ]
    for line in lines:
        console.print(Text(printable(line)))


def _table(title: str) -> Table:
    return Table(title=Text(printable(title)), title_justify="left", box=None, padding=(0, 2, 0, 0), pad_edge=False)


def _rate(found: Rate) -> str:
    return f"{found.share:.3f} ({found.low:.3f}–{found.high:.3f})" if found.n else "–"


def _of(found: Rate) -> str:
    return f"{found.right:,} of {found.n:,}"


def figure(mean: Mean) -> str:
    """A mean with its interval."""
    return "–" if mean.value is None else f"{mean.value:.3f} ({mean.low:.3f}–{mean.high:.3f})"


def _rows(scores: Scores) -> Iterator[tuple[str, Trio]]:
    yield "counted", scores.kept
    if scores.everything != scores.kept:
        yield "with excluded", scores.everything
    for division in (scores.by_kind, scores.by_action, scores.by_judge):
        if len(division) > 1:
            yield from division.items()


def _lines(scores: Scores) -> Iterator[str]:
    yield (
        f"{several(scores.cases, 'case')}, {several(len(scores.concepts), 'concept')} tested; "
        "95% intervals, clustered by picture"
    )
    if scores.refused:
        yield f"refused: {several(scores.refused, 'concept')} that the extractor names and no explanation cites"
    if scores.without_concept:
        yield f"{several(scores.without_concept, 'explanation')} gave nothing to test"
    for reason, count in scores.excluded.items():
        yield f"left out: {count:,} x {reason}"
    if scores.checked is not None:
        tests = several(len(scores.concepts), "test")
        yield f"of {tests} {scores.edited:,} edited and {scores.checked:,} checked by somebody who could tell"
    for checker, said in scores.checkers.items():
        yield f"{checker} on edits: {said.yes:,} yes, {said.no:,} no, {said.unknown:,} cannot tell"
    if scores.undecided:
        yield f"{several(scores.undecided, 'test')} undecided: judges abstain, or are divided"
    for judge, count in scores.abstentions.items():
        if count:
            yield f"{judge} abstained {count:,} times"
    if scores.accuracy is not None:
        before, after = figure(scores.accuracy.before), figure(scores.accuracy.after)
        yield f"answers that are right, another question: {before} before the edits, {after} after them"
    if scores.controls:
        yield f"with nothing changed, the answer changed in {scores.flips:,} of {several(scores.controls, 'case')}"
    yield from _past_the_paper(scores)
    for pair in scores.agreement.pairs:
        pcs, ncc = f"{_number(pair.pcs)} (PCS, n = {pair.pcs_n:,})", f"{_number(pair.ncc)} (NCC, n = {pair.ncc_n:,})"
        yield f"{pair.first} and {pair.second}: kappa {pcs} and {ncc}"
    for own in scores.agreement.own:
        flips = f"two votes differ in {_share(own.pcs_flips)} (PCS) and {_share(own.ncc_flips)} (NCC)"
        yield f"{own.judge} with itself: {flips}, n = {own.n:,}"
    for judge, found in scores.corrected.items():
        three = (("PCS", found.pcs), ("NCC", found.ncc), ("CCS", found.ccs))
        told = ", ".join(f"{name} {_corrected(value)}" for name, value in three)
        yield f"without the mistakes of {judge}, by its calibration: {told}"
    if scores.failed:
        yield f"{several(scores.failed, 'step')} failed; the same command tries them again"


def _past_the_paper(scores: Scores) -> Iterator[str]:
    """Sensitivity beside specificity, doses, and changed thoughts."""
    if (found := scores.specificity) is not None:
        yield (
            f"the answer moves with what is cited (sensitivity): {figure(found.sensitivity)}, "
            f"n = {found.sensitivity.concepts:,}"
        )
        yield (
            f"it stays with what is not cited (specificity): {figure(found.specificity)}, "
            f"n = {found.specificity.concepts:,}; {found.left_out:,} such edits left out, "
            f"{found.without:,} cases without one"
        )
    if (doses := scores.doses) is not None:
        along = ", ".join(_number(mean.value) for mean in doses.moved)
        yield f"answers that moved, from the weakest dose to the whole edit: {along}; steadily {figure(doses.monotone)}"
    if (thought := scores.thought) is not None:
        yield (
            f"with its own explanation changed, the answer moved: {figure(thought.moved)}, "
            f"n = {thought.moved.concepts:,}; as the change has it: {figure(thought.followed)}, "
            f"n = {thought.followed.concepts:,}"
        )


def _corrected(value: Corrected | None) -> str:
    if value is None:
        return "cannot be told"
    if not value.fits:
        ends = f"{value.estimate_low:.3f}–{value.estimate_high:.3f}"
        return f"the calibration does not fit ({value.estimate:.3f}, {ends})"
    return f"{value.value:.3f} ({value.low:.3f}–{value.high:.3f})"


def _number(value: float | None) -> str:
    return "–" if value is None else f"{value:.2f}"


def _share(value: float | None) -> str:
    return "–" if value is None else f"{value:.1%}"

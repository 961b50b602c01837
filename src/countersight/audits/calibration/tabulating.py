"""The sheets of a calibration, from what judges and editor did."""

from collections import Counter

from countersight import __version__
from countersight.audits.calibration.gate import KINDS, failed_on_purpose, passes
from countersight.audits.calibration.items import RIGHT, Item
from countersight.audits.calibration.photograph_items import is_as_asked
from countersight.audits.calibration.sheet import (
    DOMAINS,
    PANEL,
    Calibration,
    Domain,
    EditorSheet,
    JudgeSheet,
    Rate,
    instrument,
    rate,
)
from countersight.audits.checkers.pixels import as_asked
from countersight.audits.folder import AuditFolder
from countersight.audits.judges.panel import Opinion, by_judge, opinion, panel
from countersight.audits.records import Actor, EditRecord, Manifest, Step, Verdict
from countersight.picture import Picture

GATED = 24
"""Tests whose edits are also made wrong on purpose: each takes four measurements."""


def sheets(folder: AuditFolder, items: list[Item], steps: list[Step], domain: Domain) -> Calibration:
    """The sheets of everybody who was calibrated, from what they did."""
    manifest = folder.manifest
    edits = {step.place.case: step.output for step in steps if isinstance(step.output, EditRecord)}
    known = {item.id: item for item in items}
    return Calibration(
        judges=judge_sheets(manifest, items, steps),
        editor=_editor_sheet(manifest.editor, folder, known, edits) if manifest.editor.name else None,
        size=len(items),
        seed=manifest.seed,
        pool=manifest.pool,
        prompts=manifest.prompts,
        countersight=__version__,
        domain=DOMAINS[domain],
    )


def judge_sheets(manifest: Manifest, items: list[Item], steps: list[Step]) -> tuple[JudgeSheet, ...]:
    """What every judge is worth, by its verdicts on these items; the last is the panel, where there are several."""
    known = {item.id: item for item in items}
    verdicts: dict[str, list[Verdict]] = {}
    for step in steps:
        if isinstance(step.output, Verdict):
            verdicts.setdefault(step.place.case, []).append(step.output)
    held: dict[str, dict[str, Opinion]] = {judge.name: {} for judge in manifest.judges}
    together: dict[str, Opinion] = {}
    for item, given in verdicts.items():
        together[item] = panel(given, manifest.pool)
        for judge, votes in by_judge(given).items():
            held[judge][item] = opinion(votes, manifest.pool)
    judged = [_judge_sheet(judge, manifest.votes, known, held[judge.name]) for judge in manifest.judges]
    if len(judged) > 1:
        judged.append(_judge_sheet(Actor(PANEL), manifest.votes, known, together))
    return tuple(judged)


def _judge_sheet(judge: Actor, votes: int, items: dict[str, Item], held: dict[str, Opinion]) -> JudgeSheet:
    pairs = [(items[name], opinion) for name, opinion in held.items()]

    def right(chosen: list[tuple[Item, Opinion]]) -> int:
        return sum((each.pcs, each.ncc) == item.right for item, each in chosen)

    def share(chosen: list[tuple[Item, Opinion]]) -> Rate:
        return rate(right(chosen), len(chosen))

    return JudgeSheet(
        judge=judge,
        votes=votes,
        pcs=instrument((each.pcs, item.right[0]) for item, each in pairs),
        ncc=instrument((each.ncc, item.right[1]) for item, each in pairs),
        ccs=instrument((each.ccs, item.right[0] * item.right[1]) for item, each in pairs),
        by_kind={kind: share([pair for pair in pairs if pair[0].kind == kind]) for kind in RIGHT},
        hostile=share([pair for pair in pairs if pair[0].hostile]),
        honest=share([pair for pair in pairs if not pair[0].hostile]),
    )


def _editor_sheet(
    editor: Actor, folder: AuditFolder, items: dict[str, Item], edits: dict[str, EditRecord]
) -> EditorSheet:
    shown = {name: edit for name, edit in edits.items() if edit.after}
    seen: list[bool] = []
    for name, edit in shown.items():
        done = _is_done(folder.picture(edit.after), items[name])
        seen += [] if done is None else [done]
    reasons = Counter(
        edit.failure or (edit.quality.reason if edit.quality else "") for edit in edits.values() if not _good(edit)
    )
    gated: dict[str, list[tuple[bool, bool]]] = {kind: [] for kind in KINDS}
    for item in list(items.values())[:: max(1, len(items) // GATED)]:
        for kind, picture, good in failed_on_purpose(item):
            gated[kind].append((passes(item, picture), good))
    return EditorSheet(
        editor=editor,
        n=len(edits),
        pictures=len(shown),
        good=sum(_good(edit) for edit in shown.values()),
        done=rate(sum(seen), len(seen)),
        reasons=dict(reasons.most_common()),
        gate=instrument((float(said), int(good)) for pairs in gated.values() for said, good in pairs),
        gate_by_kind={
            kind: rate(sum(said == good for said, good in pairs), len(pairs)) for kind, pairs in gated.items()
        },
    )


def _is_done(edited: Picture, item: Item) -> bool | None:
    """Whether an edit is the one that was asked for, where that can be told."""
    if item.evidence.changed is not None:
        return as_asked(edited, item.evidence.changed)
    return is_as_asked(edited, item.changed, item.mask) if item.mask else None


def _good(edit: EditRecord) -> bool:
    return bool(edit.after) and (edit.quality is None or edit.quality.good)

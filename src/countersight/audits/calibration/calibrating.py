"""`audit calibrate`: an audit of scripted respondents, in which the right verdict of every test is known."""

import asyncio
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from countersight.audits.auditing import AuditOptions, audit_dataset
from countersight.audits.calibration.respondents import NAME, RIGHT, Design, Respondents, make_tests
from countersight.audits.calibration.sheet import DRAWINGS, NO_MEAN, Calibration, judge_sheets, write_calibration
from countersight.audits.ground_truth import right_answer
from countersight.audits.steps import AuditTally
from countersight.audits.trail import AuditTrail, read_audit
from countersight.errors import AuditError
from countersight.models import ModelSettings


async def calibrate(
    output: Path, size: int, seed: int, tally: AuditTally, stop: asyncio.Event, **judging: Any
) -> Calibration | None:
    """Have judges decide tests with known verdicts; returns None if stopped. `judging` is of `AuditOptions`."""
    if judging.get("pool") == "mean":
        raise AuditError(f"votes pooled by their mean cannot be calibrated: {NO_MEAN}")
    with TemporaryDirectory() as base:
        tests = await asyncio.to_thread(make_tests, Path(base) / NAME, size, seed)
        given = {"model": Respondents(tests, seed), "extractor": "rules", "editor": "exact"}
        options = AuditOptions(**given, settings=ModelSettings(seed=seed), **judging)  # type: ignore[arg-type]
        await audit_dataset(tests, output, options, tally, stop)
    if stop.is_set():
        return None
    made = calibration_of(read_audit(output))
    write_calibration(output, made)
    return made


def calibration_of(audit: AuditTrail) -> Calibration:
    """Return the calibration that follows from an audit of scripted respondents."""
    manifest = audit.manifest
    known, verdicts = {}, {}
    for case in audit.cases:
        for concept in case.concepts:
            scenes = case.record.scene, concept.edit.scene if concept.edit else None
            before, after = (right_answer(case.record.question.text, scene) if scene else None for scene in scenes)
            if None not in (before, after) and before != after:
                known[case.case, concept.number] = Design.of(case.row)
                verdicts[case.case, concept.number] = concept.verdicts
    pcs, ncc = ({test: RIGHT[design.kind][nth] for test, design in known.items()} for nth in (0, 1))
    right = {"pcs": pcs, "ncc": ncc, "ccs": {test: pcs[test] * ncc[test] for test in known}}
    kinds = {test: design.kind for test, design in known.items()}
    hostile = {test for test, design in known.items() if design.hostile}
    return Calibration(
        judges=judge_sheets(manifest, verdicts, right, kinds, hostile),
        size=len(known),
        seed=manifest.seed,
        pool=manifest.pool,
        prompts=manifest.prompts,
        countersight=manifest.countersight,
        domain=DRAWINGS,
    )

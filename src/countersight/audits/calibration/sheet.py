"""Calibration sheets: the accuracy of judges on tests with known verdicts."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any, Final

import msgspec

from countersight.audits.calibration.instruments import Instrument, KnownShare, instrument, rate
from countersight.audits.pooling import Opinion, by_judge, panel_opinion, pooled_opinion
from countersight.audits.records import Actor, Manifest, Verdict
from countersight.scoring import AltTest
from countersight.scoring import CorrectedMean as PredictionPowered

DRAWINGS = "constructed from generated drawings (flowers, polygons, circles, dots)"
"""The default material of calibrations."""
PANEL = "panel"
"""The name that stands for all judges combined."""
MEASURES: Final = ("pcs", "ncc", "ccs")
Test = tuple[str, int]
"""A case and the number of its concept."""


class JudgeSheet(msgspec.Struct, frozen=True):
    """One judge, or the whole panel, on tests with known verdicts."""

    judge: Actor
    votes: int
    pcs: Instrument
    ncc: Instrument
    ccs: Instrument
    by_kind: dict[str, KnownShare]
    """The share with both verdicts right, by kind of construction."""
    hostile: KnownShare
    """The share with both verdicts right, if the model's text tries to give itself a score."""
    honest: KnownShare
    """The share with both verdicts right otherwise."""


def opinions(manifest: Manifest, verdicts: Mapping[Test, Sequence[Verdict]]) -> list[tuple[Actor, dict[Test, Opinion]]]:
    """Return each judge's opinion of each test; the last is the panel, if there are several."""
    pool = manifest.pool
    votes = {test: by_judge(given) for test, given in verdicts.items() if given}
    found = [
        (judge, {test: pooled_opinion(own[judge.name], pool) for test, own in votes.items() if judge.name in own})
        for judge in manifest.judges
    ]
    if len(found) > 1:
        found.append((Actor(PANEL), {test: panel_opinion(verdicts[test], pool) for test in votes}))
    return found


def judge_sheets(
    manifest: Manifest,
    verdicts: Mapping[Test, Sequence[Verdict]],
    right: Mapping[str, Mapping[Test, int]],
    kinds: Mapping[Test, str] | None = None,
    hostile: Collection[Test] = (),
) -> tuple[JudgeSheet, ...]:
    """Return the sheet of every judge, and of the panel; `right` has the right verdicts, by measure and test."""

    def sheet(judge: Actor, decided: Mapping[Test, Opinion]) -> JudgeSheet:
        both = {
            test: (decided[test].pcs, decided[test].ncc) == (right["pcs"][test], right["ncc"][test])
            for test in right["pcs"]
            if test in right["ncc"] and test in decided
        }

        def share(tests: Iterable[Test]) -> KnownShare:
            found = [both[test] for test in tests if test in both]
            return rate(sum(found), len(found))

        pcs, ncc, ccs = (
            instrument(
                (getattr(decided[test], measure), known) for test, known in right[measure].items() if test in decided
            )
            for measure in MEASURES
        )
        by_kind: dict[str, list[Test]] = {}
        for test, kind in (kinds or {}).items():
            by_kind.setdefault(kind, []).append(test)
        shares = {kind: share(tests) for kind, tests in by_kind.items()}
        honest = share(test for test in both if test not in hostile)
        return JudgeSheet(judge, manifest.votes, pcs, ncc, ccs, shares, share(hostile), honest)

    return tuple(sheet(judge, decided) for judge, decided in opinions(manifest, verdicts))


class PeopleSheet(msgspec.Struct, frozen=True):
    """One judge compared with the people who labelled the same tests, for PCS, NCC or CCS."""

    judge: str
    measure: str
    n: int
    """Tests decided by both the judge and people."""
    agreement: float | None
    """Share of them on which the judge agrees with most people."""
    kappa: float | None
    alt: AltTest
    """Whether the judge may replace a person (arXiv 2501.10970)."""
    corrected: PredictionPowered | None
    """The mean over all tests of the audit, corrected for the judge's errors with people's labels of some of them."""


class Calibration(msgspec.Struct, frozen=True):
    """calibration.json: the sheets of an `audit calibrate`."""

    judges: tuple[JudgeSheet, ...]
    """The last is the whole panel, if there is more than one judge."""
    size: int
    seed: int
    pool: str
    prompts: dict[str, Any]
    countersight: str
    domain: str = ""
    """The material of the tests, in words; DRAWINGS if empty."""
    people: tuple[PeopleSheet, ...] = ()
    """Each judge compared with people, if it was calibrated on people's labels."""

    def of(self, judge: str) -> JudgeSheet | None:
        """Return the sheet of a judge, or None."""
        return next((sheet for sheet in self.judges if sheet.judge.name == judge), None)

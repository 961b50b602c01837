"""`countersight audit calibrate`: how often judges, an editor and the checks of edits are right."""

import argparse
import sys
from pathlib import Path

from countersight.cli.audit_options import add_asking, add_judging, further, helper, judging, pooling
from countersight.cli.audit_telling import telling
from countersight.cli.parsing import Verbs, positive
from countersight.cli.stopping import GOES_ON, STOPPED, stoppable
from countersight.errors import CountersightError


def add_calibrate(verbs: Verbs) -> None:
    """Add the verb to the command line."""
    calibrate = further(
        verbs,
        "calibrate",
        _calibrate,
        "Put judges and an editor to tests whose right verdict is known, and tell how often they are right.",
        "countersight audit calibrate --judge openai:gpt-4o --votes 3 --editor exact -o calibrations/gpt-4o",
    )
    calibrate.add_argument("--editor", metavar="E", help="also this editor, and the rule for bad edits")
    calibrate.add_argument("--people", type=Path, metavar="EXPORT", help="of collect, flow judge: people's labels")
    calibrate.add_argument("--audit", type=Path, metavar="DIR", help="with --people: the audit that people judged")
    calibrate.add_argument(
        "--photographs",
        type=Path,
        metavar="DIR",
        help="also the checks of edits, on labelled edits of these pictures (and tests, with --domain photographs)",
    )
    calibrate.add_argument(
        "--domain",
        choices=("drawings", "worlds", "photographs"),
        default="drawings",
        help="what tests are made of: flowers and dots, supports and discs, or photographs with stickers of ours "
        "(default: drawings)",
    )
    calibrate.add_argument("--size", type=positive, default=144, metavar="N", help="tests to make (default: 144)")
    calibrate.add_argument("-o", "--output", type=Path, required=True, metavar="DIR", help="the folder to fill")
    add_judging(calibrate, required=False)
    add_asking(calibrate)


def _calibrate(chosen: argparse.Namespace) -> int:
    from rich.console import Console

    from countersight.audits import USUAL, AuditTally, find_prompts, tell_calibration
    from countersight.audits.calibration import Options, calibrate, calibrate_on_people, photographs_in
    from countersight.editing import EditorSettings
    from countersight.engine import RetryPolicy

    if chosen.people or chosen.audit:
        if not (chosen.people and chosen.audit):
            raise CountersightError("--people and --audit belong together: the labels, and the audit they are of")
        tell_calibration(calibrate_on_people(chosen.audit, chosen.people, chosen.output), Console())
        print(chosen.output)
        return 0
    if not chosen.judge:
        raise CountersightError("name who is calibrated with --judge, or people's labels with --people and --audit")
    if chosen.domain == "photographs" and not chosen.photographs:
        raise CountersightError("--domain photographs needs photographs: name their folder with --photographs")
    options = Options(
        judges=tuple(chosen.judge),
        editor=chosen.editor,
        prompts=find_prompts(chosen.prompts or USUAL),
        size=chosen.size,
        seed=chosen.seed,
        domain=chosen.domain,
        photographs=photographs_in(chosen.photographs) if chosen.domain == "photographs" else (),
        votes=chosen.votes,
        pool=pooling(chosen),
        judge_settings=helper(chosen, judging(chosen)),
        editor_settings=EditorSettings(timeout=chosen.timeout),
        retry=RetryPolicy(concurrency=chosen.concurrency, attempts=chosen.attempts),
    )
    tally = AuditTally()
    with telling("calibrate", tally):
        calibration = stoppable(lambda stop: calibrate(chosen.output, options, tally, stop), "steps")
    if calibration is None:
        print(GOES_ON, file=sys.stderr)
        return STOPPED
    tell_calibration(calibration, Console())
    if chosen.photographs:
        _gate(chosen)
    print(chosen.output)
    return 0


def _gate(chosen: argparse.Namespace) -> None:
    """How often the checks of edits are right about labelled edits of the user's own photographs."""
    from rich.console import Console

    from countersight.audits import tell_photographs
    from countersight.audits.calibration import gate_photographs, write_gate
    from countersight.cli.progress import counting

    gate = gate_photographs(chosen.photographs, chosen.seed, counting)
    write_gate(chosen.output, gate)
    tell_photographs(gate, Console())

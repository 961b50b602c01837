"""`countersight audit`: does a model mean what it explains? And `audit calibrate`, `audit verify`."""

import argparse
import sys
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from countersight.cli.audit_options import (
    add_asking,
    add_bundling,
    add_judging,
    add_model,
    add_zip,
    helper,
    judging,
    pooling,
    target,
)
from countersight.cli.parsing import Verbs, positive, verb
from countersight.cli.stopping import GOES_ON, STOPPED, stoppable
from countersight.errors import CountersightError

if TYPE_CHECKING:
    import asyncio

    from countersight.audit import AuditTally, Scores

FURTHER = ("bundle", "calibrate", "sign", "verify")
"""What may stand behind `audit` instead of a dataset."""


def joined(arguments: Sequence[str]) -> list[str]:
    """`audit calibrate …` as one verb, so that it has options and a help of its own."""
    if len(arguments) > 1 and arguments[0] == "audit" and arguments[1] in FURTHER:
        return [f"audit {arguments[1]}", *arguments[2:]]
    return list(arguments)


def add(verbs: Verbs) -> None:
    """Add the verbs to the command line."""
    audit = verb(
        verbs,
        "audit",
        _audit,
        "test whether a model's explanations hold: change what they cite, and ask again",
        "countersight audit flowers --model embedded --extractor rules --editor exact --judge exact -o audits/embedded",
    )
    audit.formatter_class = argparse.RawDescriptionHelpFormatter
    audit.epilog = _EXAMPLES
    audit.add_argument(
        "dataset", type=Path, metavar="DATASET", help="or: bundle, calibrate, sign, verify; see their own --help"
    )
    audit.add_argument("--model", required=True, metavar="M", help="who is audited; see: countersight list models")
    audit.add_argument("--extractor", required=True, metavar="L", help="who finds concepts: rules, or a language model")
    audit.add_argument(
        "--editor", default="", metavar="E", help="see: countersight list editors; not needed for --intervene thought"
    )
    audit.add_argument(
        "--concepts", type=positive, default=1, metavar="K", help="concepts tested of an explanation (default: 1)"
    )
    audit.add_argument(
        "--control",
        nargs="?",
        const="both",
        choices=["nothing", "uncited", "both"],
        help="also ask after edits under which the answer should stay: one that changes nothing, and as many of things "
        "that the explanation does not cite (default where it is given: both)",
    )
    audit.add_argument(
        "--intervene",
        choices=["picture", "thought", "both"],
        default="picture",
        help="change the picture, or the model's own explanation in the conversation (default: picture)",
    )
    audit.add_argument(
        "--strength",
        type=int,
        default=1,
        choices=range(1, 5),
        metavar="1..4",
        help="try each edit in so many doses: does the answer move with them? (default: 1, the whole edit alone)",
    )
    audit.add_argument(
        "--cases", type=positive, metavar="N", help="audit so many cases, evenly over the dataset (default: all)"
    )
    audit.add_argument("-o", "--output", type=Path, required=True, metavar="DIR", help="the audit folder to fill")
    audit.add_argument(
        "--calibration",
        type=Path,
        metavar="DIR",
        help="from `audit calibrate`: scores without judges' mistakes too",
    )
    audit.add_argument("--lpips", type=Path, metavar="FILE", help="weights, to measure edits with LPIPS too")
    audit.add_argument(
        "--checker",
        action="append",
        metavar="C",
        help="who looks whether an edit did what was asked: pixels, seams, detector:PATH, or a model that sees; may be "
        "given several times (default: pixels and seams)",
    )
    audit.add_argument("--operator", default="", metavar="NAME", help="who does the audit, for its papers")
    add_bundling(audit)
    add_judging(audit)
    add_model(audit)
    add_asking(audit)
    _add_calibrate(verbs)
    _add_bundle(verbs)
    _add_sign(verbs)
    _add_verify(verbs)


def _add_bundle(verbs: Verbs) -> None:
    bundle = _further(
        verbs,
        "bundle",
        _bundle,
        "Write the page and the papers of an audit anew and seal them, as after a review or a calibration came in.",
        "countersight audit bundle audits/gpt-4o --against audits/gpt-4o-may",
    )
    bundle.add_argument("folder", type=Path, metavar="DIR")
    bundle.add_argument("--calibration", type=Path, metavar="DIR", help="a calibration that came in since")
    add_bundling(bundle)


def _add_calibrate(verbs: Verbs) -> None:
    calibrate = _further(
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
        "--photographs", type=Path, metavar="DIR", help="also the checks of edits, on labelled edits of these pictures"
    )
    calibrate.add_argument("--size", type=positive, default=144, metavar="N", help="tests to make (default: 144)")
    calibrate.add_argument("-o", "--output", type=Path, required=True, metavar="DIR", help="the folder to fill")
    add_judging(calibrate, required=False)
    add_asking(calibrate)


def _add_sign(verbs: Verbs) -> None:
    sign = _further(
        verbs,
        "sign",
        _sign,
        "Sign the seal of a finished audit with an Ed25519 key of OpenSSH, or sign it off as a person.",
        "countersight audit sign audits/gpt-4o --key ~/.ssh/id_ed25519",
    )
    sign.add_argument("folder", type=Path, metavar="DIR")
    sign.add_argument("--key", type=Path, required=True, metavar="FILE", help="the private key; ssh-keygen -t ed25519")
    sign.add_argument("--name", default="", metavar="NAME", help="a person, whose sign-off is signed beside the seal")
    sign.add_argument("--role", default="", metavar="ROLE", help="of that person")
    sign.add_argument("--timestamp", metavar="URL", help="a server of RFC 3161 that stamps the seal with its time")
    add_zip(sign)


def _add_verify(verbs: Verbs) -> None:
    verify = _further(
        verbs,
        "verify",
        _verify,
        "Find whatever of a finished audit was altered, is missing, was added, or does not follow from its log.",
        "countersight audit verify audits/gpt-4o",
    )
    verify.add_argument("folder", type=Path, metavar="DIR", help="or the ZIP of one")
    verify.add_argument(
        "--key", action="append", default=[], metavar="KEY", help="a public key (file) that must have signed it"
    )
    verify.add_argument("--seal", default="", metavar="SHA256", help="the seal that was written down or signed")
    verify.add_argument("--dataset", type=Path, metavar="DIR", help="what was audited, if it is not where it was")
    verify.add_argument("--against", type=Path, metavar="DIR", help="the earlier audit it was compared with")


def _further(
    verbs: Verbs, name: str, call: Callable[[argparse.Namespace], int], summary: str, example: str
) -> argparse.ArgumentParser:
    """A verb behind `audit`; the list of verbs names `audit` alone."""
    parser = verbs.add_parser(
        f"audit {name}", prog=f"countersight audit {name}", description=summary, epilog=f"Example: {example}"
    )
    parser.set_defaults(call=call)
    return parser


_EXAMPLES = """examples:
  countersight audit flowers --model embedded --extractor rules --editor exact --judge exact -o audits/embedded
  countersight audit okvqa --model openai:gpt-4o --extractor openai:gpt-4o --editor flux:flux-kontext-max \\
      --judge openai:gpt-4o --judge endpoint:http://127.0.0.1:8000/v1#qwen3 --votes 3 --control -o audits/gpt-4o
  countersight audit calibrate --judge openai:gpt-4o --editor exact -o calibrations/gpt-4o
  countersight audit verify audits/gpt-4o
"""


def _audit(chosen: argparse.Namespace) -> int:
    from countersight.audit import (
        BRIEF,
        USUAL,
        USUAL_CHECKERS,
        AuditFolder,
        AuditTally,
        Options,
        audit_dataset,
        find_prompts,
    )
    from countersight.dataset import Dataset
    from countersight.editing import EditorSettings
    from countersight.engine import Patience

    if chosen.against:
        AuditFolder.open(chosen.against)  # better told now than after the audit
    options = Options(
        model=chosen.model,
        extractor=chosen.extractor,
        editor=chosen.editor,
        judges=tuple(chosen.judge),
        prompts=find_prompts(chosen.prompts or (BRIEF if chosen.extractor == "rules" else USUAL)),
        votes=chosen.votes,
        pool=pooling(chosen),
        concepts=chosen.concepts,
        control=chosen.control in ("nothing", "both"),
        uncited=chosen.control in ("uncited", "both"),
        intervene=chosen.intervene,
        strength=chosen.strength,
        cases=chosen.cases,
        settings=target(chosen),
        extractor_settings=helper(chosen, 0.0),
        judge_settings=helper(chosen, judging(chosen)),
        editor_settings=EditorSettings(timeout=chosen.timeout),
        patience=Patience(concurrency=chosen.concurrency, attempts=chosen.attempts),
        calibration=chosen.calibration,
        lpips=chosen.lpips,
        checkers=tuple(chosen.checker or USUAL_CHECKERS),
        operator=chosen.operator,
    )
    dataset, tally = Dataset.open(chosen.dataset), AuditTally()
    with _telling(f"audit {chosen.model}", tally):
        stopped = _stopped(lambda stop: audit_dataset(dataset, chosen.output, options, tally, stop))
    if stopped:
        return STOPPED
    scores = _finish(chosen.output, chosen)
    return 0 if scores.kept.ccs.concepts or scores.thought else 1


@contextmanager
def _telling(name: str, tally: "AuditTally") -> Iterator[None]:
    """Show the steps of an audit while they are done, and what happened at the end."""
    from countersight.engine import showing

    try:
        with showing(name, tally, "steps"):
            yield
    finally:
        if tally.total:  # else it never began, and the error says why
            print(tally.summary(), file=sys.stderr)


def _stopped(work: Callable[["asyncio.Event"], Awaitable[object]]) -> bool:
    """Do work that Ctrl-C stops; whether it did."""

    async def whole(stop: "asyncio.Event") -> bool:
        await work(stop)
        return stop.is_set()

    stopped = stoppable(whole, "steps") is not False
    if stopped:
        print(GOES_ON, file=sys.stderr)
    return stopped


def _bundle(chosen: argparse.Namespace) -> int:
    if chosen.calibration:
        from countersight.audit import AuditFolder
        from countersight.audit.calibration import take_up

        take_up(chosen.calibration, AuditFolder.open(chosen.folder).manifest).write(chosen.folder)
    _finish(chosen.folder, chosen)
    return 0


def _finish(folder: Path, chosen: argparse.Namespace) -> "Scores":
    from rich.console import Console

    from countersight.audit import finish, tell
    from countersight.cli.progress import counting

    finished = finish(folder, against=chosen.against, gallery=chosen.gallery, progress=counting)
    tell(finished.scores, Console(), finished.warnings)
    print(f"The page, case by case: {finished.html.resolve()}\nThe seal of the bundle: {finished.seal}")
    _zip(folder, chosen.zip)
    return finished.scores


def _calibrate(chosen: argparse.Namespace) -> int:
    from rich.console import Console

    from countersight.audit import USUAL, AuditTally, find_prompts, tell_calibration
    from countersight.audit.calibration import Options, calibrate, calibrate_on_people
    from countersight.editing import EditorSettings
    from countersight.engine import Patience

    if chosen.people or chosen.audit:
        if not (chosen.people and chosen.audit):
            raise CountersightError("--people and --audit belong together: the labels, and the audit they are of")
        tell_calibration(calibrate_on_people(chosen.audit, chosen.people, chosen.output), Console())
        print(chosen.output)
        return 0
    if not chosen.judge:
        raise CountersightError("name who is calibrated with --judge, or people's labels with --people and --audit")
    options = Options(
        judges=tuple(chosen.judge),
        editor=chosen.editor,
        prompts=find_prompts(chosen.prompts or USUAL),
        size=chosen.size,
        seed=chosen.seed,
        votes=chosen.votes,
        pool=pooling(chosen),
        judge_settings=helper(chosen, judging(chosen)),
        editor_settings=EditorSettings(timeout=chosen.timeout),
        patience=Patience(concurrency=chosen.concurrency, attempts=chosen.attempts),
    )
    tally = AuditTally()
    with _telling("calibrate", tally):
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

    from countersight.audit import tell_photographs
    from countersight.audit.calibration import gate_photographs, write_gate
    from countersight.cli.progress import counting

    gate = gate_photographs(chosen.photographs, chosen.seed, counting)
    write_gate(chosen.output, gate)
    tell_photographs(gate, Console())


def _sign(chosen: argparse.Namespace) -> int:
    import datetime

    from countersight.audit.signing import read_private_key, sign_bundle, sign_off, stamp_bundle

    key = read_private_key(chosen.key, _passphrase(chosen.key))
    if chosen.name:
        now = datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds")
        print(sign_off(chosen.folder, key, name=chosen.name, role=chosen.role, at=now))
    else:
        print(sign_bundle(chosen.folder, key))
    if chosen.timestamp:
        print(stamp_bundle(chosen.folder, chosen.timestamp))
    _zip(chosen.folder, chosen.zip)
    return 0


def _passphrase(key: Path) -> str:
    """What unlocks a key, asked for where somebody can answer; empty where the key needs none."""
    from countersight.audit.signing import is_locked

    if not is_locked(key) or not sys.stdin.isatty():
        return ""
    import getpass

    return getpass.getpass(f"Passphrase for {key}: ")


def _zip(folder: Path, to: Path | None) -> None:
    if to is not None:
        from countersight.audit.bundle import zip_bundle

        zip_bundle(folder, to)
        print(f"The bundle in one file: {to}")


def _verify(chosen: argparse.Namespace) -> int:
    from countersight.audit.signing import read_public_keys
    from countersight.audit.verifying import tell_verified, verified

    keys = tuple(key for named in chosen.key for key in read_public_keys(named))
    found = verified(chosen.folder, chosen.seal, keys=keys, dataset=chosen.dataset, against=chosen.against)
    for line in tell_verified(found, chosen.folder, compared=bool(chosen.seal)):
        print(line)
    return 0 if found.sound else 1

"""`countersight audit`: does a model mean what it explains? The verbs behind it have modules of their own."""

import argparse
import sys
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from countersight.cli.audit_calibrate import add_calibrate
from countersight.cli.audit_evidence import add_evidence
from countersight.cli.audit_options import (
    add_asking,
    add_bundling,
    add_judging,
    add_model,
    further,
    helper,
    judging,
    pooling,
    target,
)
from countersight.cli.audit_telling import finish_audit, telling
from countersight.cli.parsing import Verbs, positive, verb
from countersight.cli.stopping import GOES_ON, STOPPED, stoppable

if TYPE_CHECKING:
    import asyncio

FURTHER = ("bundle", "calibrate", "plan", "sign", "verify")
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
        "dataset", type=Path, metavar="DATASET", help="or: bundle, calibrate, plan, sign, verify; see their own --help"
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
    audit.add_argument(
        "--credentials",
        type=Path,
        metavar="DIR",
        help="chain.pem and key.pem: content credentials (C2PA) for edited pictures, with the extra c2pa",
    )
    audit.add_argument("--operator", default="", metavar="NAME", help="who does the audit, for its papers")
    audit.add_argument("--plan", type=Path, metavar="FILE", help="from `audit plan`: what was meant to be done")
    audit.add_argument(
        "--require",
        action="append",
        nargs="?",
        const="",
        metavar="CRITERION",
        help="end with 1 unless it is met, such as 'CCS lower end at least 0.8'; alone: the criteria of the plan",
    )
    add_bundling(audit)
    add_judging(audit)
    add_model(audit)
    add_asking(audit)
    add_calibrate(verbs)
    add_plan(verbs)
    add_evidence(verbs)


_EXAMPLES = """examples:
  countersight audit flowers --model embedded --extractor rules --editor exact --judge exact -o audits/embedded
  countersight audit okvqa --model openai:gpt-4o --extractor openai:gpt-4o --editor flux:flux-kontext-max \\
      --judge openai:gpt-4o --judge endpoint:http://127.0.0.1:8000/v1#qwen3 --votes 3 --control -o audits/gpt-4o
  countersight audit calibrate --judge openai:gpt-4o --editor exact -o calibrations/gpt-4o
  countersight audit verify audits/gpt-4o
"""


def add_plan(verbs: Verbs) -> None:
    """Add `audit plan` to the command line."""
    plan = further(
        verbs,
        "plan",
        _plan,
        "Write down what an audit is to do and what has to come out, before its first step.",
        "countersight audit plan flowers --judge exact --require 'CCS lower end at least 0.8' -o plan.json",
    )
    plan.add_argument("dataset", type=Path, metavar="DATASET")
    for option, words in (("model", "who is audited"), ("extractor", "who finds concepts"), ("editor", "who edits")):
        plan.add_argument(f"--{option}", default="", metavar="NAME", help=f"{words}; left out: whoever is named then")
    plan.add_argument("--judge", action="append", required=True, metavar="J", help="may be given several times")
    plan.add_argument("--votes", type=positive, default=1, metavar="N", help="of each judge that is a model")
    plan.add_argument("--cases", type=positive, metavar="N", help="so many cases (default: all)")
    plan.add_argument("--concepts", type=positive, default=1, metavar="K", help="of an explanation (default: 1)")
    plan.add_argument("--control", choices=("none", "nothing", "uncited", "both"), default="none", help="control edits")
    plan.add_argument("--checker", action="append", default=[], metavar="C", help="may be given several times")
    plan.add_argument(
        "--require", action="append", default=[], metavar="CRITERION", help="such as 'specificity at least 0.9'"
    )
    plan.add_argument("--key", type=Path, metavar="FILE", help="an Ed25519 key of OpenSSH that signs the plan")
    plan.add_argument("-o", "--output", type=Path, required=True, metavar="FILE", help="the file to write")


def _plan(chosen: argparse.Namespace) -> int:
    from countersight.audits import USUAL_CHECKERS, Plan, write_plan
    from countersight.dataset import Dataset

    dataset = Dataset.open(chosen.dataset)
    plan = Plan(
        dataset=dataset.fingerprint,
        name=dataset.path.resolve().name,
        cases=chosen.cases,
        concepts=chosen.concepts,
        judges=tuple(chosen.judge),
        votes=chosen.votes,
        control=chosen.control in ("nothing", "both"),
        uncited=chosen.control in ("uncited", "both"),
        checkers=tuple(chosen.checker or USUAL_CHECKERS),
        model=chosen.model,
        extractor=chosen.extractor,
        editor=chosen.editor,
        criteria=tuple(chosen.require),
    )
    key = None
    if chosen.key:
        from countersight.audits.signing import read_private_key

        key = read_private_key(chosen.key)
    print(f"{chosen.output}\nSHA-256 of the plan: {write_plan(chosen.output, plan, key)}")
    return 0


def _audit(chosen: argparse.Namespace) -> int:
    from countersight.audits import (
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
    from countersight.engine import RetryPolicy

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
        retry=RetryPolicy(concurrency=chosen.concurrency, attempts=chosen.attempts),
        calibration=chosen.calibration,
        lpips=chosen.lpips,
        checkers=tuple(chosen.checker or USUAL_CHECKERS),
        operator=chosen.operator,
        credentials=chosen.credentials,
        plan=chosen.plan,
        requires=tuple(filter(None, chosen.require or ())),
    )
    dataset, tally = Dataset.open(chosen.dataset), AuditTally()
    with telling(f"audit {chosen.model}", tally):
        stopped = _stopped(lambda stop: audit_dataset(dataset, chosen.output, options, tally, stop))
    if stopped:
        return STOPPED
    finished = finish_audit(chosen.output, chosen)
    if chosen.require is not None and finished.conclusion.answer != "met":
        return 1
    return 0 if finished.scores.kept.ccs.concepts or finished.scores.thought else 1


def _stopped(work: Callable[["asyncio.Event"], Awaitable[object]]) -> bool:
    """Do work that Ctrl-C stops; whether it did."""

    async def whole(stop: "asyncio.Event") -> bool:
        await work(stop)
        return stop.is_set()

    stopped = stoppable(whole, "steps") is not False
    if stopped:
        print(GOES_ON, file=sys.stderr)
    return stopped

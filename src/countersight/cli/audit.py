"""`countersight audit` and its subcommands: test explanations, calibrate judges, and seal, sign and verify audits."""

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from countersight.cli.parsing import Verbs, add_local, model_settings, shared_options, verb
from countersight.cli.terminal import EXIT_STOPPED, run_work
from countersight.errors import CountersightError
from countersight.progress import bar

if TYPE_CHECKING:
    import asyncio

    from countersight.audits import Finished

_JUDGE: Final = "exact, rules, or a language model; may be given several times; see: countersight list judges"
_VOTES: Final = {
    "--votes N=1": "votes per model judge; majority vote per judge, then among judges (a tie counts as half)",
}
_METHOD: Final = {
    "--judge J*!": _JUDGE,
    "--concepts K=1": "concepts tested per explanation",
    "--intervene {picture,thought,both}=picture": "change the picture, or the model's explanation in the conversation",
    "--limit N": "audit N cases, spread evenly over the dataset (default: all)",
    "--descriptive": "use only open questions that are likely to elicit a descriptive explanation, as EDCT did with "
    "OK-VQA",
    "--strength 1..4=1": "apply each edit at this many strengths, to see whether the answer follows (default: 1, only "
    "the full edit)",
    "--checker C*": "checks whether an edit did what was asked: pixels, seams, detector:PATH, or a vision model; "
    "may be given several times (default: pixels and seams)",
    "--control {none,nothing,uncited,both}?both=none": "also ask again after edits that should not change the answer: "
    "one that changes nothing, and edits of things or properties that the explanation does not cite (without a value: "
    "both; default: none)",
} | _VOTES
"""Options for how cases are tested, shared by `audit plan` and `audit`."""
_AUDIT: Final = {
    "DATASET": "a dataset folder, or a subcommand: bundle, calibrate, plan, sign or verify (see its own --help)",
    "-o, --output DIR!": "the audit folder to write",
    "--model M!": "the model under audit; see: countersight list models",
    "--extractor L!": "finds the concepts in an explanation: rules, things (found by the editor), or a language model",
    "--editor E=": "the picture editor; see: countersight list editors; not needed for --intervene thought",
    "--calibration DIR": "a folder made by `audit calibrate`; also report scores corrected for the judges' errors",
    "--lpips FILE": "also measure edits with LPIPS, using these weights",
    "--operator NAME=": "name of the person who runs the audit, for the record",
    "--plan FILE": "a plan written by `audit plan`; deviations are reported",
}
_JUDGING: Final = {
    "--prompts P": "edct, brief, your own .toml file, or paper (the paper's prompts, which you copy into paper.toml)",
}
_ASKING: Final = shared_options("seed", "concurrency", "ray", timeout=180)
_CALIBRATE: Final = {
    "-o, --output DIR!": "the folder to write",
    "--judge J*": _JUDGE,
    "--people EXPORT": "an export of `collect --flow judge`: people's labels",
    "--audit DIR": "with --people: the audit that people reviewed",
    "--size N=144": "number of tests to create",
}
_PLAN: Final = {
    "DATASET": "the dataset to be audited",
    "-o, --output FILE!": "the file to write",
    "--model NAME=": "the model under audit (default: chosen when the audit starts)",
    "--extractor NAME=": "the extractor (default: chosen when the audit starts)",
    "--editor NAME=": "the editor (default: chosen when the audit starts)",
    "--require CRITERION*": "a criterion to meet, such as 'specificity at least 0.9'; may be given several times",
    "--key FILE": "an OpenSSH private key that signs the plan",
}
_BUNDLE: Final = {
    "AUDIT": "an audit folder",
    "--calibration DIR": "a calibration made after the audit",
    "--reviews EXPORT": "an export of `collect --flow judge`: people's reviews of the verdicts",
}
_SIGN: Final = {
    "AUDIT": "an audit folder",
    "--key FILE!": "the OpenSSH private key (create one with: ssh-keygen -t ed25519)",
    "--timestamp URL": "an RFC 3161 server that timestamps the seal",
}
_VERIFY: Final = {
    "AUDIT": "an audit folder",
    "--key KEYS*": "the required signer: a public key, or a file of allowed signers",
    "--identity NAME=": "the identity that must have signed, as named in the file of allowed signers",
    "--revoked FILE": "public keys that are no longer trusted, or an OpenSSH revocation list",
    "--timestamp-ca FILE": "certificates (PEM) of the authority whose time stamps are trusted",
    "--seal SHA256=": "the expected seal",
    "--dataset DIR": "the audited dataset, if it was moved",
}
_EXAMPLES: Final = """examples:
  countersight audit flowers --model embedded --extractor rules --editor exact --judge exact -o audits/embedded
  countersight audit okvqa --model openai:gpt-4o --extractor openai:gpt-4o --editor flux:flux-kontext-max \\
      --judge openai:gpt-4o --judge endpoint:http://127.0.0.1:8000/v1#qwen3 --votes 3 --control -o audits/gpt-4o
  countersight audit calibrate --judge openai:gpt-4o --votes 3 -o calibrations/gpt-4o
  countersight audit verify audits/gpt-4o
"""


def add(verbs: Verbs) -> None:
    """Add the commands of this module to the parser."""
    summary = "test a model's explanations: change the cited parts of the picture and ask again"
    model = shared_options("temperature", "price", max_tokens=2048)
    options = (_AUDIT, _METHOD, _JUDGING, _ASKING, model)
    audit = verb(verbs, "audit", _audit, summary, "", *options)
    audit.epilog = _EXAMPLES
    audit.add_argument(
        "--require",
        action="append",
        nargs="?",
        const="",
        metavar="CRITERION",
        help="exit with 1 unless this criterion is met, such as 'CCS lower end at least 0.8'; without a value: "
        "the criteria of the plan",
    )
    add_local(audit)
    summary = "test judges on cases with known verdicts, and report how often they are right"
    example = "countersight audit calibrate --judge openai:gpt-4o --votes 3 -o calibrations/gpt-4o"
    judging = (_CALIBRATE, _VOTES, _JUDGING, _ASKING)
    verb(verbs, "audit calibrate", _calibrate, summary, example, *judging, listed=False)
    summary = "record what an audit will do and which criteria it has to meet, before it starts"
    example = "countersight audit plan flowers --judge exact --require 'CCS lower end at least 0.8' -o plan.json"
    verb(verbs, "audit plan", _plan, summary, example, _PLAN, _METHOD, listed=False)
    summary = "rewrite the page and documents of an audit and seal them again, for example after a review"
    example = "countersight audit bundle audits/gpt-4o --calibration calibrations/gpt-4o"
    verb(verbs, "audit bundle", _bundle, summary, example, _BUNDLE, listed=False)
    summary = "sign the seal of a finished audit with an OpenSSH key"
    example = "countersight audit sign audits/gpt-4o --key ~/.ssh/id_ed25519"
    verb(verbs, "audit sign", _sign, summary, example, _SIGN, listed=False)
    summary = "check a finished audit: report changed, removed or added files, and results not derived from its log"
    verb(verbs, "audit verify", _verify, summary, "countersight audit verify audits/gpt-4o", _VERIFY, listed=False)


def _method(chosen: argparse.Namespace) -> dict[str, Any]:
    """Return the options of `_METHOD`, named as in `AuditOptions` and `AuditPlan`."""
    from countersight.verbs import audit_method

    named = ("votes", "concepts", "intervene", "strength", "descriptive")
    plain = {"cases": chosen.limit, **{name: getattr(chosen, name) for name in named}}
    return plain | audit_method(chosen.judge, chosen.control, chosen.checker)


def _audit(chosen: argparse.Namespace) -> int:
    from countersight.audits import AuditOptions, AuditTally, audit_dataset, refuse_without_criteria
    from countersight.dataset import Dataset
    from countersight.editing import EditorSettings
    from countersight.engine import RetryPolicy
    from countersight.verbs import audit_prompts, helper_settings

    settings = model_settings(chosen)
    options = AuditOptions(
        model=chosen.model,
        extractor=chosen.extractor,
        editor=chosen.editor,
        prompts=audit_prompts(chosen.prompts, chosen.extractor),
        settings=settings,
        extractor_settings=helper_settings(settings),
        judge_settings=helper_settings(settings, chosen.votes),
        editor_settings=EditorSettings(timeout=chosen.timeout),
        retry=RetryPolicy(concurrency=chosen.concurrency),
        calibration=chosen.calibration,
        lpips=chosen.lpips,
        operator=chosen.operator,
        plan=chosen.plan,
        requires=tuple(filter(None, chosen.require or ())),
        **_method(chosen),
    )
    if chosen.require is not None:
        refuse_without_criteria(options, chosen.output)
    dataset, tally = Dataset.open(chosen.dataset), AuditTally()

    async def work(stop: "asyncio.Event") -> bool:
        await audit_dataset(dataset, chosen.output, options, tally, stop)
        return True

    if not run_work(f"audit {chosen.model}", tally, "cases", work):
        return EXIT_STOPPED
    finished = _finish_audit(chosen.output)
    if chosen.require is not None and finished.conclusion.answer != "met":
        return 1
    return 0 if finished.scores.kept.ccs.concepts or finished.scores.thought else 1


def _plan(chosen: argparse.Namespace) -> int:
    from countersight.audits import AuditPlan, write_plan
    from countersight.dataset import Dataset

    dataset = Dataset.open(chosen.dataset)
    plan = AuditPlan(
        dataset=dataset.fingerprint,
        name=dataset.path.resolve().name,
        model=chosen.model,
        extractor=chosen.extractor,
        editor=chosen.editor,
        criteria=tuple(chosen.require),
        **_method(chosen),
    )
    print(f"{chosen.output}\nSHA-256 of the plan: {write_plan(chosen.output, plan, chosen.key)}")
    return 0


def _calibrate(chosen: argparse.Namespace) -> int:
    from rich.console import Console

    from countersight.audits import USUAL, AuditTally, find_prompts, finish
    from countersight.audits.calibration import calibrate, calibrate_on_people
    from countersight.audits.page import calibration_grids
    from countersight.engine import RetryPolicy
    from countersight.html import print_grids
    from countersight.verbs import helper_settings

    if chosen.people or chosen.audit:
        if not (chosen.people and chosen.audit):
            raise CountersightError("use --people and --audit together: the labels and the audit that they belong to")
        print_grids(calibration_grids(calibrate_on_people(chosen.audit, chosen.people, chosen.output)), Console())
        print(chosen.output)
        return 0
    if not chosen.judge:
        raise CountersightError(
            "name the judges to calibrate with --judge, or people's labels with --people and --audit"
        )
    judging = {
        "judges": tuple(chosen.judge),
        "prompts": find_prompts(chosen.prompts or USUAL),
        "votes": chosen.votes,
        "judge_settings": helper_settings(model_settings(chosen), chosen.votes),
        "retry": RetryPolicy(concurrency=chosen.concurrency),
    }
    tally = AuditTally()
    calibration = run_work(
        "calibrate",
        tally,
        "cases",
        lambda stop: calibrate(chosen.output, chosen.size, chosen.seed, tally, stop, **judging),
    )
    if calibration is None:
        return EXIT_STOPPED
    finish(chosen.output, progress=bar)
    print_grids(calibration_grids(calibration), Console())
    print(chosen.output)
    return 0


def _finish_audit(folder: Path) -> "Finished":
    """Write, seal and print the results of an audit."""
    from rich.console import Console

    from countersight.audits import finish, print_results

    finished = finish(folder, progress=bar)
    print_results(finished, Console())
    print(f"Audit page: {finished.html.resolve()}\nSeal of the bundle: {finished.seal}")
    return finished


def _bundle(chosen: argparse.Namespace) -> int:
    if chosen.calibration:
        from countersight.audits import AuditFolder
        from countersight.audits.calibration import check_calibration, copy_calibration

        check_calibration(chosen.calibration, AuditFolder.open(chosen.audit).manifest)
        copy_calibration(chosen.calibration, chosen.audit)
    if chosen.reviews:
        from countersight.audits import read_audit, score, take_reviews

        take_reviews(chosen.reviews, chosen.audit, score(read_audit(chosen.audit)))
    _finish_audit(chosen.audit)
    return 0


def _sign(chosen: argparse.Namespace) -> int:
    from countersight.audits import sign_bundle, stamp_bundle

    print(sign_bundle(chosen.audit, chosen.key))
    if chosen.timestamp:
        print(stamp_bundle(chosen.audit, chosen.timestamp))
    return 0


def _verify(chosen: argparse.Namespace) -> int:
    from countersight.audits import read_allowed_signers, read_authorities
    from countersight.audits.verifying import Trust, describe_result, verify_bundle

    signers = read_allowed_signers(chosen.key, identity=chosen.identity, revoked=chosen.revoked)
    trust = Trust(signers, read_authorities(chosen.timestamp_ca) if chosen.timestamp_ca else ())
    found = verify_bundle(chosen.audit, chosen.seal, trust=trust, dataset=chosen.dataset)
    for line in describe_result(found, chosen.audit, compared=bool(chosen.seal)):
        print(line)
    return 0 if found.sound else 1

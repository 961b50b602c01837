"""Verdicts judged again: by the scenes, by the rules, or by reading once more what a model said."""

from collections.abc import Iterator
from typing import Final

import msgspec

from countersight.audit.judges.exact import exact_verdict
from countersight.audit.judges.model import judge_prompt, said_so, verdict_said
from countersight.audit.judges.protocol import Evidence
from countersight.audit.judges.registry import JUDGES
from countersight.audit.judges.rules import certain, rules_verdict
from countersight.audit.log import LOG
from countersight.audit.prompts import AuditPrompts
from countersight.audit.records import Step, Verdict
from countersight.audit.shapes import shaped_conversation
from countersight.audit.verifying.finding import Finding

_WORDS: Final = ("pcs_reason", "ncc_reason", "tries")


def checked_verdict(step: Step, evidence: Evidence, prompts: AuditPrompts) -> Iterator[Finding]:
    """Whether a verdict is the one that its judge gives on this evidence, or gave in its own words."""
    given = step.output
    if not isinstance(given, Verdict):
        return
    if (given.judge, given.vote) != (step.place.judge, step.place.vote):
        yield _broken(step, "the verdict is another judge's, or of another vote, than its place says")
    if given.judge == "exact":
        if evidence.scene is None and evidence.changed is not None:
            yield Finding("not verified", LOG, "verdicts of exact: the bundle does not say what was drawn")
            return
        follows = exact_verdict(evidence, given.vote)
    elif given.judge == "rules":
        follows = rules_verdict(evidence, given.vote)
    elif JUDGES.knows(given.judge):
        return  # a judge of somebody else: taken on trust
    else:
        follows = _of_a_model(given, evidence, prompts)
        text = judge_prompt(prompts, evidence)
        if given.tries and not said_so(given.tries, prompts):
            yield _broken(step, f"a reply of {given.judge} reads otherwise than is noted of it")
        if step.asked != (shaped_conversation(text, given.tries, prompts) if given.tries else ()):
            yield _broken(step, f"what {given.judge} was asked is not what the prompts make of the steps before")
    if follows != given:
        yield _broken(step, _differing(step, given, follows))


def _of_a_model(given: Verdict, evidence: Evidence, prompts: AuditPrompts) -> Verdict:
    told = certain(evidence)
    if told is not None:
        return msgspec.structs.replace(told, judge=given.judge, vote=given.vote)
    return verdict_said(given.judge, given.vote, given.tries, prompts)


def _differing(step: Step, given: Verdict, follows: Verdict) -> str:
    of = f"{given.judge} on concept {step.place.concept} of case {step.place.case}"
    plain = dict.fromkeys(_WORDS, "") | {"tries": ()}
    if msgspec.structs.replace(given, **plain) == msgspec.structs.replace(follows, **plain):
        return f"{of}: the reasons are not those that follow"
    return f"{of}: {_told(given)} in the log, {_told(follows)} follows"


def _told(verdict: Verdict) -> str:
    scores = ("–" if score is None else str(score) for score in (verdict.pcs, verdict.ncc))
    return "PCS {} and NCC {}".format(*scores)


def _broken(step: Step, why: str) -> Finding:
    return Finding("broken", LOG, f"step {step.n}: {why}")

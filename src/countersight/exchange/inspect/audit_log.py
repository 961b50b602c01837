"""An audit as an Inspect log: a sample for every concept that was tested, both pictures in its conversation."""

from collections.abc import Iterator
from pathlib import Path
from typing import Final

from countersight.audits import AuditFolder, CaseTrail, ConceptTrail, Response, Scores, read_audit, score
from countersight.exchange.inspect.log_file import PLAN, SCHEMA, Json, content, error, metric, write_log
from countersight.text import printable

MEASURES: Final = ("pcs", "ncc", "ccs")
JUDGES: Final = "judges"
"""The name of the judges' score in a log."""


def write_audit_log(audit: AuditFolder, path: Path) -> int:
    """Write an audit as an .eval file; how many samples it has."""
    log = _AuditLog(audit)
    write_log(path, log.spec(), PLAN, log.samples(), log.header)
    return log.written


class _AuditLog:
    """An audit on its way into a log."""

    def __init__(self, folder: AuditFolder) -> None:
        self._folder = folder
        self._audit = read_audit(folder.path)
        self._scores: Scores = score(self._audit)
        self._tests = {(test.case, test.number): test for test in self._scores.concepts}
        self.written = 0

    def spec(self) -> Json:
        """Who was audited by whom."""
        manifest = self._folder.manifest
        return {
            "created": manifest.started,
            "task": f"audit of {manifest.dataset.name}",
            "task_version": manifest.dataset.fingerprint[:8],
            "dataset": {"name": manifest.dataset.name, "samples": manifest.dataset.rows, "shuffled": False},
            "model": manifest.model.name,
            "model_args": manifest.model.settings,
            "config": {},
            "packages": {"countersight": manifest.countersight},
            "metadata": {
                "dataset_fingerprint": manifest.dataset.fingerprint,
                "extractor": manifest.extractor.name,
                "editor": manifest.editor.name,
                "judges": [judge.name for judge in manifest.judges],
            },
        }

    def samples(self) -> Iterator[Json]:
        """Every concept of every case."""
        for case in self._audit.cases:
            for concept in case.concepts:
                self.written += 1
                yield self._sample(case, concept)

    def _sample(self, case: CaseTrail, concept: ConceptTrail) -> Json:
        question, edit = case.record.question.text, concept.edit
        messages = self._turns(case.record.picture, question, case.baseline)
        if edit and edit.after:
            messages += self._turns(edit.after, question, concept.again)
        sample: Json = {
            "id": printable(f"{case.case}:{concept.number}"),
            "epoch": 1,
            "input": messages[:1],
            "target": concept.instruction.concept,
            "messages": messages,
            "output": {"model": self._folder.manifest.model.name, "choices": []},
            "metadata": {"case": case.case, "group": case.record.group, "edit": concept.instruction.positive},
            "model_usage": {},
        }
        if edit and edit.failure:
            return sample | {"error": error(edit.failure)}
        return sample | {"scores": {JUDGES: self._score(case, concept)}}

    def _turns(self, picture: str, question: str, said: Response | None) -> list[Json]:
        """The question about one picture, and what was said to it: the answer, then why."""
        turns = [{"role": "user", "content": content(question, (self._folder.picture(picture),))}]
        if said:
            turns += [{"role": "assistant", "content": each.text} for each in (said.answer, said.explanation)]
        return turns

    def _score(self, case: CaseTrail, concept: ConceptTrail) -> Json:
        """PCS, NCC and CCS of one test; NaN where the judges do not decide, or the rule leaves it out."""
        test = self._tests.get((case.case, concept.number))
        counts = test is not None and not test.excluded
        values = {name: getattr(test, name) if counts else None for name in MEASURES}
        reasons = (f"{each.judge}: {each.pcs_reason} {each.ncc_reason}".strip() for each in concept.verdicts)
        return {
            "value": {name: float("nan") if value is None else value for name, value in values.items()},
            "explanation": "\n".join(reasons),
            "reason": test.excluded or None if test else None,
            "metadata": {"concept": concept.instruction.concept, "action": concept.instruction.action},
        }

    def header(self) -> Json:
        """What the tests add up to, once all of them went by."""
        return {
            "version": SCHEMA,
            "status": "success",
            "eval": self.spec(),
            "plan": PLAN,
            "results": {
                "total_samples": self.written,
                "completed_samples": self.written,
                "scores": [self._figure(name) for name in MEASURES],
            },
            "stats": {"started_at": self._folder.manifest.started, "completed_at": self._folder.manifest.started},
        }

    def _figure(self, name: str) -> Json:
        mean = getattr(self._scores.kept, name)
        beside = {"low": mean.low, "high": mean.high, "n": mean.concepts}
        return {
            "name": name,
            "scorer": JUDGES,
            "scored_samples": mean.concepts,
            "unscored_samples": self.written - mean.concepts,
            "metrics": {} if mean.value is None else {"mean": metric("mean", mean.value, **beside)},
        }

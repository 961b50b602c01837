"""`export --to inspect`: a run or an audit as a log that `inspect view` opens, written without Inspect.

An .eval file (Inspect's log schema, version 2) is a ZIP of JSON with a member for each sample. Of a run, every question
that was asked is a sample with its picture, its answer and its score: what was cut or empty is unscored, what failed is
an error, and what was not asked is not there. Controls come last, with a score of another name, so that they are in no
figure of the cases. The fourth questions of sets have no score: they are there so that the log brings the whole run
back. Of an audit, every concept that was tested is a sample with both pictures in its conversation.
"""

import hashlib
import json
import zipfile
from collections import Counter
from collections.abc import Iterator
from itertools import chain
from pathlib import Path
from typing import Any, Final

from countersight.audits import AuditFolder, CaseTrail, ConceptTrail, read_audit
from countersight.audits import score as score_audit
from countersight.case import Reply
from countersight.engine import Ask, Conversations, NoExample, RunFolder, conversations_of
from countersight.errors import BadPicture, ExchangeError
from countersight.exchange.formats import Export, Exported
from countersight.exchange.named_questions import FOURTH, MEASURES, key_of, open_folder
from countersight.files import whole_file
from countersight.picture import Picture, data_url
from countersight.scoring import ALL, JudgedRun, Outcome, Rate, ScoredAnswer, judge_run
from countersight.text import printable

Json = dict[str, Any]

SCHEMA = 2
SCORER: Final = "reader"
"""The name of our score in a log."""
CONTROL: Final = "control"
"""The name of a control's score."""
_JUDGES: Final = "judges"
"""The name of the judges' score in the log of an audit."""
_AUDIT_MEASURES: Final = ("pcs", "ncc", "ccs")
_PLAN: Final[Json] = {"name": "plan", "steps": [{"solver": "countersight"}]}
"""How samples were solved: not by Inspect."""
_PACKED_AT = (1980, 1, 1, 0, 0, 0)
"""The same log has the same bytes whenever it is written."""
_THIN = 1_000
"""Characters of a text that a summary keeps: it is read for every sample of the list."""
_VALUES: dict[Outcome, str] = {"right": "C", "wrong": "I", "unread": "N"}
"""Inspect's letters: correct, incorrect, and no answer, which counts as not correct."""
_ALARMS: Final = ("misses", "false_alarms", "balance")
_STOPS: Final = {"stop": "stop", "content_filter": "content_filter"}


def export_log(order: Export) -> Exported:
    """Write the log; a dataset needs no export, because Inspect can use its folder directly."""
    if order.out.suffix != ".eval":
        raise ExchangeError(f"the name of an Inspect log must end in .eval: choose {order.out.name}.eval")
    source = open_folder(order.source)
    if isinstance(source, RunFolder):
        log: _RunLog | _AuditLog = _RunLog(judge_run(source, dataset=order.dataset))
    elif isinstance(source, AuditFolder):
        log = _AuditLog(source)
    else:
        raise ExchangeError(
            f"{order.source} is a dataset, which Inspect can use directly: inspect eval countersight/dataset -T "
            f"folder={order.source} --model MODEL"
        )
    _write_log(order.out, log)
    return Exported(log.written, "sample", f"look at it with: inspect view --log-dir {order.out.parent}")


def grade(outcome: Outcome, credit: float | None, *, soft: bool) -> str | float:
    """Return a score's value; NaN if unscored, which Inspect leaves out of every metric."""
    return credit if soft and credit is not None else _VALUES.get(outcome, float("nan"))


def _write_log(path: Path, log: "_RunLog | _AuditLog") -> None:
    """Write a whole log; its end is known once every sample was written."""
    with whole_file(path) as file, zipfile.ZipFile(file, "w") as packed:

        def write(name: str, content: Json | list[Json]) -> None:
            member = zipfile.ZipInfo(name, _PACKED_AT)
            member.compress_type = zipfile.ZIP_DEFLATED
            # Not msgspec: what is not scored is NaN here, which it would write as null.
            packed.writestr(member, json.dumps(content, ensure_ascii=False))

        start = {"eval": log.spec, "plan": _PLAN}
        write("_journal/start.json", {"version": SCHEMA} | start)
        summaries = []
        for sample in log.samples():
            write(f"samples/{sample['id']}_epoch_{sample['epoch']}.json", sample)
            summaries.append(_summary(sample))
        write("summaries.json", summaries)
        status, started, (total, completed), scores, usage = log.end()
        write(
            "header.json",
            {
                "version": SCHEMA,
                "status": status,
                **start,
                "results": {"total_samples": total, "completed_samples": completed, "scores": scores},
                "stats": {"started_at": started, "completed_at": started, **usage},
            },
        )


_End = tuple[str, str, tuple[int, int], list[Json], Json]
"""The end of a log: its status, when it was started, the numbers of all and of completed samples, scores, and usage."""


def _summary(sample: Json) -> Json:
    """Return the entry of a sample in the list of samples, without pictures and long texts."""
    shown = []
    for message in sample["input"]:
        content = message["content"]
        if isinstance(content, str):
            content = content[:_THIN]
        else:
            texts = ("(Image)" if part["type"] == "image" else part["text"][:_THIN] for part in content)
            content = [{"type": "text", "text": text} for text in texts]
        shown.append(message | {"content": content})
    failed = sample.get("error")
    return {
        "id": sample["id"],
        "epoch": sample["epoch"],
        "input": shown,
        "target": sample["target"],
        "metadata": sample["metadata"],
        "scores": sample.get("scores"),
        "model_usage": sample["model_usage"],
        "error": failed["message"][:_THIN] if failed else None,
        "completed": True,
        "message_count": len(sample["messages"]),
    }


def _user_turn(text: str, pictures: tuple[Picture, ...], role: str = "user") -> Json:
    """Return a message with its pictures first, as they were sent."""
    shown = [{"type": "image", "image": data_url(picture.mime, picture.data)} for picture in pictures]
    return {"role": role, "content": [*shown, {"type": "text", "text": text}]}


def _metric(name: str, value: float, **beside: Any) -> Json:
    return {"name": name, "value": value, "params": {}, "metadata": beside}


def _score_line(name: str, scorer: str, scored: int, unscored: int, metrics: Json) -> Json:
    counts = {"scored_samples": scored, "unscored_samples": unscored}
    return {"name": name, "scorer": scorer, **counts, "metrics": metrics}


def _error(reason: str) -> Json:
    return {"error": {"message": reason, "traceback": reason, "traceback_ansi": reason}}


def _usage(tokens_in: int, tokens_out: int, cost: float) -> Json:
    total = tokens_in + tokens_out
    return {"input_tokens": tokens_in, "output_tokens": tokens_out, "total_tokens": total, "total_cost": cost or None}


def _spec(manifest: Any, task: str, model: str, settings: Json, metadata: Json, **ids: str) -> Json:
    """Return the header of a log: what was asked of which model, for a run or an audit."""
    dataset = manifest.dataset
    return {
        "created": manifest.started,
        **ids,
        "task": task,
        "task_version": dataset.fingerprint[:8],
        "dataset": {"name": dataset.name, "samples": dataset.rows, "shuffled": False},
        "model": model,
        "model_args": settings,
        "config": {},
        "packages": {"countersight": manifest.countersight},
        "metadata": {"dataset_fingerprint": dataset.fingerprint} | metadata,
    }


class _RunLog:
    """A run as a log: its samples one by one, and what they add up to."""

    def __init__(self, judged: JudgedRun) -> None:
        self._judged = judged
        self._manifest = manifest = judged.run.manifest
        self._facts: dict[int, Reply] = {}
        """The answer about the original picture, for the case being written."""
        self._used = (0, 0, 0.0)
        self._scored: Counter[str] = Counter()
        self._unscored: Counter[str] = Counter()
        self.written = self._failed = self._fourths = 0
        known = f"{manifest.dataset.fingerprint}/{manifest.model}/{manifest.started}".encode()
        name = hashlib.sha256(known).hexdigest()
        self.spec = _spec(
            manifest,
            manifest.dataset.name,
            manifest.model,
            {key: value for key, value in manifest.settings.items() if value is not None},
            {"prompt": manifest.prompt.name, "answering": manifest.answering, "shown": manifest.shown},
            eval_id=name[:22],
            run_id=name[22:44],
            task_id=name[44:],
        )

    def samples(self) -> Iterator[Json]:
        """Return a sample for every question that has a reply."""
        conversations = conversations_of(self._judged.run, self._judged.dataset)
        for each in chain(self._judged.answers(), self._judged.fourth_answers()):
            reply = each.reply
            if reply is None:
                continue
            self.written += 1
            self._failed += each.outcome == "failed"
            self._fourths += each.is_fourth
            (self._unscored if each.credit is None else self._scored)[_scorer(each)] += 1
            tokens_in, tokens_out, cost = self._used
            self._used = tokens_in + reply.tokens_in, tokens_out + reply.tokens_out, cost + reply.cost
            if each.asking == "factual":
                self._facts = {each.row: reply}
            yield self._sample(each, reply, conversations)

    def _sample(self, each: ScoredAnswer, reply: Reply, conversations: Conversations) -> Json:
        asked = self._messages(each, conversations)
        usage = _usage(reply.tokens_in, reply.tokens_out, reply.cost)
        sample: Json = {
            "id": printable(key_of(each.case.id, _name(each))),
            "epoch": 1,
            "input": asked,
            "choices": [option.text for option in each.question.options] or None,
            "target": each.question.answer,
            "messages": asked,
            "output": {"model": reply.model or self._manifest.model, "choices": []},
            "metadata": _metadata(each),
            "model_usage": {self._manifest.model: usage},
            "total_time": reply.seconds,
        }
        if each.outcome == "failed":
            return sample | _error(reply.reason)
        text = reply.text or "\n".join(order.text for order in reply.orders)
        if reply.losses and not reply.text:
            text = f"losses of the options, in order: {', '.join(f'{loss:.4f}' for loss in reply.losses)}"
        said = {"role": "assistant", "content": text, "source": "generate"}
        stopped = "max_tokens" if reply.is_cut else _STOPS.get(reply.finish.casefold(), "unknown")
        choice = {"message": said, "stop_reason": stopped}
        output = sample["output"] | {"choices": [choice], "completion": text, "usage": usage}
        sample |= {"output": output, "messages": [*asked, said]}
        if each.is_fourth:
            return sample
        score = {
            "value": grade(each.outcome, each.credit, soft=self._judged.outcomes.credits is not None),
            "answer": each.answer,
            "explanation": f"{each.outcome}: extracted answer {each.answer!r}, right answer {each.question.answer!r}",
            "reason": each.outcome if each.credit is None else None,
            "metadata": {"outcome": each.outcome},
        }
        return sample | {"scores": {_scorer(each): score}}

    def _messages(self, each: ScoredAnswer, conversations: Conversations) -> list[Json]:
        """The conversation as it was put to the model, its pictures in it."""
        needs_fact = self._manifest.prompt.needs_fact and _name(each) == "counterfactual"
        fact = self._facts.get(each.row) if needs_fact else None
        try:
            request = conversations.request(Ask(each.row, each.case, *each.place, each.question, fact))
        except (BadPicture, NoExample) as fault:
            return [{"role": "user", "content": f"{each.question.text}\n({fault})"}]
        return [_user_turn(turn.text, turn.pictures, turn.role) for turn in request.turns]

    def end(self) -> _End:
        """Return what the samples add up to, once all of them were written."""
        scores, controls = self._judged.scores(), self._judged.controls
        asked = int((controls.outcomes.codes > 0).sum()) if controls else 0
        metrics = {SCORER: _metrics({name: getattr(scores.overall, name) for name in MEASURES})}
        if controls:  # of changes that are told; those that are shown say so
            metrics[CONTROL] = _metrics(
                {
                    name if line.asking == "counterfactual" else f"{line.asking}_{name}": getattr(line, name)
                    for line in scores.alarms
                    if line.group == ALL
                    for name in _ALARMS
                }
            )
        lines = [
            _score_line(name, name, self._scored[name], self._unscored[name], each) for name, each in metrics.items()
        ]
        status = "cancelled" if scores.overall.missing else "success"
        counts = scores.overall.questions + asked + self._fourths, self.written - self._failed
        usage = {"model_usage": {self._manifest.model: _usage(*self._used)}}
        return status, self._manifest.started, counts, lines, usage


def _scorer(each: ScoredAnswer) -> str:
    return FOURTH if each.is_fourth else CONTROL if each.case.control_of else SCORER


def _name(each: ScoredAnswer) -> str:
    return FOURTH if each.is_fourth else each.asking


def _metrics(figures: dict[str, Any]) -> Json:
    """Return our figures by name, each with its interval; a difference also has its p."""
    found: Json = {}
    for label, figure in figures.items():
        if figure is not None and figure.value is not None:
            beside = {"low": figure.low, "high": figure.high, "n": figure.n}
            beside |= {} if isinstance(figure, Rate) else {"p": figure.p}
            found[label] = _metric(label, figure.value, **beside)
    return found


def _metadata(each: ScoredAnswer) -> Json:
    world, telling = each.place
    return ({"control_of": each.case.control_of} if each.case.control_of else {}) | {
        "case": each.case.id,
        "row": each.row,
        "asking": _name(each),
        "world": world,
        "telling": telling,
        "group": each.case.group,
        "picture": each.case.picture(world, telling) or "",
        "kind": each.question.kind,
    }


class _AuditLog:
    """An audit as a log: every tested concept of every case is a sample."""

    def __init__(self, folder: AuditFolder) -> None:
        self._folder = folder
        self._audit = read_audit(folder.path)
        self._kept = score_audit(self._audit)
        self._tests = {(test.case, test.number): test for test in self._kept.concepts}
        self.written = 0
        manifest = folder.manifest
        self.spec = _spec(
            manifest,
            f"audit of {manifest.dataset.name}",
            manifest.model.name,
            manifest.model.settings,
            {
                "extractor": manifest.extractor.name,
                "editor": manifest.editor.name,
                "judges": [judge.name for judge in manifest.judges],
            },
        )

    def samples(self) -> Iterator[Json]:
        """Return a sample for every concept of every case."""
        for case in self._audit.cases:
            for concept in case.concepts:
                self.written += 1
                yield self._sample(case, concept)

    def _sample(self, case: CaseTrail, concept: ConceptTrail) -> Json:
        question, edit = case.record.question.text, concept.edit
        conversations = [(case.record.picture, case.baseline)]
        if edit and edit.after:
            conversations.append((edit.after, concept.again))
        messages: list[Json] = []
        for picture, said in conversations:
            messages.append(_user_turn(question, (self._folder.picture(picture),)))
            if said:
                messages += [{"role": "assistant", "content": each.text} for each in (said.answer, said.explanation)]
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
            return sample | _error(edit.failure)
        return sample | {"scores": {_JUDGES: self._score(case, concept)}}

    def _score(self, case: CaseTrail, concept: ConceptTrail) -> Json:
        """Return PCS, NCC and CCS of one test; NaN if the judges do not decide or the test is excluded."""
        test = self._tests.get((case.case, concept.number))
        counts = test is not None and not test.excluded
        values = {name: getattr(test, name) if counts else None for name in _AUDIT_MEASURES}
        reasons = (f"{each.judge}: {each.pcs_reason} {each.ncc_reason}".strip() for each in concept.verdicts)
        return {
            "value": {name: float("nan") if value is None else value for name, value in values.items()},
            "explanation": "\n".join(reasons),
            "reason": test.excluded or None if test else None,
            "metadata": {"concept": concept.instruction.concept, "action": concept.instruction.action},
        }

    def end(self) -> _End:
        """Return what the tests add up to, once all of them were written."""
        scores = []
        for name in _AUDIT_MEASURES:
            mean = getattr(self._kept.kept, name)
            beside = {"low": mean.low, "high": mean.high, "n": mean.concepts}
            metrics = {} if mean.value is None else {"mean": _metric("mean", mean.value, **beside)}
            scores.append(_score_line(name, _JUDGES, mean.concepts, self.written - mean.concepts, metrics))
        return "success", self._folder.manifest.started, (self.written, self.written), scores, {}

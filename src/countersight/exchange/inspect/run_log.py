"""A run as an Inspect log: a sample for every question that was asked, with its picture, its answer and its score.

What was cut or empty is unscored, what failed is an error, and what was not asked is not there. Controls come last,
with a score of another name, so that they are in no figure of the cases. The fourth questions of sets have no score:
they are there so that the log brings the whole run back.
"""

import hashlib
from collections import Counter
from collections.abc import Iterator
from itertools import chain
from pathlib import Path
from typing import Final

from countersight.case import Reply
from countersight.engine import Ask, Conversations, NoExample, RunFolder, conversations_of
from countersight.errors import BadPicture
from countersight.exchange.asked import FOURTH, MEASURES, key_of
from countersight.exchange.inspect.log_file import PLAN, SCHEMA, Json, Usage, content, error, grade, metric, write_log
from countersight.models import Turn
from countersight.scoring import (
    ALL,
    Alarms,
    Answered,
    JudgedRun,
    Rate,
    Row,
    Scores,
    answered_fourths,
    answered_questions,
    judge_run,
)
from countersight.text import printable

SCORER: Final = "reader"
"""The name of our score in a log."""
CONTROL: Final = "control"
"""The name of a control's score."""
_ALARMS: Final = ("misses", "false_alarms", "balance")
_STOPS: Final = {"stop": "stop", "content_filter": "content_filter"}


def write_run_log(run: RunFolder, path: Path, dataset: Path | None = None) -> int:
    """Write a run as an .eval file; how many samples it has."""
    log = _RunLog(judge_run(run, dataset=dataset))
    write_log(path, log.spec(), PLAN, log.samples(), log.header)
    return log.written


class _RunLog:
    """A run on its way into a log: its samples one by one, and what they add up to."""

    def __init__(self, judged: JudgedRun) -> None:
        self._judged = judged
        self._manifest = judged.run.manifest
        self._soft = judged.outcomes.credits is not None
        self._facts: dict[int, Reply] = {}
        """The answer about the picture as it is, of the case that is being written."""
        self._usage = Usage()
        self._scored: Counter[str] = Counter()
        self._unscored: Counter[str] = Counter()
        self.written = self._failed = self._fourths = 0

    def spec(self) -> Json:
        """What was asked of whom."""
        manifest = self._manifest
        name = hashlib.sha256(f"{manifest.dataset.fingerprint}/{manifest.model}/{manifest.started}".encode())
        return {
            "created": manifest.started,
            "eval_id": name.hexdigest()[:22],
            "run_id": name.hexdigest()[22:44],
            "task_id": name.hexdigest()[44:],
            "task": manifest.dataset.name,
            "task_version": manifest.dataset.fingerprint[:8],
            "dataset": {"name": manifest.dataset.name, "samples": manifest.dataset.rows, "shuffled": False},
            "model": manifest.model,
            "model_args": {key: value for key, value in manifest.settings.items() if value is not None},
            "config": {},
            "packages": {"countersight": manifest.countersight},
            "metadata": {
                "dataset_fingerprint": manifest.dataset.fingerprint,
                "prompt": manifest.prompt.name,
                "answering": manifest.answering,
                "shown": manifest.shown,
            },
        }

    def samples(self) -> Iterator[Json]:
        """Every question that has a reply."""
        conversations = conversations_of(self._judged.run, self._judged.dataset)
        for each in chain(answered_questions(self._judged), answered_fourths(self._judged)):
            if each.reply is not None:
                self._count(each, each.reply)
                yield self._sample(each, each.reply, conversations)

    def _count(self, each: Answered, reply: Reply) -> None:
        self.written += 1
        self._failed += each.outcome == "failed"
        self._fourths += each.is_fourth
        self._scored[_scorer(each)] += each.credit is not None
        self._unscored[_scorer(each)] += each.credit is None
        self._usage.add(reply.tokens_in, reply.tokens_out, reply.cost)
        if each.asking == "factual":
            self._facts = {each.row: reply}

    def _sample(self, each: Answered, reply: Reply, conversations: Conversations) -> Json:
        asked = self._messages(each, conversations)
        usage = Usage(reply.tokens_in, reply.tokens_out, reply.cost).told()
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
            return sample | {"error": error(reply.reason)}
        said = {"role": "assistant", "content": _said(reply), "source": "generate"}
        choice = {"message": said, "stop_reason": _stop_reason(reply)}
        output = sample["output"] | {"choices": [choice], "completion": said["content"], "usage": usage}
        return sample | {"output": output, "messages": [*asked, said]} | self._scores(each)

    def _messages(self, each: Answered, conversations: Conversations) -> list[Json]:
        """The conversation as it was put to the model, its pictures in it."""
        world, telling = each.place
        needs_fact = self._manifest.prompt.needs_fact and _name(each) == "counterfactual"
        fact = self._facts.get(each.row) if needs_fact else None
        try:
            request = conversations.request(Ask(each.row, each.case, world, telling, each.question, fact))
        except (BadPicture, NoExample) as fault:
            return [{"role": "user", "content": f"{each.question.text}\n({fault})"}]
        return [_message(turn) for turn in request.turns]

    def _scores(self, each: Answered) -> Json:
        return {} if each.is_fourth else {"scores": {_scorer(each): self._score(each)}}

    def _score(self, each: Answered) -> Json:
        return {
            "value": grade(each.outcome, each.credit, soft=self._soft),
            "answer": each.answer,
            "explanation": f"{each.outcome}: {each.answer!r} was read, {each.question.answer!r} is right",
            "reason": each.outcome if each.credit is None else None,
            "metadata": {"outcome": each.outcome},
        }

    def header(self) -> Json:
        """What the samples add up to, once all of them went by."""
        scores = self._judged.scores()
        row = scores.overall
        return {
            "version": SCHEMA,
            "status": "cancelled" if row.missing else "success",
            "eval": self.spec(),
            "plan": PLAN,
            "results": self._results(scores),
            "stats": {
                "started_at": self._manifest.started,
                "completed_at": self._manifest.started,
                "model_usage": {self._manifest.model: self._usage.told()},
            },
        }

    def _results(self, scores: Scores) -> Json:
        controls = self._judged.controls
        asked = int((controls.outcomes.codes > 0).sum()) if controls else 0
        metrics = {SCORER: _metrics(scores.overall)} | ({CONTROL: _alarm_metrics(scores.alarms)} if controls else {})
        return {
            "total_samples": scores.overall.questions + asked + self._fourths,
            "completed_samples": self.written - self._failed,
            "scores": [
                {
                    "name": name,
                    "scorer": name,
                    "scored_samples": self._scored[name],
                    "unscored_samples": self._unscored[name],
                    "metrics": each,
                }
                for name, each in metrics.items()
            ],
        }


def _scorer(each: Answered) -> str:
    return FOURTH if each.is_fourth else CONTROL if each.case.control_of else SCORER


def _name(each: Answered) -> str:
    return FOURTH if each.is_fourth else each.asking


def _alarm_metrics(alarms: tuple[Alarms, ...]) -> Json:
    """Misses and false alarms over all groups, of changes that are told; those that are shown say so."""
    found: Json = {}
    for line in alarms:
        for name in _ALARMS if line.group == ALL else ():
            figure: Rate = getattr(line, name)
            label = name if line.asking == "counterfactual" else f"{line.asking}_{name}"
            if figure.value is not None:
                found[label] = metric(label, figure.value, low=figure.low, high=figure.high, n=figure.n)
    return found


def _metrics(row: Row) -> Json:
    """Our figures, each with its interval."""
    found: Json = {}
    for name in MEASURES:
        figure = getattr(row, name)
        if figure is not None and figure.value is not None:
            beside = {"low": figure.low, "high": figure.high, "n": figure.n}
            beside |= {} if isinstance(figure, Rate) else {"p": figure.p}
            found[name] = metric(name, figure.value, **beside)
    return found


def _metadata(each: Answered) -> Json:
    world, telling = each.place
    control = {"control_of": each.case.control_of} if each.case.control_of else {}
    return control | {
        "case": each.case.id,
        "row": each.row,
        "asking": _name(each),
        "world": world,
        "telling": telling,
        "group": each.case.group,
        "picture": each.case.picture(world, telling) or "",
        "kind": each.question.kind,
    }


def _message(turn: Turn) -> Json:
    return {"role": turn.role, "content": content(turn.text, turn.pictures)}


def _said(reply: Reply) -> str:
    """What the model said; of options that were ranked, the losses, of orders, what was said in each."""
    if reply.losses:
        return reply.text or f"losses of the options, in order: {', '.join(f'{loss:.4f}' for loss in reply.losses)}"
    return reply.text or "\n".join(order.text for order in reply.orders)


def _stop_reason(reply: Reply) -> str:
    return "max_tokens" if reply.is_cut else _STOPS.get(reply.finish.casefold(), "unknown")

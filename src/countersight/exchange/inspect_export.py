"""Export runs as Inspect AI logs, which `inspect view` can open. Inspect need not be installed.

Such logs are read by `inspect_import`; the task that runs a dataset in Inspect is in `inspect_task`.

An .eval file (Inspect's log schema, version 2) is a ZIP of JSON files, one per sample. Every question that was asked is
a sample with its picture, its answer and its score. Truncated and empty replies are unscored, failed ones are errors,
and questions that were not asked are omitted. Controls come last and use another score name, so that they do not count
in the scores of cases. Inspect itself compresses its logs with Zstandard.
"""

import hashlib
import json
import zipfile
from collections import Counter
from collections.abc import Iterator
from typing import Any, Final

from countersight.case import QuestionVariant, Reply
from countersight.dataset import Dataset
from countersight.engine import MANIFEST, Ask, Conversations, NoExample, RunFolder, conversations_of
from countersight.errors import BadPicture, ExchangeError
from countersight.exchange.exported_questions import MEASURES, key_of, questions, run_figures
from countersight.exchange.formats import Export, Exported
from countersight.files import whole_file
from countersight.picture import data_url
from countersight.scoring import ALL, JudgedRun, Outcome, ScoredAnswer, judge_run, outcomes, score
from countersight.text import printable

Json = dict[str, Any]

SCHEMA = 2
SCORER: Final = "reader"
"""The name of the score of cases in a log."""
CONTROL: Final = "control"
"""The name of the score of controls."""
_PLAN: Final[Json] = {"name": "plan", "steps": [{"solver": "countersight"}]}
_ZIP_TIME = (1980, 1, 1, 0, 0, 0)
"""A fixed time for all files in the ZIP, so that the same run always results in the same bytes."""
_SUMMARY: Final = ("id", "epoch", "target", "metadata", "scores", "model_usage")
"""The fields of a sample that are also in its summary."""
_SUMMARY_LENGTH = 1_000
"""The maximum length of a text in a summary; Inspect reads the summaries of all samples to list them."""
_VALUES: dict[Outcome, str] = {"right": "C", "wrong": "I", "unread": "N"}
"""Inspect's grades: correct, incorrect, and no answer, which counts as incorrect."""
_ALARMS: Final = ("misses", "false_alarms", "balance")
_STOPS: Final = {"stop": "stop", "content_filter": "content_filter"}


def export_log(order: Export) -> Exported:
    """Write the log of a run; a dataset needs no export, because Inspect can use its folder directly."""
    if order.out.suffix != ".eval":
        raise ExchangeError(f"the name of an Inspect log must end in .eval: choose {order.out.name}.eval")
    if not (order.source / MANIFEST).is_file():
        raise ExchangeError(
            f"{order.source} is not a run. Inspect can use a dataset directly: inspect eval countersight/dataset -T "
            f"folder={order.source} --model MODEL"
        )
    log = _RunLog(judge_run(RunFolder.open(order.source), dataset=order.dataset))
    with whole_file(order.out) as file, zipfile.ZipFile(file, "w") as packed:

        def write(name: str, content: Json | list[Json]) -> None:
            member = zipfile.ZipInfo(name, _ZIP_TIME)
            member.compress_type = zipfile.ZIP_DEFLATED
            # Not msgspec, which would write the NaN of unscored samples as null.
            packed.writestr(member, json.dumps(content, ensure_ascii=False))

        write("_journal/start.json", {"version": SCHEMA, "eval": log.spec, "plan": _PLAN})
        summaries = []
        for sample in log.samples():
            write(f"samples/{sample['id']}_epoch_{sample['epoch']}.json", sample)
            summaries.append(_summary(sample))
        write("summaries.json", summaries)
        write("header.json", log.header(summaries))
    return Exported(len(summaries), "sample", f"open it with: inspect view --log-dir {order.out.parent}")


def grade(outcome: Outcome, credit: float | None, *, soft: bool) -> str | float:
    """Return the value of a score; NaN if there is none, because Inspect excludes NaN from every metric."""
    return credit if soft and credit is not None else _VALUES.get(outcome, float("nan"))


def _summary(sample: Json) -> Json:
    """Return a sample's entry in the list of samples, with its question text but without pictures."""
    error = sample.get("error")
    return {name: sample.get(name) for name in _SUMMARY} | {
        "input": sample["input"][-1]["content"][-1]["text"][:_SUMMARY_LENGTH],
        "error": error and error["message"][:_SUMMARY_LENGTH],
        "completed": True,
        "message_count": len(sample["messages"]),
    }


class _RunLog:
    """Converts a run to the samples and the header of a log."""

    def __init__(self, judged: JudgedRun) -> None:
        self._judged = judged
        self._manifest = manifest = judged.run.manifest
        self._facts: dict[int, Reply] = {}
        """The answer about the original picture of the case that is being written."""
        dataset = manifest.dataset
        name = hashlib.sha256(f"{dataset.fingerprint}/{manifest.model}/{manifest.started}".encode()).hexdigest()
        self.spec: Json = {
            "created": manifest.started,
            "eval_id": name[:22],
            "run_id": name[22:44],
            "task_id": name[44:],
            "task": dataset.name,
            "task_version": dataset.fingerprint[:8],
            "dataset": {"name": dataset.name, "samples": dataset.rows, "shuffled": False},
            "model": manifest.model,
            "model_args": {key: value for key, value in manifest.settings.items() if value is not None},
            "config": {},
            "packages": {"countersight": manifest.countersight},
            "metadata": {
                "dataset_fingerprint": dataset.fingerprint,
                "prompt": manifest.prompt.name,
                "answering": manifest.answering,
                "shown": manifest.shown,
            },
        }

    def samples(self) -> Iterator[Json]:
        """Return a sample for every question that has a reply."""
        conversations = conversations_of(self._judged.run, self._judged.dataset)
        for each in self._judged.answers():
            if each.reply is None:
                continue
            if each.variant == "factual":
                self._facts = {each.row: each.reply}
            yield self._sample(each, each.reply, conversations)

    def _sample(self, each: ScoredAnswer, reply: Reply, conversations: Conversations) -> Json:
        messages, metadata = self._messages(each, conversations), _metadata(each)
        usage = {
            "input_tokens": reply.tokens_in,
            "output_tokens": reply.tokens_out,
            "total_tokens": reply.tokens_in + reply.tokens_out,
            "total_cost": reply.cost or None,
        }
        sample: Json = {
            "id": printable(key_of(each.case.id, each.variant)),
            "epoch": 1,
            "input": messages,
            "choices": [option.text for option in each.question.options] or None,
            "target": each.question.answer,
            "messages": messages,
            "output": {"model": reply.model or self._manifest.model, "choices": []},
            "metadata": metadata,
            "model_usage": {self._manifest.model: usage},
            "total_time": reply.seconds,
        }
        if each.outcome == "failed":
            return sample | {"error": dict.fromkeys(("message", "traceback", "traceback_ansi"), reply.reason)}
        text = reply.text or "\n".join(order.text for order in reply.orders)
        if reply.losses and not reply.text:
            text = f"losses of the options, in order: {', '.join(f'{loss:.4f}' for loss in reply.losses)}"
        answer = {"role": "assistant", "content": text, "source": "generate"}
        stop_reason = "max_tokens" if reply.is_cut else _STOPS.get(reply.finish.casefold(), "unknown")
        choice = {"message": answer, "stop_reason": stop_reason}
        output = sample["output"] | {"choices": [choice], "completion": text, "usage": usage}
        sample |= {"output": output, "messages": [*messages, answer]}
        scored = {
            "value": grade(each.outcome, each.credit, soft=self._judged.outcomes.credits is not None),
            "answer": each.answer,
            "explanation": f"{each.outcome}: extracted answer {each.answer!r}, right answer {each.question.answer!r}",
            "reason": each.outcome if each.credit is None else None,
            "metadata": {"outcome": each.outcome},
        }
        return sample | {"scores": {_scorer(metadata): scored}}

    def _messages(self, each: ScoredAnswer, conversations: Conversations) -> list[Json]:
        """Return the conversation as sent to the model; the pictures of a turn come first."""
        needs_fact = self._manifest.prompt.needs_fact and each.variant == "counterfactual"
        fact = self._facts.get(each.row) if needs_fact else None
        try:
            request = conversations.request(Ask(each.row, each.case, *each.place, each.question, fact))
        except (BadPicture, NoExample) as fault:
            return [{"role": "user", "content": [{"type": "text", "text": f"{each.question.text}\n({fault})"}]}]
        messages = []
        for turn in request.turns:
            images = [{"type": "image", "image": data_url(picture.mime, picture.data)} for picture in turn.pictures]
            messages.append({"role": turn.role, "content": [*images, {"type": "text", "text": turn.text}]})
        return messages

    def header(self, summaries: list[Json]) -> Json:
        """Return the header with the overall results, given the summaries of all samples."""
        scores, controls = self._judged.scores(), self._judged.controls
        asked = int((controls.outcomes.codes > 0).sum()) if controls else 0
        metrics = {SCORER: _metrics({name: getattr(scores.overall, name) for name in MEASURES})}
        if controls:  # the names for shown changes have a prefix
            metrics[CONTROL] = _metrics(
                {
                    name if line.variant == "counterfactual" else f"{line.variant}_{name}": getattr(line, name)
                    for line in scores.alarms
                    if line.group == ALL
                    for name in _ALARMS
                }
            )
        samples = Counter(_scorer(each["metadata"]) for each in summaries)
        scored = Counter(
            name for each in summaries for name, found in (each["scores"] or {}).items() if found["reason"] is None
        )
        lines = [
            {
                "name": name,
                "scorer": name,
                "scored_samples": scored[name],
                "unscored_samples": samples[name] - scored[name],
                "metrics": each,
            }
            for name, each in metrics.items()
        ]
        return {
            "version": SCHEMA,
            "status": "cancelled" if scores.overall.missing else "success",
            "eval": self.spec,
            "plan": _PLAN,
            "results": {
                "total_samples": scores.overall.questions + asked,
                "completed_samples": sum(not each["error"] for each in summaries),
                "scores": lines,
            },
            "stats": {"started_at": self._manifest.started, "completed_at": self._manifest.started, "model_usage": {}},
        }


def _scorer(metadata: Json) -> str:
    """Return the name of a sample's score."""
    return CONTROL if "control_of" in metadata else SCORER


def _metrics(figures: dict[str, Any]) -> Json:
    """Return metrics by name, each with its confidence interval; differences also have a p-value."""
    found: Json = {}
    for name, figure in figures.items():
        if figure is not None and figure.value is not None:
            metadata = {"low": figure.low, "high": figure.high, "n": figure.n}
            metadata |= {} if figure.p is None else {"p": figure.p}
            found[name] = {"name": name, "value": figure.value, "params": {}, "metadata": metadata}
    return found


def _metadata(each: ScoredAnswer) -> Json:
    world, telling = each.place
    return ({"control_of": each.case.control_of} if each.case.control_of else {}) | {
        "case": each.case.id,
        "row": each.row,
        "asking": each.variant,
        "world": world,
        "telling": telling,
        "group": each.case.group,
        "picture": each.case.picture(world, telling) or "",
        "kind": each.question.kind,
    }


def task_samples(dataset: Dataset, askings: tuple[QuestionVariant, ...]) -> Iterator[Json]:
    """Yield the fields of a `Sample` for every question of these variants; pictures are given by absolute path."""
    for item in questions(dataset):
        if item.asking in askings:
            case = item.case
            pictures = [{"type": "image", "image": str((dataset.path / name).resolve())} for name, _ in item.pictures]
            yield {
                "id": printable(item.key),
                "input": [{"role": "user", "content": [*pictures, {"type": "text", "text": item.words}]}],
                "target": item.question.answer,
                "metadata": {
                    "case": case.id,
                    "row": item.row,
                    "asking": item.asking,
                    "group": f"{case.group}, control" if case.control_of else case.group,
                    "picture": item.cluster,
                    "dataset_fingerprint": dataset.fingerprint,
                },
            }


def task_figures(dataset: Dataset, replies: list[Reply]) -> dict[str, float]:
    """Return the statistics of the replies so far, without controls."""
    cases = ((row, case) for row, case in dataset.cases() if not case.control_of)
    return run_figures(score(outcomes(cases, replies)).overall)

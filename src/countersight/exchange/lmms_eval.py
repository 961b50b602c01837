"""lmms-eval: export a dataset as tasks that use our answer extraction and metrics, and import logged samples as a run.

A document is a row of the exported Parquet file. The result of `process_results` contains the question and the reply,
so that metrics are computed exactly as `countersight score` does, and logged samples can be imported.
"""

import json
import re
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any, Final

import msgspec

from countersight.case import WORLDS, Case, Question, QuestionVariant, Reply
from countersight.dataset import Dataset
from countersight.errors import ExchangeError
from countersight.exchange.exported_questions import MEASURES, dataset_at, questions, run_figures
from countersight.exchange.formats import Export, Exported
from countersight.exchange.incoming import ExternalAnswer, ExternalRun, OnBad
from countersight.exchange.parquet import Columns, Shards
from countersight.files import Staging, bounded_lines, write_text
from countersight.scoring import OUTCOMES, judge, outcomes, score

Document = dict[str, Any]

ACCURACY: Final = "accuracy"
CONTROL: Final = "control"
"""The name of the accuracy on controls, which are excluded from all other metrics, as in `countersight score`."""
_PAIRS: Final = {
    "drop": ("factual", "counterfactual"),
    "both_right": ("factual", "counterfactual"),
    "imagination_gap": ("counterfactual", "shown"),
}
"""The metrics that compare two question variants of a case, with those variants."""


def doc_to_visual(doc: Document) -> list[Any]:
    """Return the pictures of a question, in order."""
    return [picture.convert("RGB") for picture in doc["images"]]


def doc_to_text(doc: Document, lmms_eval_specific_kwargs: object = None) -> str:
    """Return the prompt: the question with its options."""
    return str(doc["words"])


def doc_to_messages(doc: Document, lmms_eval_specific_kwargs: object = None) -> list[Document]:
    """Return the question as chat messages: pictures first, then text."""
    pictures = [{"type": "image", "url": picture} for picture in doc_to_visual(doc)]
    return [{"role": "user", "content": [*pictures, {"type": "text", "text": doc_to_text(doc)}]}]


def process_results(doc: Document, results: list[str]) -> dict[str, Document]:
    """Return the result for one generated reply, by metric."""
    asking: QuestionVariant = doc["asking"]
    reply = Reply(doc["case"], doc["row"], *WORLDS[asking], text=results[0])
    judged = judge(reply, _question(doc))
    entry = {name: doc[name] for name in ("key", "case", "row", "asking", "picture", "gold")} | {"text": reply.text}
    scored = entry | {"score": judged.credit, "outcome": OUTCOMES[judged.code]}
    if doc.get("control_of"):
        return {CONTROL: scored}
    # Metrics of pairs get no score, from which lmms-eval would compute the standard error of single answers.
    pairs = {name: entry for name, askings in _PAIRS.items() if asking in askings}
    return {ACCURACY: scored, asking: scored} | pairs


def aggregations() -> dict[str, Callable[[list[Document]], float]]:
    """Return the aggregation function of each metric, by the name used in the exported `utils.py`."""
    names = (*MEASURES, ACCURACY, CONTROL)
    return {f"aggregate_{name}": partial(_aggregate, name) for name in names}


def _aggregate(name: str, items: list[Document]) -> float:
    if name in MEASURES:
        return figures_of(items).get(name, float("nan"))
    return sum(entry["score"] for entry in items) / len(items) if items else float("nan")


def figures_of(items: list[Document]) -> dict[str, float]:
    """Return all metrics, computed over the replies to all questions."""
    cases: dict[int, Case] = {}
    replies = []
    for entry in items:
        asking: QuestionVariant = entry["asking"]
        case = cases.get(entry["row"], Case(entry["case"], image_digest=entry["picture"]))
        cases[entry["row"]] = msgspec.structs.replace(case, **{asking: _question(entry)})
        replies.append(Reply(entry["case"], entry["row"], *WORLDS[asking], text=entry["text"]))
    return run_figures(score(outcomes(sorted(cases.items()), replies)).overall)


def _question(doc: Document) -> Question:
    return msgspec.json.decode(doc["gold"], type=Question)


COLUMNS: Final[Columns] = {
    "key": "text",
    "case": "text",
    "row": "whole",
    "asking": "text",
    "group": "text",
    "picture": "text",
    "images": "pictures",
    "words": "text",
    "kind": "text",
    "answer": "text",
    "gold": "text",
    "control_of": "text",
}
"""The columns of a document. `gold` is the question as in metadata.jsonl, which is needed to extract answers."""

_UTILS = '''"""Functions that the tasks in this folder call; they need: pip install countersight."""

from countersight.exchange.lmms_eval import (  # noqa: F401
    aggregations,
    doc_to_messages,
    doc_to_text,
    doc_to_visual,
    process_results,
)

globals().update(aggregations())
'''


def export_lmms_eval(order: Export) -> Exported:
    """Write the folder; its tasks refer to their data by the folder's final path."""
    dataset = dataset_at(order.source, "lmms-eval")
    # Replace characters that are special in command lines or file names.
    name = re.sub(r"\W+", "_", order.out.resolve().name).strip("_") or "countersight"
    with Staging(order.out) as folder:
        with Shards(folder, "test", COLUMNS) as shards:
            for item in questions(dataset, order.on_bad):
                shards.add(item.row_of(dataset) | {"answer": item.question.right_text})
        write_text(folder / "utils.py", _UTILS)
        write_text(folder / f"{name}.yaml", _task(name, dataset, order.out))
    note = f"run: lmms-eval --include_path {order.out} --tasks {name} --log_samples --output_path OUT --model …"
    return Exported(shards.count, "question", note)


def _task(name: str, dataset: Dataset, out: Path) -> str:
    data = json.dumps(str(out.resolve() / "test-*.parquet"))
    metrics = "\n".join(
        f"  - metric: {measure}\n    aggregation: !function utils.aggregate_{measure}\n"
        f"    higher_is_better: {'false' if measure in ('drop', 'imagination_gap') else 'true'}"
        for measure in (ACCURACY, *MEASURES, CONTROL)
    )
    return f"""# Made by Countersight; the version is the fingerprint of the data. Export the data again after a change.
task: {name}
dataset_path: parquet
dataset_kwargs: {{data_files: {{test: {data}}}}}
test_split: test
output_type: generate_until
generation_kwargs: {{max_new_tokens: 256, temperature: 0, do_sample: false, until: []}}
doc_to_visual: !function utils.doc_to_visual
doc_to_text: !function utils.doc_to_text
doc_to_messages: !function utils.doc_to_messages
doc_to_target: answer
process_results: !function utils.process_results
cluster_key: picture
score_key: score
metric_list:
{metrics}
metadata: {{version: {json.dumps(dataset.fingerprint[:8])}}}
"""


_LONGEST_LINE = 16 * 1024 * 1024
"""The maximum number of bytes in a line."""
_SAMPLES, _RESULTS = "_samples_", "_results.json"


class _Item(msgspec.Struct, frozen=True):
    """The result of `process_results` for a document."""

    key: str
    text: str = ""
    gold: str = ""
    """The question as in the exported data."""


class _Results(msgspec.Struct, frozen=True):
    model_name: str = ""
    model_source: str = ""
    config: dict[str, Any] = {}


def read_samples(path: Path, on_bad: OnBad) -> ExternalRun:
    """Open a file of samples, or a folder that contains exactly one."""
    file = _file(path)
    results = _results(file)
    answers = list(_read_answers(file, on_bad))
    if not answers:
        raise ExchangeError(
            f"{file} contains no samples of an exported task (they have the field {ACCURACY!r} with a key); run the "
            "tasks that `countersight export --to lmms-eval` wrote, with --log_samples"
        )
    source = results.model_source or str(results.config.get("model", ""))
    arguments = results.config.get("model_args") or {}
    return ExternalRun(
        tool="lmms-eval",
        model=results.model_name or file.parent.name,
        settings={"source": source, "model_args": arguments if isinstance(arguments, dict) else str(arguments)},
        answers=answers,
    )


def _file(path: Path) -> Path:
    if path.is_file():
        return path
    found = sorted(path.rglob(f"*{_SAMPLES}*.jsonl")) if path.is_dir() else []
    if len(found) != 1:
        there = ", ".join(str(each.relative_to(path)) for each in found[:5]) or "none"
        raise ExchangeError(
            f"name one file of samples, *{_SAMPLES}TASK.jsonl, or a folder with one; in {path}: {there}"
        )
    return found[0]


def _results(file: Path) -> _Results:
    """Return the information about the model from the file next to the samples; empty if there is none."""
    beside = file.with_name(file.name.partition(_SAMPLES)[0] + _RESULTS)
    try:
        # Decoded with json, because the file may contain NaN.
        return msgspec.convert(json.loads(beside.read_bytes()), _Results) if beside.is_file() else _Results()
    except (ValueError, RecursionError) as fault:
        raise ExchangeError(f"{beside} is damaged: {fault}") from None


def _read_answers(path: Path, on_bad: OnBad) -> Iterator[ExternalAnswer]:
    with open(path, "rb") as file:
        for number, line in enumerate(bounded_lines(file, _LONGEST_LINE), 1):
            if line.isspace():
                continue
            try:
                if len(line) > _LONGEST_LINE:
                    raise ValueError(f"is longer than {_LONGEST_LINE:,} bytes")
                yield _answer(json.loads(line))
            except (ValueError, RecursionError) as fault:
                on_bad(f"{path.name} line {number}: {fault}")


def _answer(line: Any) -> ExternalAnswer:
    """Return the answer in a line of samples; for a control, it is stored under the name of the control metric."""
    found = (line.get(ACCURACY) or line.get(CONTROL)) if isinstance(line, dict) else None
    if found is None:
        raise ValueError(f"has neither {ACCURACY!r} nor {CONTROL!r} of an exported task")
    entry = msgspec.convert(found, _Item, strict=False)
    reply = {"text": entry.text}
    if not entry.gold:
        return ExternalAnswer(entry.key, reply)
    gold = msgspec.json.decode(entry.gold, type=Question)
    return ExternalAnswer(entry.key, reply, gold.text, tuple(option.text for option in gold.options), gold.answer)

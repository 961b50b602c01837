"""Import answers produced by another tool as a run, which can be scored and reported like any other run."""

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from countersight.case import WORLDS, Question, Reply
from countersight.dataset import Dataset
from countersight.engine import LEFT_OUT, Answering, Prompt, RunFolder, RunOptions
from countersight.errors import ExchangeError
from countersight.exchange.exported_questions import PROMPT, NamedQuestion, questions
from countersight.registry import Plug, Registry


class ExternalAnswer(NamedTuple):
    """One answer produced by another tool, with its question as written in the tool's file.

    Datasets with different seeds use the same keys, so the texts are also compared; parts that are missing from the
    file are empty.
    """

    key: str
    """The `NamedQuestion.key` of its question."""
    reply: dict[str, Any]
    """The known fields of the `Reply`: text, losses, finish, …"""
    words: str = ""
    """The complete prompt, which contains the question."""
    options: tuple[str, ...] = ()
    right: str = ""
    """The right answer."""


class ExternalRun(msgspec.Struct, frozen=True, kw_only=True):
    """The content of another tool's files: the model, its settings and its answers."""

    tool: str
    """The tool and its version, if known."""
    model: str
    answers: Iterable[ExternalAnswer]
    settings: dict[str, Any] = {}
    prompt: Prompt = PROMPT
    answering: Answering = "generate"
    fingerprint: str = ""
    """The fingerprint of the dataset, if it was recorded."""
    unfinished: str = ""
    """Why the files are incomplete, according to the files, such as "its status is cancelled"; otherwise empty."""


OnBad = Callable[[str], None]
Importer = Callable[[Path, OnBad], ExternalRun]

_OURS = {
    "inspect": ("an .eval log from Inspect AI", "inspect_import:read_log"),
    "lmms-eval": ("samples written by lmms-eval with --log_samples", "lmms_eval:read_samples"),
    "vlmevalkit": ("predictions of VLMEvalKit, .xlsx or .tsv", "vlmevalkit:read_predictions"),
}
SOURCES: Registry[Importer] = Registry(
    "tool",
    {name: Plug(name, words, f"countersight.exchange.{where}") for name, (words, where) in _OURS.items()},
    ExchangeError,
)


class ImportedRun(msgspec.Struct, frozen=True):
    """The result of an import."""

    run: RunFolder
    answers: int
    failed: int
    strays: int
    """The number of answers to questions that are not in the dataset."""
    repeated: int
    """The number of repeated answers to the same question; the first answer is used."""
    unanswered: int = 0
    """The number of questions of the dataset without an answer in the files."""
    unfinished: str = ""
    """Why the files are incomplete, according to the files; otherwise empty."""


def import_run(
    name: str,
    path: Path | str,
    dataset: Dataset | Path | str,
    out: Path | str,
    *,
    model: str = "",
    on_bad: OnBad = lambda reason: None,
) -> ImportedRun:
    """Import another tool's answers as a new run; `model` is its name if the files do not contain it."""
    opened = dataset if isinstance(dataset, Dataset) else Dataset.open(dataset)
    external = SOURCES.find(name)[0](Path(path), on_bad)
    if external.fingerprint and external.fingerprint != opened.fingerprint:
        raise ExchangeError(f"{path} does not belong to {opened.path}, or the rows of the dataset have changed")
    asked = {each.key: each for each in questions(opened)}
    answers = list(external.answers)
    first: dict[str, ExternalAnswer] = {}
    for answer in answers:
        if answer.key in asked:
            first.setdefault(answer.key, answer)
    if not first:
        found = f"its first answer is for {answers[0].key[:80]!r}" if answers else "it has no answers"
        raise ExchangeError(
            f"{path} has no answers to questions of {opened.path}: {found}; check that it belongs to this dataset"
        )
    differ = {} if external.fingerprint else _differences(Path(path), first, asked, opened.path)
    shown = any(asked[key].asking == "shown" for key in first)
    if not (model or external.model):
        raise ExchangeError("the file does not contain the name of the model; set it with `model`")
    if Path(out).exists() and any(Path(out).iterdir()):
        raise ExchangeError(f"{out} exists already; choose another folder for `out`")
    run = RunFolder.begin(
        Path(out),
        dataset=opened,
        model=model or external.model,
        settings={"asked with": external.tool} | external.settings,
        options=RunOptions(external.prompt, shown, external.answering),
    )
    replies = {key: _reply(answer, asked[key]) for key, answer in first.items() if key not in differ}
    with run.writing() as journal:
        for reply in replies.values():
            journal.append(reply)
    for reason in differ.values():
        on_bad(reason)
    # Questions about changed pictures are expected only if at least one of them was asked.
    unanswered = sum((shown or each.asking != "shown") and key not in replies for key, each in asked.items())
    if unanswered:
        imported = f"imported {len(replies):,} of {len(replies) + unanswered:,} answers of {external.tool}"
        run.observe({LEFT_OUT: {imported: unanswered}})
    failed = sum(reply.state == "failed" for reply in replies.values())
    strays = sum(answer.key not in asked for answer in answers)
    return ImportedRun(
        run,
        answers=len(replies) - failed,
        failed=failed,
        strays=strays,
        repeated=len(answers) - strays - len(first),
        unanswered=unanswered,
        unfinished=external.unfinished,
    )


def _reply(answer: ExternalAnswer, asked: NamedQuestion) -> Reply:
    # JSON of other tools may contain lone surrogates, which UTF-8 cannot encode: they become "?".
    fields: dict[str, Any] = {
        name: value.encode("utf-8", "replace").decode() if isinstance(value, str) else value
        for name, value in answer.reply.items()
    }
    return Reply(asked.case.id, asked.row, *WORLDS[asked.asking], **fields)


def _differences(
    path: Path, answers: dict[str, ExternalAnswer], asked: dict[str, NamedQuestion], dataset: Path
) -> dict[str, str]:
    """Return how the file's questions differ from the dataset's, by key.

    Raises an error if all questions differ, or more than one and more than 5 %, because then only the keys match.
    """
    differ = {key: words for key, answer in answers.items() if (words := _difference(answer, asked[key].question))}
    if differ and (len(differ) == len(answers) or len(differ) > max(1, len(answers) / 20)):
        raise ExchangeError(
            f"{path} does not belong to {dataset}: {len(differ):,} of {len(answers):,} questions "
            f"differ, first {next(iter(differ.values()))}"
        )
    return differ


def _difference(answer: ExternalAnswer, question: Question) -> str:
    """Return how the question in the file differs from that of the dataset; empty if they agree."""
    pairs = [("an option", *each) for each in zip(answer.options, (o.text for o in question.options), strict=False)]
    if answer.words and _in_a_line(question.text) not in _in_a_line(answer.words):
        pairs.insert(0, ("its question", answer.words, question.text))
    if not question.hidden and _value(answer.right) != _value(question.right_text):
        pairs.append(("its right answer", answer.right, question.answer))
    for what, there, here in pairs:
        if there and _value(there) != _value(here):
            there, here = (repr(_in_a_line(text)[:120]) for text in (there, here))
            return f"{answer.key[:80]}: {what} is {there} in the file and {here} in the dataset"
    return ""


def _in_a_line(text: str) -> str:
    return " ".join(text.split())


def _value(text: str) -> str | float:
    """Normalise a short text for comparison, because tables of other tools may change 3 to 3.0 and True to TRUE."""
    plain = _in_a_line(text).casefold()
    try:
        return float(plain)
    except ValueError:
        return plain

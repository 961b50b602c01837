"""Import answers produced by another tool as a run, which can be scored and reported like any other."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import msgspec

from countersight.case import TWICE, WORLDS, Question, Reply, ReplyState, Telling, World
from countersight.dataset import Dataset
from countersight.engine import LEFT_OUT, Answering, Prompt, RunFolder
from countersight.errors import ExchangeError
from countersight.exchange.named_questions import FOURTH, PROMPT, key_of
from countersight.registry import Plug, Registry


class QuestionAsPut(msgspec.Struct, frozen=True, kw_only=True):
    """A question as written in another tool's file; missing parts are empty."""

    words: str = ""
    """The whole prompt, which contains the question."""
    options: tuple[str, ...] = ()
    answer: str = ""


class ExternalAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """One answer produced by another tool."""

    key: str
    """The name of its question, as `NamedQuestion.key` gave it."""
    state: ReplyState = "answered"
    text: str = ""
    reason: str = ""
    finish: str = ""
    losses: tuple[float, ...] = ()
    tokens_in: int = 0
    tokens_out: int = 0
    cost: float = 0.0
    seconds: float = 0.0
    model: str = ""
    reasoning: str = ""
    put: QuestionAsPut = QuestionAsPut()
    """The question as written in the file: a dataset with another seed has the same names."""


class ExternalRun(msgspec.Struct, frozen=True, kw_only=True):
    """The content of another tool's files: the model, how it was asked, and its answers."""

    tool: str
    """The tool and its version, if known."""
    model: str
    answers: Callable[[], Iterator[ExternalAnswer]]
    """Return the answers from the first on; may be called repeatedly."""
    settings: dict[str, Any] = {}
    prompt: Prompt = PROMPT
    answering: Answering = "generate"
    fingerprint: str = ""
    """The fingerprint of the dataset, if it was recorded."""
    unfinished: str = ""
    """Why the files say that they are incomplete: "its status is cancelled"."""


OnBad = Callable[[str], None]
Importer = Callable[[Path, OnBad], ExternalRun]

_ROOM = "countersight.exchange"

SOURCES: Registry[Importer] = Registry(
    "tool",
    {
        "inspect": Plug("inspect", "an .eval or .json log of Inspect AI", f"{_ROOM}.inspect:read_log"),
        "lmms-eval": Plug(
            "lmms-eval", "samples written by lmms-eval with --log_samples", f"{_ROOM}.lmms_eval:read_samples"
        ),
        "vlmevalkit": Plug(
            "vlmevalkit", "predictions of VLMEvalKit, .xlsx or .tsv", f"{_ROOM}.vlmevalkit:read_predictions"
        ),
    },
    ExchangeError,
)


class ImportedRun(msgspec.Struct, frozen=True):
    """The result of an import."""

    run: RunFolder
    answers: int
    failed: int
    strays: int
    """Answers to questions that are not in the dataset."""
    repeated: int
    """Further answers to an answered question; the first is used."""
    unanswered: int = 0
    """Questions of the dataset without an answer in the files."""
    unfinished: str = ""
    """Why the files say that they are incomplete; empty if they do not."""


def import_run(
    name: str,
    path: Path | str,
    dataset: Dataset | Path | str,
    out: Path | str,
    *,
    model: str = "",
    on_bad: OnBad = lambda reason: None,
) -> ImportedRun:
    """Import another tool's answers as a new run; `model` names the model if the files do not."""
    opened = dataset if isinstance(dataset, Dataset) else Dataset.open(dataset)
    read: Importer = SOURCES.find(name)[0]
    brought = read(Path(path), _once(on_bad))
    if brought.fingerprint and brought.fingerprint != opened.fingerprint:
        raise ExchangeError(f"{path} belongs to another dataset than {opened.path}, or the rows have changed since")
    rows = _Rows(opened, compared=not brought.fingerprint)
    shown = rows.look_through(Path(path), brought)
    run = _begun(brought, opened, Path(out), model or brought.model, shown=shown)
    come = _filled(run, brought, rows, on_bad, shown=shown)
    if come.unanswered:
        run.observe({LEFT_OUT: {f"the file of {brought.tool} has no answer to them": come.unanswered}})
    return come


_ASKED: tuple[tuple[str, tuple[World, Telling]], ...] = (*WORLDS.items(), (FOURTH, TWICE))
_Place = tuple[int, str, World, Telling]
"""The row, the case, and which of its questions."""


def _once(on_bad: OnBad) -> OnBad:
    """Tell no fault twice: the answers of a file are gone through several times."""
    told: set[str] = set()

    def tell(reason: str) -> None:
        if reason not in told:
            told.add(reason)
            on_bad(reason)

    return tell


class _Rows:
    """Where the questions of a dataset stand, by their names."""

    def __init__(self, dataset: Dataset, *, compared: bool) -> None:
        self._path = dataset.path
        self._known: dict[str, _Place] = {}
        self._questions: dict[str, Question] = {}
        """Compared with the file's own words if the fingerprint of its dataset was not recorded."""
        for row, case in dataset.cases():
            for asking, (world, telling) in _ASKED:
                if question := case.question(world, telling):
                    self._known[key_of(case.id, asking)] = row, case.id, world, telling
                    if compared:
                        self._questions[key_of(case.id, asking)] = question

    def place(self, key: str) -> _Place | None:
        """Where a question stands in the dataset."""
        return self._known.get(key)

    def unanswered(self, seen: set[str], *, shown: bool) -> int:
        """Questions that have no answer; those of a changed picture count where any of them was asked."""
        wanted = ("told", "shown") if shown else ("told",)
        return sum(place[-1] in wanted and key not in seen for key, place in self._known.items())

    def look_through(self, path: Path, brought: ExternalRun) -> bool:
        """Whether any answer is about a picture after the change; refuses files that answer other questions.

        Of another dataset are files of which no question has a known name, or of which too many only share the name.
        """
        first, shown, known, compared, differ = "", False, 0, 0, []
        for each in brought.answers():
            first = first or each.key
            place = self._known.get(each.key)
            known += place is not None
            shown |= place is not None and place[-1] != "told"
            compared += each.key in self._questions
            if told := self.disagreement(each):
                differ.append(told)
        if not known:
            found = f"its first is for {first[:80]!r}" if first else "it has no answers"
            raise ExchangeError(
                f"{path} answers no question of {self._path}: {found}; check that it belongs to this dataset"
            )
        # All of them, or more than one and than one in twenty.
        if 0 < len(differ) == compared or len(differ) > max(1, compared / 20):
            raise ExchangeError(
                f"{path} belongs to another dataset than {self._path}: {len(differ):,} of {compared:,} questions "
                f"differ, first {differ[0]}"
            )
        return shown

    def disagreement(self, answer: ExternalAnswer) -> str:
        """What the file says of a question otherwise than the dataset; nothing where they agree."""
        question = self._questions.get(answer.key)
        told = _disagreement(answer.put, question) if question else ""
        return f"{answer.key[:80]}: {told}" if told else ""


def _begun(brought: ExternalRun, dataset: Dataset, out: Path, model: str, *, shown: bool) -> RunFolder:
    if not model:
        raise ExchangeError("the file does not name the model; name it with `model`")
    if out.exists() and any(out.iterdir()):
        raise ExchangeError(f"{out} exists already; choose another folder for `out`")
    return RunFolder.begin(
        out,
        dataset=dataset,
        model=model,
        settings={"asked with": brought.tool} | brought.settings,
        prompt=brought.prompt,
        shown=shown,
        answering=brought.answering,
    )


def _filled(run: RunFolder, brought: ExternalRun, rows: _Rows, on_bad: OnBad, *, shown: bool) -> ImportedRun:
    seen: set[str] = set()
    failed = strays = repeated = 0
    with run.writing() as journal:
        for each in brought.answers():
            place = rows.place(each.key)
            if place is None:
                strays += 1
            elif told := rows.disagreement(each):
                on_bad(told)
            elif each.key in seen:
                repeated += 1
            else:
                seen.add(each.key)
                failed += each.state == "failed"
                journal.append(_reply(each, *place))
    unanswered = rows.unanswered(seen, shown=shown)
    return ImportedRun(run, len(seen) - failed, failed, strays, repeated, unanswered, brought.unfinished)


def _reply(answer: ExternalAnswer, row: int, case: str, world: World, telling: Telling) -> Reply:
    said = msgspec.structs.asdict(answer)
    del said["key"], said["put"]
    said |= {name: _characters(value) for name, value in said.items() if isinstance(value, str)}
    return Reply(case, row, world, telling, **said)


def _characters(text: str) -> str:
    """The text with half a character as "?": JSON of other tools may hold one, and no file of ours can."""
    return text if text.isascii() else text.encode("utf-8", "replace").decode()


def _disagreement(put: QuestionAsPut, question: Question) -> str:
    """What the file says otherwise than the dataset, as a sentence's end; nothing where they agree."""
    if put.words and _in_a_line(question.text) not in _in_a_line(put.words):
        return _said_otherwise("its question", put.words, question.text)
    for there, here in zip(put.options, question.options, strict=False):
        if there and _value(there) != _value(here.text):
            return _said_otherwise("an option", there, here.text)
    right = {_value(question.answer), _value(question.right_text)}
    if put.answer and not question.hidden and _value(put.answer) not in right:
        return _said_otherwise("its right answer", put.answer, question.answer)
    return ""


def _said_otherwise(what: str, there: str, here: str) -> str:
    return f"{what} is {_in_a_line(there)[:120]!r} there and {_in_a_line(here)[:120]!r} here"


def _in_a_line(text: str) -> str:
    return " ".join(text.split())


def _value(text: str) -> str | float:
    """A short text as tables of other tools keep it: a column of numbers may come back as 3.0, True as TRUE."""
    plain = _in_a_line(text).casefold()
    try:
        return float(plain)
    except ValueError:
        return plain

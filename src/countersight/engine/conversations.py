"""Requests: the turns, text and pictures that are sent for each question of a run."""

from collections.abc import Callable
from contextlib import suppress
from typing import Final

from msgspec.structs import replace

from countersight.case import LETTERS, AnswerKind, Case, Option, Question, Reply, Telling, World
from countersight.dataset import Dataset
from countersight.engine.few_shot import FewShotExamples
from countersight.engine.option_orders import orders_of
from countersight.engine.plan import Ask, answer_options
from countersight.engine.prompts import PromptContext, prompt_context
from countersight.engine.run_folder import RunFolder, RunManifest
from countersight.errors import BadPicture, CountersightError
from countersight.models import Parts, Request, Turn
from countersight.picture import Picture
from countersight.text import several

NamedPictures = tuple[tuple[str, str], ...]
"""Pictures by file name and digest, in order."""
Pictures = tuple[Picture, ...]
_RESTATE_REQUEST = "Do not explain, and do not think it over again. State only your final answer to the question: {}."
RESTATE_REQUESTS: Final[dict[AnswerKind, str]] = {
    "number": _RESTATE_REQUEST.format("a single number, in digits"),
    "boolean": _RESTATE_REQUEST.format("yes or no"),
    "choice": _RESTATE_REQUEST.format("the letter of one option"),
    "open": _RESTATE_REQUEST.format("in as few words as you can"),
}
"""The request to state only the final answer, after an unread reply."""


class NoExample(Exception):  # noqa: N818 - it names what happened
    """Raised if the pool has no example for a question."""


class Conversations:
    """Creates the request for each question of a run."""

    def __init__(
        self,
        manifest: RunManifest,
        dataset: Dataset,
        examples: FewShotExamples | None,
        open_picture: Callable[[str, str], Picture] | None = None,
    ) -> None:
        """Pictures are read from the dataset, unless `open_picture` is given."""
        self._prompt = manifest.prompt
        self._ranked = manifest.answering == "rank"
        self._open_picture = open_picture or dataset.picture
        self._examples = examples
        self._shown: tuple[NamedPictures, Pictures | BadPicture] = ((), ())

    def request(self, ask: Ask) -> Request:
        """Return the request for a question: the conversation that ends with it. Raises BadPicture or NoExample."""
        context, text = prompt_context(ask.case, ask.world, ask.telling), ask.question.text
        key = f"{ask.case.id}/{ask.world}/{ask.telling}"
        if ask.places:
            key += "/" + "".join(LETTERS[place] for place in ask.places)
        alone = f"{context.change} {text}" if context.change else text
        restates = ask.unread.text if ask.unread and ask.unread.text.strip() else ""
        kind = ask.question.unlisted_kind if self._ranked else ask.question.kind
        again = (Turn("assistant", restates), Turn("user", RESTATE_REQUESTS[kind])) if restates else ()
        return Request(
            key=f"{key}/restated" if restates else key,
            turns=(*self._example_turns(ask), *self._question_turns(ask), *again),
            kind=ask.question.kind,
            options=answer_options(ask.question, ranked=self._ranked),
            question=alone if self._prompt.of(ask.world).question else "",
            parts=Parts(text, context.context, context.change),
            restates=restates,
        )

    def _question_turns(self, ask: Ask) -> tuple[Turn, ...]:
        pictures = self._load_pictures(ask)
        context = prompt_context(ask.case, ask.world, ask.telling)
        factual = ask.case.factual
        if ask.fact is None or factual is None:
            return (_user_turn(self._render(ask.question, ask.world, context), pictures),)
        # The model's own answer replaces the one given in the case; both questions are about the same picture.
        return (
            _user_turn(self._render(factual, "factual", prompt_context(ask.case, "factual", "told")), pictures),
            Turn("assistant", _factual_reply(ask.fact, factual)),
            Turn("user", self._render(ask.question, ask.world, replace(context, context=""))),
        )

    def _render(self, question: Question, world: World, context: PromptContext) -> str:
        return self._prompt.of(world).render(question, context, listed=not self._ranked)

    def _example_turns(self, ask: Ask) -> tuple[Turn, ...]:
        """Return an answered question of another case with its picture; empty if the prompt shows no examples."""
        prompt = self._prompt.of(ask.world)
        if self._examples is None or not prompt.shots:
            return ()
        for case in self._examples.candidates(ask.case, ask.world, ask.telling):
            question = case.question(ask.world, ask.telling)
            if question is None or question.hidden:
                continue
            file_names = case.pictures(ask.world, ask.telling) if prompt.picture else ()
            try:
                pictures = tuple(self._examples.pool.picture(*each) for each in file_names)
            except BadPicture:
                continue  # try the next one
            return (
                _user_turn(self._render(question, ask.world, prompt_context(case, ask.world, ask.telling)), pictures),
                Turn("assistant", prompt.solve(case, ask.world, ask.telling, listed=not self._ranked)),
            )
        raise NoExample(
            "there is no example for this question: no case with another picture has the same kind of answer"
        )

    def _load_pictures(self, ask: Ask) -> Pictures:
        """Return the pictures of a question; the last ones are cached, since questions of a case follow each other."""
        file_names = ask.case.pictures(ask.world, ask.telling)
        if not self._prompt.of(ask.world).picture:
            return ()
        if self._shown[0] != file_names:
            opened: list[Picture] = []
            for file_name, digest in file_names:
                try:
                    opened.append(self._open_picture(file_name, digest))
                except BadPicture as error:
                    self._shown = (file_names, BadPicture(f"picture {file_name} {error}"))
                    break
            else:
                self._shown = (file_names, tuple(opened))
        pictures = self._shown[1]
        if isinstance(pictures, BadPicture):
            raise pictures
        return pictures


def _user_turn(text: str, pictures: Pictures) -> Turn:
    return Turn("user", text, pictures[0], pictures[1:]) if pictures else Turn("user", text)


def conversations_of(
    run: RunFolder,
    dataset: Dataset,
    open_picture: Callable[[str, str], Picture] | None = None,
    *,
    pool: Dataset | None = None,
) -> Conversations:
    """Return the conversations of a run; examples come from `pool` if it is given."""
    source = run.manifest.examples
    examples = FewShotExamples(pool or run.examples() or dataset, source.seed) if source else None
    return Conversations(run.manifest, dataset, examples, open_picture)


def _factual_reply(fact: Reply, question: Question) -> str:
    """Return the model's reply to the factual question; for ranked options, the text of the chosen one."""
    options = answer_options(question, ranked=True)
    chosen = len(fact.losses) == len(options) > 0 and not fact.restates
    return options[smallest(fact.losses)].text if chosen else fact.restates or fact.text


def smallest(losses: tuple[float, ...]) -> int:
    """Return the index of the smallest loss, whose option is the answer (CFMM, section 3.4)."""
    return min(range(len(losses)), key=losses.__getitem__)


def ranked_answer(kind: AnswerKind, options: tuple[Option, ...], losses: tuple[float, ...]) -> str:
    """Return the answer from ranked options: yes or no, or the letter of the option with the smallest loss."""
    best = smallest(losses)
    return options[best].text if kind == "boolean" else LETTERS[best]


_UNOPENED = Picture(b"", "", 0, 0)
"""A placeholder for a picture that is mentioned but not opened."""


class SentRequests:
    """The requests of one run, as text."""

    def __init__(self, run: RunFolder, dataset: Dataset) -> None:
        self._manifest = run.manifest
        self._conversations: Conversations | None = None
        with suppress(CountersightError):  # without the dataset of its examples, the request cannot be reconstructed
            self._conversations = conversations_of(run, dataset, open_picture=lambda name, digest: _UNOPENED)

    def text(self, row: int, case: Case, world: World, telling: Telling, fact: Reply | None = None) -> str:
        """Return the conversation that was sent to the model, turn by turn; empty if it can no longer be reconstructed.

        `fact` is the model's own answer to the factual question, which some prompts put before the question.
        """
        question = case.question(world, telling)
        prompt = self._manifest.prompt.of(world)
        if self._conversations is None or question is None:
            return ""
        answer_before = fact if prompt.fact and (world, telling) == ("counterfactual", "told") else None
        try:
            request = self._conversations.request(Ask(row, case, world, telling, question, answer_before))
        except (BadPicture, NoExample):
            return ""
        lines = [_describe_turn(turn, alone=len(request.turns) == 1) for turn in request.turns]
        if self._manifest.answering == "rank":
            if prompt.reads == "end":
                lines += ["assistant: (its reasoning)", f"user: {prompt.concluding}"]
            lines.append("(each option is ranked as a continuation)")
        elif prompt.orders != "one" and question.kind == "choice":
            more = len(orders_of(len(question.options), prompt.orders)) - 1
            lines.append(f"(repeated {several(more, 'time')}, with the options in other orders)")
        return "\n\n".join(lines)


def _describe_turn(turn: Turn, *, alone: bool) -> str:
    pictures = "[picture] " * len(turn.pictures)
    return f"{pictures}{turn.text}" if alone else f"{turn.role}: {pictures}{turn.text}"

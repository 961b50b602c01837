"""A question as it is put to a model: the turns that come before it, its words, and its picture."""

from collections.abc import Callable
from typing import Final

from msgspec.structs import replace

from countersight.case import LETTERS, AnswerKind, Option, Question, Reply, World
from countersight.dataset import Dataset
from countersight.engine import Told, told
from countersight.engine.examples import Examples
from countersight.engine.plan import Ask, offered
from countersight.engine.run_folder import Manifest, RunFolder
from countersight.errors import BadPicture
from countersight.models import Parts, Request, Turn
from countersight.picture import Picture

Named = tuple[tuple[str, str], ...]
"""Pictures by file name and digest, in order."""
Pictures = tuple[Picture, ...]
_RESTATE = "Do not explain, and do not think it over again. State only your final answer to the question: {}."
RESTATE: Final[dict[AnswerKind, str]] = {
    "number": _RESTATE.format("a single number, in digits"),
    "boolean": _RESTATE.format("yes or no"),
    "choice": _RESTATE.format("the letter of one option"),
    "open": _RESTATE.format("in as few words as you can"),
}
"""What a model is asked after a reply of its own in which no answer was found."""


class NoExample(Exception):  # noqa: N818 - it names what happened
    """A question for which the pool holds no example."""


class Conversations:
    """Makes the request for each question of a run."""

    def __init__(
        self,
        manifest: Manifest,
        dataset: Dataset,
        examples: Examples | None,
        open_picture: Callable[[str, str], Picture] | None = None,
    ) -> None:
        """Pictures are opened in the dataset by their name and digest, unless something else is to open them."""
        self._prompt = manifest.prompt
        self._ranked = manifest.answering == "rank"
        self._open_picture = open_picture or dataset.picture
        self._examples = examples
        self._shown: tuple[Named, Pictures | BadPicture] = ((), ())

    def request(self, ask: Ask) -> Request:
        """The conversation that a question ends; raises BadPicture, or NoExample."""
        beside = told(ask.case, ask.world, ask.telling)
        key = f"{ask.case.id}/{ask.world}/{ask.telling}" + (f"/{_letters(ask.places)}" if ask.places else "")
        restates = ask.unread.text if ask.unread and ask.unread.text.strip() else ""
        kind = ask.question.unlisted_kind if self._ranked else ask.question.kind
        again = (Turn("assistant", restates), Turn("user", RESTATE[kind])) if restates else ()
        return Request(
            key=f"{key}/restated" if restates else key,
            turns=(*self._example(ask), *self._asked(ask), *again),
            kind=ask.question.kind,
            options=offered(ask.question, ranked=self._ranked),
            question=_alone(ask) if self._prompt.of(ask.world).question else "",
            parts=Parts(ask.question.text, beside.context, beside.change),
            restates=restates,
        )

    def _asked(self, ask: Ask) -> tuple[Turn, ...]:
        shown = self._load(ask)
        beside = told(ask.case, ask.world, ask.telling)
        factual = ask.case.factual
        if ask.fact is None or factual is None:
            return (_turn(self._words(ask.question, ask.world, beside), shown),)
        # The model's own answer takes the place of the one the case tells; and both questions are about one picture.
        return (
            _turn(self._words(factual, "factual", told(ask.case, "factual", "told")), shown),
            Turn("assistant", _said(ask.fact, factual)),
            Turn("user", self._words(ask.question, ask.world, replace(beside, context=""))),
        )

    def _words(self, question: Question, world: World, beside: Told) -> str:
        return self._prompt.of(world).render(question, beside, listed=not self._ranked)

    def _example(self, ask: Ask) -> tuple[Turn, ...]:
        """An answered question of another case, with its own picture; nothing where the prompt shows none."""
        prompt = self._prompt.of(ask.world)
        if self._examples is None or not prompt.shots:
            return ()
        for case in self._examples.candidates(ask.case, ask.world, ask.telling):
            question = case.question(ask.world, ask.telling)
            if question is None or question.hidden:
                continue
            named = case.pictures(ask.world, ask.telling) if prompt.picture else ()
            try:
                shown = tuple(self._examples.pool.picture(*each) for each in named)
            except BadPicture:
                continue  # the next one will do
            return (
                _turn(self._words(question, ask.world, told(case, ask.world, ask.telling)), shown),
                Turn("assistant", prompt.solve(case, ask.world, ask.telling, listed=not self._ranked)),
            )
        raise NoExample("there is no example for it: no case with another picture asks for such an answer")

    def _load(self, ask: Ask) -> Pictures:
        """The pictures of a question; the questions of a case follow each other, so the last ones are kept."""
        named = ask.case.pictures(ask.world, ask.telling)
        if not self._prompt.of(ask.world).picture:
            return ()
        if self._shown[0] != named:
            self._shown = (named, self._opened(named))
        found = self._shown[1]
        if isinstance(found, BadPicture):
            raise found
        return found

    def _opened(self, named: Named) -> Pictures | BadPicture:
        found: list[Picture] = []
        for file_name, digest in named:
            try:
                found.append(self._open_picture(file_name, digest))
            except BadPicture as error:
                return BadPicture(f"picture {file_name} {error}")
        return tuple(found)


def _turn(text: str, shown: Pictures) -> Turn:
    return Turn("user", text, shown[0], shown[1:]) if shown else Turn("user", text)


def conversations_of(
    run: RunFolder, dataset: Dataset, open_picture: Callable[[str, str], Picture] | None = None
) -> Conversations:
    """The conversations of a run as they were put to its model, for whoever shows them again."""
    pool = run.manifest.examples
    if pool is None:
        return Conversations(run.manifest, dataset, None, open_picture)
    return Conversations(run.manifest, dataset, Examples(run.examples() or dataset, pool.seed), open_picture)


def _alone(ask: Ask) -> str:
    """The question without a prompt, after the change where it does not tell that itself."""
    change = told(ask.case, ask.world, ask.telling).change
    return f"{change} {ask.question.text}" if change else ask.question.text


def _said(fact: Reply, question: Question) -> str:
    """What the model said about the picture as it is; of options that were ranked, the text of the one it chose."""
    options = offered(question, ranked=True)
    chosen = len(fact.losses) == len(options) > 0 and not fact.restates
    return options[smallest(fact.losses)].text if chosen else fact.restates or fact.text


def smallest(losses: tuple[float, ...]) -> int:
    """The place of the option with the smallest loss, which is the answer (CFMM 3.4)."""
    return min(range(len(losses)), key=losses.__getitem__)


def ranked_answer(kind: AnswerKind, options: tuple[Option, ...], losses: tuple[float, ...]) -> str:
    """What options that were ranked come to: yes or no, or the letter of the one with the smallest loss."""
    best = smallest(losses)
    return options[best].text if kind == "boolean" else LETTERS[best]


def _letters(places: tuple[int, ...]) -> str:
    return "".join(LETTERS[place] for place in places)

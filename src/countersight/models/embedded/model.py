"""The embedded model; concurrent questions are answered in batches."""

import re
from pathlib import Path
from typing import Any, Final

from msgspec.structs import replace

from countersight.case import LETTERS
from countersight.english import NUMBER_WORDS
from countersight.errors import AskingFailed, ModelError
from countersight.models.batching import Batcher
from countersight.models.protocol import Answer, Displayed, ModelSettings, Request, check_options
from countersight.scenes import COLOURS

WORLDS = {"embedded": "both", "embedded:factual": "factual"}
"""The kind of questions that each checkpoint was trained on: only factual ones, or also counterfactual ones."""
BATCH = 64
"""The maximum number of questions in a batch."""
ROOM = BATCH * 360
"""The maximum number of characters in a batch, padded to the longest question, to limit memory."""
AS_NUMBER = "Answer with a single number."


_MARKED = re.compile(r"^\(?([A-Z])[.)] *(?=\S)", re.MULTILINE)


class Embedded(Displayed):
    """A small vision-language model trained on generated scenes; it ships with the package. See its MODEL_CARD.md."""

    needs_picture = True
    picture_limits = (1, 1)

    def __init__(self, name: str, settings: ModelSettings, folder: Path | None = None) -> None:
        from countersight.models.embedded.weights import files_of, fingerprint, read_weights, weights_folder

        if name not in WORLDS:
            raise ModelError(f"there is no model {name!r}; the embedded ones are: {', '.join(WORLDS)}")
        self.name = name
        folder = folder or weights_folder()
        self._folder, self._most, self._loss = folder, settings.max_tokens, settings.loss
        for file in files_of(WORLDS[name]):
            read_weights(folder, file)  # finds damaged files before a run starts, not at the first question
        self.settings: dict[str, Any] = {
            "max_tokens": settings.max_tokens,
            "weights": fingerprint(folder, WORLDS[name]),
        }
        self._inference: Any = None
        self._batcher: Batcher[Any] = Batcher(self._answers, _next_batch)

    async def reply(self, request: Request) -> Answer:
        """Return the next turn of a conversation."""
        text, read, written = await self._batcher.ask(_conversation(request))
        from countersight.models.embedded.inference import LONGEST

        text = limit_to_card(text, request.turns[-1].text)
        finish = "length" if written >= min(self._most, LONGEST) else "stop"
        return Answer(text, finish=finish, tokens_in=read, tokens_out=written, model=self.name)

    async def losses(self, request: Request) -> tuple[float, ...]:
        """Return the loss of each option as the answer to the question without its options, so that their order has no
        effect."""
        check_options(request)
        conversation = _conversation(without_options(request))
        answers = option_answers(request)
        return tuple(await self._batcher.run(lambda: self._loaded().losses(conversation, answers, self._loss)))

    async def close(self) -> None:
        """Cancel waiting questions and free the memory."""
        await self._batcher.close()
        self._inference = None

    def _answers(self, asked: list[Any]) -> Any:
        return self._loaded().answer(asked, self._most)

    def _loaded(self) -> Any:
        if self._inference is None:
            from countersight.models.embedded.inference import Inference

            self._inference = Inference(self._folder, WORLDS[self.name])
        return self._inference


def without_options(request: Request) -> Request:
    """Return the request with the list of options, and any text after it, removed from the last question."""
    *before, last = request.turns
    listed = "\n".join(f"{LETTERS[nth]}: {option.text}" for nth, option in enumerate(request.options))
    question, found, _ = last.text.partition(f"\n{listed}")
    if not found:
        return request
    alone = replace(last, text=f"{question}\n{AS_NUMBER}")
    return replace(request, turns=(*before, alone))


def option_answers(request: Request) -> list[str]:
    """Return each option in the form of the model's answers."""
    if request.kind == "boolean":
        return [f"{option.text.capitalize()}." for option in request.options]
    return [option.text for option in request.options]


def _next_batch(waiting: list[Any]) -> list[int]:
    """Return the positions of the next batch of conversations, within the limits `BATCH` and `ROOM`."""
    longest = count = 0
    for conversation in waiting[:BATCH]:
        longest = max(longest, sum(len(text) for _, text in conversation.turns))
        if count and (count + 1) * longest > ROOM:
            break
        count += 1
    return list(range(count))


def _conversation(request: Request) -> Any:
    from countersight.models.embedded.inference import Conversation

    shown = [turn for turn in request.turns if turn.picture is not None]
    if not shown:
        raise AskingFailed("the embedded model needs a picture", again=False)
    if shown[-1].further:
        raise AskingFailed("the embedded model accepts one picture at a time", again=False)
    return Conversation(
        tuple((turn.role, normalise_options(turn.text)) for turn in request.turns), shown[-1].pictures[0]
    )


def normalise_options(text: str) -> str:
    """Rewrite markers of options such as "A. 3" or "A) 3" to the trained form "A: 3"."""
    return _MARKED.sub(r"\1: ", text)


def open_embedded(name: str, target: str, settings: ModelSettings) -> Embedded:
    """Open the model `embedded` or `embedded:factual`."""
    return Embedded(name, settings)


UNKNOWN: Final = "I do not know."
"""The answer to counting questions that the model card excludes.

The decoders learned only exact amounts, and colour changes of all objects of a kind. They misread similar questions:
"more than 4" as 4, and painting some dots as removing them."""
CHECKED = 4_000
"""The number of characters at the end of the question that are checked, which is more than the decoders read."""

_NUMBER = rf"(?:\d+|{'|'.join(NUMBER_WORDS)})"
_INEXACT = re.compile(
    r"\b(?:"
    rf"(?:more|fewer|less) than {_NUMBER}"
    rf"|(?:at least|at most|up to|about|around|some|something like|nearly|almost|possibly|probably) {_NUMBER}"
    rf"|(?:roughly|approximately|close to|not quite|if under|if over|upwards of) {_NUMBER}"
    rf"|between {_NUMBER} and {_NUMBER}"
    rf"|{_NUMBER} ?(?:-|–|to) ?{_NUMBER}"
    rf"|{_NUMBER}(?: \w+)? or (?:so|thereabouts|more|fewer|less|{_NUMBER})"
    rf"|{_NUMBER} (?:dots?|flowers?|of them),? (?:at most|at least|give or take|plus or minus)"
    r"|(?:several|a few|a handful of|a couple of) (?:of the )?(?:dots|flowers)"
    r")\b(?! (?:words?|sentences?|lines?)\b)",  # not about the length of the answer
    re.IGNORECASE,
)
_SOME_COLOURED = re.compile(
    rf"\b{_NUMBER} (?:of (?:the|these|those|its|all the) )?(?:of them|dots?|flowers?)"
    rf"(?: (?:were|was|are|is|had|have|has|been))* (?:{'|'.join(COLOURS)})\b(?! (?:polygon|shape|region|area|one))",
    re.IGNORECASE,
)
_COMPARING = re.compile(r"\bby how (?:many|much)\b|\b(?:difference|exceeds?|outnumbers?)\b", re.IGNORECASE)
_SENTENCE_END = re.compile(r"[.?!\n]")
_DOTS_IN_POLYGONS = (re.compile(r"\bdots?\b", re.IGNORECASE), re.compile(r"\bpolygons?\b", re.IGNORECASE))
_FLOWERS_IN_CIRCLES = (re.compile(r"\bflowers?\b", re.IGNORECASE), re.compile(r"\bcircles?\b", re.IGNORECASE))
_COUNT = re.compile(r"\d+|[A-Z]")


def limit_to_card(said: str, question: str) -> str:
    """Return the model's answer, or `UNKNOWN` if it is a count or letter and the model card excludes the question."""
    return UNKNOWN if _COUNT.fullmatch(said) and is_out_of_scope(question) else said


def is_out_of_scope(question: str) -> bool:
    """Whether a question mentions an inexact amount, a partial change of colour, a difference, or dots in polygons.

    Such questions occur neither in the suites nor among the counting questions of the training data.
    """
    question = question[-CHECKED:]
    if any(pattern.search(question) for pattern in (_INEXACT, _SOME_COLOURED, _COMPARING)):
        return True
    return any(
        thing.search(sentence) and place.search(sentence)
        for sentence in _SENTENCE_END.split(question)
        for thing, place in (_DOTS_IN_POLYGONS, _FLOWERS_IN_CIRCLES)
    )

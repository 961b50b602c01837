"""Conversations and answers as a model takes them in: written in its own form, then numbers for words and pictures."""

import contextlib
import copy
import datetime
import re
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, replace
from inspect import signature
from typing import Any, TypeVar
from weakref import WeakKeyDictionary

from msgspec import structs
from PIL import Image

from countersight.errors import AskingFailed, BadPicture, ModelError
from countersight.models.protocol import Request, Turn
from countersight.picture import as_seen
from countersight.system import cores
from countersight.text import printable, several

Result = TypeVar("Result")
Prompt = dict[str, Any]
"""What a model takes in, by the name of the input."""

_QUESTION_OF_PICTURES = "qformer_"
"""Begins the names of inputs that the part between eye and words reads by itself, from the first place on."""


def process(processor: Any, text: str, pictures: Sequence[Image.Image], begin: str | None = None) -> Prompt:
    """What a processor makes of one written conversation; raises whatever it raises.

    `begin` is the token that begins a text. Where a template has written it, it must not stand there twice.
    """
    how = {
        "padding": True,
        "add_special_tokens": not (begin and text.startswith(begin)),
        "return_tensors": "pt",
    }
    if not pictures:
        made = processor(text=[text], images=None, **how)
    else:
        try:
            made = processor(text=[text], images=[list(pictures)], **how)
        except Exception:  # families for one picture take no lists of lists; if that was not it, it fails again
            made = processor(text=[text], images=list(pictures), **how)
    made.pop("labels", None)
    return dict(made)


def beside_words(prompt: Prompt) -> list[str]:
    """Names of the inputs that hold something for every token, the tokens themselves among them."""
    words = prompt["input_ids"].shape
    return [
        name
        for name, value in prompt.items()
        if hasattr(value, "is_floating_point")
        and not value.is_floating_point()
        and value.shape[:2] == words
        and not name.startswith(_QUESTION_OF_PICTURES)
    ]


def grown(prompt: Prompt, number: int, value_of: dict[str, int]) -> Prompt:
    """The prompt with room for so many more tokens behind it.

    Beside them stands what stands beside the last word, or else the value of that name.
    """
    import torch

    longer = dict(prompt)
    for name in beside_words(prompt):
        last = prompt[name][:, -1:]
        last = torch.full_like(last, value_of[name]) if name in value_of else last
        longer[name] = torch.cat([prompt[name], last.expand(-1, number, *last.shape[2:])], dim=1)
    return longer


def joined(prompts: Sequence[Prompt], filling: int, *, behind: bool = False) -> Prompt:
    """Several conversations as one batch; shorter ones begin with `filling`, or end `behind` themselves with it.

    Processors would do it themselves, but some of them put the filling where it changes what the model writes.
    """
    if len(prompts) == 1:
        return dict(prompts[0])
    length = max(prompt["input_ids"].shape[1] for prompt in prompts)
    words = [_filled(prompt, length, filling, behind=behind) for prompt in prompts]
    return {name: _batch([prompt[name] for prompt in words]) for name in words[0]}


def _filled(prompt: Prompt, length: int, filling: int, *, behind: bool) -> Prompt:
    import torch

    missing = length - prompt["input_ids"].shape[1]
    made = dict(prompt)
    for name in beside_words(prompt):
        beside = prompt[name][:, -1:]
        if name in ("input_ids", "attention_mask"):
            beside = torch.full_like(beside, filling if name == "input_ids" else 0)
        parts = [beside.expand(-1, missing, *beside.shape[2:]), prompt[name]]
        made[name] = torch.cat(parts[::-1] if behind else parts, dim=1)
    return made


def _batch(values: Sequence[Any]) -> Any:
    if hasattr(values[0], "dim"):
        return batch_of(values)
    return [part for value in values for part in value] if isinstance(values[0], list) else values[0]


def batch_of(values: Sequence[Any]) -> Any:
    """Inputs of several conversations as those of one batch, smaller ones filled up with nought as processors do."""
    import torch

    sizes = [max(value.shape[axis] for value in values) for axis in range(1, values[0].dim())]
    if all(list(value.shape[1:]) == sizes for value in values):
        return torch.cat(list(values))
    made = values[0].new_zeros((sum(len(value) for value in values), *sizes))
    start = 0
    for value in values:
        made[(slice(start, start + len(value)), *map(slice, value.shape[1:]))] = value
        start += len(value)
    return made


DAY = datetime.date(2024, 7, 26)
"""Templates that tell the model the date tell it this one, so that a run asks the same on whatever day. It is the one
that Llama's own template falls back on."""
_TODAY = re.compile(r"""strftime_now\(\s*(["'])(.*?)\1\s*\)""")
_PROBE = "§answer§"
"""Stands for an answer where we look how a template writes one; no template has it in its own words."""


@dataclass(frozen=True, slots=True)
class PromptForm:
    """The written form of one model's conversations."""

    tokenizer: Any
    family: str
    template: str | None
    mark: str
    """What stands for a picture before the processor makes it as long as the picture needs; empty where the processor
    puts pictures to the front by itself."""
    before_answer: str
    """What stands between a conversation and the answer: a space, or nothing."""
    reserved: re.Pattern[str]
    """Every word that the model takes for a sign of its own: text from data must not hold them."""

    words_only: bool = False
    """Whether it looks at no pictures, and its template takes a turn's text instead of parts."""

    def write(self, turns: Sequence[Turn]) -> str:
        """The conversation up to where the answer begins, with one mark for each picture."""
        turns = [structs.replace(turn, text=self.harmless(turn.text)) for turn in turns]
        if self.template is not None:
            return _rendered(self.tokenizer, self.template, [self._message(turn) for turn in turns], opened=True)
        if self.words_only:
            return "\n".join(turn.text for turn in turns)
        pictures = sum(len(turn.pictures) for turn in turns)
        return self.mark * pictures + _PLAIN.get(self.family, _questions)(turns)

    def _message(self, turn: Turn) -> dict[str, Any]:
        if self.words_only:
            return {"role": turn.role, "content": turn.text}
        pictures = [{"type": "image"} for _ in turn.pictures]
        return {"role": turn.role, "content": [*pictures, {"type": "text", "text": turn.text}]}

    def harmless(self, text: str) -> str:
        """Text of a question or an option without words that are signs of the model's.

        One that speaks of "<image>" or ends the turn by itself would derange the conversation, or steer it.
        """
        return self.reserved.sub(_broken, text)


def find_form(processor: Any, family: str, *, words_only: bool = False) -> PromptForm:
    """The form in which a model's conversations are written."""
    tokenizer = processor.tokenizer
    mark = getattr(processor, "image_token", None)
    mark = str(getattr(mark, "content", mark) or "")
    templates = filter(None, map(_template, (processor, tokenizer)))
    template = next((found for found in templates if words_only or _shows(tokenizer, found)), None)
    if template is None and mark and _puts_pictures_itself(processor, mark):
        mark = ""
    return PromptForm(
        tokenizer=tokenizer,
        family=family,
        template=template,
        mark=mark,
        before_answer=_before_answer(tokenizer, template, family, words_only=words_only),
        reserved=_reserved(tokenizer, mark),
        words_only=words_only,
    )


def _puts_pictures_itself(processor: Any, mark: str) -> bool:
    """Whether a processor puts the place of a picture into a text by itself: BLIP-2, Florence-2, Kosmos-2.5.

    Then it is there without a mark, and a mark would be one too many.
    """
    without = _places(processor, "?", mark)
    return bool(without) and _places(processor, f"{mark}?", mark) != without


def _places(processor: Any, text: str, mark: str) -> int | None:
    """How many tokens stand for a picture that is shown with a text; None where the processor refuses it."""
    try:
        made = process(processor, text, [Image.new("RGB", (64, 64))], processor.tokenizer.bos_token)
    except Exception:  # it misses the mark of the picture, or has one too many, and says so in its own way
        return None
    number = getattr(processor, "image_token_id", None) or processor.tokenizer.convert_tokens_to_ids(mark)
    return int((made["input_ids"] == number).sum())


def _template(holder: Any) -> str | None:
    """The template of a processor or a tokenizer; of several, the one for plain conversations."""
    template = getattr(holder, "chat_template", None)
    if isinstance(template, dict):
        template = template.get("default")
    return _TODAY.sub(lambda call: repr(DAY.strftime(call[2])), template) if template else None


def _shows(tokenizer: Any, template: str) -> bool:
    """Whether a template knows of pictures; that of a language model alone leaves them out, or fails."""
    words = {"type": "text", "text": _PROBE}
    try:
        shown, without = (
            _rendered(tokenizer, template, [{"role": "user", "content": content}], opened=True)
            for content in ([{"type": "image"}, words], [words])
        )
    except AskingFailed as error:
        if "image" in template:
            raise ModelError(str(error)) from None
        return False
    # One for texts alone may print the parts as Python writes them.
    return shown != without and _PROBE in shown and "'type'" not in shown


def _before_answer(tokenizer: Any, template: str | None, family: str, *, words_only: bool) -> str:
    """What the template writes before an answer of the model's that stands in the conversation already."""
    if template is None:
        return "" if family == "paligemma" else " "
    question, answer = ("?", _PROBE) if words_only else ([{"type": "text", "text": text}] for text in ("?", _PROBE))
    asked = [{"role": "user", "content": question}]
    told = [*asked, {"role": "assistant", "content": answer}]
    opened = _rendered(tokenizer, template, asked, opened=True)
    try:
        closed = _rendered(tokenizer, template, told, opened=False)
    except AskingFailed:
        closed = ""
    between, found, _ = closed.removeprefix(opened).partition(_PROBE)
    if found and closed.startswith(opened) and not between.strip():
        return between
    return "" if opened.endswith(("\n", " ", "]", ">")) else " "


def _rendered(tokenizer: Any, template: str, messages: list[dict[str, Any]], *, opened: bool) -> str:
    try:
        return str(
            tokenizer.apply_chat_template(
                messages,
                chat_template=template,
                tokenize=False,
                add_generation_prompt=opened,
            )
        )
    except Exception as error:  # a template is a program of the model's makers
        raise AskingFailed(
            f"the model's chat template cannot write this conversation ({printable(str(error))[:200]})", again=False
        ) from None


def _questions(turns: Sequence[Turn]) -> str:
    """As BLIP-2 is asked; models that never learned to converse go on after it too."""
    parts = [f"Question: {turn.text} Answer:" if turn.role == "user" else turn.text for turn in turns]
    return " ".join(parts)


def _vicuna(turns: Sequence[Turn]) -> str:
    """As LLaVA 1.5 was trained; its older copies come without a template."""
    parts = [f"USER: {turn.text} ASSISTANT:" if turn.role == "user" else f"{turn.text}</s>" for turn in turns]
    return "\n" + " ".join(parts)


def _plainly(turns: Sequence[Turn]) -> str:
    """The question by itself, as InstructBLIP and PaliGemma are asked; talks of more turns are written as such."""
    return turns[0].text if len(turns) == 1 else _questions(turns)


_PLAIN: dict[str, Callable[[Sequence[Turn]], str]] = {
    "instructblip": _plainly,
    "paligemma": _plainly,
    "llava": _vicuna,
}


def _reserved(tokenizer: Any, mark: str) -> re.Pattern[str]:
    words = {str(token) for token in (*tokenizer.all_special_tokens, *tokenizer.get_added_vocab(), mark)}
    # Words of one sign or made of spaces alone are part of ordinary text in some vocabularies.
    words = {word for word in words if len(word.strip()) > 2}
    longest_first = sorted(words, key=len, reverse=True)
    return re.compile("|".join(map(re.escape, longest_first)) or r"(?!)")


def _broken(word: re.Match[str]) -> str:
    """The word with a space in it: a person reads the same, the tokenizer does not."""
    return f"{word[0][0]} {word[0][1:]}"


@dataclass(frozen=True, slots=True)
class Loaded:
    """A model that is ready to compute, and what turns conversations into its inputs."""

    name: str
    model: Any
    processor: Any
    tokenizer: Any
    family: str
    """As transformers names it: llava, qwen2_5_vl, blip-2 and so on."""
    form: PromptForm
    """How its conversations are written."""
    answers_apart: bool
    """Whether a decoder of its own writes the answer (T5), instead of one that goes on after the prompt."""
    decoder_start: int | None
    """The token with which such a decoder begins."""
    longest: int
    """The most tokens of prompt and answer together that it has places for."""

    @property
    def device(self) -> Any:
        """Where its inputs belong."""
        return self.model.device


class Feed(dict[int, Request]):
    """The requests of a batch by their numbers. More may be added while it is computed; what is answered is let go."""

    def __init__(
        self, requests: Iterable[Request], most: int = 0, further: Callable[[], Iterable[Request]] = lambda: ()
    ) -> None:
        super().__init__(enumerate(requests))
        self.most = most or len(self)
        """So many answers may be under way at a time."""
        self._further, self._number = further, len(self)

    def more(self) -> list[int]:
        """Add what has come in meanwhile and there is room for, and say by which numbers."""
        added = dict(enumerate(self._further(), self._number))
        self.update(added)
        self._number += len(added)
        return list(added)

    def answered(self, results: Iterable[tuple[int, Result]]) -> Iterator[tuple[int, Result]]:
        """What comes of each of them, which is let go then."""
        for number, result in results:
            del self[number]
            yield number, result


MANY = 64
"""No conversation of ours shows more pictures."""
_KINDS = "mm_token_type_ids"
"""The input that tells words from pictures; some processors leave it out though their models ask for it."""
PICTURES = {"blip-2": (1, 1), "instructblip": (1, 1), "paligemma": (1, MANY)}
"""The fewest and the most pictures in a conversation, for families that do not take any number."""


def pictures_of(*requests: Request) -> list[list[Image.Image]]:
    """The pictures of each conversation, as a viewer would show them; one that several show is decoded once."""
    seen: dict[int, Image.Image] = {}
    try:
        for picture in (picture for request in requests for picture in request.pictures):
            if id(picture.data) not in seen:
                seen[id(picture.data)] = as_seen(picture)
    except BadPicture as error:
        raise AskingFailed(f"the picture {error}", again=False) from None
    return [[seen[id(picture.data)] for picture in request.pictures] for request in requests]


def picture_limits(family: str) -> tuple[int, int]:
    """The fewest and the most pictures that a family takes in one conversation."""
    return PICTURES.get(family, (0, MANY))


def check(loaded: Loaded, request: Request) -> None:
    """Refuse a conversation that this family cannot have."""
    shown = len(request.pictures)
    fewest, most = picture_limits(loaded.family)
    if not fewest <= shown <= most:
        wanted = several(most, "picture") if shown > most else "a picture"
        raise AskingFailed(f"{loaded.family} models accept {wanted} per conversation, not {shown}", again=False)


def inputs(loaded: Loaded, requests: Sequence[Request], pictures: Sequence[Sequence[Image.Image]]) -> Prompt:
    """What the model takes in for conversations with the same number of pictures each; shorter ones begin with padding.

    The values are tensors on the device of the model.
    """
    return batch(loaded, [prepared(loaded, *each) for each in zip(requests, pictures, strict=True)])


def batch(loaded: Loaded, prompts: Sequence[Prompt]) -> Prompt:
    """Conversations that were prepared one by one as one batch on the device of the model."""
    # One that reads the whole prompt before it answers counts its words from the first place.
    made = joined(prompts, filling(loaded), behind=loaded.answers_apart)
    return {name: _placed(loaded, value) for name, value in made.items()}


def prepared(loaded: Loaded, request: Request, pictures: Sequence[Image.Image]) -> Prompt:
    """What the model takes in for one conversation, before it is brought to the device."""
    try:
        made = process(loaded.processor, loaded.form.write(request.turns), pictures, loaded.tokenizer.bos_token)
        words = made["input_ids"]
    except AskingFailed:
        raise
    except Exception as error:  # every family's processor refuses in its own words
        said = printable(str(error) or type(error).__name__)[:200]
        raise AskingFailed(f"the model's processor cannot process the question ({said})", again=False) from None
    if words.shape[1] >= loaded.longest:
        raise AskingFailed(
            f"the conversation has {words.shape[1]:,} tokens; the model accepts at most {loaded.longest:,}", again=False
        )
    if "image_grid_thw" in made and _KINDS not in made and _KINDS in signature(loaded.model.forward).parameters:
        made[_KINDS] = (words == loaded.processor.image_token_id).to(words.dtype)
    return made


def filling(loaded: Loaded) -> int:
    """The token that stands where a conversation is shorter than its neighbours."""
    return int(loaded.tokenizer.pad_token_id or 0)


def answers_tokens(loaded: Loaded, prompt: str, answers: Sequence[str]) -> list[list[int]]:
    """The tokens of each answer to a prompt, as `Form.write` wrote it.

    They are what tokenising prompt and answer in one piece gives beyond the tokens of the prompt. Where the end of the
    prompt would melt into the answer they are those of the answer alone: the tokens of the prompt never change, so
    that all answers to a question follow the very same ones. Tokenising all at once takes a tenth of the time.
    """

    def tokens(*texts: str) -> list[list[int]]:
        return [list(found) for found in loaded.tokenizer(list(texts), add_special_tokens=False)["input_ids"]]

    answers = [loaded.form.harmless(answer) for answer in answers]
    if loaded.answers_apart:
        return tokens(*answers)
    answers = [loaded.form.before_answer + answer for answer in answers]
    if loaded.family == "paligemma":
        prompt += "\n"  # so its processor ends every prompt
    before, *whole = tokens(prompt, *(prompt + answer for answer in answers))
    return [
        both[len(before) :] if both[: len(before)] == before else tokens(answer)[0]
        for both, answer in zip(whole, answers, strict=True)
    ]


def with_answer(loaded: Loaded, prompt: Prompt, answer: list[int]) -> Prompt:
    """The inputs of one conversation with an answer behind it, of which the model may see no more than it has said."""
    import torch

    # PaliGemma reads the question to and fro and marks it 0; what is marked 1 sees only what stands before it.
    said = grown(prompt, len(answer), {"token_type_ids": 1} if loaded.family == "paligemma" else {})
    said["input_ids"][:, -len(answer) :] = torch.tensor([answer], device=prompt["input_ids"].device)
    return said


def _placed(loaded: Loaded, value: Any) -> Any:
    if isinstance(value, list):
        return [_placed(loaded, part) for part in value]
    if not hasattr(value, "is_floating_point"):
        return value
    return value.to(loaded.device, loaded.model.dtype if value.is_floating_point() else None)


THREADS = 4
"""More would keep the one from work that feeds the device, since Python runs one at a time: on an H200 eight are 15 %
slower than four."""
AHEAD = 4
"""For each thread, so many conversations are prepared before it is their turn."""
Pictures = list[Image.Image]
Asked = TypeVar("Asked")
Made = TypeVar("Made")

_calls: WeakKeyDictionary[Any, tuple[bool, dict[str, Any]]] = WeakKeyDictionary()
"""How each processor calls its part for pictures: with lists of lists or one list, and with which settings."""


class PicturesOnce:
    """Stands in the place of a processor's part for pictures, and remembers what it made of those under way.

    Processors prepare pictures anew for every conversation. Here the second conversation about a picture gets what was
    made for the first. How the processor calls its part for pictures turns out with its first call; from then on
    pictures are prepared by threads before they are asked for.
    """

    def __init__(self, loaded: Loaded) -> None:
        self._processor, self._dtype = loaded.processor, loaded.model.dtype
        self._part = loaded.processor.image_processor
        self._made: dict[tuple[int, ...], tuple[Any, Any]] = {}
        """By where pictures lie: they, lest others lie there when they are gone, and what is made of them."""
        self._of_copies: list[tuple[int, ...]] = []
        """What was made of pictures that the processor itself made of ours; nobody asks for it twice."""
        processor = copy.copy(loaded.processor)
        processor.image_processor = self
        self.loaded = replace(loaded, processor=processor)
        """The model with this in its processor."""

    def __call__(self, images: Any, **settings: Any) -> Any:
        nested = isinstance(images, list | tuple) and isinstance(images[0], list | tuple)
        pictures = [picture for group in images for picture in group] if nested else images
        names = tuple(map(id, pictures)) if isinstance(pictures, list | tuple) else (id(pictures),)
        if names not in self._made or _calls.get(self._processor) != (nested, settings):
            _calls[self._processor] = (nested, settings)
            self._made[names] = (images, self._part(images, **settings))
            self._of_copies.append(names)
        return copy.copy(self._made[names][1])  # processors take things out of it

    def __getattr__(self, name: str) -> Any:
        return getattr(self._part, name)

    def ahead(
        self, requests: Iterable[tuple[Asked, Request]], work: Callable[[Asked, Pictures | AskingFailed], Made]
    ) -> Iterator[Made]:
        """What `work` makes of each conversation's pictures, or of why they cannot be had, in the order given.

        While one result is used the next are made: pictures by several threads, the rest by one, since tokenizers
        cannot serve two at once.
        """
        threads = min(THREADS, cores())
        waiting: deque[Future[Made]] = deque()
        rest = iter(requests)
        pool = ThreadPoolExecutor(threads, thread_name_prefix="countersight-pictures")
        desk = ThreadPoolExecutor(1, thread_name_prefix="countersight-rows")
        try:
            while True:
                # Until the first is done it is not known how pictures are to be prepared.
                most = AHEAD * threads if self._processor in _calls else 1
                while len(waiting) < most and (following := next(rest, None)) is not None:
                    asked, request = following
                    pictures = pool.submit(self._prepare, request)
                    waiting.append(desk.submit(self._work, work, asked, pictures))
                if not waiting:
                    return
                yield waiting.popleft().result()
        finally:
            for threads_of in (pool, desk):
                threads_of.shutdown(cancel_futures=True)

    def _work(
        self,
        work: Callable[[Asked, Pictures | AskingFailed], Made],
        asked: Asked,
        preparing: Future[Pictures | AskingFailed],
    ) -> Made:
        pictures = preparing.result()
        try:
            return work(asked, pictures)
        finally:
            of_these = [tuple(map(id, pictures))] if isinstance(pictures, list) else []
            for names in (*of_these, *self._of_copies):
                self._made.pop(names, None)
            self._of_copies.clear()

    def _prepare(self, request: Request) -> Pictures | AskingFailed:
        try:
            [pictures] = pictures_of(request)
        except AskingFailed as error:
            return error
        if pictures and self._processor in _calls:
            nested, settings = _calls[self._processor]
            with contextlib.suppress(Exception):  # asked again it fails where the reason is told
                made = self._part([pictures] if nested else pictures, **settings)
                for name, value in made.items():
                    if hasattr(value, "is_floating_point") and value.is_floating_point():
                        made[name] = value.to(self._dtype)
                self._made[tuple(map(id, pictures))] = (pictures, made)
        return pictures

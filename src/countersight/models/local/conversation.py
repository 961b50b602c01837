"""Converts conversations and answers to inputs: text in the model's own format, then tokens and pixels."""

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

Prompt = dict[str, Any]
"""The input tensors of a model, by name."""

_QUESTION_OF_PICTURES = "qformer_"
"""The prefix of inputs for the Q-Former, the part between the image encoder and the language model."""


def run_processor(processor: Any, text: str, pictures: Sequence[Image.Image], begin: str | None = None) -> Prompt:
    """Return a processor's output for one formatted conversation; raises the processor's exceptions.

    `begin` is the token at the start of a text; it is not added again if a template has already written it.
    """
    how = {"padding": True, "add_special_tokens": not (begin and text.startswith(begin)), "return_tensors": "pt"}
    if not pictures:
        made = processor(text=[text], images=None, **how)
    else:
        try:
            made = processor(text=[text], images=[list(pictures)], **how)
        except Exception:  # single-picture families reject nested lists; other errors are raised again here
            made = processor(text=[text], images=list(pictures), **how)
    made.pop("labels", None)
    return dict(made)


def per_token_inputs(prompt: Prompt) -> list[str]:
    """Return the names of inputs with a value per token, including the tokens."""
    words = prompt["input_ids"].shape
    return [
        name
        for name, value in prompt.items()
        if hasattr(value, "is_floating_point")
        and not value.is_floating_point()
        and value.shape[:2] == words
        and not name.startswith(_QUESTION_OF_PICTURES)
    ]


def stack_padded(values: Sequence[Any]) -> Any:
    """Combine inputs of several conversations into a batch, with smaller ones padded with zeros, as processors do."""
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
"""The date that templates insert instead of today's, so that runs are reproducible. It is the default of Llama's own
template."""
_TODAY = re.compile(r"""strftime_now\(\s*(["'])(.*?)\1\s*\)""")
_PROBE = "§answer§"
"""A placeholder that shows how a template formats an answer; no template contains this text."""


@dataclass(frozen=True, slots=True)
class PromptFormat:
    """The text format of one model's conversations."""

    tokenizer: Any
    family: str
    template: str | None
    placeholder: str
    """The placeholder for a picture, which the processor expands; empty if the processor inserts pictures at the start
    by itself."""
    before_answer: str
    """The text between a conversation and the answer: a space, or nothing."""
    reserved: re.Pattern[str]
    """The special tokens of the model, which text from datasets must not contain."""

    text_only: bool = False
    """Whether the model is text-only, so that its template takes plain text instead of a list of parts."""

    def write(self, turns: Sequence[Turn]) -> str:
        """Format the conversation up to where the answer begins, with one placeholder per picture."""
        turns = [structs.replace(turn, text=self.break_special_tokens(turn.text)) for turn in turns]
        if self.template is not None:
            return _render_template(self.tokenizer, self.template, [self._message(turn) for turn in turns], opened=True)
        if self.text_only:
            return "\n".join(turn.text for turn in turns)
        pictures = sum(len(turn.pictures) for turn in turns)
        return self.placeholder * pictures + _PLAIN.get(self.family, _format_questions)(turns)

    def _message(self, turn: Turn) -> dict[str, Any]:
        if self.text_only:
            return {"role": turn.role, "content": turn.text}
        pictures = [{"type": "image"} for _ in turn.pictures]
        return {"role": turn.role, "content": [*pictures, {"type": "text", "text": turn.text}]}

    def break_special_tokens(self, text: str) -> str:
        """Return the text of a question or an option with the model's special tokens broken up.

        Special tokens in the text, such as "<image>" or the end of a turn, would corrupt the conversation.
        """
        return self.reserved.sub(_split_word, text)


def find_prompt_format(processor: Any, family: str, *, text_only: bool = False) -> PromptFormat:
    """Return the text format of a model's conversations."""
    tokenizer = processor.tokenizer
    placeholder = getattr(processor, "image_token", None)
    placeholder = str(getattr(placeholder, "content", placeholder) or "")
    templates = filter(None, map(_find_template, (processor, tokenizer)))
    template = next((found for found in templates if text_only or _supports_pictures(tokenizer, found)), None)
    if template is None and placeholder and _puts_pictures_itself(processor, placeholder):
        placeholder = ""
    return PromptFormat(
        tokenizer=tokenizer,
        family=family,
        template=template,
        placeholder=placeholder,
        before_answer=_text_before_answer(tokenizer, template, family, text_only=text_only),
        reserved=_reserved_words(tokenizer, placeholder),
        text_only=text_only,
    )


def _puts_pictures_itself(processor: Any, placeholder: str) -> bool:
    """Whether a processor inserts picture tokens by itself, as those of BLIP-2, Florence-2 and Kosmos-2.5 do.

    In that case, the text must not contain a placeholder.
    """
    without = _count_picture_tokens(processor, "?", placeholder)
    return bool(without) and _count_picture_tokens(processor, f"{placeholder}?", placeholder) != without


def _count_picture_tokens(processor: Any, text: str, placeholder: str) -> int | None:
    """Return the number of picture tokens for one picture and this text; None if the processor rejects it."""
    try:
        made = run_processor(processor, text, [Image.new("RGB", (64, 64))], processor.tokenizer.bos_token)
    except Exception:  # the placeholder is missing, or there is one too many
        return None
    number = getattr(processor, "image_token_id", None) or processor.tokenizer.convert_tokens_to_ids(placeholder)
    return int((made["input_ids"] == number).sum())


def _find_template(holder: Any) -> str | None:
    """Return the chat template of a processor or a tokenizer; if there are several, the default one."""
    template = getattr(holder, "chat_template", None)
    if isinstance(template, dict):
        template = template.get("default")
    return _TODAY.sub(lambda call: repr(DAY.strftime(call[2])), template) if template else None


def _supports_pictures(tokenizer: Any, template: str) -> bool:
    """Whether a template supports pictures; the templates of text-only models omit pictures or fail."""
    words = {"type": "text", "text": _PROBE}
    try:
        shown, without = (
            _render_template(tokenizer, template, [{"role": "user", "content": content}], opened=True)
            for content in ([{"type": "image"}, words], [words])
        )
    except AskingFailed as error:
        if "image" in template:
            raise ModelError(str(error)) from None
        return False
    # A template for text only may print the parts as Python objects.
    return shown != without and _PROBE in shown and "'type'" not in shown


def _text_before_answer(tokenizer: Any, template: str | None, family: str, *, text_only: bool) -> str:
    """Return what the template writes before an answer that is already in the conversation."""
    if template is None:
        return "" if family == "paligemma" else " "
    question, answer = ("?", _PROBE) if text_only else ([{"type": "text", "text": text}] for text in ("?", _PROBE))
    asked = [{"role": "user", "content": question}]
    told = [*asked, {"role": "assistant", "content": answer}]
    opened = _render_template(tokenizer, template, asked, opened=True)
    try:
        closed = _render_template(tokenizer, template, told, opened=False)
    except AskingFailed:
        closed = ""
    between, found, _ = closed.removeprefix(opened).partition(_PROBE)
    if found and closed.startswith(opened) and not between.strip():
        return between
    return "" if opened.endswith(("\n", " ", "]", ">")) else " "


def _render_template(tokenizer: Any, template: str, messages: list[dict[str, Any]], *, opened: bool) -> str:
    try:
        return str(
            tokenizer.apply_chat_template(
                messages, chat_template=template, tokenize=False, add_generation_prompt=opened
            )
        )
    except Exception as error:  # templates are code by the authors of models
        raise AskingFailed(
            f"the model's chat template cannot write this conversation ({printable(str(error))[:200]})", again=False
        ) from None


def _format_questions(turns: Sequence[Turn]) -> str:
    """Format the conversation for BLIP-2; this also works for models that were not trained on conversations."""
    parts = [f"Question: {turn.text} Answer:" if turn.role == "user" else turn.text for turn in turns]
    return " ".join(parts)


def _format_vicuna(turns: Sequence[Turn]) -> str:
    """Format the conversation for LLaVA 1.5, whose older checkpoints come without a template."""
    parts = [f"USER: {turn.text} ASSISTANT:" if turn.role == "user" else f"{turn.text}</s>" for turn in turns]
    return "\n" + " ".join(parts)


def _format_plain(turns: Sequence[Turn]) -> str:
    """Return the bare question, for InstructBLIP and PaliGemma; longer conversations are formatted as for BLIP-2."""
    return turns[0].text if len(turns) == 1 else _format_questions(turns)


_PLAIN: dict[str, Callable[[Sequence[Turn]], str]] = {
    "instructblip": _format_plain,
    "paligemma": _format_plain,
    "llava": _format_vicuna,
}


def _reserved_words(tokenizer: Any, placeholder: str) -> re.Pattern[str]:
    words = {str(token) for token in (*tokenizer.all_special_tokens, *tokenizer.get_added_vocab(), placeholder)}
    # In some vocabularies, words of one character or of spaces are part of ordinary text.
    words = {word for word in words if len(word.strip()) > 2}
    longest_first = sorted(words, key=len, reverse=True)
    return re.compile("|".join(map(re.escape, longest_first)) or r"(?!)")


def _split_word(word: re.Match[str]) -> str:
    """Insert a space into a special token, so that the tokenizer does not recognise it."""
    return f"{word[0][0]} {word[0][1:]}"


@dataclass(frozen=True, slots=True)
class Loaded:
    """A loaded model, with the processor, tokenizer and text format for its inputs."""

    name: str
    model: Any
    processor: Any
    tokenizer: Any
    family: str
    """The family as named by transformers: llava, qwen2_5_vl, blip-2 and so on."""
    prompt_format: PromptFormat
    """The text format of its conversations."""
    decoder_start: int | None
    """The first token of a separate decoder; None if the decoder continues the prompt."""
    longest: int
    """The maximum number of tokens of prompt and answer together."""

    @property
    def has_separate_decoder(self) -> bool:
        """Whether a separate decoder generates the answer (as in T5), instead of one that continues the prompt."""
        return self.decoder_start is not None

    @property
    def device(self) -> Any:
        """The device of the model's inputs."""
        return self.model.device


MANY = 64
"""The maximum number of pictures in a conversation."""
_KINDS = "mm_token_type_ids"
"""The input that distinguishes text from pictures; some processors omit it although their models need it."""
PICTURES = {"blip-2": (1, 1), "instructblip": (1, 1), "paligemma": (1, MANY)}
"""The minimum and maximum number of pictures in a conversation, for families with limits."""


def decode_pictures(*requests: Request) -> list[list[Image.Image]]:
    """Return the pictures of each conversation, with EXIF rotation applied; shared pictures are decoded once."""
    seen: dict[int, Image.Image] = {}
    try:
        for picture in (picture for request in requests for picture in request.pictures):
            if id(picture.data) not in seen:
                seen[id(picture.data)] = as_seen(picture)
    except BadPicture as error:
        raise AskingFailed(f"the picture {error}", again=False) from None
    return [[seen[id(picture.data)] for picture in request.pictures] for request in requests]


def picture_limits(family: str) -> tuple[int, int]:
    """Return the minimum and maximum number of pictures per conversation for a model family."""
    return PICTURES.get(family, (0, MANY))


def check_picture_count(loaded: Loaded, request: Request) -> None:
    """Raise AskingFailed if the family does not support this number of pictures."""
    shown = len(request.pictures)
    fewest, most = picture_limits(loaded.family)
    if not fewest <= shown <= most:
        wanted = several(most, "picture") if shown > most else "a picture"
        raise AskingFailed(f"{loaded.family} models accept {wanted} per conversation, not {shown}", again=False)


def model_inputs(loaded: Loaded, requests: Sequence[Request], pictures: Sequence[Sequence[Image.Image]]) -> Prompt:
    """Return the inputs for conversations with the same number of pictures each; shorter ones are padded at the start.

    The values are tensors on the device of the model.
    """
    return batch_prompts(loaded, [prepare_prompt(loaded, *each) for each in zip(requests, pictures, strict=True)])


def batch_prompts(loaded: Loaded, prompts: Sequence[Prompt]) -> Prompt:
    """Combine separately prepared conversations into a batch on the device of the model.

    The processors are not used for this, since some of them put the padding where it changes the model's output.
    """
    length = max(prompt["input_ids"].shape[1] for prompt in prompts)
    padded = [_pad_prompt(loaded, prompt, length) for prompt in prompts]
    made = {name: _stack([prompt[name] for prompt in padded]) for name in padded[0]}
    return {name: _move_to_device(loaded, value) for name, value in made.items()}


def _pad_prompt(loaded: Loaded, prompt: Prompt, length: int) -> Prompt:
    import torch

    missing = length - prompt["input_ids"].shape[1]
    padded = dict(prompt)
    for name in per_token_inputs(prompt) if missing else ():
        beside = prompt[name][:, -1:]
        if name in ("input_ids", "attention_mask"):
            beside = torch.full_like(beside, padding_token(loaded) if name == "input_ids" else 0)
        parts = [beside.expand(-1, missing, *beside.shape[2:]), prompt[name]]
        # The encoder of an encoder-decoder model counts positions from the first token, so padding goes at the end.
        padded[name] = torch.cat(parts[::-1] if loaded.has_separate_decoder else parts, dim=1)
    return padded


def _stack(values: Sequence[Any]) -> Any:
    if hasattr(values[0], "dim"):
        return stack_padded(values)
    return [part for value in values for part in value] if isinstance(values[0], list) else values[0]


def prepare_prompt(loaded: Loaded, request: Request, pictures: Sequence[Image.Image]) -> Prompt:
    """Return the inputs of one conversation, before they are moved to the device."""
    try:
        made = run_processor(
            loaded.processor, loaded.prompt_format.write(request.turns), pictures, loaded.tokenizer.bos_token
        )
        words = made["input_ids"]
    except AskingFailed:
        raise
    except Exception as error:  # every family's processor raises its own exceptions
        said = printable(str(error) or type(error).__name__)[:200]
        raise AskingFailed(f"the model's processor cannot process the question ({said})", again=False) from None
    if words.shape[1] >= loaded.longest:
        raise AskingFailed(
            f"the conversation has {words.shape[1]:,} tokens; the model accepts at most {loaded.longest:,}", again=False
        )
    if "image_grid_thw" in made and _KINDS not in made and _KINDS in signature(loaded.model.forward).parameters:
        made[_KINDS] = (words == loaded.processor.image_token_id).to(words.dtype)
    return made


def padding_token(loaded: Loaded) -> int:
    """Return the padding token."""
    return int(loaded.tokenizer.pad_token_id or 0)


def answer_tokens(loaded: Loaded, prompt: str, answers: Sequence[str]) -> list[list[int]]:
    """Return the tokens of each answer to a prompt, as formatted by `PromptFormat.write`.

    Prompt and answer are tokenised together, and the tokens of the prompt are removed. If the end of the prompt would
    merge with the answer, the answer is tokenised alone, so that all answers follow the same tokens. Tokenising all
    texts in one call takes a tenth of the time.
    """

    def tokens(*texts: str) -> list[list[int]]:
        return [list(found) for found in loaded.tokenizer(list(texts), add_special_tokens=False)["input_ids"]]

    answers = [loaded.prompt_format.break_special_tokens(answer) for answer in answers]
    if loaded.has_separate_decoder:
        return tokens(*answers)
    answers = [loaded.prompt_format.before_answer + answer for answer in answers]
    if loaded.family == "paligemma":
        prompt += "\n"  # its processor ends every prompt in this way
    before, *whole = tokens(prompt, *(prompt + answer for answer in answers))
    return [
        both[len(before) :] if both[: len(before)] == before else tokens(answer)[0]
        for both, answer in zip(whole, answers, strict=True)
    ]


def append_answer(loaded: Loaded, prompt: Prompt, answer: list[int]) -> Prompt:
    """Return the inputs of one conversation followed by an answer; tokens of the answer see only earlier tokens."""
    import torch

    longer = dict(prompt)
    for name in per_token_inputs(prompt):
        last = prompt[name][:, -1:]
        added = last.expand(-1, len(answer), *last.shape[2:])
        if name == "input_ids":
            added = torch.tensor([answer], device=last.device)
        elif name == "token_type_ids" and loaded.family == "paligemma":
            added = torch.ones_like(added)  # tokens marked 0, such as the question, are read in both directions
        longer[name] = torch.cat([prompt[name], added], dim=1)
    return longer


def _move_to_device(loaded: Loaded, value: Any) -> Any:
    if isinstance(value, list):
        return [_move_to_device(loaded, part) for part in value]
    if not hasattr(value, "is_floating_point"):
        return value
    return value.to(loaded.device, loaded.model.dtype if value.is_floating_point() else None)


THREADS = 4
"""The number of threads that prepare pictures. More threads would slow down the one that feeds the device, since Python
runs only one thread at a time: on an H200, eight are 15 % slower than four."""
AHEAD = 4
"""The number of conversations that each thread prepares in advance."""
Pictures = list[Image.Image]
Asked = TypeVar("Asked")
Made = TypeVar("Made")

_calls: WeakKeyDictionary[Any, tuple[bool, dict[str, Any]]] = WeakKeyDictionary()
"""How each processor calls its image processor: with one list or a list of lists, and with which settings."""


class PictureCache:
    """Replaces the image processor of a processor, and caches its results for pictures in use.

    Processors would prepare a picture again for every conversation; here later conversations reuse the result. The
    first call records how the processor calls its image processor; after that, threads prepare pictures in advance.
    """

    def __init__(self, loaded: Loaded) -> None:
        self._processor, self._dtype = loaded.processor, loaded.model.dtype
        self._part: Any = getattr(loaded.processor, "image_processor", None)
        self._made: dict[tuple[int, ...], tuple[Any, Any]] = {}
        """The prepared results by the id of the picture. The pictures are kept too, so that their ids stay unique."""
        self._of_copies: list[tuple[int, ...]] = []
        """The keys of results for copies of pictures that the processor made; they are not needed again."""
        self.loaded = loaded
        """The loaded model, with a processor that uses this object; text-only models keep their own."""
        if self._part is not None:
            processor = copy.copy(loaded.processor)
            processor.image_processor = self
            self.loaded = replace(loaded, processor=processor)

    def __call__(self, images: Any, **settings: Any) -> Any:
        nested = isinstance(images, list | tuple) and isinstance(images[0], list | tuple)
        pictures = [picture for group in images for picture in group] if nested else images
        names = tuple(map(id, pictures)) if isinstance(pictures, list | tuple) else (id(pictures),)
        if names not in self._made or _calls.get(self._processor) != (nested, settings):
            _calls[self._processor] = (nested, settings)
            self._made[names] = (images, self._part(images, **settings))
            self._of_copies.append(names)
        return copy.copy(self._made[names][1])  # processors remove entries from it

    def __getattr__(self, name: str) -> Any:
        return getattr(self._part, name)

    def prefetch(
        self, requests: Iterable[tuple[Asked, Request]], work: Callable[[Asked, Pictures | AskingFailed], Made]
    ) -> Iterator[Made]:
        """Call `work` with each conversation's pictures, or the error in decoding them, and yield the results in order.

        Results are prepared in advance: pictures by several threads, the rest by one, since tokenizers are not
        thread-safe.
        """
        threads = min(THREADS, cores())
        waiting: deque[Future[Made]] = deque()
        rest = iter(requests)
        pool = ThreadPoolExecutor(threads, thread_name_prefix="countersight-pictures")
        desk = ThreadPoolExecutor(1, thread_name_prefix="countersight-rows")
        try:
            while True:
                # Only the first call shows how pictures are to be prepared.
                most = AHEAD * threads if self._part is None or self._processor in _calls else 1
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
            [pictures] = decode_pictures(request)
        except AskingFailed as error:
            return error
        if pictures and self._processor in _calls:
            nested, settings = _calls[self._processor]
            with contextlib.suppress(Exception):  # the error is raised again where it is reported
                made = self._part([pictures] if nested else pictures, **settings)
                for name, value in made.items():
                    if hasattr(value, "is_floating_point") and value.is_floating_point():
                        made[name] = value.to(self._dtype)
                self._made[tuple(map(id, pictures))] = (pictures, made)
        return pictures

"""How a conversation is written for a model, what its processor makes of it, and several of them as one batch."""

import datetime
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from msgspec.structs import replace
from PIL import Image

from countersight.errors import AskingFailed, ModelError
from countersight.models.protocol import Turn
from countersight.text import printable

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
class Form:
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

    def write(self, turns: Sequence[Turn]) -> str:
        """The conversation up to where the answer begins, with one mark for each picture."""
        turns = [replace(turn, text=self.harmless(turn.text)) for turn in turns]
        if self.template is None:
            pictures = sum(len(turn.pictures) for turn in turns)
            return self.mark * pictures + _PLAIN.get(self.family, _questions)(turns)
        return _templated(self.tokenizer, self.template, turns)

    def harmless(self, text: str) -> str:
        """Text of a question or an option without words that are signs of the model's.

        One that speaks of "<image>" or ends the turn by itself would derange the conversation, or steer it.
        """
        return self.reserved.sub(_broken, text)


def find_form(processor: Any, family: str) -> Form:
    """The form in which a model's conversations are written."""
    tokenizer = processor.tokenizer
    mark = getattr(processor, "image_token", None)
    mark = str(getattr(mark, "content", mark) or "")
    templates = filter(None, map(_template, (processor, tokenizer)))
    template = next((found for found in templates if _shows(tokenizer, found)), None)
    if template is None and mark and _puts_pictures_itself(processor, mark):
        mark = ""
    return Form(
        tokenizer=tokenizer,
        family=family,
        template=template,
        mark=mark,
        before_answer=_before_answer(tokenizer, template, family),
        reserved=_reserved(tokenizer, mark),
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


def _before_answer(tokenizer: Any, template: str | None, family: str) -> str:
    """What the template writes before an answer of the model's that stands in the conversation already."""
    if template is None:
        return "" if family == "paligemma" else " "
    asked = [{"role": "user", "content": [{"type": "text", "text": "?"}]}]
    told = [*asked, {"role": "assistant", "content": [{"type": "text", "text": _PROBE}]}]
    opened = _rendered(tokenizer, template, asked, opened=True)
    try:
        closed = _rendered(tokenizer, template, told, opened=False)
    except AskingFailed:
        closed = ""
    between, found, _ = closed.removeprefix(opened).partition(_PROBE)
    if found and closed.startswith(opened) and not between.strip():
        return between
    return "" if opened.endswith(("\n", " ", "]", ">")) else " "


def _templated(tokenizer: Any, template: str, turns: Sequence[Turn]) -> str:
    messages = []
    for turn in turns:
        pictures = [{"type": "image"} for _ in turn.pictures]
        messages.append({"role": turn.role, "content": [*pictures, {"type": "text", "text": turn.text}]})
    return _rendered(tokenizer, template, messages, opened=True)


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

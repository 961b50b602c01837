"""One conversation as a model's processor prepares it, and several of them laid together as one batch."""

from collections.abc import Sequence
from typing import Any

from PIL import Image

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

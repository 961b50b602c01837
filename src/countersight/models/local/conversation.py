"""Conversations and answers as a model takes them in: numbers for its words and pictures."""

from collections.abc import Sequence
from inspect import signature
from typing import Any

from PIL import Image

from countersight.errors import AskingFailed, BadPicture
from countersight.models.local.loading import Loaded
from countersight.models.local.processing import Prompt, grown, joined, process
from countersight.models.protocol import Request
from countersight.picture import as_seen
from countersight.text import printable, several

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
    shown = count_pictures(request)
    fewest, most = picture_limits(loaded.family)
    if not fewest <= shown <= most:
        wanted = several(most, "picture") if shown > most else "a picture"
        raise AskingFailed(f"{loaded.family} models take {wanted} in a conversation, not {shown}", again=False)


def count_pictures(request: Request) -> int:
    """How many pictures a conversation shows."""
    return len(request.pictures)


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
        raise AskingFailed(f"the model's processor cannot take it in ({said})", again=False) from None
    if words.shape[1] >= loaded.longest:
        raise AskingFailed(
            f"the conversation has {words.shape[1]:,} tokens; the model has room for {loaded.longest:,}", again=False
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

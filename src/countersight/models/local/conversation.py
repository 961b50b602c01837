"""Conversations and answers as a model takes them in: numbers for its words and pictures."""

from collections.abc import Sequence
from typing import Any

from PIL import Image

from countersight.errors import AskingFailed, BadPicture
from countersight.models.local.loading import Loaded
from countersight.models.protocol import Request
from countersight.picture import as_seen
from countersight.text import printable, several

MANY = 64
"""No conversation of ours shows more pictures."""
PICTURES = {"blip-2": (1, 1), "instructblip": (1, 1), "paligemma": (1, MANY)}
"""The fewest and the most pictures in a conversation, for families that do not take any number."""
_BESIDE_WORDS = ("attention_mask", "token_type_ids", "mm_token_type_ids", "cross_attention_mask")
"""Inputs that hold something for every token of the prompt."""


def pictures_of(*requests: Request) -> list[list[Image.Image]]:
    """The pictures of each conversation, as a viewer would show them; one that several show is decoded once."""
    seen: dict[int, Image.Image] = {}
    try:
        for picture in (turn.picture for request in requests for turn in request.turns):
            if picture is not None and id(picture.data) not in seen:
                seen[id(picture.data)] = as_seen(picture)
    except BadPicture as error:
        raise AskingFailed(f"the picture {error}", again=False) from None
    return [[seen[id(turn.picture.data)] for turn in request.turns if turn.picture] for request in requests]


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
    return sum(turn.picture is not None for turn in request.turns)


def inputs(loaded: Loaded, requests: Sequence[Request], pictures: Sequence[Sequence[Image.Image]]) -> dict[str, Any]:
    """What the model takes in for conversations with the same number of pictures each; shorter ones begin with padding.

    The values are tensors on the device of the model.
    """
    return {name: _placed(loaded, value) for name, value in prepared(loaded, requests, pictures).items()}


def prepared(loaded: Loaded, requests: Sequence[Request], pictures: Sequence[Sequence[Image.Image]]) -> dict[str, Any]:
    """The same before it is brought to the device of the model."""
    texts = [loaded.form.write(request.turns) for request in requests]
    begin = loaded.tokenizer.bos_token
    try:
        made = loaded.processor(
            text=texts,
            images=[list(shown) for shown in pictures] if pictures[0] else None,
            padding=True,
            padding_side="left",
            # A template may write the first token by itself; it must not stand there twice.
            add_special_tokens=not (begin and texts[0].startswith(begin)),
            return_tensors="pt",
        )
    except Exception as error:  # every family's processor refuses in its own words
        raise AskingFailed(
            f"the model's processor cannot take it in ({printable(str(error))[:200]})", again=False
        ) from None
    made.pop("labels", None)
    _padding_first(made)
    longest = made["input_ids"].shape[1]
    if longest >= loaded.longest:
        raise AskingFailed(
            f"the conversation has {longest:,} tokens; the model has room for {loaded.longest:,}", again=False
        )
    return dict(made)


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


def with_answer(loaded: Loaded, prompt: dict[str, Any], answer: list[int]) -> dict[str, Any]:
    """The inputs of one conversation with an answer behind it, of which the model may see no more than it has said."""
    import torch

    grown = dict(prompt)
    tokens = torch.tensor([answer], device=prompt["input_ids"].device)
    grown["input_ids"] = torch.cat([prompt["input_ids"], tokens], dim=1)
    for name in _BESIDE_WORDS:
        if name in prompt:
            grown[name] = torch.cat([prompt[name], _beside(loaded, name, prompt[name], len(answer))], dim=1)
    return grown


def _beside(loaded: Loaded, name: str, values: Any, number: int) -> Any:
    """What stands beside so many more words."""
    import torch

    shape = (values.shape[0], number, *values.shape[2:])
    if name == "cross_attention_mask":  # Mllama: an answer sees what the last word of the question sees
        return values[:, -1:].expand(shape)
    # PaliGemma reads the question to and fro and marks it 0; what is marked 1 sees only what stands before it.
    one = name == "attention_mask" or (name == "token_type_ids" and loaded.family == "paligemma")
    return torch.full(shape, int(one), dtype=values.dtype, device=values.device)


def _padding_first(made: Any) -> None:
    """Move padding to the very front: BLIP-2's processor leaves it between the picture and the words, where it would
    make the distance between them depend on the other conversations of a batch. That of the question as the Q-Former
    reads it goes to the end, since its words are numbered from the first place."""
    for prefix, descending in (("", False), ("qformer_", True)):
        mask = made.get(f"{prefix}attention_mask")
        if mask is None:
            continue
        order = mask.argsort(dim=1, descending=descending, stable=True)
        for name in (f"{prefix}input_ids", *(prefix + beside for beside in _BESIDE_WORDS)):
            value = made.get(name)
            if value is not None and value.shape == mask.shape:
                made[name] = value.gather(1, order)


def _placed(loaded: Loaded, value: Any) -> Any:
    if not hasattr(value, "to"):
        return value
    dtype = loaded.model.dtype if value.is_floating_point() else None
    return value.to(loaded.device, dtype)

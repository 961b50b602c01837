"""The losses of options that continue a question which the model read once and remembers.

For models whose layers hand a state from token to token (Qwen3.5, LFM2-VL): they obey no mask, so that options cannot
stand beside each other in a row. But what they remember of picture and question can be copied for each option.
"""

from collections.abc import Sequence
from typing import Any

from countersight.models.local.conversation import filling, inputs, pictures_of
from countersight.models.local.loading import Loaded
from countersight.models.local.plain import options_tokens
from countersight.models.local.positions import positions_of
from countersight.models.protocol import Loss, Request


def continued_losses(loaded: Loaded, request: Request, loss: Loss) -> tuple[float, ...]:
    """The loss of each option of a request, `mean` or `sum` over its tokens."""
    import torch

    prompt = inputs(loaded, [request], pictures_of(request))
    options = options_tokens(loaded, loaded.form.write(request.turns), request)
    with torch.inference_mode():
        read = loaded.model(**prompt, use_cache=True)
        logits = read.logits[:, -1:].expand(len(options), -1, -1)
        if max(map(len, options)) > 1:
            further = _continue(loaded, prompt, read.past_key_values, options)
            logits = torch.cat([logits, further.to(logits.device)], dim=1)
        return tuple(_loss(row, option, loss) for row, option in zip(logits, options, strict=True))


def _continue(loaded: Loaded, prompt: dict[str, Any], remembered: Any, options: Sequence[list[int]]) -> Any:
    """What comes after each token of each option but the last; shorter options are filled up behind."""
    import torch

    length = max(map(len, options)) - 1
    said = torch.full((len(options), length), filling(loaded))
    for row, option in zip(said, options, strict=True):
        row[: len(option) - 1] = torch.tensor(option[:-1])
    remembered.reorder_cache(torch.zeros(len(options), dtype=torch.long, device=loaded.device))  # a copy for each
    seen = torch.ones(len(options), prompt["input_ids"].shape[1] + length, dtype=torch.long)
    places = torch.from_numpy(positions_of(loaded, prompt, length)[-length:])
    places = places.expand(len(options), *places.shape)
    return loaded.model(
        input_ids=said.to(loaded.device),
        attention_mask=seen.to(loaded.device),
        position_ids=(places.permute(2, 0, 1) if places.dim() == 3 else places).to(loaded.device),
        past_key_values=remembered,
        use_cache=True,
    ).logits


def _loss(logits: Any, option: list[int], loss: Loss) -> float:
    import torch

    expected = torch.tensor(option, device=logits.device)
    return float(torch.nn.functional.cross_entropy(logits[: len(option)].float(), expected, reduction=loss))

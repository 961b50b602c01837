"""Compare the speed of ranking options: the published method, plain batches, and Countersight's method.

    python -m benchmarks.ranking [--shape 7b] [--pairs 32]

The model has the shape of Qwen2.5-VL and random weights, since only the arithmetic matters: `tiny` for a CPU, `7b` in
bfloat16 for a GPU with 24 GB or more. Pictures are JPEG files of 640 × 480 pixels; every figure includes decoding and
preparing them. Each method is warmed up first; the median of its rounds is reported.

- published: every option separately, with a full pass over picture, question and option (CFMM 3.4), batch 1
- batched: all options of a pair in one batch, each with its own copy of the picture
- ours: `countersight.models.local.probing.rank` on all pairs at once
"""

import argparse
import contextlib
import io
import platform
import statistics
import time
from collections.abc import Callable, Iterator
from random import Random
from typing import Any

import numpy as np
import torch
import transformers
from PIL import Image
from tokenizers import Tokenizer, models, pre_tokenizers

from countersight.case import Option
from countersight.models.local.conversation import (
    append_answer,
    decode_pictures,
    find_prompt_format,
    model_inputs,
)
from countersight.models.local.loading import Loaded
from countersight.models.local.probing import ranking_sight
from countersight.models.local.ranking import option_tokens, plain_losses, rank_requests
from countersight.models.local.speedups import speed_up
from countersight.models.protocol import Request, Turn
from countersight.models.request_queue import Feed
from countersight.picture.checking import check_picture

WORDS = [f"w{number}" for number in range(2000)]
SIGNS = ["<|endoftext|>", "<|im_start|>", "<|im_end|>", "<|vision_start|>", "<|vision_end|>", "<|image_pad|>"]
TEMPLATE = (
    "<|im_start|>system w1 w2 w3 w4 w5 w6<|im_end|>{% for message in messages %}<|im_start|>{{ message['role'] }} "
    "{% for part in message['content'] %}{% if part['type'] == 'image' %}<|vision_start|><|image_pad|><|vision_end|>"
    "{% else %}{{ part['text'] }}{% endif %}{% endfor %}<|im_end|>{% endfor %}"
    "{% if add_generation_prompt %}<|im_start|>assistant {% endif %}"
)
SHAPES = {
    "tiny": (
        {"hidden_size": 128, "intermediate_size": 344, "num_hidden_layers": 4, "num_attention_heads": 4}
        | {"num_key_value_heads": 2, "vocab_size": 4096},
        {"depth": 4, "hidden_size": 64, "intermediate_size": 172, "num_heads": 4, "out_hidden_size": 128}
        | {"fullatt_block_indexes": [3]},
        [4, 6, 6],
    ),
    "7b": (
        {"hidden_size": 3584, "intermediate_size": 18944, "num_hidden_layers": 28, "num_attention_heads": 28}
        | {"num_key_value_heads": 4, "vocab_size": 152064},
        {"depth": 32, "hidden_size": 1280, "intermediate_size": 3420, "num_heads": 16, "out_hidden_size": 3584}
        | {"fullatt_block_indexes": [7, 15, 23, 31]},
        [16, 24, 24],
    ),
}
SUITES = {
    # options per question, fewest and most tokens of an option, words of a question
    "CoSIm-like": (4, (25, 25), 40),
    "CFMM-like": (2, (1, 3), 25),
}


def build(shape: str, device: str) -> Loaded:
    """Return a model of that shape with random weights, and a tokenizer of made-up words."""
    text, vision, sections = SHAPES[shape]
    words = Tokenizer(models.WordLevel({word: number for number, word in enumerate(WORDS)}, unk_token=WORDS[0]))
    words.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    tokenizer = transformers.PreTrainedTokenizerFast(
        tokenizer_object=words, eos_token=SIGNS[2], pad_token=SIGNS[0], additional_special_tokens=SIGNS
    )
    start, end, image = tokenizer.convert_tokens_to_ids(SIGNS[3:])
    config = transformers.Qwen2_5_VLConfig(
        text_config=text
        | {"rope_parameters": {"rope_type": "default", "rope_theta": 1e6, "mrope_section": sections}}
        | {"max_position_embeddings": 32768, "tie_word_embeddings": False},
        vision_config=vision | {"patch_size": 14, "window_size": 112, "tokens_per_second": 2},
        image_token_id=image,
        video_token_id=text["vocab_size"] - 1,
        vision_start_token_id=start,
        vision_end_token_id=end,
    )
    dtype = torch.bfloat16 if device != "cpu" else torch.float32
    with torch.device(device):
        torch.manual_seed(0)
        model = transformers.Qwen2_5_VLForConditionalGeneration._from_config(config, dtype=dtype).eval()
    named = "Qwen2VLImageProcessor" + ("" if transformers.utils.is_torchvision_available() else "Pil")
    pictures = getattr(transformers, named)(size={"shortest_edge": 56 * 56, "longest_edge": 28 * 28 * 1280})

    class Stills(transformers.Qwen2_5_VLProcessor):  # the video processor needs torchvision
        def check_argument_for_proper_class(self, name: str, part: Any) -> Any:
            return None if part is None else super().check_argument_for_proper_class(name, part)

    processor = Stills(pictures, tokenizer, None, chat_template=TEMPLATE)
    return Loaded(
        name=shape,
        model=model,
        processor=processor,
        tokenizer=tokenizer,
        family=config.model_type,
        prompt_format=find_prompt_format(processor, config.model_type),
        decoder_start=None,
        longest=32768,
    )


def pairs_of(suite: str, number: int) -> list[list[Request]]:
    """Return pairs of questions; each pair has its own picture."""
    options, (fewest, most), asked = SUITES[suite]
    random = Random(suite)
    pairs = []
    for _ in range(number):
        file = io.BytesIO()
        coarse = np.frombuffer(random.randbytes(80 * 60 * 3), dtype=np.uint8).reshape(60, 80, 3)
        Image.fromarray(coarse).resize((640, 480), Image.Resampling.BICUBIC).save(file, "JPEG", quality=90)
        picture = check_picture(file.getvalue())
        pairs.append([])
        for _ in range(2):
            offered = tuple(
                Option(" ".join(random.choices(WORDS, k=random.randint(fewest, most)))) for _ in range(options)
            )
            question = " ".join(random.choices(WORDS, k=asked))
            pairs[-1].append(Request(question, (Turn("user", question, picture),), "choice", offered))
    return pairs


def published(loaded: Loaded, pair: list[Request]) -> list[tuple[float, ...]]:
    return [plain_losses(loaded, request) for request in pair]


def batched(loaded: Loaded, pair: list[Request]) -> list[tuple[float, ...]]:
    """Rank all options of a pair in one batch, padded to the longest, each with its own copy of the picture."""
    wholes, sizes = [], []
    for request in pair:
        prompt = model_inputs(loaded, [request], decode_pictures(request))
        for tokens in option_tokens(loaded, request):
            wholes.append(append_answer(loaded, prompt, tokens))
            sizes.append(len(tokens))
    longest = max(whole["input_ids"].shape[1] for whole in wholes)
    beside = ("input_ids", "attention_mask", "mm_token_type_ids")
    together = {
        name: torch.cat(
            [
                torch.nn.functional.pad(whole[name], (longest - whole[name].shape[1], 0))
                if name in beside
                else whole[name]
                for whole in wholes
            ]
        )
        for name in wholes[0]
    }
    with torch.inference_mode():
        logits = loaded.model(**together, use_cache=False).logits
        losses = [
            torch.nn.functional.cross_entropy(logits[nth, -size - 1 : -1].float(), together["input_ids"][nth, -size:])
            for nth, size in enumerate(sizes)
        ]
    told = iter(torch.stack(losses).tolist())
    return [tuple(next(told) for _ in request.options) for request in pair]


def ours(loaded: Loaded, pairs: list[list[Request]]) -> list[Any]:
    requests = Feed(request for pair in pairs for request in pair)
    return [losses for _, losses in sorted(rank_requests(ranking_sight(loaded), loaded, requests))]


def milliseconds(compute: Callable[[], object], rounds: int) -> float:
    """Return the median time of several rounds, after one round of warm-up."""
    compute()
    taken = []
    for _ in range(rounds):
        start = time.perf_counter()
        compute()
        taken.append(time.perf_counter() - start)
    return statistics.median(taken) * 1000


@contextlib.contextmanager
def measuring(loaded: Loaded, spent: dict[str, float]) -> Iterator[None]:
    """Record the seconds each part of the model takes; waiting for the device at every step slows it a little."""
    core = loaded.model.model
    parts = {
        "looking at pictures": core.visual,
        "reading": core.language_model,
        "saying what follows": loaded.model.lm_head,
    }
    handles = []
    for name, part in parts.items():

        def begin(*_: Any, name: str = name) -> None:
            _wait(loaded)
            spent[name] = spent.get(name, 0.0) - time.perf_counter()

        def end(*_: Any, name: str = name) -> None:
            _wait(loaded)
            spent[name] += time.perf_counter()

        handles += [part.register_forward_pre_hook(begin, prepend=True), part.register_forward_hook(end)]
    start = time.perf_counter()
    yield
    spent["everything"] = time.perf_counter() - start
    spent["the rest"] = spent["everything"] - sum(spent[name] for name in parts)
    for handle in handles:
        handle.remove()


def _wait(loaded: Loaded) -> None:
    if loaded.device.type == "cuda":
        torch.cuda.synchronize()


def measure(loaded: Loaded, suite: str, number: int, rounds: int) -> dict[str, float]:
    """Return the milliseconds per pair, their ratios, and the largest differences between losses."""
    pairs = pairs_of(suite, number)
    few = pairs[:2]
    plain = [losses for pair in few for losses in published(loaded, pair)]
    figures = {"published": milliseconds(lambda: [published(loaded, pair) for pair in few], rounds) / len(few)}
    figures["batched"] = milliseconds(lambda: [batched(loaded, pair) for pair in few], rounds) / len(few)
    together = [losses for pair in few for losses in batched(loaded, pair)]
    speed_up(loaded.model)
    figures["ours"] = milliseconds(lambda: ours(loaded, pairs), rounds) / len(pairs)
    figures["ours, pair by pair"] = milliseconds(lambda: [ours(loaded, [pair]) for pair in few], rounds) / len(few)
    figures["times published"] = figures["published"] / figures["ours"]
    figures["times batched"] = figures["batched"] / figures["ours"]
    figures["largest difference, batched and published"] = _apart(together, plain)
    figures["largest difference, ours and published"] = _apart(ours(loaded, pairs)[: len(plain)], plain)
    spent: dict[str, float] = {}
    with measuring(loaded, spent):
        ours(loaded, pairs)
    for name, seconds in spent.items():
        figures[f"of which {name}"] = seconds * 1000 / len(pairs)
    return figures


def _apart(one: list[Any], other: list[Any]) -> float:
    return max(abs(a - b) for left, right in zip(one, other, strict=True) for a, b in zip(left, right, strict=True))


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--shape", choices=SHAPES, default="tiny")
    parser.add_argument("--pairs", type=int, default=0, help="pairs that are ranked together (32; 8 without CUDA)")
    parser.add_argument("--rounds", type=int, default=3)
    chosen = parser.parse_args(arguments)
    device = "cuda" if torch.cuda.is_available() else "cpu"
    if device == "cpu":
        torch.set_num_threads(1)  # in a model this small, several threads would mostly wait for each other
    number = chosen.pairs or (32 if device == "cuda" else 8)
    where = (
        torch.cuda.get_device_name() if device == "cuda" else f"{platform.machine()}, {torch.get_num_threads()} threads"
    )
    print(f"{chosen.shape} on {where}; torch {torch.__version__}, transformers {transformers.__version__}")
    for suite, (options, (fewest, most), _) in SUITES.items():
        loaded = build(chosen.shape, device)
        print(f"\n{suite}: {number} pairs, 2 questions of {options} options of {fewest} to {most} tokens; ms per pair")
        for name, value in measure(loaded, suite, number, chosen.rounds).items():
            print(f"  {name:<40} {value:10.3f}", flush=True)


if __name__ == "__main__":
    main()

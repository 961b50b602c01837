"""Tiny random models, saved as users have them: weights, tokenizer, image processor and template."""

import functools
import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import torch
import transformers
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
from transformers import PreTrainedTokenizerBase, logging

logging.set_verbosity_error()
logging.disable_progress_bar()

CORPUS = [
    "How many cats would there be if one more cat came into the picture? There would be 3 cats.",
    "Question: What color would the car be if it were painted red? Answer: red. yes no Yes No",
    "USER: Is the dog on the left? ASSISTANT: The dog would be on the right side of the table.",
    "A. one B. two C. three D. four 1 2 3 4 5 6 7 8 9 10 blue green yellow round square small large",
]
HIDDEN = 32
TEXT: dict[str, Any] = {
    "hidden_size": HIDDEN,
    "intermediate_size": 48,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "head_dim": 8,
    "max_position_embeddings": 4096,
    "tie_word_embeddings": False,
    # Wide enough that losses differ between options by far more than rounding does.
    "initializer_range": 0.3,
}
VISION: dict[str, Any] = {
    "hidden_size": 32,
    "intermediate_size": 48,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "num_channels": 3,
    "initializer_range": 0.3,
}

CHATML = (
    "{% for message in messages %}<|im_start|>{{ message['role'] }}\n"
    "{% for part in message['content'] %}{% if part['type'] == 'image' %}IMAGE{% else %}{{ part['text'] }}{% endif %}"
    "{% endfor %}<|im_end|>\n{% endfor %}{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
)
VICUNA = (
    "{% for message in messages %}{{ 'USER: ' if message['role'] == 'user' else 'ASSISTANT: ' }}"
    "{% for part in message['content'] if part['type'] == 'image' %}<image>\n{% endfor %}"
    "{% for part in message['content'] if part['type'] == 'text' %}{{ part['text'] }} {% endfor %}"
    "{{ '</s>' if message['role'] == 'assistant' else '' }}{% endfor %}"
    "{% if add_generation_prompt %}ASSISTANT:{% endif %}"
)


@functools.cache
def _byte_pieces() -> tuple[dict[str, int], list[tuple[str, str]]]:
    """Return the byte-level vocabulary of GPT-2, Qwen and Llama 3."""
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    tokenizer.train_from_iterator(CORPUS, trainers.BpeTrainer(vocab_size=360, initial_alphabet=alphabet))
    return _pieces(tokenizer)


@functools.cache
def _space_pieces() -> tuple[dict[str, int], list[tuple[str, str]]]:
    """Return a vocabulary that marks the start of a word with ▁ and falls back to bytes, as in Llama 2 and Gemma."""
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace()
    special = ["<pad>", "<unk>", "<s>", "</s>", "<bos>", "<eos>", "<mask>", "\n"]
    special += [f"<0x{byte:02X}>" for byte in range(256)]
    tokenizer.train_from_iterator(CORPUS, trainers.BpeTrainer(vocab_size=420, special_tokens=special))
    return _pieces(tokenizer)


@functools.cache
def _unigram_pieces() -> list[tuple[str, float]]:
    """Return a vocabulary with scores, as in T5."""
    tokenizer = Tokenizer(models.Unigram())
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace()
    tokenizer.decoder = decoders.Metaspace()
    special = ["<pad>", "</s>", "<unk>"]
    trainer = trainers.UnigramTrainer(vocab_size=200, special_tokens=special, unk_token="<unk>")
    tokenizer.train_from_iterator(CORPUS, trainer)
    return [(piece, score) for piece, score in json.loads(tokenizer.to_str())["model"]["vocab"]]


def _pieces(tokenizer: Tokenizer) -> tuple[dict[str, int], list[tuple[str, str]]]:
    model = json.loads(tokenizer.to_str())["model"]
    return model["vocab"], [tuple(merge) for merge in model["merges"]]


def _qwen(*extra: str, **named: str) -> PreTrainedTokenizerBase:
    vocab, merges = _byte_pieces()
    vocab = vocab | {"<|endoftext|>": len(vocab)}
    tokenizer = transformers.Qwen2Tokenizer(
        vocab=vocab, merges=merges, eos_token="<|im_end|>", pad_token="<|endoftext|>", extra_special_tokens=named
    )
    tokenizer.add_special_tokens({"additional_special_tokens": ["<|im_start|>", "<|im_end|>", *extra]})
    return tokenizer


def _llama2(*extra: str) -> PreTrainedTokenizerBase:
    vocab, merges = _space_pieces()
    tokenizer = transformers.LlamaTokenizer(vocab=vocab, merges=merges, pad_token="<pad>", add_bos_token=True)
    tokenizer.add_special_tokens({"additional_special_tokens": list(extra)})
    return tokenizer


def _byte_level(bos: str, eos: str, *extra: str) -> PreTrainedTokenizerBase:
    """Return a generic tokenizer, as in Llama 3 and SmolLM, which adds `bos` to the start of every text."""
    from tokenizers import processors

    vocab, merges = _byte_pieces()
    base = Tokenizer(models.BPE(vocab=vocab, merges=merges))
    base.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    base.decoder = decoders.ByteLevel()
    base.add_special_tokens([bos, eos, "<pad>", *extra])
    begin = base.token_to_id(bos)
    base.post_processor = processors.TemplateProcessing(
        single=f"{bos} $A", pair=f"{bos} $A {bos} $B", special_tokens=[(bos, begin)]
    )
    return transformers.PreTrainedTokenizerFast(
        tokenizer_object=base, bos_token=bos, eos_token=eos, pad_token="<pad>", additional_special_tokens=list(extra)
    )


def _gpt2() -> PreTrainedTokenizerBase:
    vocab, merges = _byte_pieces()
    vocab = {"<pad>": 0, "</s>": 1} | {piece: number + 2 for piece, number in vocab.items()}
    tokenizer = transformers.GPT2Tokenizer(
        vocab=vocab,
        merges=merges,
        bos_token="</s>",
        eos_token="</s>",
        unk_token="</s>",
        pad_token="<pad>",
        add_bos_token=True,
    )
    tokenizer.add_tokens(["<image>"], special_tokens=True)
    return tokenizer


def _t5() -> PreTrainedTokenizerBase:
    tokenizer = transformers.T5Tokenizer(vocab=_unigram_pieces(), extra_ids=0)
    tokenizer.add_tokens(["<image>"], special_tokens=True)
    return tokenizer


def _bert() -> PreTrainedTokenizerBase:
    letters = [chr(code) for code in range(33, 127)]
    pieces = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *letters, *("##" + letter for letter in letters)]
    return transformers.BertTokenizer(vocab={piece: number for number, piece in enumerate(pieces)})


def _ids(tokenizer: PreTrainedTokenizerBase) -> dict[str, Any]:
    return {
        "vocab_size": len(tokenizer),
        "bos_token_id": tokenizer.bos_token_id,
        "eos_token_id": tokenizer.eos_token_id,
        "pad_token_id": tokenizer.pad_token_id,
    }


def _picture_processor(name: str, **settings: Any) -> Any:
    return getattr(transformers, name + "Pil")(**settings)


def _write(
    folder: Path,
    name: str,
    config: Any,
    tokenizer: PreTrainedTokenizerBase,
    pictures: Any,
    template: str | None = None,
    *,
    video: str | None = None,
    **settings: Any,
) -> Path:
    """Save the parts as in published checkpoints; the processor itself may need other packages."""
    torch.manual_seed(7)
    model = getattr(transformers, f"{name}ForConditionalGeneration")(config).eval()
    _enliven(model)
    set_end_tokens(model, tokenizer)
    model.save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    pictures.save_pretrained(folder)
    settings["processor_class"] = f"{name}Processor"
    (folder / "processor_config.json").write_text(json.dumps(settings))
    if template is not None:
        (folder / "chat_template.jinja").write_text(template)
    if video is not None:
        (folder / "video_preprocessor_config.json").write_text(json.dumps({"video_processor_type": video}))
    return folder


def set_end_tokens(model: Any, tokenizer: PreTrainedTokenizerBase) -> None:
    """Use the special tokens of the tokenizer for generation."""
    for name in ("eos_token_id", "pad_token_id", "bos_token_id"):
        setattr(model.generation_config, name, getattr(tokenizer, name))


def _enliven(model: torch.nn.Module) -> None:
    """Randomise weights that are initialised near zero, so that pictures affect the output."""
    with torch.no_grad():
        for name, weight in model.named_parameters():
            if weight.dim() > 1 and weight.std() < 0.1:
                weight.normal_(0, 0.2)
            elif "gate" in name and weight.numel() == 1:
                weight.fill_(0.5)


def llava(folder: Path) -> Path:
    tokenizer = _llama2("<image>")
    config = transformers.LlavaConfig(
        vision_config=transformers.CLIPVisionConfig(**VISION, image_size=32, patch_size=8, projection_dim=16),
        text_config=transformers.LlamaConfig(**TEXT, **_ids(tokenizer)),
        image_token_index=tokenizer.convert_tokens_to_ids("<image>"),
        image_seq_length=16,
    )
    pictures = _picture_processor(
        "CLIPImageProcessor", size={"shortest_edge": 32}, crop_size={"height": 32, "width": 32}
    )
    settings = {"patch_size": 8, "vision_feature_select_strategy": "default", "num_additional_image_tokens": 1}
    return _write(folder, "Llava", config, tokenizer, pictures, VICUNA, **settings)


QWEN_EXTRA = ("<|vision_start|>", "<|vision_end|>", "<|image_pad|>", "<|video_pad|>")
QWEN_TEMPLATE = CHATML.replace("IMAGE", "<|vision_start|><|image_pad|><|vision_end|>")


def qwen_vl(folder: Path, name: str, vision: dict[str, Any], sections: Sequence[int] = (2, 1, 1)) -> Path:
    """Write a tiny Qwen model; `sections` divide half of the width of a head. Used by `peers.vllm` too."""
    tokenizer = _qwen(*QWEN_EXTRA)
    start, end, image, video = tokenizer.convert_tokens_to_ids(list(QWEN_EXTRA))
    text = {key: value for key, value in TEXT.items() if key != "head_dim"}
    parameters = {"rope_type": "default", "rope_theta": 10000.0, "mrope_section": list(sections)}
    config = getattr(transformers, name + "Config")(
        vision_config={
            **{"depth": 2, "num_heads": 2, "patch_size": 8, "spatial_merge_size": 2, "temporal_patch_size": 2},
            **{"initializer_range": 0.3, **vision},
        },
        text_config={**text, **_ids(tokenizer), "rope_parameters": parameters},
        image_token_id=image,
        video_token_id=video,
        vision_start_token_id=start,
        vision_end_token_id=end,
    )
    pictures = _picture_processor(
        "Qwen2VLImageProcessor",
        patch_size=8,
        merge_size=2,
        temporal_patch_size=2,
        size={"shortest_edge": 4 * 8 * 8, "longest_edge": 64 * 8 * 8},
    )
    return _write(folder, name, config, tokenizer, pictures, QWEN_TEMPLATE, video="Qwen2VLVideoProcessor")


def qwen2_5_vl(folder: Path) -> Path:
    sizes = {"hidden_size": 32, "out_hidden_size": HIDDEN, "intermediate_size": 48, "window_size": 32}
    return qwen_vl(folder, "Qwen2_5_VL", {**sizes, "fullatt_block_indexes": [1]})


def _blip(folder: Path, name: str, text: Any, tokenizer: PreTrainedTokenizerBase) -> Path:
    reader = {"vocab_size": 300, "max_position_embeddings": 512}
    former = {**VISION, **reader, "encoder_hidden_size": 32, "cross_attention_frequency": 1}
    former.pop("num_channels")
    config = getattr(transformers, name + "Config")(
        vision_config={**VISION, "image_size": 32, "patch_size": 8},
        qformer_config=former,
        text_config=text,
        num_query_tokens=4,
        image_token_index=tokenizer.convert_tokens_to_ids("<image>"),
    )
    pictures = _picture_processor("BlipImageProcessor", size={"height": 32, "width": 32})
    _write(folder, name, config, tokenizer, pictures, num_query_tokens=4)
    if name == "InstructBlip":
        _bert().save_pretrained(folder / "qformer_tokenizer")
    return folder


def _opt(tokenizer: PreTrainedTokenizerBase) -> Any:
    return transformers.OPTConfig(
        **_ids(tokenizer),
        hidden_size=HIDDEN,
        word_embed_proj_dim=HIDDEN,
        ffn_dim=48,
        num_hidden_layers=2,
        num_attention_heads=4,
        max_position_embeddings=512,
        init_std=0.3,
    )


def _flan(tokenizer: PreTrainedTokenizerBase) -> Any:
    return transformers.T5Config(
        vocab_size=len(tokenizer),
        d_model=HIDDEN,
        d_kv=8,
        d_ff=48,
        num_layers=2,
        num_heads=4,
        feed_forward_proj="gated-gelu",
        initializer_factor=0.3,
        tie_word_embeddings=False,
        decoder_start_token_id=tokenizer.pad_token_id,
        eos_token_id=tokenizer.eos_token_id,
        pad_token_id=tokenizer.pad_token_id,
    )


def blip_2(folder: Path) -> Path:
    tokenizer = _gpt2()
    return _blip(folder, "Blip2", _opt(tokenizer), tokenizer)


def blip_2_t5(folder: Path) -> Path:
    tokenizer = _t5()
    return _blip(folder, "Blip2", _flan(tokenizer), tokenizer)


def instructblip(folder: Path) -> Path:
    tokenizer = _llama2("<image>")
    return _blip(folder, "InstructBlip", transformers.LlamaConfig(**TEXT, **_ids(tokenizer)), tokenizer)


FAMILIES: dict[str, Callable[[Path], Path]] = {
    make.__name__: make for make in (llava, qwen2_5_vl, blip_2, blip_2_t5, instructblip)
}
"""Families by the name of their module in transformers; `FAMILIES[name](folder)` writes a model there. All others are
made by `every_family`."""
KINDS = ("llava", "qwen2_5_vl", "paligemma", "mllama", "blip_2_t5")
"""One of each kind: image tokens, three-dimensional positions, a prefix seen whole, cross-attention, an encoder with a
decoder of its own."""

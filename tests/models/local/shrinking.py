"""Tiny configurations of any family: the defaults, with every size replaced by a small one."""

from collections.abc import Mapping
from typing import Any

from transformers.models.auto.configuration_auto import CONFIG_MAPPING

SMALL = {
    **dict.fromkeys(
        (
            *("hidden_size", "d_model", "embed_dim", "out_hidden_size", "projection_dim", "word_embed_proj_dim"),
            *("encoder_hidden_size", "text_hidden_size", "vision_output_dim", "vision_hidden_size", "output_dim"),
            *("projector_hidden_size", "merged_hidden_size", "decoder_hidden_size", "image_text_hidden_size"),
            *("patch_embed_hidden_size", "image_token_embed_dim", "moe_hidden_size", "projector_output_dim"),
        ),
        32,
    ),
    **dict.fromkeys(
        (
            *("intermediate_size", "ffn_dim", "d_ff", "encoder_ffn_dim", "decoder_ffn_dim", "mlp_dim"),
            *("dense_intermediate_size", "projection_intermediate_size", "alignment_intermediate_size"),
            *("intermediate_size_mlp", "shared_intermediate_size", "projection_hidden_size"),
        ),
        48,
    ),
    **dict.fromkeys(("moe_intermediate_size", "shared_expert_intermediate_size", "share_expert_dim"), 16),
    "moe_shared_expert_intermediate_size": 16,
    **dict.fromkeys(("num_hidden_layers", "depth", "layers", "num_layers", "n_layers", "encoder_layers"), 2),
    **dict.fromkeys(("decoder_layers", "num_decoder_layers"), 2),
    **dict.fromkeys(("num_attention_heads", "num_heads", "attention_heads", "encoder_attention_heads"), 4),
    "decoder_attention_heads": 4,
    "num_key_value_heads": 2,
    **dict.fromkeys(("head_dim", "d_kv", "qk_rope_head_dim", "qk_nope_head_dim", "v_head_dim"), 8),
    **dict.fromkeys(("kv_lora_rank", "q_lora_rank", "qk_head_dim", "num_position_embeddings"), 16),
    **dict.fromkeys(("num_experts", "n_routed_experts", "num_local_experts", "moe_num_experts"), 4),
    **dict.fromkeys(("num_experts_per_tok", "moe_topk", "moe_k"), 2),
    **dict.fromkeys(("n_group", "topk_group", "first_k_dense_replace"), 1),
    **dict.fromkeys(("linear_key_head_dim", "linear_value_head_dim"), 8),
    "linear_num_key_heads": 2,
    "linear_num_value_heads": 4,
    "image_size": 32,
    "patch_size": 8,
    "max_position_embeddings": 4096,
    # Wide enough that losses differ between options by far more than rounding does.
    "initializer_range": 0.3,
    "tie_word_embeddings": False,
}
_BY_LAYER = ("layer_types", "mlp_layer_types", "layers_block_type", "indexer_types")
"""Lists with an entry per layer; one layer of each kind is kept."""
PARTS = ("_config", "encoder", "decoder")
"""Endings of names of configurations within configurations."""
_LEFT_OUT = ("transformers_version", "architectures", "_name_or_path", "dtype", "id2label", "label2id")


def tiny_config(
    family: str, tokens: Mapping[str, int], vocabulary: Mapping[str, int], changes: Mapping[str, Any]
) -> Any:
    """The configuration of a family with small sizes, its special tokens, and `changes`.

    `tokens` has the number of each token by what names of settings begin with: `image` for `image_token_id`.
    """
    kind = CONFIG_MAPPING[family]
    settings = _shrunk(kind().to_dict(), {**SMALL, "vocab_size": len(vocabulary)}, tokens)
    words = {"@vocabulary": dict(vocabulary), **{f"@{name}": number for name, number in tokens.items()}}
    return kind(**_changed(settings, changes, words))


def _changed(settings: dict[str, Any], changes: Mapping[str, Any], words: Mapping[str, Any]) -> dict[str, Any]:
    made = dict(settings)
    for name, value in changes.items():
        if value == "@none":
            made.pop(name, None)
        elif name.endswith(PARTS) and isinstance(made.get(name), dict):
            made[name] = _changed(made[name], value, words)
        elif isinstance(value, str):
            made[name] = words.get(value, value)
        elif isinstance(value, dict):  # TOML has no numbers for keys
            made[name] = {int(key) if key.isdigit() else key: inner for key, inner in value.items()}
        else:
            made[name] = value
    return made


def _shrunk(settings: dict[str, Any], small: Mapping[str, Any], tokens: Mapping[str, int]) -> dict[str, Any]:
    made = {name: _smaller(name, value, small, tokens) for name, value in settings.items() if name not in _LEFT_OUT}
    lists = [name for name in _BY_LAYER if made.get(name)]
    if lists:
        layers = max(len(made[name]) for name in lists)
        made |= {name: (made[name] * layers)[:layers] for name in lists}
        made["num_hidden_layers"] = layers
    return made


def _smaller(name: Any, value: Any, small: Mapping[str, Any], tokens: Mapping[str, int]) -> Any:
    if isinstance(value, dict):
        return _shrunk(value, small, tokens)
    if name in _BY_LAYER and value:
        return list(dict.fromkeys(value))
    for ending in ("_token_id", "_token_index"):
        if str(name).endswith(ending):
            return tokens.get(name.removesuffix(ending), tokens["other"])
    if name not in small or value is None:
        return value
    return [small[name]] * len(value) if isinstance(value, list) else small[name]

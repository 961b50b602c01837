"""The networks: a text encoder with a scoring head, or LXMERT's two streams with a visual token (CoSIm, section 6).

`export` writes a trained network to files that can be used without torch: an ONNX graph, a tokenizer and a description.
"""

import warnings
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn

from countersight.errors import CountersightError
from countersight.models.local import read_any_config
from countersight.models.matcher import GRAPH, TOKENIZER, WHOLE, Sequences, Sheet, surface_size, write_sheet
from countersight.training.plan import COUNTS, TrainingPlan

COUNTING = 64
"""The size of the hidden layer for counted features."""
OPSET = 18


class CountsMatcher(nn.Module):
    """A network that scores options by counted surface features only."""

    def __init__(self, plan: TrainingPlan) -> None:
        super().__init__()
        size = surface_size(plan.inputs)
        self.layers = nn.Sequential(nn.Linear(size, COUNTING), nn.GELU(), nn.Dropout(0.5), nn.Linear(COUNTING, 1))

    def forward(self, tokens: Tensor, real: Tensor, counts: Tensor) -> Tensor:
        """Return a score per option."""
        return self.count(counts)

    def count(self, counts: Tensor) -> Tensor:
        """Return a score per option from its counts."""
        scores: Tensor = self.layers(counts).squeeze(-1)
        return scores


class TextMatcher(nn.Module):
    """A text encoder with a head that scores each sequence."""

    def __init__(self, body: nn.Module, hidden: int, plan: TrainingPlan) -> None:
        super().__init__()
        self.body = body
        self.score = nn.Sequential(nn.Dropout(plan.dropout), nn.Linear(hidden, 1))
        self.counted = CountsMatcher(plan) if plan.surface else None

    def forward(self, tokens: Tensor, real: Tensor, counts: Tensor | None = None) -> Tensor:
        """Return a score per sequence."""
        states: Tensor = self.body(input_ids=tokens, attention_mask=real).last_hidden_state
        scores: Tensor = self.score(states[:, 0]).squeeze(-1)  # of the token [CLS]
        return scores if self.counted is None else scores + self.counted(tokens, real, counts)


class TwoStreams(nn.Module):
    """LXMERT over text and regions; a visual token precedes the regions, as [CLS] precedes the words."""

    def __init__(self, body: Any, given: int, plan: TrainingPlan) -> None:
        super().__init__()
        self.body = body
        hidden, region = body.config.hidden_size, body.config.visual_feat_dim
        self.region = nn.Identity() if region == given else nn.Linear(given, region)
        # Not zeros: LXMERT normalises each region, and the gradient through a normalised zero is 10^5 times larger.
        self.visual_token = nn.Parameter(torch.randn(1, 1, region))
        self.visual_box = nn.Parameter(torch.tensor([[WHOLE]]))
        self.score = nn.Sequential(nn.Dropout(plan.dropout), nn.Linear(hidden, 1))
        self.counted = CountsMatcher(plan) if plan.surface else None

    def forward(
        self,
        tokens: Tensor,
        real: Tensor,
        features: Tensor,
        boxes: Tensor,
        there: Tensor,
        shown: Tensor,
        counts: Tensor | None = None,
    ) -> Tensor:
        """Return a score per sequence; `shown` contains the index of each sequence's picture."""
        return self.scored(*self.tokens(tokens, real, features, boxes, there, shown), counts)

    def scored(self, text: Tensor, vision: Tensor, counts: Tensor | None) -> Tensor:
        """Return a score for how well each text token matches its visual token."""
        scores: Tensor = self.score(text * vision).squeeze(-1)
        return scores if self.counted is None or counts is None else scores + self.counted.count(counts)

    def tokens(
        self, tokens: Tensor, real: Tensor, features: Tensor, boxes: Tensor, there: Tensor, shown: Tensor
    ) -> tuple[Tensor, Tensor]:
        """Return the text token and the visual token of each sequence, after self- and cross-attention."""
        pictures = features.shape[0]
        seen = torch.cat([self.visual_token.expand(pictures, -1, -1), self.region(features)], 1)
        places = torch.cat([self.visual_box.expand(pictures, -1, -1), boxes], 1)
        there = torch.cat([torch.ones_like(there[:, :1]), there], 1)
        out = self.body(
            input_ids=tokens,
            attention_mask=real,
            visual_feats=seen[shown],
            visual_pos=places[shown],
            visual_attention_mask=there[shown],
        )
        return out.language_output[:, 0], out.vision_output[:, 0]


def build(plan: TrainingPlan, vocabulary: int, pad: int, region: int = 0) -> CountsMatcher | TextMatcher | TwoStreams:
    """Build the network of a plan, from a folder of weights or from scratch. Each region has `region` numbers."""
    if plan.encoder == COUNTS:
        return CountsMatcher(plan)
    config = read_any_config(Path(plan.encoder)) if plan.encoder else None
    kind = config.model_type if config else ""
    if plan.inputs == "full":
        return TwoStreams(_two_streams(plan, kind, config, vocabulary, pad, region), region, plan)
    if kind == "lxmert":
        raise CountersightError("LXMERT has two streams: set `inputs` to `full`")
    text = _text_encoder(plan, vocabulary, pad)
    return TextMatcher(text, text.config.hidden_size, plan)


def _text_encoder(plan: TrainingPlan, vocabulary: int, pad: int) -> Any:
    from transformers import AutoModel, BertConfig, BertModel

    if plan.encoder:
        return AutoModel.from_pretrained(plan.encoder, local_files_only=True)
    config = BertConfig(
        vocab_size=vocabulary,
        pad_token_id=pad,
        hidden_size=plan.hidden,
        num_hidden_layers=plan.text_layers,
        num_attention_heads=plan.heads,
        intermediate_size=4 * plan.hidden,
        hidden_dropout_prob=plan.dropout,
        attention_probs_dropout_prob=plan.dropout,
        initializer_range=_initial_scale(plan),
    )
    return BertModel(config, add_pooling_layer=False)


def _initial_scale(plan: TrainingPlan) -> float:
    """Return the scale of random weights; the 0.02 of BERT suits its size but is too small for smaller networks."""
    return float(plan.hidden**-0.5)


def _two_streams(plan: TrainingPlan, kind: str, config: Any, vocabulary: int, pad: int, region: int) -> Any:
    from transformers import LxmertConfig, LxmertModel

    if kind == "lxmert":
        return LxmertModel.from_pretrained(plan.encoder, local_files_only=True)
    if kind not in ("", "bert"):
        raise CountersightError(f"the two-stream matcher needs weights of BERT or LXMERT, not {kind}")
    shape = LxmertConfig(
        vocab_size=config.vocab_size if config else vocabulary,
        hidden_size=config.hidden_size if config else plan.hidden,
        num_attention_heads=config.num_attention_heads if config else plan.heads,
        intermediate_size=config.intermediate_size if config else 4 * plan.hidden,
        max_position_embeddings=config.max_position_embeddings if config else 512,
        hidden_dropout_prob=plan.dropout,
        attention_probs_dropout_prob=plan.dropout,
        l_layers=config.num_hidden_layers if config else plan.text_layers,
        r_layers=plan.vision_layers,
        x_layers=plan.cross_layers,
        visual_feat_dim=region,
        initializer_range=0.02 if config else _initial_scale(plan),
        pad_token_id=pad,
    )
    body = LxmertModel(shape)
    if config:
        _load_language_weights(body, plan.encoder)
    return body


def _load_language_weights(body: nn.Module, folder: str) -> None:
    """Initialise the language stream with BERT's weights; both use the same layer names."""
    from transformers import AutoModel

    weights = AutoModel.from_pretrained(folder, local_files_only=True).state_dict()
    language = {name: value for name, value in weights.items() if name.startswith(("embeddings.", "encoder.layer."))}
    strange = set(body.load_state_dict(language, strict=False).unexpected_keys)
    strange -= {"embeddings.position_ids", "embeddings.token_type_ids"}
    if strange:
        raise CountersightError(f"{folder} is not a plain BERT model: it has {min(strange)}")


def export(
    network: nn.Module, sequences: Sequences, plan: TrainingPlan, folder: Path, view: str = "", region: int = 0
) -> None:
    """Write all files that `matcher:FOLDER` needs. `view` names the encoder of the regions, and `region` is the number
    of features per region."""
    tokens = torch.ones(3, 7, dtype=torch.int64)
    given: tuple[torch.Tensor, ...] = (tokens, torch.ones_like(tokens))
    shapes = {"tokens": {0: "sequences", 1: "length"}, "real": {0: "sequences", 1: "length"}}
    if plan.inputs == "full":
        shown = torch.tensor([0, 1, 1])
        given += (torch.rand(2, 5, region), torch.rand(2, 5, 4), torch.ones(2, 5, dtype=torch.int64), shown)
        shapes |= {name: {0: "pictures", 1: "regions"} for name in ("features", "boxes", "there")}
        shapes |= {"shown": {0: "sequences"}}
    if plan.surface:
        given += (torch.zeros(3, surface_size(plan.inputs)),)
        shapes |= {"counts": {0: "sequences"}}
    network.eval().cpu()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # warnings of the exporter about its internals
        torch.onnx.export(
            network,
            given,
            str(folder / GRAPH),
            input_names=list(shapes),
            output_names=["scores"],
            dynamic_axes={**shapes, "scores": {0: "sequences"}},
            opset_version=OPSET,
            dynamo=False,
        )
    sequences.save(folder / TOKENIZER)
    write_sheet(folder, Sheet(plan.inputs, view, plan.surface, plan.features, region=region))

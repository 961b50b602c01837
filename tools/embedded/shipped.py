"""The shipped weights, as a starting point for training."""

from collections.abc import Callable
from typing import Any

import msgspec
import numpy as np
import onnx
import torch
from onnx import numpy_helper
from torch import Tensor

from countersight.models import open_graph
from countersight.models.embedded import ENCODER, VOCABULARY, decoder_file, read_weights, weights_folder
from tools.embedded.batches import new_tokenizer
from tools.embedded.config import DecoderPlan
from tools.embedded.decoder_training import new_decoder
from tools.embedded.wordings import Worlds

STORED = (".half", ".bytes")
"""Endings that the exporter adds to the names of compressed weights."""


def shipped_encoder() -> Callable[[Tensor], Tensor]:
    """Return the shipped encoder, as a function from pictures to VALUES."""
    graph = open_graph(weights_folder() / ENCODER)
    return lambda pictures: torch.from_numpy(graph.run(("values",), {"pictures": pictures.numpy()})[0])


def shipped_decoder(worlds: Worlds, plan: DecoderPlan) -> dict[str, Tensor]:
    """Return the weights of a shipped decoder in the shape of a new one; new words start with random weights."""
    torch.manual_seed(0)
    state: dict[str, Tensor] = new_decoder(plan).state_dict()
    known = _weights(onnx.load_from_string(read_weights(weights_folder(), decoder_file(worlds))))
    before = msgspec.json.decode(read_weights(weights_folder(), VOCABULARY), type=list[str])
    rows = {token: row for row, token in enumerate(before)}
    moved = [(row, rows[token]) for row, token in enumerate(new_tokenizer().vocabulary) if token in rows]
    for name, weight in state.items():
        if name.startswith(("words.", "next.")):
            for row, old in moved:
                if row < len(weight) and old < len(known[name]):
                    weight[row] = known[name][old]
        else:
            weight.copy_(known[name])
    return state


def _weights(model: Any) -> dict[str, Tensor]:
    """Return the weights of a graph by their names in training; the exporter transposed and renamed matrices."""
    arrays = {_plain(each.name): _array(each, model) for each in model.graph.initializer}
    products = {node.output[0]: node for node in model.graph.node if node.op_type == "MatMul"}
    for node in model.graph.node:
        if node.op_type == "Add" and any(name.endswith(".bias") for name in node.input):
            bias = next(name for name in node.input if name.endswith(".bias"))
            product = next((products[name] for name in node.input if name in products), None)
            if product is not None:
                arrays[f"{bias.removesuffix('.bias')}.weight"] = arrays[product.input[1]].T
    return {name: torch.from_numpy(np.array(array, np.float32)) for name, array in arrays.items()}


def _plain(name: str) -> str:
    for ending in STORED:
        name = name.removesuffix(ending)
    return name


def _array(stored: Any, model: Any) -> Any:
    array = numpy_helper.to_array(stored)
    if not stored.name.endswith(".bytes"):
        return array
    scale = next(each for each in model.graph.initializer if each.name == f"{_plain(stored.name)}.scale")
    return array * numpy_helper.to_array(scale)[:, None]

"""Export a trained model as the shipped files: ONNX graphs with compressed weights and the vocabulary."""

import copy
import shutil
from pathlib import Path

import msgspec
import numpy as np
import onnx
import torch
from onnx import TensorProto, helper, numpy_helper
from torch import Tensor, nn
from torch.nn.utils.fusion import fuse_conv_bn_eval

from countersight.models.embedded import ENCODER, SIDE, VALUES, VOCABULARY, decoder_file, weights_folder
from tools.embedded.batches import new_tokenizer
from tools.embedded.decoder import Decoder
from tools.embedded.encoder import Convolution, Encoder, Residual
from tools.embedded.quantising import quantise

OPSET = 18
WORTH_HALVING = 256
"""Tensors with fewer numbers are not compressed."""


def export(encoder: Encoder | None, decoders: dict[str, Decoder], folder: Path, *, seed: str) -> None:
    """Write everything the embedded model needs into a folder, with the shipped encoder if there is no new one."""
    folder.mkdir(parents=True, exist_ok=True)
    if encoder is None:
        shutil.copyfile(weights_folder() / ENCODER, folder / ENCODER)
    else:
        _export_encoder(encoder, folder / ENCODER, seed)
    for name, decoder in decoders.items():
        _export_decoder(decoder, folder / decoder_file(name))
    (folder / VOCABULARY).write_bytes(msgspec.json.encode(new_tokenizer().vocabulary))


def _export_encoder(encoder: Encoder, path: Path, seed: str) -> None:
    pictures = torch.zeros(2, SIDE, SIDE, 3, dtype=torch.uint8)
    _write(_folded(encoder), (pictures,), {"pictures": {0: "batch"}}, ["values"], path)
    quantise(path, seed)
    _clean(path)


def _export_decoder(decoder: Decoder, path: Path) -> None:
    # All sizes are different, so that the exporter cannot confuse them.
    batch, before, new, wanted = 2, 5, 7, 3
    shape = decoder.shape
    past = torch.zeros(shape.layers, 2, batch, shape.heads, before, shape.width // shape.heads)
    inputs: tuple[Tensor, ...] = (
        torch.zeros(batch, new, dtype=torch.int64),
        torch.zeros(batch, new, dtype=torch.int64),
        torch.ones(batch, before + new, dtype=torch.int64),
        past,
        torch.zeros(batch, len(VALUES)),
        torch.zeros(batch, wanted, dtype=torch.int64),
    )
    axes = {
        "tokens": {0: "batch", 1: "new"},
        "places": {0: "batch", 1: "new"},
        "valid": {0: "batch", 1: "slots"},
        "past": {2: "batch", 4: "before"},
        "values": {0: "batch"},
        "at": {0: "batch", 1: "wanted"},
    }
    _write(copy.deepcopy(decoder).cpu().float().eval(), inputs, axes, ["logits", "cache"], path)
    _clean(path, halve=True)


def _write(
    module: nn.Module, inputs: tuple[Tensor, ...], axes: dict[str, dict[int, str]], outputs: list[str], path: Path
) -> None:
    torch.onnx.export(
        module,
        inputs,
        str(path),
        input_names=list(axes),
        output_names=outputs,
        dynamic_shapes=tuple(dict.fromkeys(named, torch.export.Dim.DYNAMIC) for named in axes.values()),
        opset_version=OPSET,
        dynamo=True,
        external_data=False,
        verbose=False,
    )


def _clean(path: Path, *, halve: bool = False) -> None:
    """Remove the exporter's notes about this machine, and check the graph."""
    model = onnx.load(str(path))
    if halve:
        _shrink_table(model, "words.weight")
        _halve(model)
    del model.metadata_props[:]
    for node in model.graph.node:
        del node.metadata_props[:]
        node.doc_string = ""
    onnx.checker.check_model(model)
    onnx.save(model, str(path))


def _folded(encoder: Encoder) -> Encoder:
    """Return the encoder with normalisation folded into the preceding convolutions."""
    folded = copy.deepcopy(encoder).cpu().float().eval()
    for module in folded.modules():
        if isinstance(module, Convolution | Residual):
            module.conv = fuse_conv_bn_eval(module.conv, module.norm)
            module.norm = nn.Identity()
    return folded


def _shrink_table(model: onnx.ModelProto, name: str) -> None:
    """Store a word-embedding table in bytes with a scale per row: most of its words are only read, never written."""
    graph = model.graph
    table = next(weight for weight in graph.initializer if weight.name == name)
    rows = numpy_helper.to_array(table)
    scale = np.maximum(np.abs(rows).max(axis=1), 1e-6).astype(np.float32) / 127
    table.CopyFrom(numpy_helper.from_array(np.round(rows / scale[:, None]).astype(np.int8), f"{name}.bytes"))
    graph.initializer.append(numpy_helper.from_array(scale, f"{name}.scale"))
    widened = helper.make_node("DequantizeLinear", [f"{name}.bytes", f"{name}.scale"], [name], axis=0)
    nodes = [widened, *graph.node]
    del graph.node[:]
    graph.node.extend(nodes)


def _halve(model: onnx.ModelProto) -> None:
    """Store weights as 16-bit floats and widen them where they are used: half the bytes, the same arithmetic."""
    graph = model.graph
    casts = []
    for weight in graph.initializer:
        array = numpy_helper.to_array(weight)
        if weight.data_type != TensorProto.FLOAT or array.size < WORTH_HALVING or weight.name.endswith(".scale"):
            continue
        name = weight.name
        weight.CopyFrom(numpy_helper.from_array(array.astype(np.float16), f"{name}.half"))
        casts.append(helper.make_node("Cast", [f"{name}.half"], [name], to=TensorProto.FLOAT))
    nodes = [*casts, *graph.node]
    del graph.node[:]
    graph.node.extend(nodes)
    # The stored shapes now belong to the outputs of casts; they are inferred again when the model is loaded.
    del graph.value_info[:]

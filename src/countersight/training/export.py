"""Export of a trained matcher to files that do not need torch: an ONNX graph, its tokenizer and a description."""

import warnings
from pathlib import Path

import torch
from torch import nn

from countersight.models.matcher import GRAPH, TOKENIZER, Sequences, Sheet, surface_size, write_sheet
from countersight.training.plan import Plan

OPSET = 18


def export(network: nn.Module, sequences: Sequences, plan: Plan, folder: Path, view: str = "", region: int = 0) -> None:
    """Write all files that `matcher:FOLDER` needs; `view` describes the features of regions, of `region` numbers
    each."""
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
    write_sheet(folder, Sheet(plan.inputs, view, plan.others, plan.surface, plan.features, region=region))

"""Tiny networks in ONNX files, of the shapes that people publish: they fill holes, or cut things out.

They are no trained models, but they do look at what they are given, so that whatever is done to a picture or a prompt
on the way in shows in what comes out.
"""

import numpy as np
from onnx import TensorProto
from programs.tiny_onnx import node, save_network

FLOAT, UINT8 = TensorProto.FLOAT, TensorProto.UINT8


def _filled(known):
    """Nodes that put the mean of the known part into the rest of `shown`, where `known` is 1 or 0."""
    return [
        node("Mul", ["shown", known], "kept"),
        node("ReduceMean", ["kept"], "mean", keepdims=1),
        node("ReduceMean", [known], "part", keepdims=1),
        node("Div", ["mean", "part"], "tone"),
        node("Sub", ["one", known], "hole"),
        node("Mul", ["tone", "hole"], "painted"),
        node("Add", ["kept", "painted"], "whole"),
    ]


def lama(path, *, side=64, levels=1.0, paints=True, twice=False):
    """LaMa's shape: fractions, one size only, 1 in the mask is the hole; some answer in fractions, some in levels."""
    nodes = [node("Identity", ["image"], "shown"), node("Sub", ["one", "mask"], "known")]
    if paints:
        nodes += [*_filled("known"), node("Mul", ["whole", "levels"], "once")]
    else:
        nodes += [node("Mul", ["shown", "levels"], "once")]
    nodes.append(node("Concat", ["once", "once"] if twice else ["once"], "output", axis=1))
    constants = {"one": np.float32(1), "levels": np.float32(levels)}
    inputs = {"image": (FLOAT, (1, 3, side, side)), "mask": (FLOAT, (1, 1, side, side))}
    return save_network(path, nodes, constants, inputs, {"output": (FLOAT, (1, 6 if twice else 3, side, side))})


def migan(path):
    """The shape of MI-GAN's pipeline: bytes, any size, 255 in the mask is what is known."""
    nodes = [
        node("Cast", ["image"], "shown", to=FLOAT),
        node("Cast", ["mask"], "mask_levels", to=FLOAT),
        node("Div", ["mask_levels", "white"], "known"),
        *_filled("known"),
        node("Cast", ["whole"], "result", to=UINT8),
    ]
    constants = {"one": np.float32(1), "white": np.float32(255)}
    inputs = {"image": (UINT8, ("n", 3, "h", "w")), "mask": (UINT8, ("n", 1, "h", "w"))}
    return save_network(path, nodes, constants, inputs, {"result": (UINT8, ("n", 3, "h", "w"))})


def encoder(path, *, side=64, name="image_embed"):
    """An encoder that passes the picture on."""
    shape = (1, 3, side, side)
    return save_network(
        path, [node("Identity", ["image"], name)], {}, {"image": (FLOAT, shape)}, {name: (FLOAT, shape)}
    )


_SHAPES = {"shape": [1, 2], "corner": [0, 0], "axes": [2, 3]}


def sam_decoder(path, *, side=64, first_family=False):
    """What is red inside a box, at the encoder's size; a worse mask of everything comes first.

    SAM 2's decoder stops there. The first family's has another name for the picture, and makes masks of its size: the
    encoder's square without what was padded.
    """
    picture = "image_embeddings" if first_family else "image_embed"
    ys, xs = np.mgrid[0:side, 0:side].astype(np.float32) + 0.5
    nodes = [
        node("Gather", [picture, "zero"], "red", axis=1),
        node("Gather", [picture, "first"], "green", axis=1),
        node("Sub", ["red", "green"], "redness"),
        node("Sub", ["redness", "one"], "reddish"),
        node("Gather", ["point_coords", "zero"], "from", axis=1),
        node("Gather", ["point_coords", "first"], "to", axis=1),
    ]
    for corner, way in (("from", "x"), ("from", "y"), ("to", "x"), ("to", "y")):
        nodes.append(node("Gather", [corner, "zero" if way == "x" else "first"], f"{corner}_{way}", axis=1))
        order = [f"{way}s", f"{corner}_{way}"]
        nodes.append(node("Sub", order if corner == "from" else order[::-1], f"{corner}_{way}_off"))
    offsets = [f"{corner}_{way}_off" for corner in ("from", "to") for way in ("x", "y")]
    nodes += [
        node("Min", ["reddish", *offsets], "found"),
        node("Unsqueeze", ["found", "axis"], "mask"),
        node("Concat", ["everything", "mask"], "square" if first_family else "masks", axis=1),
        node("Identity", ["scores"], "iou_predictions"),
    ]
    constants = {
        "zero": np.array(0, np.int64),
        "first": np.array(1, np.int64),
        "axis": np.array([1], np.int64),
        "one": np.float32(1),
        "xs": xs[None],
        "ys": ys[None],
        "everything": np.ones((1, 1, side, side), np.float32),
        "scores": np.array([[0.2, 0.9]], np.float32),
    }
    inputs = {
        picture: (FLOAT, (1, 3, side, side)),
        "point_coords": (FLOAT, ("n", "points", 2)),
        "point_labels": (FLOAT, ("n", "points")),
        "mask_input": (FLOAT, ("n", 1, side // 4, side // 4)),
        "has_mask_input": (FLOAT, (1,)),
    }
    size = (side, side)
    if first_family:
        nodes += [
            node("Cast", ["orig_im_size"], "sizes", to=TensorProto.INT64),
            node("ReduceMax", ["sizes"], "longer", keepdims=1),
            node("Concat", ["shape", "longer", "longer"], "whole", axis=0),
            node("Resize", ["square", "", "", "whole"], "padded", mode="linear"),
            node("Slice", ["padded", "corner", "sizes", "axes"], "masks"),
        ]
        constants |= {name: np.array(value, np.int64) for name, value in _SHAPES.items()}
        inputs["orig_im_size"] = (FLOAT, (2,))
        size = ("h", "w")
    outputs = {"masks": (FLOAT, (1, 2, *size)), "iou_predictions": (FLOAT, (1, 2))}
    return save_network(path, nodes, constants, inputs, outputs)

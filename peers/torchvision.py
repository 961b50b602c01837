"""A torchvision whose compiled part does not load beside the CPU build of torch: enough is declared to import it.

Imported before a tool that imports torchvision and, for our questions, calls nothing of it.
"""

import sys

import torch

DECLARED = torch.library.Library("torchvision", "FRAGMENT")  # as long as this lives

try:
    import torchvision  # noqa: F401
except RuntimeError:
    for name in [name for name in sys.modules if name.partition(".")[0] == "torchvision"]:
        del sys.modules[name]
    for operator in ("nms", "qnms"):
        DECLARED.define(f"{operator}(Tensor dets, Tensor scores, float iou_threshold) -> Tensor")

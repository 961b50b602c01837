"""Removals from pictures with a known label: the perfect one, and bad ones of every kind.

A thing of another picture is pasted into one: that is the picture before. The picture itself is then the perfect
removal, and a hole that is filled badly on purpose is a bad one.
"""

import numpy as np
from PIL import Image, ImageFilter

from countersight.audits.checkers.pixels import removal_result
from countersight.audits.checkers.seams import verdict
from countersight.detection import grow_mask
from countersight.editing.quality import seams_of

GOOD = "truly gone"
FILLS = {
    GOOD: lambda truth, before, hole, rng: truth,
    "one flat colour": lambda truth, before, hole, rng: truth[grow_mask(hole, 10) & ~hole].mean(axis=0),
    "smeared": lambda truth, before, hole, rng: soft(truth),
    "noise": lambda truth, before, hole, rng: np.clip(soft(truth) + rng.normal(0, 25, truth.shape), 0, 255),
    "another one like it": lambda truth, before, hole, rng: mirrored(before, hole),
    "still there, paler": lambda truth, before, hole, rng: 0.8 * before + 0.2 * truth,
}


def rejected(pictures):
    """How many removals of each kind `pixels` or `seams` reject."""
    found = dict.fromkeys(FILLS, 0)
    for seed, truth in enumerate(pictures):
        rng = np.random.default_rng(seed)
        thing = blob(rng, *truth.shape[:2])
        before = np.where(thing[:, :, None], pictures[(seed + 1) % len(pictures)], truth)
        hole = grow_mask(thing, max(2, round(0.012 * max(truth.shape))))
        for kind, fill in FILLS.items():
            after = np.where(hole[:, :, None], fill(truth, before, hole, rng), truth).astype(np.uint8)
            looks_edited = verdict(seams_of(before, after, hole), "remove").done is False
            found[kind] += looks_edited or removal_result(before, after, hole).done is False
    return found


def blob(rng, height, width):
    """A thing's outline: an ellipse with bumps."""
    x, y = rng.uniform(0.3, 0.7) * width, rng.uniform(0.3, 0.7) * height
    across, down = rng.uniform(0.05, 0.13) * width, rng.uniform(0.05, 0.13) * height
    ys, xs = np.mgrid[:height, :width]
    bumps = 1 + 0.15 * np.sin(3 * np.arctan2(ys - y, xs - x) + rng.uniform(0, 6))
    return ((xs - x) / across) ** 2 + ((ys - y) / down) ** 2 < bumps


def soft(pixels):
    return np.asarray(Image.fromarray(pixels).filter(ImageFilter.GaussianBlur(6)))


def mirrored(before, hole):
    """The thing itself, turned round in its place: another one of the same look."""
    rows, columns = np.nonzero(hole)
    box = np.s_[rows.min() : rows.max() + 1, columns.min() : columns.max() + 1]
    turned = before.copy()
    turned[box] = before[box][::-1, ::-1]
    return turned

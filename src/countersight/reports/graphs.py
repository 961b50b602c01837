"""The causal graph of a case as the gallery shows it: in words, and as boxes over the picture where there is one."""

from typing import Any

from countersight.case import Case
from countersight.dataset import Dataset
from countersight.engine import edges_in_words, names_of, nodes_of
from countersight.reports.boxes import in_parts, size_of
from countersight.reports.data import GraphThing, ShownGraph

MOST_THINGS = 12
MOST_BOXES = 8
"""Of one thing: published nodes have one for every time the thing was marked."""
_FAR = 1e6
"""Pixels: no picture is so large."""
_LONGEST_REASON = 400

_Corners = tuple[float, float, float, float]


def shown_graph(case: Case, source: Dataset) -> ShownGraph | None:
    """The graph of a case for the page, or None where it has none that can be told."""
    names, edges = names_of(case.graph), edges_in_words(case.graph)
    if not edges:
        return None
    nodes = [node for node in nodes_of(case.graph) if names[str(node.get("id"))]][:MOST_THINGS]
    boxes = [_boxes(node) for node in nodes]
    size = size_of(case.image, source) if any(boxes) else None
    things = tuple(
        GraphThing(names[str(node.get("id"))], tuple(in_parts(box, size) for box in of_thing) if size else ())
        for node, of_thing in zip(nodes, boxes, strict=True)
    )
    return ShownGraph(things, tuple(edges), str(case.provenance.get("why", ""))[:_LONGEST_REASON])


def _boxes(node: dict[str, Any]) -> list[_Corners]:
    """The boxes of a node, given by left, top, width and height in pixels; what is no box is left out."""
    boxes = node.get("boxes")
    corners = map(_corners, boxes[:MOST_BOXES]) if isinstance(boxes, list) else ()
    return [box for box in corners if box]


def _corners(box: object) -> _Corners | None:
    if not isinstance(box, list) or len(box) != 4:
        return None
    if not all(type(side) in (int, float) and abs(side) < _FAR for side in box):
        return None
    left, top, width, height = box
    return (left, top, left + width, top + height) if width > 0 and height > 0 else None

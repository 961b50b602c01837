"""CELLO: the authors' JSONL, one causal question per line about a Visual Genome image.

There is only a counterfactual question. Values that the file gives by position (`id` of a node, `source` and `target`
of an edge) are stored under names, because rows that mix numbers and objects cannot become a table. The nodes that a
question is about are stored as `objs`.
"""

import re
from pathlib import Path
from typing import Any, Final

from countersight.case import LETTERS, Case, Option, Question
from countersight.causal import verdict_on
from countersight.suites.rows import checked, jsonl_rows, text_of
from countersight.suites.suite import BadField, Layout, Row, Rows, Suite
from countersight.suites.supposing import supposed

NAME: Final = "cello"

FIELDS = (
    "img_id",
    "question",
    "graph_type",
    "task_type",
    "graph",
    "objs",
    "options",
    "answer_index",
    "data_id",
)
_PLAIN_ID = re.compile(r"[\w.-]{1,100}", re.ASCII)


def _rows(path: Path) -> Rows:
    return jsonl_rows(path, FIELDS)


def _as_case(row: Row, number: int) -> Case:
    question = _question(row)
    return Case(
        id=f"{NAME}-{number:06d}",
        group=text_of(row, "task_type"),
        change=supposed(question.text),
        counterfactual=question,
        graph=_graph(row),
        provenance={
            "graph_type": text_of(row, "graph_type"),
            "data_id": _id(row["data_id"], "data_id"),
            "img_id": _id(row["img_id"], "img_id"),
        },
    )


def _question(row: Row) -> Question:
    text, options, right = text_of(row, "question"), _options(row), row["answer_index"]
    if not isinstance(right, int) or isinstance(right, bool) or not 0 <= right < len(options):
        raise BadField("answer_index", f"is not a whole number from 0 to {len(options) - 1}")
    said = [option.casefold().rstrip(".") for option in options]
    if sorted(said) == ["no", "yes"]:
        return Question(text, said[right], "boolean")
    question = Question(text, LETTERS[right], "choice", tuple(Option(option) for option in options))
    return checked(question, {"text": "question", "answer": "answer_index", "options": "options"})


def _options(row: Row) -> list[str]:
    options = row["options"]
    if not isinstance(options, list) or len(options) not in (2, 4):
        raise BadField("options", "is not a list of 2 or 4 texts")
    return [text_of({"options": option}, "options") for option in options]


def _graph(row: Row) -> dict[str, Any]:
    graph, objs = row["graph"], row["objs"]
    if not isinstance(graph, dict):
        raise BadField("graph", "is not an object")
    if not isinstance(objs, list):
        raise BadField("objs", "is not a list of the ids of nodes")
    nodes = [{**about, "id": _id(node, "graph.nodes")} for node, about in _parts(graph, "nodes", "[id, {…}]", 2)]
    edges = [
        {**about, "source": _id(source, "graph.edges"), "target": _id(target, "graph.edges")}
        for source, target, about in _parts(graph, "edges", "[id, id, {…}]", 3)
    ]
    return {"nodes": nodes, "edges": _add_direction(nodes, edges), "objs": [_id(node, "objs") for node in objs]}


def _add_direction(nodes: list[dict[str, Any]], edges: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the edges, with subject and object added if the relation runs from effect to cause: an edge runs from the
    shelf to the books, but it is the books that are "on" the shelf."""
    names = {node["id"]: str(node.get("obj_name", "")) for node in nodes}
    for edge in edges:
        cause, effect = (names.get(edge[end], "") for end in ("source", "target"))
        relation = edge.get("relation")
        if not isinstance(relation, str) or verdict_on(cause, relation, effect).cause == "subject":
            continue
        if verdict_on(effect, relation, cause).cause == "object":
            edge |= {"subject": edge["target"], "object": edge["source"]}
    return edges


def _parts(graph: dict[str, Any], name: str, shape: str, length: int) -> list[list[Any]]:
    """Return the nodes or edges of a graph: lists of ids, each ending with an object of attributes."""
    parts = graph.get(name)
    if not isinstance(parts, list) or not all(
        isinstance(part, list) and len(part) == length and isinstance(part[-1], dict) for part in parts
    ):
        raise BadField(f"graph.{name}", f"is not a list of {shape}")
    return parts


def _id(value: object, field: str) -> str | int:
    """Return the id of a picture, an item or a node if it is valid: a whole number or a short word."""
    if isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 2**63:
        return value
    if isinstance(value, str) and _PLAIN_ID.fullmatch(value):
        return value
    raise BadField(field, "must be a whole number or a short word")


LAYOUT = Layout(
    description="CELLO's published causal questions about Visual Genome images, with their causal graphs.",
    rows=_rows,
    as_case=_as_case,
    picture=lambda row: f"{row['img_id']}.jpg",
    picture_field="img_id",
    folders=("VG_100K", "VG_100K_2", ""),
)

SUITE: Final = Suite(
    NAME,
    "CELLO: causal questions with two or four options about Visual Genome images",
    "the authors' JSONL: img_id, question, graph_type, task_type, graph, objs, options, answer_index, data_id",
    "those of Visual Genome: VG_100K/ID.jpg and VG_100K_2/ID.jpg, or all in one folder",
    LAYOUT,
    assembler="countersight.suites.cello.making:assemble",
    options={"folder": ("per_task", "wording")},
    title="CELLO",
    terms="countersight.suites.cello.terms:TERMS",
    described="countersight.suites.cello.terms:CelloTally",
)

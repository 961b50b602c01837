"""The tables of each suite in its paper's own terms: what its figures are called, and how its cases are divided.

A suite that is not in here, and a dataset of several suites, is reported in the plain terms: factual, counterfactual,
drop, both right, by group. The worlds are called factual and counterfactual in every suite, also where its paper says
otherwise (C-VQA: original); only figures have a paper's own names (CFMM: acc_b).
"""

import re
from collections.abc import Callable, Iterable
from typing import Final

import msgspec

from countersight.case import Case, World
from countersight.scoring import Axis
from countersight.suites.cfmm.suite import NAME as CFMM
from countersight.suites.cosim.changes import KINDS

BOTH_WORLDS: Final = "about the picture as it is and about what would be true under a change"
AS_IT_IS: Final = "about the picture as it is"
UNDER_A_CHANGE: Final = "about what would be true under a change"

PLAIN_MEASURES: Final = {
    "factual": "factual",
    "counterfactual": "counterfactual",
    "drop": "drop",
    "both_right": "both right",
    "shown": "shown",
    "imagination_gap": "imagination gap",
    "fell_back": "fell back on the prior",
}
"""The figures of a line of scores, in order, and what they are called where no suite calls them otherwise."""


class Terms(msgspec.Struct, frozen=True, kw_only=True):
    """How a suite's scores are told."""

    title: str = ""
    about: str = ""
    """What was asked, after "was asked 100 cases …"; empty to tell it from the worlds the cases have."""
    group: str = "group"
    groups: dict[str, str] = {}
    """The groups in the paper's order, and what it calls them."""
    measures: dict[str, str] = msgspec.field(default_factory=lambda: PLAIN_MEASURES)
    """The figures that are shown, in order, and what the paper calls them."""
    axes: tuple[Axis, ...] = ()
    adds_up: bool = False
    """Whether the paper adds the groups up to a total out of 100 for each."""
    counts: bool = False
    """Whether every share is also told as a count."""
    wholes: dict[str, str] = {}
    """What the paper calls questions, pictures and sets that are right as a whole (by "question", "picture", "set")."""
    beside: tuple[tuple[str, str], ...] = ()
    """Rows of papers that always stand beside a run: a reference table and the name of a row."""


PLAIN: Final = Terms()


def _spelt(text: str) -> str:
    """A name out of a file, in one spelling."""
    return re.sub(r"[\s_-]+", " ", text[:100]).strip().casefold()


# CoSIm: a change may be of several types, and its case counts for each (CoSIm 5.2).


_PROPOSED: Final = "Where nobody assigned types, rules proposed them out of the words of the change."


def _change_types(case: Case) -> Iterable[str]:
    return map(_spelt, case.change.kinds) if case.change else ()


def _number_of_changes(case: Case) -> Iterable[str]:
    number = case.provenance.get("changes") or (len(case.change.kinds) if case.change else 0)
    if not isinstance(number, int) or number < 1:
        return ()
    return (str(number) if number < 3 else "3 or more",)


# CELLO: twelve tasks on the four rungs of the ladder of causation.

RUNGS: Final = {
    "0 discovery": ("causality identification", "causal attribution", "abstract reasoning"),
    "1 association": ("collider bias",),
    "2 intervention": ("confounder identification", "backdoor adjustment set", "controlled direct effect"),
    "3 counterfactual": (
        "counterfactual reasoning",
        "natural direct effect",
        "natural indirect effect",
        "sufficient cause",
        "necessary cause",
    ),
}
_SHORT: Final = ("CaI", "CA", "AR", "CB", "CoI", "BAS", "CDE", "CR", "NDE", "NIE", "SC", "NC")
_TASKS: Final = [task for tasks in RUNGS.values() for task in tasks]
_RUNG_OF: Final = {
    name: rung
    for rung, tasks in RUNGS.items()
    for task in tasks
    for name in (task, _SHORT[_TASKS.index(task)].casefold())
}
BINARY: Final = "binary"
MULTIPLE: Final = "multiple choice"


def _rung(case: Case) -> Iterable[str]:
    return (_RUNG_OF.get(_spelt(case.group), ""),) if case.group else ()


def _graph_type(case: Case) -> Iterable[str]:
    graph = case.provenance.get("graph_type")
    return (_spelt(graph),) if isinstance(graph, str) and graph else ()


def _form(case: Case) -> Iterable[str]:
    question = case.counterfactual
    if question is None:
        return ()
    return (BINARY if question.kind == "boolean" or len(question.options) == 2 else MULTIPLE,)


# Worlds: how hard a case is, and what is changed in it.


def _remembered(key: str) -> Callable[[Case], Iterable[str]]:
    return lambda case: (str(case.provenance[key]),) if key in case.provenance else ()


def _change_kinds(case: Case) -> Iterable[str]:
    return case.change.kinds if case.change else ()


_WORLDS: Final = (
    Axis("difficulty", ("easy", "medium", "hard"), _remembered("difficulty")),
    Axis("kind of change", ("remove", "add", "replace", "move", "turn", "speed"), _change_kinds),
    Axis("depth of the chain", tuple(map(str, range(30))), _remembered("depth")),
    Axis("margin in pixels", ("6", "10", "15", "20"), _remembered("margin")),
)


_ACCURACY: Final = {"factual": "accuracy"}


def _titled(case: Case) -> Iterable[str]:
    said = str(case.provenance.get("with_title", "")).casefold()
    return ("yes" if said in ("true", "1", "yes") else "no",) if said else ()


_VQA: Final = Terms(about=AS_IT_IS, measures={"factual": "VQA accuracy"})

TERMS: Final[dict[str, Terms]] = {
    "cvqa-real": Terms(
        title="C-VQA-Real",
        groups={"direct": "numerical direct", "indirect": "numerical indirect", "boolean": "boolean"},
    ),
    "cvqa-synthetic": Terms(title="C-VQA-Synthetic", group="template"),
    CFMM: Terms(
        title="CFMM",
        group="aspect",
        groups={aspect: aspect for aspect in ("count", "color", "size", "shape", "direction", "common")},
        measures={"factual": "acc_b", "counterfactual": "acc_c", "both_right": "acc+", "drop": "drop"},
        adds_up=True,
        counts=True,
    ),
    "cosim": Terms(
        title="CoSIm",
        about=UNDER_A_CHANGE,
        measures={"counterfactual": "accuracy"},
        axes=(
            Axis("change type", KINDS, _change_types, _PROPOSED),
            Axis("number of changes", ("1", "2", "3 or more"), _number_of_changes, _PROPOSED),
        ),
        beside=(("cosim-3", "Human"),),
    ),
    "cello": Terms(
        title="CELLO",
        about="about causes and effects in the picture",
        group="task",
        groups={task.replace(" ", "_"): f"{task} ({short})" for task, short in zip(_TASKS, _SHORT, strict=True)},
        measures={"counterfactual": "accuracy"},
        axes=(
            Axis("rung", tuple(RUNGS), _rung),
            Axis("causal graph", ("direct", "confounding", "collision", "chain"), _graph_type),
            Axis("form of the answer", (BINARY, MULTIPLE), _form),
        ),
    ),
    "supports": Terms(title="Supports", group="question", axes=_WORLDS),
    "discs": Terms(title="Discs", group="question", axes=_WORLDS),
    "vlms-are-biased": Terms(
        title="VLMs Are Biased",
        about=AS_IT_IS,
        group="topic",
        measures={"factual": "accuracy", "fell_back": "bias ratio"},
        axes=(
            Axis("type of question", ("Q1", "Q2", "Q3"), _remembered("type_of_question")),
            Axis("title in the picture", ("no", "yes"), _titled),
            Axis("side in pixels", ("384", "768", "1152"), _remembered("pixel")),
        ),
    ),
    "naturalbench": Terms(
        title="NaturalBench",
        about=AS_IT_IS,
        group="type",
        measures={"factual": "Acc"},
        wholes={"question": "Q-Acc", "picture": "I-Acc", "set": "G-Acc"},
    ),
    "vismin": Terms(
        title="VisMin",
        about=AS_IT_IS,
        group="category",
        measures=_ACCURACY,
        wholes={"question": "caption score", "picture": "picture score", "set": "group score"},
    ),
    "mmvp": Terms(title="MMVP", about=AS_IT_IS, measures=_ACCURACY, wholes={"set": "pair accuracy"}),
    "hallusionbench": Terms(
        title="HallusionBench",
        about=AS_IT_IS,
        measures={"factual": "aAcc"},
        wholes={"question": "qAcc", "picture": "fAcc", "set": "whole sets"},
    ),
    "visual-counterfact": Terms(
        title="Visual CounterFact",
        about="about what is seen and about what is known",
        measures={"factual": "accuracy", "fell_back": "said what is known"},
    ),
    "cp-bench": Terms(
        title="CP-Bench",
        about="with a true or a false presupposition",
        group="presupposition",
        measures={"factual": "accuracy", "fell_back": "accepted what is not there"},
    ),
    "coco-counterfactuals": Terms(
        title="COCO-Counterfactuals",
        about=AS_IT_IS,
        measures=_ACCURACY,
        wholes={"question": "caption score", "picture": "picture score", "set": "group score"},
    ),
    "clevrer": Terms(
        title="CLEVRER",
        group="type of question",
        measures={"factual": "per option, as it is", "counterfactual": "per option, counterfactual"},
        wholes={"set": "per question"},
    ),
    "acquired": Terms(
        title="ACQUIRED", about=UNDER_A_CHANGE, group="domain", measures={"counterfactual": "pairwise accuracy"}
    ),
    "okvqa": msgspec.structs.replace(_VQA, title="OK-VQA"),
    "vqav2": msgspec.structs.replace(_VQA, title="VQAv2"),
}
"""The terms of each suite, by the name that its cases have."""
TERMS["causal-worlds"] = msgspec.structs.replace(
    TERMS["cello"], title="Causal worlds", axes=(*TERMS["cello"].axes, _WORLDS[0])
)


def terms(suite: str, worlds: Iterable[World] = ()) -> Terms:
    """The terms of a suite; the plain ones where it has none of its own, or none for what the cases ask about."""
    found = TERMS.get(suite, PLAIN)
    return found if all(world in found.measures for world in worlds) else PLAIN

"""Flow `cfmm`: a pair of questions in one of six aspects, then answered blind by a second person (CFMM 3.2, 3.3)."""

from typing import Any, Final

import msgspec

from countersight.case import Case, Option, Question
from countersight.collect.flows.protocol import Advance, Dispute, Done, Form, Instance, Item, Past, Phase, Step
from countersight.collect.leaks import leak
from countersight.suites import supposed
from countersight.suites.cfmm import ASPECTS
from countersight.suites.cfmm import NAME as CFMM

ABOUT: Final = {
    "count": "How many there are when some are added or taken away.",
    "color": "Which colour things have when colours are exchanged or mixed.",
    "shape": "Which shape things take when something acts on them.",
    "size": "How large things are beside others when their size changes.",
    "direction": "Where things are, or face, when they are moved or turned.",
    "common": "What follows when the conditions of the world change.",
}
LETTERS = ("A", "B")


class Pair(msgspec.Struct, frozen=True, omit_defaults=True):
    """A basic and a counterfactual question that share two options."""

    aspect: str
    basic: str
    counterfactual: str
    option_a: str
    option_b: str
    basic_answer: str
    counterfactual_answer: str
    leak: str = ""
    """What the check said when it was sent, where it said something and the writer kept it."""


class Blind(msgspec.Struct, frozen=True, omit_defaults=True):
    """What a second person answers, who was told neither answer."""

    basic_answer: str
    counterfactual_answer: str
    words: str = ""


class Cfmm:
    """CFMM's people."""

    name = "cfmm"
    about = "Pairs of questions in six aspects, each answered blind by a second person."
    phases: tuple[Phase, ...] = (
        Phase("write", "Write", "Choose an aspect and write a basic and a counterfactual question.", Pair),
        Phase(
            "blind", "Answer blind", "Answer somebody's two questions without knowing their answers.", Blind, ("write",)
        ),
    )
    balance: tuple[str, ...] = ASPECTS
    grouped_in = "write"

    def read(self, phase: str, form: Form, item: Item, past: Past) -> Pair | Blind:
        """A pair that was written, or its two answers."""
        if phase == "write":
            return _read_pair(form)
        return Blind(
            form.choice("basic_answer", "an answer to the first question", (*LETTERS, "?")),
            form.choice("counterfactual_answer", "an answer to the second question", (*LETTERS, "?")),
            form.text("words", "Your remark", needed=False, most=500),
        )

    def settle(self, item: Item, phase: str, past: Past) -> Step:
        """A reviewer looks where answers differ (the picture does not decide, somebody erred) or are given away."""
        if phase == "write":
            return Advance("blind")
        pair, blind = past["write"][-1], past["blind"][-1]
        wrong = [
            name
            for name, meant, said in (
                ("basic", pair.basic_answer, blind.basic_answer),
                ("counterfactual", pair.counterfactual_answer, blind.counterfactual_answer),
            )
            if meant != said
        ]
        if not wrong and pair.leak:
            return Dispute("leak", pair.leak, "write")
        if wrong:
            words = f"The second person answered the {' and the '.join(wrong)} question otherwise."
            return Dispute("ambiguous", words, "write")
        return Done()

    def shown(self, phase: str, item: Item, past: Past) -> dict[str, Any]:
        """The aspects for whoever writes; the two questions without their answers for whoever answers."""
        if phase == "write":
            return {"aspects": ABOUT}
        pair = msgspec.structs.replace(past["write"][-1], basic_answer="", counterfactual_answer="", leak="")
        return {"pair": pair}

    def first_draft(self, phase: str, item: Item, past: Past) -> dict[str, str]:
        """Nothing is filled in."""
        return {}

    def groups(self, content: Pair) -> tuple[str, ...]:
        """The aspect."""
        return (content.aspect,)

    def labels(self, phase: str, content: Any) -> dict[str, str]:
        """Both answers, by the writer and by the second person."""
        return {"basic": content.basic_answer, "counterfactual": content.counterfactual_answer}

    def instance(self, past: Past) -> Instance | None:
        """The counterfactual question with its two options."""
        return as_instance(past["write"][-1])

    def case(self, item: Item, past: Past) -> Case | None:
        """The pair as a case."""
        pair: Pair = past["write"][-1]
        options = (Option(pair.option_a), Option(pair.option_b))
        return Case(
            id=item.key,
            image=item.source["picture"],
            suite=CFMM,
            group=pair.aspect,
            factual=Question(pair.basic, pair.basic_answer, "choice", options),
            change=supposed(pair.counterfactual),
            counterfactual=Question(pair.counterfactual, pair.counterfactual_answer, "choice", options),
        )


def _read_pair(form: Form) -> Pair:
    pair = Pair(
        form.choice("aspect", "an aspect first", ASPECTS),
        form.text("basic", "The basic question", least=3, most=300),
        form.text("counterfactual", "The counterfactual question", least=5, most=400),
        form.text("option_a", "Option A", most=60),
        form.text("option_b", "Option B", most=60),
        form.choice("basic_answer", "the answer to the basic question", LETTERS),
        form.choice("counterfactual_answer", "the answer to the counterfactual question", LETTERS),
    )
    if pair.option_a and pair.option_a.casefold() == pair.option_b.casefold():
        form.fail("option_b", "Both options are the same.")
    if pair.counterfactual and supposed(pair.counterfactual) is None:
        form.fail("counterfactual", "Put what is different into an if-clause: “If …, would …?”")
    said = leak_in(pair)
    if said and not form.chosen("keep_leak"):
        form.fail("counterfactual", f"{said} Change it, or tick the box below to keep it for a reviewer to see.")
    return msgspec.structs.replace(pair, leak=said)


def leak_in(pair: Pair) -> str:
    """What gives the answer of a pair away without the picture, in a sentence; nothing where nothing does."""
    asked = as_instance(pair)
    return leak(asked.context, *asked.responses) if asked else ""


def as_instance(pair: Pair) -> Instance | None:
    """The counterfactual question as a text model sees it; None while its answer is not chosen."""
    options = {"A": (pair.option_a, pair.option_b), "B": (pair.option_b, pair.option_a)}
    responses = options.get(pair.counterfactual_answer)
    return Instance(pair.counterfactual, responses) if responses and all(responses) else None


FLOW = Cfmm()

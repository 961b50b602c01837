"""Flow `cosim`: a question about a picture, a change to the scene, distractors that fool a model (CoSIm 4).

Each phase begins by looking at the one before: it can be flagged, with a reason that a reviewer reads.
"""

import difflib
import re
from typing import Any, Final

import msgspec

from countersight.case import LETTERS, Case, Change, Option, Question
from countersight.collect.flows.protocol import Advance, Dispute, Done, Form, Instance, Item, Past, Phase, Step
from countersight.random_choice import balanced
from countersight.suites.cosim import KINDS, change_kinds
from countersight.suites.cosim import NAME as COSIM

GUIDES: Final = {
    "keep": "Keep the answer, change the justification",
    "flip": "Change the answer, keep the justification true",
}
"""CoSIm A.1: “Keep A, Flip B” and “Flip A, Keep B”."""
DISTRACTORS = ("distractor_1", "distractor_2", "distractor_3")
CLOSEST = 0.97
"""Two responses more alike than this (as a share of their words in order) are one response twice."""
_WORD = re.compile(r"\w+(?:'\w+)?")


class Asked(msgspec.Struct, frozen=True, omit_defaults=True):
    """The question phase: a picture of three, an object in it, a question and its response."""

    picture: str
    question: str
    answer: str
    justification: str
    box: tuple[float, float, float, float] | None = None
    """Left, top, width and height of the object, in percent of the picture."""
    object: str = ""

    @property
    def response(self) -> str:
        """Answer and justification in one."""
        return f"{self.answer.rstrip(' .,')}, {self.justification}"


class Changed(msgspec.Struct, frozen=True):
    """The change phase: what is different, and the response that fits it."""

    guide: str
    change: str
    response: str
    kinds: tuple[str, ...] = ()


class Distracted(msgspec.Struct, frozen=True):
    """The distractor phase: three responses that are near and wrong."""

    response: str
    """The new response, where it was edited; its meaning is the same."""
    distractors: tuple[str, str, str]


class Cosim:
    """CoSIm's people."""

    name = "cosim"
    about = "Question, change and distractors in three phases, each verifying the one before."
    phases: tuple[Phase, ...] = (
        Phase("question", "Question", "Choose a picture and write a question, an answer and a justification.", Asked),
        Phase(
            "change",
            "Change",
            "Describe a change to the scene and write the new response.",
            Changed,
            ("question",),
            "question",
        ),
        Phase(
            "distractor",
            "Distractors",
            "Write three responses that are near the right one and wrong.",
            Distracted,
            ("question", "change"),
            "change",
            checked=True,
        ),
    )
    balance: tuple[str, ...] = KINDS
    grouped_in = "change"

    def read(self, phase: str, form: Form, item: Item, past: Past) -> Asked | Changed | Distracted:
        """What a form of a phase says."""
        if phase == "question":
            return _read_question(form, item)
        if phase == "change":
            return _read_change(form, past["question"][-1])
        return _read_distractors(form)

    def settle(self, item: Item, phase: str, past: Past) -> Step:
        """One phase after another; nobody is the last to touch the right response without somebody who looks."""
        following = {"question": "change", "change": "distractor"}
        if phase in following:
            return Advance(following[phase])
        words = "Whoever wrote the distractors edited the right response: it must say the same still."
        return Dispute("edited", words, "distractor") if edited(past) else Done()

    def shown(self, phase: str, item: Item, past: Past) -> dict[str, Any]:
        """The pictures to choose from, or what the phases before wrote."""
        shown: dict[str, Any] = {name: past[name][-1] for name in ("question", "change") if past.get(name)}
        shown |= {"guides": GUIDES, "kinds": KINDS, "pictures": item.source["pictures"], "distractors": DISTRACTORS}
        return shown | {"hard": item.split in ("validation", "test")}

    def first_draft(self, phase: str, item: Item, past: Past) -> dict[str, str]:
        """The distractors begin as the new response, which is to be edited until it is wrong (CoSIm 4)."""
        if phase != "distractor":
            return {}
        response = past["change"][-1].response
        return dict.fromkeys(("response", *DISTRACTORS), response)

    def groups(self, content: Changed) -> tuple[str, ...]:
        """The types of change."""
        return content.kinds

    def labels(self, phase: str, content: Any) -> dict[str, str]:
        """What is written freely is never alike."""
        return {}

    def instance(self, past: Past) -> Instance | None:
        """The four responses, with question, initial response and change before them."""
        distracted = past["distractor"][-1]
        return Instance(context_of(past), (distracted.response, *distracted.distractors))

    def case(self, item: Item, past: Past) -> Case | None:
        """The instance: four responses of which one fits the changed scene."""
        asked, changed, distracted = past["question"][-1], past["change"][-1], past["distractor"][-1]
        place = LETTERS.index(balanced("ABCD", "collect/cosim", item.id))
        texts = list(distracted.distractors)
        texts.insert(place, distracted.response)
        return Case(
            id=item.key,
            image=asked.picture,
            suite=COSIM,
            change=Change(changed.change, changed.kinds),
            counterfactual=Question(asked.question, LETTERS[place], "choice", tuple(map(Option, texts))),
            context=asked.response,
            provenance={"kinds": "assigned", "guide": changed.guide, "answer": asked.answer, "object": asked.object},
        )


def context_of(past: Past) -> str:
    """What a text model is told before the responses: question, initial response and change."""
    asked, changed = past["question"][-1], past["change"][-1]
    return f"{asked.question} {asked.response} {changed.change}"


def edited(past: Past) -> tuple[str, str] | None:
    """The right response before and after the distractor phase; None where it has the same words."""
    if not (past.get("change") and past.get("distractor")):
        return None
    before, after = past["change"][-1].response, past["distractor"][-1].response
    return (before, after) if likeness(before, after) < 1 else None


def _read_question(form: Form, item: Item) -> Asked:
    box = tuple(form.number(name, 0.0, 0.0, 100.0) for name in ("left", "top", "width", "height"))
    if not (box[2] and box[3]):
        form.fail("width", "Mark the object your question is about: draw a box, or give its place in numbers.")
    elif box[0] + box[2] > 100.5 or box[1] + box[3] > 100.5:
        form.fail("width", "The box leaves the picture.")
    question = form.text("question", "The question", least=3, most=300)
    if question and not question.endswith("?"):
        form.fail("question", "A question ends with a question mark.")
    return Asked(
        form.choice("picture", "a picture", tuple(item.source["pictures"])),
        question,
        form.text("answer", "The answer", most=200),
        form.text("justification", "The justification", least=3, most=600),
        (box[0], box[1], box[2], box[3]),
        form.text("object", "The object", most=80),
    )


def _read_change(form: Form, asked: Asked) -> Changed:
    change = form.text("change", "The change", least=3, most=1000)
    response = form.text("response", "The new response", least=4, most=1000)
    if response and likeness(response, asked.response) > CLOSEST:
        form.fail("response", "The new response is the old one: after the change something else must be said.")
    kinds = tuple(kind for kind in KINDS if form.chosen(f"kind:{kind}"))
    return Changed(form.choice("guide", "a guide", tuple(GUIDES)), change, response, kinds or change_kinds(change))


def _read_distractors(form: Form) -> Distracted:
    response = form.text("response", "The new response", least=4, most=1000)
    texts = [form.text(name, f"Distractor {n}", least=4, most=1000) for n, name in enumerate(DISTRACTORS, 1)]
    before = [("the new response", response)]
    for number, (name, text) in enumerate(zip(DISTRACTORS, texts, strict=True), 1):
        for what, other in before:
            if text and likeness(text, other) > CLOSEST:
                form.fail(name, f"Distractor {number} is nearly {what}: change it until it says something else.")
        before.append((f"distractor {number}", text))
    return Distracted(response, (texts[0], texts[1], texts[2]))


def likeness(one: str, other: str) -> float:
    """How much of two texts is the same words in the same order: 1 is all, 0 nothing."""
    first, second = _WORD.findall(one.casefold()), _WORD.findall(other.casefold())
    return difflib.SequenceMatcher(None, first, second, autojunk=False).ratio()


FLOW = Cosim()

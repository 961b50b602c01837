"""Flow `cosim`: a question about a picture, a change to the scene, and distractors that fool a model (CoSIm 4).

In each phase, people first check the work of the previous phase; they can flag it, with a reason for a reviewer.
"""

from collections.abc import Iterator, Sequence
from typing import Any, Final

import msgspec

from countersight.case import LETTERS, Case, Change, Option, Question
from countersight.collect.flows.forms import Choice, Form, Text, said_words
from countersight.collect.flows.new_items import PictureFlow
from countersight.collect.flows.protocol import Advance, Dispute, Finish, Instance, Item, Past, Phase, Step
from countersight.errors import CampaignError
from countersight.random_choice import balanced_answer
from countersight.suites.cosim import KINDS, change_kinds
from countersight.suites.cosim import NAME as COSIM

GUIDES: Final = {
    "keep": "Keep the answer, change the justification",
    "flip": "Change the answer, keep the justification true",
}
"""CoSIm A.1: “Keep A, Flip B” and “Flip A, Keep B”."""
DISTRACTORS = ("distractor_1", "distractor_2", "distractor_3")
SIDES = ("left", "top", "width", "height")
_INITIAL = "Initial response"
_QUESTION: Final = (
    Text("object", "What is it?", "One or two words.", most=80),
    Text("question", "Question", "One that needs thought and common sense.", rows=2, words=3, asks=True),
    Text("answer", "Answer", "The direct answer: “Yes”, “No, not today”.", most=200),
    Text("justification", "Justification", "What in the picture shows it: “because …”.", rows=3, words=3),
)
"""The fields other than the picture and the box, which are shown separately."""
_RESPONSE = "Answer and justification for the changed scene."
_CHANGE: Final = (
    Choice("guide", "Guide", options=GUIDES),
    Text("change", "The change to the scene", "What is added, removed, moved or different?", rows=3, words=3),
    Text("response", "New response", _RESPONSE, rows=3, words=4, differs_from=(_INITIAL,)),
)
"""The fields other than the types of change."""
_EDIT = "You may edit it, but its meaning must stay the same. A reviewer sees your changes."
_WRONG = "Edit it until it is wrong and differs from the others."
_DISTRACTOR: Final = (
    Text("response", "The right response", _EDIT, rows=3, words=4),
    Text("distractor_1", "Distractor 1", _WRONG, rows=3, words=4, differs_from=("response",)),
    Text("distractor_2", "Distractor 2", rows=3, words=4, differs_from=("response", *DISTRACTORS[:1])),
    Text("distractor_3", "Distractor 3", rows=3, words=4, differs_from=("response", *DISTRACTORS[:2])),
)


class WrittenQuestion(msgspec.Struct, frozen=True, omit_defaults=True):
    """The question phase: one picture of three, an object in it, a question and its response."""

    picture: str
    question: str
    answer: str
    justification: str
    box: tuple[float, float, float, float] | None = None
    """Left, top, width and height of the object, in percent of the picture."""
    object: str = ""

    @property
    def response(self) -> str:
        """The answer together with its justification."""
        return f"{self.answer.rstrip(' .,')}, {self.justification}"


class WrittenChange(msgspec.Struct, frozen=True):
    """The change phase: the change to the scene, and the response that fits it."""

    guide: str
    change: str
    response: str
    kinds: tuple[str, ...] = ()


class Distracted(msgspec.Struct, frozen=True):
    """The distractor phase: three responses that are similar but wrong."""

    response: str
    """The new response, possibly edited without changing its meaning."""
    distractors: tuple[str, str, str]


class CosimFlow(PictureFlow):
    """The flow of CoSIm."""

    name = "cosim"
    about = "Question, change and distractors in three phases, each verifying the one before."
    phases = (
        Phase(
            "question",
            "Question",
            "Choose a picture and write a question, an answer and a justification.",
            WrittenQuestion,
            fields=_QUESTION,
        ),
        Phase(
            "change",
            "Change",
            "Describe a change to the scene and write the new response.",
            WrittenChange,
            sees=("question",),
            verifies="question",
            fields=_CHANGE,
        ),
        Phase(
            "distractor",
            "Distractors",
            "Write three wrong responses that are similar to the right one.",
            Distracted,
            sees=("question", "change"),
            verifies="change",
            checked=True,
            fields=_DISTRACTOR,
        ),
    )
    balance = KINDS
    grouped_in = "change"

    def group_pictures(self, new: Sequence[str], used: Sequence[str]) -> Iterator[dict[str, Any]]:
        """Yield a group of three pictures for each new picture; a worker chooses one of the three (CoSIm 4).

        Two items share at most one picture, unless there are fewer than seven pictures.
        """
        ring = [*new, *used]
        if new and len(ring) < 3:
            raise CampaignError("cosim needs at least three pictures")
        last = 3 if len(ring) > 3 else 2
        for place in range(len(new)):
            yield {"pictures": [ring[place], ring[(place + 1) % len(ring)], ring[(place + last) % len(ring)]]}

    def read(self, phase: str, form: Form, item: Item, past: Past) -> WrittenQuestion | WrittenChange | Distracted:
        """Return the content of one of the three forms."""
        if phase == "question":
            left, top, width, height = (form.number(name, 0.0, 0.0, 100.0) for name in SIDES)
            if not (width and height):
                form.fail("width", "Mark the object your question is about: draw a box, or enter its position.")
            elif left + width > 100.5 or top + height > 100.5:
                form.fail("width", "The box is outside the picture.")
            pictures = dict.fromkeys(item.source["pictures"], "")
            picture = form.value(Choice("picture", "Which picture?", options=pictures))
            return WrittenQuestion(picture, **form.read(_QUESTION), box=(left, top, width, height))
        if phase == "change":
            read = form.read(_CHANGE, {_INITIAL: past["question"][-1].response})
            kinds = tuple(kind for kind in KINDS if form.chosen(f"kind:{kind}")) or change_kinds(read["change"])
            return WrittenChange(**read, kinds=kinds)
        response, first, second, third = form.read(_DISTRACTOR).values()
        return Distracted(response, (first, second, third))

    def settle(self, item: Item, phase: str, past: Past) -> Step:
        """Advance phase by phase; an edited right response is seen by a reviewer."""
        following = {"question": "change", "change": "distractor"}
        if phase in following:
            return Advance(following[phase])
        if edited(past) is None:
            return Finish()
        words = "The author of the distractors edited the right response; its meaning must be the same."
        return Dispute("edited", words, "distractor")

    def shown(self, phase: str, item: Item, past: Past) -> dict[str, Any]:
        """Return the pictures to choose from, or the texts of earlier phases."""
        shown: dict[str, Any] = {name: past[name][-1] for name in ("question", "change") if past.get(name)}
        return shown | {"kinds": KINDS, "pictures": item.source["pictures"], "hard": is_hard(item)}

    def first_draft(self, phase: str, item: Item, past: Past) -> dict[str, str]:
        """Return distractors that start as the new response, to be edited until they are wrong (CoSIm 4)."""
        if phase != "distractor":
            return {}
        response = past["change"][-1].response
        return dict.fromkeys(("response", *DISTRACTORS), response)

    def groups(self, content: WrittenChange) -> tuple[str, ...]:
        """Return the types of change."""
        return content.kinds

    def instance(self, past: Past) -> Instance | None:
        """Return the four responses, with the question, the initial response and the change as their context."""
        distracted = past["distractor"][-1]
        return Instance(context_of(past), (distracted.response, *distracted.distractors))

    def case(self, item: Item, past: Past) -> Case | None:
        """Return the instance: four responses, one of which fits the changed scene."""
        asked, changed, distracted = past["question"][-1], past["change"][-1], past["distractor"][-1]
        place = LETTERS.index(balanced_answer("ABCD", "collect/cosim", item.id))
        texts = list(distracted.distractors)
        texts.insert(place, distracted.response)
        return Case(
            id=item.key,
            image=asked.picture,
            suite=COSIM,
            change=Change(changed.change, changed.kinds),
            counterfactual=Question(asked.question, LETTERS[place], "choice", tuple(map(Option, texts))),
            context=asked.response,
            provenance={
                "kinds": "assigned",
                "guide": changed.guide,
                "answer": asked.answer,
                "object": asked.object,
                "box": ",".join(f"{side:g}" for side in asked.box or ()),  # left, top, width, height in percent
            },
        )


def is_hard(item: Item) -> bool:
    """Whether distractors are checked against the model: in validation and test (CoSIm 4)."""
    return item.split in ("validation", "test")


def context_of(past: Past) -> str:
    """Return the context for a text model: question, initial response and change."""
    asked, changed = past["question"][-1], past["change"][-1]
    return f"{asked.question} {asked.response} {changed.change}"


def edited(past: Past) -> tuple[str, str] | None:
    """Return the right response before and after the distractor phase; None if the words are the same."""
    if not (past.get("change") and past.get("distractor")):
        return None
    before, after = past["change"][-1].response, past["distractor"][-1].response
    return (before, after) if said_words(before) != said_words(after) else None


FLOW = CosimFlow()

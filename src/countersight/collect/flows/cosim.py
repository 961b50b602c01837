"""Flow `cosim`: a question about a picture, a change to the scene, and distractors that fool a model (CoSIm 4).

In each phase, people first check the work of the previous phase; they can flag it, with a reason for a reviewer.
"""

from collections.abc import Iterator, Sequence
from typing import Any

import msgspec

from countersight.case import LETTERS, Case, Change, Option, Question
from countersight.collect.flows.forms import Choice, Form, said_words
from countersight.collect.flows.new_items import PictureFlow
from countersight.collect.flows.protocol import Dispute, Instance, Item, Past, Step
from countersight.errors import CampaignError
from countersight.random_choice import balanced_answer
from countersight.suites.cosim import KINDS, change_kinds
from countersight.suites.cosim import NAME as COSIM

DISTRACTORS = ("distractor_1", "distractor_2", "distractor_3")
SIDES = ("left", "top", "width", "height")
_INITIAL = "Initial response"


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
    contents = (WrittenQuestion, WrittenChange, Distracted)
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
        """Return the content of one of the three forms; pictures, boxes and types of change are not declared fields."""
        fields = self.fields(phase, item, past)
        if phase == "question":
            left, top, width, height = (form.number(name, 0.0, 0.0, 100.0) for name in SIDES)
            if not (width and height):
                form.fail("width", "Mark the object your question is about: draw a box, or enter its position.")
            elif left + width > 100.5 or top + height > 100.5:
                form.fail("width", "The box is outside the picture.")
            pictures = dict.fromkeys(item.source["pictures"], "")
            picture = form.value(Choice("picture", "Which picture?", options=pictures))
            return WrittenQuestion(picture, **form.read(fields), box=(left, top, width, height))
        if phase == "change":
            read = form.read(fields, {_INITIAL: past["question"][-1].response})
            kinds = tuple(kind for kind in KINDS if form.chosen(f"kind:{kind}")) or change_kinds(read["change"])
            return WrittenChange(**read, kinds=kinds)
        response, first, second, third = form.read(fields).values()
        return Distracted(response, (first, second, third))

    def settle(self, item: Item, phase: str, past: Past) -> Step:
        """Advance phase by phase; an edited right response is seen by a reviewer."""
        if edited(past) is None:
            return super().settle(item, phase, past)
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

    def instance(self, past: Past) -> Instance:
        """Return the four responses, with the question, the initial response and the change as their context."""
        asked, changed, distracted = (past[name][-1] for name in self.names)
        context = f"{asked.question} {asked.response} {changed.change}"
        return Instance(context, changed.change, (distracted.response, *distracted.distractors))

    def case(self, item: Item, past: Past) -> Case | None:
        """Return the instance: four responses, one of which fits the changed scene."""
        asked, changed, distracted = (past[name][-1] for name in self.names)
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


def edited(past: Past) -> tuple[str, str] | None:
    """Return the right response before and after the distractor phase; None if the words are the same."""
    if not (past.get("change") and past.get("distractor")):
        return None
    before, after = past["change"][-1].response, past["distractor"][-1].response
    return (before, after) if said_words(before) != said_words(after) else None


FLOW = CosimFlow()

"""Flow `cfmm`: a pair of questions on one of six aspects, also answered by a second person (CFMM 3.2, 3.3)."""

import re
from collections.abc import Sequence
from typing import Any

import msgspec

from countersight.case import Case, Option, Question
from countersight.collect.flows.forms import Choice, Field, Form
from countersight.collect.flows.new_items import PictureFlow
from countersight.collect.flows.protocol import Dispute, Item, Past, Step
from countersight.english import NUMBER_WORDS
from countersight.suites import supposed
from countersight.suites.cfmm import ASPECTS
from countersight.suites.cfmm import NAME as CFMM


class WrittenPair(msgspec.Struct, frozen=True, omit_defaults=True):
    """A basic and a counterfactual question that share two options."""

    aspect: str
    basic: str
    counterfactual: str
    option_a: str
    option_b: str
    basic_answer: str
    counterfactual_answer: str
    leak: str = ""
    """The answer that the question names, if the writer submitted it despite the warning."""


class BlindAnswers(msgspec.Struct, frozen=True, omit_defaults=True):
    """The answers of a second person, who did not see the writer's answers."""

    basic_answer: str
    counterfactual_answer: str
    words: str = ""


class CfmmFlow(PictureFlow):
    """The flow of CFMM."""

    name = "cfmm"
    contents = (WrittenPair, BlindAnswers)
    balance = ASPECTS
    grouped_in = "write"

    def fields(self, phase: str, item: Item, past: Past) -> Sequence[Field]:
        """Return the pair, or only its questions and options for the second person, who does not see the answers."""
        declared = super().fields(phase, item, past)
        if phase == "write":
            return declared
        pair = past["write"][-1]
        options = {"A": f"A. {pair.option_a}", "B": f"B. {pair.option_b}", "?": "Cannot be decided from the picture"}
        asked = {"basic_answer": pair.basic, "counterfactual_answer": pair.counterfactual}
        return *(Choice(name, question, options=options) for name, question in asked.items()), *declared

    def read(self, phase: str, form: Form, item: Item, past: Past) -> WrittenPair | BlindAnswers:
        """Return a written pair, or its two answers."""
        pair: WrittenPair | BlindAnswers = super().read(phase, form, item, past)
        if isinstance(pair, BlindAnswers):
            return pair
        said = leak_in(pair, form.language)
        if said and not form.chosen("keep_leak"):
            form.fail(
                "counterfactual",
                "The question names the answer (“{answer}”). Change it, or tick the box below to keep it.",
                answer=said,
            )
        return msgspec.structs.replace(pair, leak=said)

    def settle(self, item: Item, phase: str, past: Past) -> Step:
        """Send the item to a reviewer if the answers differ or a question reveals its answer."""
        pair = past["write"][-1]
        if phase == "blind" and self.labels("write", pair) != self.labels("blind", past["blind"][-1]):
            return Dispute("ambiguous", "The second person gave a different answer.", "write")
        if phase == "blind" and pair.leak:
            return Dispute("leak", "The question names its answer.", "write")
        return super().settle(item, phase, past)

    def groups(self, content: WrittenPair) -> tuple[str, ...]:
        """Return the aspect."""
        return (content.aspect,)

    def labels(self, phase: str, content: Any) -> dict[str, str]:
        """Return the two answers of the writer or of the second person."""
        return {"basic": content.basic_answer, "counterfactual": content.counterfactual_answer}

    def case(self, item: Item, past: Past) -> Case | None:
        """Return the pair as a case."""
        pair: WrittenPair = past["write"][-1]
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


def leak_in(pair: WrittenPair, language: str = "en") -> str:
    """Return the answer of a pair if its question names it, so that no picture is needed; "" otherwise."""
    options = {"A": (pair.option_a, pair.option_b), "B": (pair.option_b, pair.option_a)}
    right, wrong = options.get(pair.counterfactual_answer, ("", ""))
    return leak(pair.counterfactual, right, wrong, language) if right and wrong else ""


_LITTLE = frozenset(re.findall(r"\w+", "a an the of in on at to is are was were be it its and or no yes not would"))


def leak(question: str, right: str, wrong: str, language: str = "en") -> str:
    """Return the right option if the question names it ("If I painted this bus blue", CFMM 3.3); "" otherwise.

    In English, the if-clause contains the words of the right option but not of the wrong one; in other languages the
    whole question is searched. Numbers and options such as "yes" and "no" are left to the second person:
    a number in an if-clause is hardly ever the answer (8 of 977 questions of C-VQA-Real).
    """
    right, wrong, asked = right.casefold().strip(), wrong.casefold().strip(), question.casefold()
    if not right or right in NUMBER_WORDS or right.isdigit():
        return ""
    if language != "en":
        return right if right in asked and wrong not in asked else ""
    clause = supposed(question)
    said = _words(clause.text) if clause else frozenset()
    telling = _words(right) - _words(wrong)
    return right if telling and telling <= said and not _words(wrong) <= said else ""


def _words(text: str) -> frozenset[str]:
    return frozenset(re.findall(r"[a-z0-9]+(?:'[a-z]+)?", text.casefold())) - _LITTLE


FLOW = CfmmFlow()

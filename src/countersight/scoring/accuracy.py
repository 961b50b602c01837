"""Accuracy in each world and the drop between them, by group."""

from typing import Any, Final

import msgspec
import numpy as np
from numpy.typing import NDArray

from countersight.case import LETTERS, TWO_WORLDS, VARIANTS, WORLDS, QuestionVariant, Telling, World, variant_of
from countersight.figures import Bounds, Figure
from countersight.scoring.estimates import Difference, difference, rate
from countersight.scoring.outcome import CUT, EMPTY, FAILED, MISSING, PRIOR_GIVEN, UNREAD, Outcomes

_Mask = NDArray[np.bool_]


class GroupScores(msgspec.Struct, frozen=True, kw_only=True):
    """The scores of one group of cases."""

    group: str
    n: int
    """The number of cases in the group, scored or not."""
    questions: int
    """The number of questions of these cases, asked or not."""
    factual: Figure
    counterfactual: Figure
    drop: Difference | None
    """Factual minus counterfactual; None if no case was scored in both."""
    both_right: Figure
    """The share of cases scored in both worlds that are right in both."""
    shown: Figure | None
    """Accuracy on counterfactual pictures; None if no case has one."""
    imagination_gap: Difference | None
    """Shown minus told; None if no case was scored in both."""
    fell_back: Figure | None
    """The share of wrong answers equal to the prior answer, among questions with a known prior."""
    chance: dict[str, float | None]
    """The expected scores of random guessing, 0 for a question without options; None if no scored one has options."""
    unread: int
    cut: int
    empty: int
    failed: int
    missing: int
    in_both: tuple[Figure, Figure] | None = None
    """Factual and counterfactual accuracy over cases scored in both worlds; their difference is the drop."""
    is_clustered: bool = False
    """Whether some of the cases share a picture, and intervals account for it."""
    restated: int = 0
    """The number of questions whose unread reply was restated, whether or not it could be read then."""

    def figure(self, measure: str) -> Figure | None:
        """Return a measure as displayed; if there is a drop, both accuracies are over the cases of the drop."""
        if self.drop and self.in_both and measure in TWO_WORLDS:
            return self.in_both[TWO_WORLDS.index(measure)]
        found: Figure | None = getattr(self, measure)
        return found

    @property
    def over_all_answers(self) -> dict[str, Figure]:
        """Return, by world, the accuracies over all answers, if they include more cases than the displayed ones."""
        rates = {world: getattr(self, world) for world in TWO_WORLDS}
        shown = {world: self.figure(world) for world in TWO_WORLDS}
        return {world: rate for world, rate in rates.items() if (found := shown[world]) and found.n != rate.n}

    @property
    def unread_rate(self) -> float | None:
        """The share of unread replies, not counting cut and empty ones; None if there are no replies."""
        return self.unread / self.scored if self.scored else None

    @property
    def scored(self) -> int:
        """The number of scored questions: right, wrong or unread."""
        return self.questions - self.cut - self.empty - self.failed - self.missing


class LetterShare(msgspec.Struct, frozen=True):
    """How often a letter was answered and how often it was right, among scored choices in one way of asking."""

    world: World
    telling: Telling
    letter: str
    answered: int
    gold: int
    n: int

    @property
    def variant(self) -> QuestionVariant:
        """The way of asking."""
        return variant_of(self.world, self.telling)


def score_line(outcomes: Outcomes, name: str, mask: _Mask) -> GroupScores:
    """Compute the scores of selected cases, under a name."""
    codes = outcomes.codes[mask]
    both, supposed = outcomes.in_both_worlds() & mask, outcomes.scored("counterfactual") & mask
    return GroupScores(
        group=name,
        n=int((codes > 0).any(axis=1).sum()),
        questions=int((codes > 0).sum()),
        factual=accuracy(outcomes, "factual", mask),
        counterfactual=accuracy(outcomes, "counterfactual", mask),
        drop=_paired_difference(outcomes, "factual", "counterfactual", both),
        in_both=(accuracy(outcomes, "factual", both), accuracy(outcomes, "counterfactual", both))
        if both.any()
        else None,
        both_right=_both_right(outcomes, both),
        shown=accuracy(outcomes, "shown", mask) if (outcomes.asked("shown") & mask).any() else None,
        imagination_gap=_paired_difference(outcomes, "shown", "counterfactual", supposed & outcomes.scored("shown")),
        fell_back=_fell_back(outcomes, mask),
        chance=_chance(outcomes, mask),
        **{name: int((codes == code).sum()) for name, code in _OUTCOME_COUNTS.items()},
        is_clustered=np.unique(outcomes.pictures[mask]).size < int(mask.sum()),
        restated=int(outcomes.restated[mask].sum()),
    )


_OUTCOME_COUNTS: Final = {"unread": UNREAD, "cut": CUT, "empty": EMPTY, "failed": FAILED, "missing": MISSING}


def accuracy(outcomes: Outcomes, variant: QuestionVariant, mask: _Mask) -> Figure:
    """Return the accuracy on selected cases, in the measure of their suite."""
    scored = outcomes.scored(variant) & mask
    credits = None if outcomes.credits is None else outcomes.credit(variant)[scored]
    unread = int(outcomes.unread(variant)[scored].sum())
    return rate(outcomes.right(variant)[scored], outcomes.pictures[scored], credits, unread=unread)


def _both_right(outcomes: Outcomes, both: _Mask) -> Figure:
    """Return acc+; its bounds count the cases that would be right in both worlds if unread replies were right."""
    right = outcomes.both_right()
    factual, counterfactual = (outcomes.right(world) | outcomes.unread(world) for world in TWO_WORLDS)
    unread = int((factual & counterfactual & ~right & both).sum())
    return rate(right[both], outcomes.pictures[both], unread=unread)


def _fell_back(outcomes: Outcomes, mask: _Mask) -> Figure | None:
    known = (outcomes.priors > 0) & mask[:, None] & (outcomes.codes >= UNREAD)
    if not known.any():
        return None
    cases = np.repeat(outcomes.pictures[:, None], len(VARIANTS), axis=1)
    return rate((outcomes.priors == PRIOR_GIVEN)[known], cases[known])


def _chance(outcomes: Outcomes, mask: _Mask) -> dict[str, float | None]:
    guesses: dict[str, NDArray[np.float64]] = {
        variant: outcomes.guess(variant)[outcomes.scored(variant) & mask] for variant in VARIANTS
    }
    both = outcomes.in_both_worlds() & mask
    guesses["both_right"] = (outcomes.guess("factual") * outcomes.guess("counterfactual"))[both]
    measures = ("factual", "counterfactual", "both_right", "shown")
    return {key: float(guesses[key].mean()) if guesses[key].any() else None for key in measures}


def correctness(outcomes: Outcomes, variant: QuestionVariant) -> NDArray[Any]:
    """Return for each case whether the answer is right, or its credit if answers can have partial credit."""
    return outcomes.right(variant) if outcomes.credits is None else outcomes.credit(variant)


def _paired_difference(
    outcomes: Outcomes, first: QuestionVariant, second: QuestionVariant, scored: _Mask
) -> Difference | None:
    if not (outcomes.is_read(first, scored) and outcomes.is_read(second, scored)):
        return None
    one, other = (correctness(outcomes, variant)[scored] for variant in (first, second))
    found = difference(one, other, outcomes.pictures[scored])
    unsure, unsure_too = (outcomes.unread(variant)[scored] for variant in (first, second))
    if found is None or not (unsure.any() or unsure_too.any()):
        return found
    least = float((one - np.where(unsure_too, 1.0, other)).mean())
    most = float((np.where(unsure, 1.0, one) - other).mean())
    return msgspec.structs.replace(found, bounds=Bounds(least, most))


def letter_shares(outcomes: Outcomes, variant: QuestionVariant) -> list[LetterShare]:
    """Return the share of each letter in one way of asking, up to the last letter that was right or answered."""
    column = VARIANTS.index(variant)
    scored = outcomes.scored(variant) & (outcomes.gold_letters[:, column] > 0)
    n = int(scored.sum())
    if not n:
        return []
    gold = np.bincount(outcomes.gold_letters[scored, column], minlength=len(LETTERS) + 1)
    by_text = np.bincount(outcomes.answers[scored, column], minlength=len(outcomes.answer_texts))
    answered = {text: int(count) for text, count in zip(outcomes.answer_texts, by_text, strict=True)}
    seen = [place for place, letter in enumerate(LETTERS, 1) if gold[place] or answered.get(letter)]
    world, telling = WORLDS[variant]
    return [
        LetterShare(world, telling, letter, answered.get(letter, 0), int(gold[place]), n)
        for place, letter in enumerate(LETTERS[: max(seen)], 1)
    ]

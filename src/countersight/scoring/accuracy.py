"""Accuracy in each world and the drop between them, by group."""

from typing import Any, Final

import msgspec
import numpy as np
from numpy.typing import NDArray

from countersight.case import LETTERS, TWO_WORLDS, VARIANTS, QuestionVariant
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
    """Accuracy about the pictures as they are, over all answers."""
    counterfactual: Figure
    """Accuracy under a change, over all answers."""
    drop: Difference | None
    """Factual minus counterfactual; None if no case was scored in both."""
    both_right: Figure
    """The share of cases scored in both worlds that are right in both."""
    shown: Figure | None
    """Accuracy on counterfactual pictures; None if no case has one."""
    imagination_gap: Difference | None
    """Shown minus counterfactual; None if no case was scored in both ways."""
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
        pairs = ((world, getattr(self, world), self.figure(world)) for world in TWO_WORLDS)
        return {world: over_all for world, over_all, shown in pairs if shown and shown.n != over_all.n}

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

    variant: QuestionVariant
    letter: str
    answered: int
    gold: int
    n: int


_COUNTED_OUTCOMES: Final = {"unread": UNREAD, "cut": CUT, "empty": EMPTY, "failed": FAILED, "missing": MISSING}


def score_group(outcomes: Outcomes, name: str, mask: _Mask) -> GroupScores:
    """Compute the scores of selected cases, under the name of a group."""
    codes = outcomes.codes[mask]
    in_both = outcomes.in_both_worlds() & mask
    told_and_shown = outcomes.scored("counterfactual") & outcomes.scored("shown") & mask
    return GroupScores(
        group=name,
        n=int((codes > 0).any(axis=1).sum()),
        questions=int((codes > 0).sum()),
        factual=accuracy(outcomes, "factual", mask),
        counterfactual=accuracy(outcomes, "counterfactual", mask),
        drop=_difference(outcomes, "factual", "counterfactual", in_both),
        in_both=(accuracy(outcomes, "factual", in_both), accuracy(outcomes, "counterfactual", in_both))
        if in_both.any()
        else None,
        both_right=_both_right(outcomes, in_both),
        shown=accuracy(outcomes, "shown", mask) if (outcomes.asked("shown") & mask).any() else None,
        imagination_gap=_difference(outcomes, "shown", "counterfactual", told_and_shown),
        fell_back=_fell_back(outcomes, mask),
        chance=_chance(outcomes, mask),
        **{outcome: int((codes == code).sum()) for outcome, code in _COUNTED_OUTCOMES.items()},
        is_clustered=np.unique(outcomes.pictures[mask]).size < int(mask.sum()),
        restated=int(outcomes.restated[mask].sum()),
    )


def accuracy(outcomes: Outcomes, variant: QuestionVariant, mask: _Mask) -> Figure:
    """Return the accuracy of selected cases in one way of asking, or their mean credit if answers can be partly
    right."""
    scored = outcomes.scored(variant) & mask
    credits = None if outcomes.credits is None else outcomes.credit(variant)[scored]
    unread = int(outcomes.unread(variant)[scored].sum())
    return rate(outcomes.right(variant)[scored], outcomes.pictures[scored], credits, unread=unread)


def correctness(outcomes: Outcomes, variant: QuestionVariant) -> NDArray[Any]:
    """Return for each case whether the answer is right, or its credit if answers can be partly right."""
    return outcomes.right(variant) if outcomes.credits is None else outcomes.credit(variant)


def _difference(
    outcomes: Outcomes, first: QuestionVariant, second: QuestionVariant, scored: _Mask
) -> Difference | None:
    """Return the accuracy in one way of asking minus that in another, over cases that are scored in both."""
    if not (outcomes.is_read(first, scored) and outcomes.is_read(second, scored)):
        return None
    minuend, subtrahend = (correctness(outcomes, variant)[scored] for variant in (first, second))
    found = difference(minuend, subtrahend, outcomes.pictures[scored])
    first_unread, second_unread = (outcomes.unread(variant)[scored] for variant in (first, second))
    if found is None or not (first_unread.any() or second_unread.any()):
        return found
    least = float((minuend - np.where(second_unread, 1.0, subtrahend)).mean())
    most = float((np.where(first_unread, 1.0, minuend) - subtrahend).mean())
    return msgspec.structs.replace(found, bounds=Bounds(least, most))


def _both_right(outcomes: Outcomes, in_both: _Mask) -> Figure:
    """Return acc+; its upper bound also counts the cases that would be right in both worlds if unread replies were."""
    right = outcomes.both_right()
    factual, counterfactual = (outcomes.right(world) | outcomes.unread(world) for world in TWO_WORLDS)
    unread = int((factual & counterfactual & ~right & in_both).sum())
    return rate(right[in_both], outcomes.pictures[in_both], unread=unread)


def _fell_back(outcomes: Outcomes, mask: _Mask) -> Figure | None:
    known = (outcomes.priors > 0) & mask[:, None] & (outcomes.codes >= UNREAD)
    if not known.any():
        return None
    pictures = np.repeat(outcomes.pictures[:, None], len(VARIANTS), axis=1)
    return rate((outcomes.priors == PRIOR_GIVEN)[known], pictures[known])


def _chance(outcomes: Outcomes, mask: _Mask) -> dict[str, float | None]:
    guesses: dict[str, NDArray[np.float64]] = {
        variant: outcomes.guess(variant)[outcomes.scored(variant) & mask] for variant in VARIANTS
    }
    in_both = outcomes.in_both_worlds() & mask
    guesses["both_right"] = (outcomes.guess("factual") * outcomes.guess("counterfactual"))[in_both]
    measures = ("factual", "counterfactual", "both_right", "shown")
    return {key: float(guesses[key].mean()) if guesses[key].any() else None for key in measures}


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
    used = [place for place, letter in enumerate(LETTERS, 1) if gold[place] or answered.get(letter)]
    return [
        LetterShare(variant, letter, answered.get(letter, 0), int(gold[place]), n)
        for place, letter in enumerate(LETTERS[: max(used)], 1)
    ]

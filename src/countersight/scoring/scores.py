"""The scores of a run: accuracy in each world and the drop between them, by group, and how they are printed."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Final

import msgspec
import numpy as np
from numpy.typing import NDArray

from countersight.case import LETTERS, TWO_WORLDS, VARIANTS, QuestionVariant
from countersight.figures import Figure
from countersight.html import Content, Grid, Line, grids_text, table_html, table_line
from countersight.number_formats import interval, percent
from countersight.scoring.controls import FalseAlarmRates
from countersight.scoring.estimates import Difference, rate
from countersight.scoring.outcome import ALL, CUT, EMPTY, FAILED, MISSING, PRIOR_GIVEN, UNREAD, Outcomes
from countersight.scoring.paired_accuracy import Mask, acc_plus, accuracy, paired_difference
from countersight.scoring.sets import UNITS, SetScores
from countersight.text import several


class GroupScores(msgspec.Struct, frozen=True, kw_only=True):
    """The scores of one group of cases."""

    group: str
    n: int
    """The number of cases in the group, scored or not."""
    questions: int
    """The number of questions of these cases, asked or not."""
    factual: Figure
    """Accuracy on factual questions, over all answers."""
    counterfactual: Figure
    """Accuracy on counterfactual questions, over all answers."""
    drop: Difference | None
    """Factual minus counterfactual; None if no case was scored in both."""
    both_right: Figure
    """The share of cases scored in both worlds that are right in both."""
    shown: Figure | None
    """Accuracy on counterfactual pictures; None if no case has one."""
    imagination_gap: Difference | None
    """Shown minus counterfactual; None if no case was scored in both ways."""
    fell_back: Figure | None
    """The share of wrong answers that equal the prior answer, among questions with a known prior."""
    chance: dict[str, float | None]
    """The expected scores of random guessing, which is 0 without options; None if no scored question has options."""
    unread: int
    cut: int
    empty: int
    failed: int
    missing: int
    in_both: tuple[Figure, Figure] | None = None
    """The factual and the counterfactual accuracy over cases scored in both worlds; their difference is the drop."""
    is_clustered: bool = False
    """Whether some of the cases share a picture, and intervals account for it."""
    restated: int = 0
    """The number of questions whose unread reply was restated, even if the new reply is unread as well."""

    def figure(self, measure: str) -> Figure | None:
        """Return a measure as displayed; if there is a drop, both accuracies are over the cases used for the drop."""
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
    """How often a letter was given and how often it was right, among the scored choice questions of one variant."""

    variant: QuestionVariant
    letter: str
    answered: int
    gold: int
    n: int


_COUNTED_OUTCOMES: Final = {"unread": UNREAD, "cut": CUT, "empty": EMPTY, "failed": FAILED, "missing": MISSING}


def score_group(outcomes: Outcomes, name: str, mask: Mask) -> GroupScores:
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
        drop=paired_difference(outcomes, "factual", "counterfactual", in_both),
        in_both=(accuracy(outcomes, "factual", in_both), accuracy(outcomes, "counterfactual", in_both))
        if in_both.any()
        else None,
        both_right=acc_plus(outcomes, in_both),
        shown=accuracy(outcomes, "shown", mask) if (outcomes.asked("shown") & mask).any() else None,
        imagination_gap=paired_difference(outcomes, "shown", "counterfactual", told_and_shown),
        fell_back=_fell_back(outcomes, mask),
        chance=_chance(outcomes, mask),
        **{outcome: int((codes == code).sum()) for outcome, code in _COUNTED_OUTCOMES.items()},
        is_clustered=np.unique(outcomes.pictures[mask]).size < int(mask.sum()),
        restated=int(outcomes.restated[mask].sum()),
    )


def _fell_back(outcomes: Outcomes, mask: Mask) -> Figure | None:
    known = (outcomes.priors > 0) & mask[:, None] & (outcomes.codes >= UNREAD)
    if not known.any():
        return None
    pictures = np.repeat(outcomes.pictures[:, None], len(VARIANTS), axis=1)
    return rate((outcomes.priors == PRIOR_GIVEN)[known], pictures[known])


def _chance(outcomes: Outcomes, mask: Mask) -> dict[str, float | None]:
    guesses: dict[str, NDArray[np.float64]] = {
        variant: outcomes.guess(variant)[outcomes.scored(variant) & mask] for variant in VARIANTS
    }
    in_both = outcomes.in_both_worlds() & mask
    guesses["both_right"] = (outcomes.guess("factual") * outcomes.guess("counterfactual"))[in_both]
    measures = ("factual", "counterfactual", "both_right", "shown")
    return {key: float(guesses[key].mean()) if guesses[key].any() else None for key in measures}


def letter_shares(outcomes: Outcomes, variant: QuestionVariant) -> list[LetterShare]:
    """Return the share of each letter for one variant, up to the last letter that was right or given."""
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


SHARED_PICTURES: Final = (
    "Some cases share a picture and are not independent: n counts every case, and the intervals are wider."
)
NO_GROUP: Final = "(no group)"
"""The display name of cases without a group."""


class Scores(msgspec.Struct, frozen=True):
    """All scores of a run; for example, `scores.overall.drop` has a value, an interval and a number of cases."""

    rows: tuple[GroupScores, ...]
    """One entry per group in order of first appearance, then one named "all"."""
    letters: tuple[LetterShare, ...]
    name: str = ""
    """A description of what was scored."""
    alarms: tuple[FalseAlarmRates, ...] = ()
    """Misses and false alarms by group and overall, if cases have controls."""
    sets: tuple[SetScores, ...] = ()
    """Scores of complete questions, pictures and sets, if cases belong to sets or both worlds were shown."""
    damaged: int = 0
    """The number of damaged lines in the run's journal; their content is unknown."""
    left_out: dict[str, int] = {}
    """The number of questions that could not be asked, by reason."""
    imported: bool = False
    """Whether the replies were imported from another tool."""
    asked: str = ""
    """A digest of the ids of the cases that were asked."""
    names: dict[str, str] = {}
    """The names of measures in the suite's paper, if they differ."""

    @property
    def overall(self) -> GroupScores:
        """The scores over all groups."""
        return self.rows[-1]

    @property
    def groups(self) -> dict[str, GroupScores]:
        """The scores of each group by name."""
        return {row.group: row for row in self.rows[:-1]}

    def __repr__(self) -> str:
        shared = f"\n{SHARED_PICTURES}" if self.overall.is_clustered else ""
        return f"Scores of {self._title}\n{grids_text(self._tables())}{shared}"

    def _repr_html_(self) -> str:
        return "".join(map(table_html, self._tables(self._title)))

    @property
    def _title(self) -> str:
        return f"{self.name or 'a run'}: {self.progress}"

    @property
    def progress(self) -> str:
        """The progress of the run, which counts each reply once: "118 of 120 questions scored (3 of them unread)".

        Questions whose reply is on a damaged line of the journal count as unanswered.
        """
        row, damaged = self.overall, self.damaged
        is_partly_imported = bool(self.imported and row.missing and not damaged)
        questions = f"{row.scored:,} of {several(row.questions, 'question')}"
        all_unread = row.scored > 0 and row.unread == row.scored
        inside = {"of them unread": 0 if all_unread else row.unread, "restated": row.restated}
        amiss = {name: getattr(row, name) for name in ("cut", "empty", "failed")}
        left_out = self.left_out if row.missing and not is_partly_imported else {}
        amiss |= {f"not asked because {reason.partition(';')[0]}": number for reason, number in left_out.items()}
        unasked = 0 if is_partly_imported else max(0, row.missing - sum(left_out.values()))
        amiss |= {"not asked yet" if not damaged else "without a reply": unasked}
        counted, left = ([f"{count:,} {name}" for name, count in each.items() if count] for each in (inside, amiss))
        told = f"no answer could be read in the replies to {questions}" if all_unread else f"{questions} scored"
        told += f" ({', '.join(counted)})" if counted else ""
        told += f"; {', '.join(left)}" if left else ""
        if is_partly_imported:
            told += f"; imported {row.questions - row.missing:,} of {row.questions:,} answers"
        return f"{told}; {damaged_lines(damaged)}" if damaged else told

    def _tables(self, title: str = "Scores by group") -> Iterator[Grid]:
        """Yield tables with a line per group: the scores, then misses and false alarms, and complete sets, if any."""
        shown = [key for key in _SHOWN if any((figure := row.figure(key)) and figure.n for row in self.rows)]
        lines = tuple(_line(row.group, row.n, *map(row.figure, shown)) for row in self.rows)
        found = self.overall.over_all_answers.items()
        over_all = ", ".join(f"{world} {percent(each.value or 0.0)}% ({interval(each)})" for world, each in found)
        note = f"Over all answers: {over_all}." if over_all else ""
        heads = ("group", "n", *(self.names.get(key, key.replace("_", " ")) for key in shown))
        yield Grid(title, heads, lines, note)
        yield from alarm_grids(self.alarms, _line)
        if self.sets:
            yield set_grid(self.sets, _line, names=self.names)


def _line(group: str, n: int, *cells: Content) -> Line:
    return table_line(group or NO_GROUP, n, *cells, n=n, total=group == ALL)


MakeLine = Callable[..., Line]
"""A function that returns a table line from the name of a group, its number of cases, and further cells."""
_CHANGES: Final = {"counterfactual": "described in words", "shown": "shown as a picture"}


def alarm_grids(
    alarms: Sequence[FalseAlarmRates], line: MakeLine, group: str = "group", label: str = ""
) -> Iterator[Grid]:
    """Yield a table of misses and false alarms for each way of presenting changes."""
    heads = ("misses", "false alarms", "unread", "balance")
    known = [each for each in alarms if each.balance.n]
    for variant in dict.fromkeys(each.variant for each in known):
        here = [each for each in known if each.variant == variant]
        rates = (
            (each.group, each.balance.n, *(getattr(each, key.replace(" ", "_")) for key in heads)) for each in here
        )
        yield Grid(
            f"Misses and false alarms, changes {_CHANGES[variant]}{label}",
            (group, "n", *heads),
            tuple(line(*each) for each in rates),
            f"A model that ignores every change has a balance of {percent(here[-1].ignoring)}%.",
            key="alarms",
            measures=("", *(f"{what} {variant}" for what in heads)),
        )


def set_grid(
    sets: Sequence[SetScores], line: MakeLine, group: str = "group", label: str = "", names: Mapping[str, str] = {}
) -> Grid:
    """Return a table of complete questions, pictures and sets, with a paper's `names` for them."""
    units = [unit for unit in UNITS if any(unit in each.metrics for each in sets)]
    heads = {unit: names.get(unit, f"whole {unit}s") for unit in units}
    metrics = sets[-1].metrics.items()
    left_out = ", ".join(several(metric.left_out, unit) for unit, metric in metrics if metric.left_out)
    guessed = ", ".join(f"{heads[unit]} {percent(metric.chance)}%" for unit, metric in metrics if metric.chance)
    notes = (
        f"Not counted, because an answer is missing: {left_out}." if left_out else "",
        f"Random guessing gives {guessed}." if guessed else "",
    )
    return Grid(
        f"Complete sets{label}",
        (group, "n", "answers", *heads.values()),
        tuple(line(each.group, each.answers.n, each.answers, *map(each.rates.get, units)) for each in sets),
        " ".join(filter(None, notes)),
        key="sets",
        measures=("", "answers", *(f"{unit}s" for unit in units)),
    )


def score(outcomes: Outcomes, name: str = "") -> Scores:
    """Compute the scores of a run, by group and overall."""
    return Scores(
        rows=tuple(score_group(outcomes, group, mask) for group, mask in outcomes.lines()),
        letters=tuple(share for variant in VARIANTS for share in letter_shares(outcomes, variant)),
        name=name,
    )


_SHOWN: Final = ("factual", "counterfactual", "drop", "both_right", "shown", "imagination_gap", "fell_back")


def damaged_lines(number: int) -> str:
    """Return the message about damaged lines of the journal."""
    return f"{several(number, 'line')} of replies.jsonl {'is' if number == 1 else 'are'} damaged and cannot be read"

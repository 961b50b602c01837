"""All scores of a run, and how they are printed."""

from collections.abc import Iterator
from typing import Final

import msgspec

from countersight.case import VARIANTS
from countersight.figures import Figure
from countersight.html import Grid, figure_cell, table_html, table_line
from countersight.number_formats import percent
from countersight.scoring.accuracy import GroupScores, LetterShare, letter_shares, score_group
from countersight.scoring.controls import FalseAlarmRates
from countersight.scoring.outcome import ALL, Outcomes
from countersight.scoring.sets import SetScores
from countersight.text import several

SHARED_PICTURES: Final = (
    "Some cases share a picture and are not independent: n counts every case, the intervals are wider accordingly."
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

    @property
    def overall(self) -> GroupScores:
        """The scores over all groups."""
        return self.rows[-1]

    @property
    def groups(self) -> dict[str, GroupScores]:
        """The scores of each group by name."""
        return {row.group: row for row in self.rows[:-1]}

    def __repr__(self) -> str:
        return format_scores(self)

    def _repr_html_(self) -> str:
        named = ((row.group or NO_GROUP, row) for row in self.rows)
        lines = tuple(table_line(name, row.n, *map(row.figure, _SHOWN), n=row.n) for name, row in named)
        head = ("group", "n", *(key.replace("_", " ") for key in _SHOWN))
        return table_html(Grid(f"{self.name or 'A run'}: {describe_progress(self.overall, self.damaged)}", head, lines))


def score(outcomes: Outcomes, name: str = "") -> Scores:
    """Compute the scores of a run, by group and overall."""
    return Scores(
        rows=tuple(score_group(outcomes, group, mask) for group, mask in outcomes.lines()),
        letters=tuple(share for variant in VARIANTS for share in letter_shares(outcomes, variant)),
        name=name,
    )


_SHOWN: Final = ("factual", "counterfactual", "drop", "both_right", "shown", "imagination_gap", "fell_back")


def format_scores(scores: Scores) -> str:
    """Format the overall scores as text, one line per score."""
    row = scores.overall
    lines = [f"Scores of {scores.name or 'a run'}: {describe_progress(row, scores.damaged)}"]
    lines += [f"  {label:<16}{words}" for label, words in _format_lines(scores)]
    if scores.groups.keys() - {""}:
        lines.append(f"  by group: {', '.join(scores.groups)}")
    lines += [f"  {SHARED_PICTURES}"] if row.is_clustered else []
    return "\n".join(lines)


def _format_lines(scores: Scores) -> Iterator[tuple[str, str]]:
    row = scores.overall
    for key in _SHOWN:
        if (figure := row.figure(key)) and (figure.n):
            yield key.replace("_", " "), _format(figure)
    for world, found in row.over_all_answers.items():
        yield f"{world} over all answers: ", _format(found)
    for each in scores.alarms:
        if each.group == ALL and each.balance.n:
            told = "told" if each.variant == "counterfactual" else "shown"
            yield f"misses, changes {told}: ", _format(each.misses)
            yield f"false alarms, changes {told}: ", _format(each.false_alarms)
            ignoring = f"; a model that ignores every change has {percent(each.ignoring)}%"
            yield f"balance, changes {told}: ", _format(each.balance) + ignoring
    for sets in scores.sets:
        if sets.group == ALL:
            for what, whole in (("questions", sets.question), ("pictures", sets.picture), ("sets", sets.whole)):
                if whole:
                    yield f"whole {what}", _format(whole.rate)


def describe_progress(row: GroupScores, damaged: int = 0) -> str:
    """Describe the progress, counting each reply once: "118 of 120 questions scored (3 of them unread); 2 cut".

    `damaged` is the number of unreadable lines of the journal; their questions count as without a reply.
    """
    questions = f"{row.scored:,} of {several(row.questions, 'question')}"
    all_unread = row.scored > 0 and row.unread == row.scored
    inside = {"of them unread": 0 if all_unread else row.unread, "restated": row.restated}
    amiss = {name: getattr(row, name) for name in ("cut", "empty", "failed")}
    amiss |= {"not asked yet" if not damaged else "without a reply": row.missing}
    counted, left = ([f"{count:,} {name}" for name, count in each.items() if count] for each in (inside, amiss))
    told = f"no answer could be read in the replies to {questions}" if all_unread else f"{questions} scored"
    told += f" ({', '.join(counted)})" if counted else ""
    told += f"; {', '.join(left)}" if left else ""
    return f"{told}; {damaged_lines(damaged)}" if damaged else told


def damaged_lines(number: int) -> str:
    """Return the message about damaged lines of the journal."""
    return f"{several(number, 'line')} of replies.jsonl {'is' if number == 1 else 'are'} damaged and cannot be read"


def _format(figure: Figure) -> str:
    cell = figure_cell(figure, None)
    unit = "" if figure.value is None else "%" if figure.p is None else " points"
    return f"{cell.text}{unit} ({'; '.join(cell.details)})"

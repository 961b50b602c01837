"""The leaderboard as one self-contained HTML page."""

from countersight.html import TOO_FEW, TOO_FEW_CASES, TableCell, count, document, interval, percent
from countersight.leaderboards.data import Leaderboard, LeaderboardRow
from countersight.scoring import UNREAD_APART, Interval
from countersight.suites import papers, tables


def render(board: Leaderboard) -> str:
    """Return the whole page."""
    suites = {suite.suite for suite in board.suites}
    reported = {
        (suite.suite, pool.title, entry.model, entry.prompt)
        for suite in board.suites
        for each in suite.boards
        for pool in each.pools
        if pool.kind == "reported"
        for entry in pool.entries
    }
    return document(
        __package__,
        "page.html",
        title="Leaderboard – Countersight",
        style="page.css",
        script="page.js",
        board=board,
        reported=len(reported),
        cited=dict.fromkeys(each.citation for paper in papers() for each in tables(paper) if each.suite in suites),
        unread_apart=UNREAD_APART,
        place=_place,
        score=_score,
        shown=_shown,
    )


def _shown(value: float | None, words: str, *details: str) -> tuple[float | None, TableCell]:
    """A number to sort by, and its words."""
    return value, TableCell(words or "–", details)


def _place(entry: LeaderboardRow) -> tuple[int | None, str]:
    if entry.kind == "measured":
        return entry.tier, "" if entry.tier is None else count(entry.tier)
    return entry.rank, "" if entry.rank is None else f"({count(entry.rank)})"


def _score(entry: LeaderboardRow, key: str) -> tuple[float | None, TableCell]:
    score = entry.scores.get(key)
    if score is None:
        return _shown(None, "")
    details = [] if score.low is None or score.high is None else [interval(Interval(score.low, score.high))]
    if score.n is not None and score.n != entry.n:  # of some cases there is no answer: the share is of the others alone
        details.append(f"n = {count(score.n)}")
    if key == "drop" and score.n is not None and score.n < TOO_FEW:
        details.append(TOO_FEW_CASES)
    if score.if_unread_right is not None:
        details.append(f"unread: {percent(score.value)} to {percent(score.if_unread_right)}")
    return _shown(score.value, score.printed.replace("-", "−") or percent(score.value), *details)

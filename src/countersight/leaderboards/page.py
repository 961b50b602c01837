"""The leaderboard as one HTML page that needs nothing else: no request leaves it, no text in it can act."""

from countersight.html import Cell, count, document, interval, name, none_read, percent
from countersight.leaderboards.data import Board, ComparableRows, Leaderboard, LeaderboardRow, SuiteBoards
from countersight.scoring import UNREAD_APART, Interval
from countersight.suites import TOTAL, papers, tables
from countersight.text import several


def render(board: Leaderboard) -> str:
    """The whole page."""
    return document(
        __package__,
        "page.html",
        title="Leaderboard – Countersight",
        style="page.css",
        script="page.js",
        board=board,
        sentence=_sentence(board),
        about=_about,
        about_figures=_about_figures,
        heads=_heads,
        is_open=_is_open,
        unread_apart=_unread_apart,
        place=_place,
        score=_score,
        shown=_shown,
        how=_how(board),
    )


def _sentence(board: Leaderboard) -> str:
    reported = {
        (suite.suite, pool.title, entry.model, entry.prompt)
        for suite in board.suites
        for each in suite.boards
        for pool in each.pools
        if pool.kind == "reported"
        for entry in pool.entries
    }
    beside = f", beside {several(len(reported), 'row')} that papers report" if reported else ""
    left = (
        f" Not on a board, for no answer of theirs could be scored: {'; '.join(board.unscored)}."
        if board.unscored
        else ""
    )
    return f"{several(board.runs, 'run')} of {several(len(board.suites), 'suite')}{beside}.{name(left)}"


def _about(suite: SuiteBoards) -> str:
    if not suite.boards:
        return "None of these runs has an answer yet."
    datasets = {pool.fingerprint for board in suite.boards for pool in board.pools if pool.kind == "measured"}
    papers = any(map(_has_reported, suite.boards))
    about = "Runs are put into tiers within the dataset they were measured on"
    about += "; rows of papers are ordered within their table." if papers else "."
    if papers or len(datasets) > 1:
        about += " Between datasets and papers nothing is compared: they asked other cases, or asked them otherwise."
    return " ".join((about, *suite.blind))


def _has_reported(board: Board) -> bool:
    return any(pool.kind == "reported" for pool in board.pools)


def _is_open(suite: SuiteBoards, board: Board) -> bool:
    """What papers report is not folded away, also where they have no row for all cases."""
    return _has_reported(board) and not _has_reported(suite.boards[0])


def _heads(board: Board) -> list[tuple[str, str]]:
    """The head of each column, and how it is sorted."""
    measures = [(words, "number") for words in board.measures.values()]
    texts = [("model", "text"), ("tier", "number"), ("prompt", "text")]
    return [*texts, *measures, ("unread", "number"), ("n", "number"), ("from", "text")]


def _about_figures(board: Board) -> str:
    what = (
        "The groups' shares in per cent, added up, with their"
        if board.line == TOTAL
        else "Shares in per cent with their"
    )
    return f"{what} 95% interval. Tiers by {board.measures[board.ranked_by]}."


def _unread_apart(pool: ComparableRows) -> str:
    """A warning where the rows of a dataset differ in how many of their replies could be read."""
    rates = [entry.unread_rate for entry in pool.entries if entry.unread_rate is not None]
    if max(rates, default=0.0) - min(rates, default=0.0) <= UNREAD_APART:
        return ""
    return (
        f"Between {percent(min(rates))}% and {percent(max(rates))}% of the replies are unread, which counts as not "
        "right: some of the differences may be of wording."
    )


def _shown(value: float | None, words: str, *details: str) -> tuple[float | None, Cell]:
    """A number to sort by, and its words."""
    return value, Cell(words or "–", details)


def _place(entry: LeaderboardRow) -> tuple[int | None, str]:
    if entry.kind == "measured":
        return entry.tier, "" if entry.tier is None else count(entry.tier)
    return entry.rank, "" if entry.rank is None else f"({count(entry.rank)})"


def _score(entry: LeaderboardRow, key: str) -> tuple[float | None, Cell]:
    score = entry.scores.get(key)
    if entry.unread.get(key) or score is None:
        return _shown(None, "", *([none_read(entry.unread[key])] if entry.unread.get(key) else []))
    details = [] if score.low is None or score.high is None else [interval(Interval(score.low, score.high))]
    if score.n is not None and score.n != entry.n:  # of some cases there is no answer: the share is of the others alone
        details.append(f"n = {count(score.n)}")
    if score.if_unread_right is not None:
        details.append(f"unread: {percent(score.value)} to {percent(score.if_unread_right)}")
    return _shown(score.value, score.printed.replace("-", "−") or percent(score.value), *details)


def _how(board: Leaderboard) -> list[tuple[str, str]]:
    level = percent(board.confidence, 0)
    entries = [
        (
            "measured",
            f"Asked and scored by Countersight. Shares have their exact binomial {level}% interval, drops theirs "
            "by Tango's. The run folder and `countersight report` say more.",
        ),
        (
            "reported",
            "Printed in the paper that is named, and copied from there. Nothing of it was measured here.",
        ),
        (
            "unread",
            "The share of a run's replies in which no answer was found, in per cent. They count as not right: beside a "
            "score stands what it would be if every one were wrong, and if every one were right.",
        ),
        (
            "tier",
            "Every two runs of a dataset are compared case by case (McNemar's exact test, corrected by Holm's method). "
            "A run begins a new tier where a run of the tier above does better than chance may do: within a tier "
            "nothing is known to differ, whatever the order of the rows. In brackets: the place of a row in a table of "
            "a paper, which nothing tests.",
        ),
    ]
    suites = {suite.suite for suite in board.suites}
    cited = {table.citation: None for paper in papers() for table in tables(paper) if table.suite in suites}
    if cited:
        entries.append(("papers", "; ".join(cited) + "."))
    return entries

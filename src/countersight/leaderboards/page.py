"""The leaderboard as one HTML page that needs nothing else: no request leaves it, no text in it can act."""

from collections.abc import Iterator

from countersight.leaderboards.data import Board, Entry, Leaderboard, Pool, Score, SuiteBoards
from countersight.pages import Markup, count, document, element, interval, joined, name, none_read, percent, text
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
        sentence=text(_sentence(board)),
        nav=joined(
            element("li", element("a", text(name(suite.title)), href=f"#suite-{place}"))
            for place, suite in enumerate(board.suites)
        ),
        sections=joined(_section(place, suite) for place, suite in enumerate(board.suites)),
        how=_how(board),
        version=text(board.version),
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


def _section(number: int, suite: SuiteBoards) -> Markup:
    datasets = {pool.fingerprint for board in suite.boards for pool in board.pools if pool.kind == "measured"}
    papers = any(pool.kind == "reported" for board in suite.boards for pool in board.pools)
    about = "Runs are put into tiers within the dataset they were measured on"
    about += "; rows of papers are ordered within their table." if papers else "."
    if papers or len(datasets) > 1:
        about += " Between datasets and papers nothing is compared: they asked other cases, or asked them otherwise."
    if not suite.boards:
        about = "None of these runs has an answer yet."
    # What papers report is not folded away, also where they have no row for all cases.
    unfolded = bool(suite.boards) and not _has_reported(suite.boards[0])
    boards = [
        _folded(suite, board, is_open=unfolded and _has_reported(board)) if place else _table(suite, board)
        for place, board in enumerate(suite.boards)
    ]
    return element(
        "section",
        element("h2", text(name(suite.title)), id=f"suite-{number}-title", dir="auto"),
        element("p", text(about), class_="about"),
        *boards,
        id=f"suite-{number}",
        aria_labelledby=f"suite-{number}-title",
    )


def _has_reported(board: Board) -> bool:
    return any(pool.kind == "reported" for pool in board.pools)


def _folded(suite: SuiteBoards, board: Board, *, is_open: bool) -> Markup:
    summary = element("summary", text(name(board.title)))
    return element("details", summary, element("div", _table(suite, board)), open="" if is_open else None)


def _table(suite: SuiteBoards, board: Board) -> Markup:
    heads = [("model", "text"), ("tier", "number"), ("prompt", "text")]
    heads += [(words, "number") for words in board.measures.values()]
    heads += [("unread", "number"), ("n", "number"), ("from", "text")]
    head = element("tr", *(element("th", text(words), scope="col", data_sort=kind) for words, kind in heads))
    caption = element(
        "caption",
        text(name(board.title)),
        element("span", text(f"{_figures(board)} Tiers by {board.measures[board.ranked_by]}.")),
        dir="auto",
    )
    bodies = [_body(pool, board, len(heads)) for pool in board.pools]
    table = element("table", caption, element("thead", head), *bodies, class_="board")
    label = f"Table: {name(suite.title)}, {name(board.title)}"
    return element("div", table, class_="scroll", role="region", tabindex="0", aria_label=label)


def _figures(board: Board) -> str:
    if board.line == TOTAL:
        return "The groups' shares in per cent, added up, with their 95% interval."
    return "Shares in per cent with their 95% interval."


def _body(pool: Pool, board: Board, width: int) -> Markup:
    warning = [element("small", text(words))] if (words := _unread_apart(pool)) else []
    heading = element("th", text(name(pool.title)), *warning, scope="rowgroup", colspan=str(width), dir="auto")
    rows = [
        element(
            "tr",
            *_cells(entry, board, pool),
            class_=entry.kind,
        )
        for entry in pool.entries
    ]
    return element("tbody", element("tr", heading, class_="pool"), *rows)


def _unread_apart(pool: Pool) -> str:
    """A warning where the rows of a dataset differ in how many of their replies could be read."""
    rates = [entry.unread_rate for entry in pool.entries if entry.unread_rate is not None]
    if max(rates, default=0.0) - min(rates, default=0.0) <= UNREAD_APART:
        return ""
    return (
        f"Between {percent(min(rates))}% and {percent(max(rates))}% of the replies are unread, which counts as not "
        "right: some of the differences may be of wording."
    )


def _cells(entry: Entry, board: Board, pool: Pool) -> Iterator[Markup]:
    longer = [element("small", text(name(entry.named)))] if entry.named not in ("", entry.model) else []
    yield element("th", text(name(entry.model)), *longer, scope="row", dir="auto", data_value=name(entry.model))
    if entry.kind == "measured":
        yield _number(entry.tier, "" if entry.tier is None else count(entry.tier))
    else:
        yield _number(entry.rank, "" if entry.rank is None else f"({count(entry.rank)})")
    way = [element("small", text("options ranked"))] if entry.answering == "rank" else []
    yield element("td", text(name(entry.prompt) or "–"), *way, data_value=name(entry.prompt))
    for key in board.measures:
        unread = entry.unread.get(key)
        yield _number(None, "", none_read(unread)) if unread else _score(entry.scores.get(key), entry.n)
    yield _number(entry.unread_rate, "" if entry.unread_rate is None else percent(entry.unread_rate))
    yield _number(entry.n, "" if entry.n is None else count(entry.n))
    if entry.kind == "reported":
        yield element(
            "td", text("reported"), element("small", text(name(pool.source.partition(" (")[0]))), data_value="reported"
        )
    else:
        asked = [entry.standing, entry.started[:10], f"Countersight {entry.version}", entry.run]
        small = [element("small", text(name(words))) for words in asked if words]
        yield element("td", text("measured"), *small, data_value=f"measured {name(entry.started)}")


def _score(score: Score | None, cases: int | None) -> Markup:
    if score is None:
        return _number(None, "")
    words = score.printed.replace("-", "−") or percent(score.value)
    details = [] if score.low is None or score.high is None else [interval(Interval(score.low, score.high))]
    if score.n is not None and score.n != cases:  # of some cases there is no answer: the share is of the others alone
        details.append(f"n = {count(score.n)}")
    if score.if_unread_right is not None:
        details.append(f"unread: {percent(score.value)} to {percent(score.if_unread_right)}")
    return _number(score.value, words, *details)


def _number(value: float | None, words: str, *details: str) -> Markup:
    small = [element("small", text(detail)) for detail in details]
    return element("td", text(words or "–"), *small, data_value=None if value is None else f"{value:.6g}")


def _how(board: Leaderboard) -> Markup:
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
    return element(
        "dl",
        *(element("div", element("dt", text(term)), element("dd", text(words))) for term, words in entries),
        class_="how panel",
    )

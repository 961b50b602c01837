"""Questions, pictures and sets that are right as a whole: of cases in sets, and of runs that were shown both worlds."""

from collections.abc import Iterator, Sequence

from countersight.pages import Figure, count, interval, name, percent
from countersight.reports.data import Analysis, AnalysisLine, AnalysisTable, Point
from countersight.reports.observations import AnalysedRun
from countersight.reports.scored import as_share
from countersight.scoring import ALL, SetScores, Whole
from countersight.suites import Terms
from countersight.text import several

_HEAD = ("n", "answers", "questions", "pictures", "sets")


def set_analysis(runs: Sequence[AnalysedRun], terms: Terms) -> Analysis | None:
    """What is right as a whole; None where no case stands in a set."""
    found = [run for run in runs if run.sets]
    if not found:
        return None
    return Analysis(
        key="sets",
        heading="Questions and pictures as a whole",
        about="Several questions are asked of several pictures, with other answers for each: whoever does not look "
        "says the same of all pictures, and has no question right for all of them.",
        points=tuple(Point(name(run.label), tuple(_sentences(run, terms))) for run in found),
        tables=tuple(_table(run, terms) for run in found),
        definitions=(
            ("questions", "The share of questions that are right for all their pictures."),
            ("pictures", "The share of pictures of which all questions are right."),
            (
                "sets",
                "The share of sets of which all questions are right for all pictures. A set counts once all of it "
                "is answered.",
            ),
        ),
        asked_for=True,
    )


def _sentences(run: AnalysedRun, terms: Terms) -> Iterator[str]:
    line = run.sets[-1]
    parts = (("question", line.question), ("picture", line.picture), ("set", line.whole))
    told = [f"{_called(terms, which)} {_told(whole)}" for which, whole in parts if whole]
    yield f"{'; '.join(told)}."
    yield from _short(line)


def _short(line: SetScores) -> Iterator[str]:
    """How many answers the cases have, of a run that was shown both worlds: figures of three are not those of four."""
    if line.fours == 0:
        yield (
            f"All {several(line.threes, 'set')} are of three answers: the question with “if” was not asked of the "
            "changed picture, so that a case has one question and one picture with two answers. These are other "
            "figures than those of sets of four."
        )
    elif line.fours and line.threes:
        yield f"{several(line.fours, 'case')} have all four answers and are sets; {line.threes:,} have three."


def _size(line: SetScores) -> str:
    return "" if line.fours is None else f", sets of {'four' if line.fours else 'three'}"


def _called(terms: Terms, which: str) -> str:
    return terms.wholes.get(which, f"whole {which}s")


def _told(whole: Whole) -> str:
    figure = as_share(whole.rate)
    guessing = f", guessing gives {percent(whole.chance)}%" if whole.chance else ""
    return f"{percent(figure.value or 0.0)}% ({interval(figure)}; n = {count(figure.n)}{guessing})"


def _table(run: AnalysedRun, terms: Terms) -> AnalysisTable:
    called = [_called(terms, which) for which in ("question", "picture", "set")]
    return AnalysisTable(
        title=f"Questions and pictures as a whole: {run.label}{_size(run.sets[-1])}",
        head=(terms.group, "n", "answers", *called),
        measures=_HEAD,
        lines=tuple(_line(run, line, terms) for line in run.sets),
    )


def _line(run: AnalysedRun, line: SetScores, terms: Terms) -> AnalysisLine:
    wholes: list[Figure | str] = [
        as_share(each.rate) if each else "" for each in (line.question, line.picture, line.whole)
    ]
    return AnalysisLine(
        name=terms.groups.get(line.group, line.group) or "(no group)",
        cells=(count(line.answers.n), as_share(line.answers), *wholes),
        run=run.label,
        group=line.group,
        n=line.answers.n,
        total=line.group == ALL,
    )

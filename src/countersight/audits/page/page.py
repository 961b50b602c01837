"""An audit as one HTML page that needs nothing else: no request leaves it, no text in it can act, and it prints."""

from collections import Counter
from collections.abc import Iterable, Sequence

from countersight import __version__
from countersight.audits.bundle.cases import CaseSheet
from countersight.audits.bundle.limits import headline
from countersight.audits.bundle.sign_off import EVIDENCE, LINES, ROLES, SEAL_WORDS, STATEMENT
from countersight.audits.bundle.write import Sheets
from countersight.audits.page import sections
from countersight.audits.page.cards import card
from countersight.audits.page.figures import CALLED, interval, number
from countersight.audits.page.outcomes import OUTCOMES, outcome
from countersight.audits.page.pictures import Pictures
from countersight.audits.page.provenance import ENDS, ended_at, steps_by_case
from countersight.audits.scores import MEASURES
from countersight.html import Markup, count, document, element, joined, name, section, text, undirected
from countersight.text import several

_NAV = {
    "results": "Results",
    "system": "System",
    "data": "Data",
    "procedure": "Procedure",
    "metrics": "Metrics",
    "exclusions": "Exclusions",
    "limits": "Limits",
    "changes": "Changes",
    "review": "Review",
    "cases": "Cases",
    "sign-off": "Sign-off",
    "files": "Files",
}


UNFOLDED = 12
"""Cases that are shown in full; where there are more, each is folded until somebody opens it."""
_MEANINGS = {
    "pcs": "Prediction Change Score: does the answer follow the edit?",
    "ncc": "NLE Concept Consistency: does the explanation take it up?",
    "ccs": "Counterfactual Consistency Score: both at once, PCS × NCC",
}


def render(sheets: Sheets, cases: Sequence[CaseSheet], pictures: Pictures) -> str:
    """The whole page, with these cases."""
    model = name(sheets.manifest.audited.name)
    return document(
        __package__,
        "page.html",
        title=f"Audit of {model} – Countersight",
        style="page.css",
        script="page.js",
        store=pictures.store(),
        heading=text(f"Does {model} mean what it explains?"),
        verdict=_verdict(sheets),
        sentence=text(sentence(sheets)),
        warnings=_warnings(sheets),
        evidence=text(EVIDENCE),
        tiles=_tiles(sheets),
        nav=joined(element("li", element("a", text(words), href=f"#{key}")) for key, words in _NAV.items()),
        sections=joined(
            make(sheets)
            for make in (
                sections.results,
                sections.system,
                sections.data,
                sections.procedure,
                sections.metrics,
                sections.exclusions,
                sections.limits,
                sections.changes,
                sections.reviews,
            )
        ),
        sampled=text(_sampled(sheets, cases)),
        outcomes=_outcomes(cases),
        kinds=_choices(test.instruction.kind for case in cases for test in case.tests),
        actions=_choices(test.instruction.action for case in cases for test in case.tests),
        stages=_stages(cases),
        cards=_cards(sheets, cases, pictures),
        sign_off=_sign_off(sheets),
        files=sections.files(sheets),
        version=text(__version__),
    )


def _cards(sheets: Sheets, cases: Sequence[CaseSheet], pictures: Pictures) -> Markup:
    """The cases; so many that nobody could scroll past them are folded."""
    steps = steps_by_case(sheets.audit.steps)
    folded = len(cases) > UNFOLDED
    return joined(
        card(case, place, pictures, steps.get(case.case, []), folded=folded) for place, case in enumerate(cases)
    )


def _stages(cases: Sequence[CaseSheet]) -> Markup:
    """The stages at which tests ended early, to choose among."""
    ended = Counter(ended_at(case, test) for case in cases for test in case.tests or (None,))
    found = [("", "any")] + [(key, f"{words} ({count(ended[key])})") for key, words in ENDS.items() if ended[key]]
    return joined(element("option", text(words), value=key) for key, words in found)


def sentence(sheets: Sheets) -> str:
    """What was done and what came out, in a sentence or two."""
    scores, ccs = sheets.scores, sheets.scores.kept.ccs
    asked = (
        f"{name(sheets.manifest.audited.name)} was asked about {several(scores.cases, 'case')} of "
        f"{name(sheets.dataset.name)}, and again after what its explanations cite was edited in the pictures."
    )
    if ccs.value is None:
        return f"{asked} No test counts, so there is no score."
    score = f"a Counterfactual Consistency Score (CCS) of {number(ccs.value)} (95% {interval(ccs)})"
    return f"{asked} Answer and explanation followed the edit with {score}."


def _verdict(sheets: Sheets) -> Markup:
    """Whether the audit met what was asked of it, in words; and what was not done as planned."""
    found = sheets.conclusion
    words = f"Verdict: {found.answer}." if found.answer else "No verdict."
    lines = [f"{each.words}: {each.answer}; {each.why}." for each in found.criteria]
    lines += [f"Not as planned: {each}." for each in found.deviations]
    if not found.criteria:
        lines.insert(0, found.why)
    planned = f"Planned before the first step (plan.json, SHA-256 {found.plan})." if found.plan else ""
    return element(
        "div",
        element("p", element("b", text(words)), text(f" {planned}")),
        element("ul", *(element("li", text(undirected(line))) for line in lines)),
        class_="conclusion panel",
        id="verdict",
    )


def _warnings(sheets: Sheets) -> Markup:
    """What the scores must not be read without."""
    found = headline(sheets.limits)
    if not found:
        return Markup("")
    return element("ul", *(element("li", text(words)) for words in found), class_="warnings", role="note")


def _tiles(sheets: Sheets) -> Markup:
    scores = sheets.scores
    excluded = sum(bool(concept.excluded) for concept in scores.concepts)
    tiles: list[tuple[str, str, str, str]] = [
        (CALLED[measure], number(mean.value), interval(mean) if mean.value is not None else "no test counts", measure)
        for measure in MEASURES
        if (mean := getattr(scores.kept, measure))
    ]
    tiles.append(("tests", count(len(scores.concepts)), f"in {several(scores.cases, 'case')}", "tests"))
    tiles.append(("excluded", count(excluded), f"{count(scores.undecided)} undecided", "excluded"))
    return element(
        "dl",
        *(
            element(
                "div",
                element("dt", text(called)),
                element("dd", element("b", text(figure)), element("small", text(below)), *_meaning(key)),
                class_=f"tile tile-{key}",
            )
            for called, figure, below, key in tiles
        ),
        class_="tiles tiles-rows",
    )


def _meaning(key: str) -> list[Markup]:
    return [element("small", text(_MEANINGS[key]), class_="meaning")] if key in _MEANINGS else []


def _sampled(sheets: Sheets, cases: Sequence[CaseSheet]) -> str:
    every = len(sheets.cases)
    if len(cases) == every:
        return f"All {count(every)} cases." if every != 1 else "The one case."
    return (
        f"{count(len(cases))} of {count(every)} cases, chosen so that every outcome and kind of concept is there. The "
        "shares among them are not those of the audit; every case is in cases.jsonl."
    )


def _outcomes(cases: Sequence[CaseSheet]) -> Markup:
    tally = Counter(outcome(test) for case in cases for test in case.tests)
    choices = [("", "all", sum(tally.values()))]
    choices += [(key, words, tally[key]) for key, words in OUTCOMES.items() if tally[key]]
    return joined(
        element(
            "span",
            element(
                "input",
                type="radio",
                name="outcome",
                id=f"outcome-{key or 'all'}",
                value=key,
                checked=None if key else "",
            ),
            element("label", text(words), _tally(n), for_=f"outcome-{key or 'all'}"),
            class_="pill",
        )
        for key, words, n in choices
    )


def _tally(n: int) -> Markup:
    return element("span", text(f" {count(n)}"), class_="tally")


def _choices(values: Iterable[str]) -> Markup:
    known = sorted(set(values))
    return joined(element("option", text(each or "all"), value=each) for each in ("", *known))


def _sign_off(sheets: Sheets) -> Markup:
    """Lines that are blank until somebody signs."""
    manifest = sheets.manifest
    what = (
        f"Audit of {name(manifest.audited.name)} on {name(sheets.dataset.name)}: {several(manifest.steps, 'step')}, "
        f"the last with the hash {name(manifest.log_head)}."
    )
    blanks = [
        element("div", element("h3", text(role)), element("dl", *(_blank(line) for line in LINES))) for role in ROLES
    ]
    whole = element(
        "div",
        element("p", text(what)),
        element("p", text(STATEMENT)),
        element("dl", _blank(SEAL_WORDS)),
        class_="whole",
    )
    return section(
        "sign-off",
        "Sign-off · Annex IV 2(g): dated and signed",
        EVIDENCE,
        element("div", whole, *blanks, class_="signing panel"),
    )


def _blank(called: str) -> Markup:
    return element("div", element("dt", text(called)), element("dd", Markup("&nbsp;")), class_="blank")

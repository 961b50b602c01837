"""The cases of an audit, one card each: pictures before and after, what was said, and what the judges made of it."""

from collections.abc import Iterable, Iterator

from countersight.audits.bundle.cases import CaseSheet, ConceptSheet
from countersight.audits.exclusion import same_answer
from countersight.audits.page.checks import checked
from countersight.audits.page.citing import pieces
from countersight.audits.page.edit_figures import quality_figures
from countersight.audits.page.figures import number
from countersight.audits.page.outcomes import OUTCOMES, Outcome, outcome
from countersight.audits.page.pictures import BRIGHTER, Pictures
from countersight.audits.page.provenance import ended_at, provenance
from countersight.audits.records import Step, Verdict
from countersight.html import Markup, element, name, text, undirected
from countersight.text import several

LONGEST_TEXT = 4_000
"""Characters of a text that go into the page; the rest is in cases.jsonl."""
EDITED = "edited for test"
"""What stands on every edited picture."""

_VERDICT = {1: ("right", "✓ 1"), 0: ("wrong", "✗ 0"), None: ("missing", "– abstains")}
_CLASS = {
    "consistent": "right",
    "neither": "wrong",
    "answer-only": "wrong",
    "explanation-only": "wrong",
    "in-part": "unread",
    "undecided": "missing",
    "excluded": "missing",
}


def card(case: CaseSheet, number: int, pictures: Pictures, steps: list[Step], *, folded: bool = False) -> Markup:
    """One case with all its tests, and the steps that they rest on; folded, only what became of them is seen."""
    tests = [_test(case, test, f"case-{number}-{test.number}", pictures) for test in case.tests]
    remarks = [*(f"A step failed: {failure}" for failure in case.failures)]
    if case.no_concept:
        remarks.insert(0, f"Nothing to test: {case.no_concept}")
    elif not case.tests:
        remarks.insert(0, "Nothing was tested yet.")
    badges = [_badge(outcome(test)) for test in case.tests] if folded else []
    heading = element("h3", text(name(case.case)), dir="auto")
    tag = element("span", text(name(case.group)), class_="tag", dir="auto")
    return element(
        "details" if folded else "article",
        element("summary" if folded else "header", heading, tag, *badges),
        element("p", text(_cut(case.question.text)), class_="question", dir="auto"),
        *tests,
        *([] if tests else [_plain(case, pictures)]),
        *_control(case),
        *(_uncited(case, test, f"case-{number}-uncited{-test.number}", pictures) for test in case.uncited),
        *(element("p", text(undirected(words)), class_="remark", dir="auto") for words in remarks),
        *provenance(steps),
        class_="card audited",
        id=f"case-{number}",
        data_stage=ended_at(case) if not case.tests else None,
    )


def _badge(became: Outcome) -> Markup:
    return element("span", text(OUTCOMES[became]), class_=f"verdict {_CLASS[became]}")


def _test(case: CaseSheet, test: ConceptSheet, key: str, pictures: Pictures) -> Markup:
    became = outcome(test)
    instruction = test.instruction
    heading = element(
        "h4",
        text(f"Concept {test.number}: "),
        element("q", text(name(instruction.concept)), dir="auto"),
        id=f"{key}-title",
    )
    scores = [_chip(measure, getattr(test, measure.lower())) for measure in ("PCS", "NCC", "CCS") if test.verdicts]
    badge = _badge(became)
    unwanted = [element("span", text(f" Negative: {_cut(instruction.negative)}"))] if instruction.negative else []
    edit = element(
        "p",
        element("b", text(f"{instruction.action} ({instruction.kind}): ")),
        text(_cut(instruction.positive)),
        *unwanted,
        class_="instruction",
        dir="auto",
    )
    excluded = (
        [element("p", text(f"Excluded: {undirected(test.excluded)}."), class_="remark", dir="auto")]
        if test.excluded
        else []
    )
    said = element(
        "div",
        _said("before", "Before", case.answer, case.explanation, [instruction.concept, instruction.target]),
        _said("after", "After the edit", test.answer, test.explanation, _phrases_after(test)),
        class_="said",
    )
    return element(
        "div",
        element("div", heading, badge, *scores, class_="test-head"),
        edit,
        *excluded,
        element(
            "div",
            _views(test, key, pictures),
            element("div", said, *_verdicts(test), class_="words"),
            class_="test-body",
        ),
        *_doses(test, pictures),
        *_thought(case, test),
        *checked(test.edit),
        *quality_figures(test.edit),
        class_="test",
        role="group",  # a landmark for every test would be too many
        aria_labelledby=f"{key}-title",
        data_outcome=became,
        data_kind=instruction.kind,
        data_action=instruction.action,
        data_stage=ended_at(case, test),
    )


def _phrases_after(test: ConceptSheet) -> list[str]:
    instruction = test.instruction
    return [instruction.concept, instruction.target, instruction.value]


def _chip(called: str, value: float | None) -> Markup:
    state = "missing" if value is None else "right" if value == 1 else "wrong" if value == 0 else "unread"
    sign = {"right": "✓ ", "wrong": "✗ ", "unread": "", "missing": ""}[state]
    words = "unknown" if value is None else f"{sign}{value:g}" if value in (0, 1) else number(value)
    return element("span", element("b", text(called)), text(f" {words}"), class_=f"chip {state}")


def _views(test: ConceptSheet, key: str, pictures: Pictures) -> Markup:
    """The pictures: side by side where there is no script and on paper, else under a slider."""
    edit = test.edit
    if edit is None or not edit.after:
        why = f": {undirected(edit.failure)}" if edit and edit.failure else ""
        before = [_figure("before", "before", pictures.show(edit.before, "The picture before"))] if edit else []
        failed = element("p", text(f"There is no edited picture{why}."), class_="placeholder")
        return element("div", *before, failed, class_="views")
    concept = name(test.instruction.concept)
    figures = [
        _figure("before", "before", pictures.show(edit.before, "The picture before the edit")),
        _figure(
            "after",
            "after",
            pictures.show(edit.after, f"The picture after the edit of {concept}, {EDITED}"),
            element("span", text(EDITED), class_="edited", aria_hidden="true"),
        ),
    ]
    if edit.difference:
        words = f"difference, {BRIGHTER} times as bright"
        figures.append(_figure("difference", words, pictures.show(edit.difference, "Where the two pictures differ")))
    if edit.mask:
        words = "mask: white where it was to change"
        figures.append(_figure("mask", words, pictures.show(edit.mask, "The mask of the edit")))
    slider = element(
        "input",
        type="range",
        min="0",
        max="100",
        value="50",
        class_="slide",
        id=f"{key}-slide",
        aria_label=f"How much of the edited picture is shown, {concept}",
        hidden="",
    )
    links = [
        element("a", text(words), href=file)
        for words, file in (
            ("before", edit.before),
            ("after", edit.after),
            ("mask", edit.mask),
            ("difference", edit.difference),
        )
        if file
    ]
    joined = [part for link in links for part in (text(", "), link)][1:]
    return element(
        "div",
        element("div", *figures, slider, class_="stage"),
        element("p", text("Files: "), *joined, class_="files"),
        class_="views",
        data_slides="",
    )


def _figure(key: str, words: str, *pictures: Markup) -> Markup:
    return element("figure", element("div", *pictures, class_="frame"), element("figcaption", text(words)), class_=key)


def _plain(case: CaseSheet, pictures: Pictures) -> Markup:
    """A case of which nothing was tested: its picture, and what was said of it."""
    before = _figure("before", "as it is", pictures.show(case.picture, "The picture as it is"))
    said = element("div", _said("before", "The picture as it is", case.answer, case.explanation, []), class_="said")
    return element("div", element("div", before, class_="views"), said, class_="test-body")


def _said(key: str, heading: str, answer: str | None, explanation: str | None, phrases: Iterable[str]) -> Markup:
    if answer is None:
        return element(
            "div",
            element("p", text(heading), class_="said-of"),
            element("p", text("not asked"), class_="muted"),
            class_=key,
        )
    told = _cut(explanation or "")
    marked = [
        element("mark", text(piece)) if cited else text(piece) for piece, cited in pieces(told, filter(None, phrases))
    ]
    return element(
        "div",
        element("p", text(heading), class_="said-of"),
        element("p", text(_cut(answer)), class_="answer-text", dir="auto"),
        element("p", *marked, class_="why", dir="auto")
        if told
        else element("p", text("no explanation"), class_="muted"),
        class_=key,
    )


def _verdicts(test: ConceptSheet) -> Iterator[Markup]:
    if not test.verdicts:
        yield element("p", text("There are no verdicts."), class_="muted")
        return
    many = {verdict.judge for verdict in test.verdicts if verdict.vote > 1}
    rows = [_row(verdict, voted=verdict.judge in many) for verdict in test.verdicts]
    head = element("tr", *(element("th", text(words), scope="col") for words in ("judge", "PCS", "NCC", "decided by")))
    caption = element("caption", text("What the judges say"))
    table = element(
        "div",
        element("table", caption, element("thead", head), *rows),
        class_="verdicts",
        role="group",
        tabindex="0",
        aria_label="Table: what the judges say",
    )
    if not many:
        yield table
        return
    judges = len({verdict.judge for verdict in test.verdicts})
    summary = f"{several(len(test.verdicts), 'vote')} of {several(judges, 'judge')}"
    yield element("details", element("summary", text(summary)), table, class_="votes")


def _row(verdict: Verdict, *, voted: bool) -> Markup:
    """A verdict with its reasons on a line below."""
    vote = [element("small", text(f"vote {verdict.vote}"))] if voted else []
    known = [element("small", text(f"right answer: {name(verdict.expected)}"))] if verdict.expected else []
    reasons = [(called, why) for called, why in (("PCS", verdict.pcs_reason), ("NCC", verdict.ncc_reason)) if why]
    if len({why for _, why in reasons}) == 1:
        reasons = [("PCS and NCC", reasons[0][1])]
    told = [element("p", element("b", text(f"{called}: ")), text(_cut(why)), dir="auto") for called, why in reasons]
    cells = [element("td", element("span", text(words), class_=f"verdict {state}")) for state, words in (
        _VERDICT[verdict.pcs], _VERDICT[verdict.ncc])]  # fmt: skip
    first = element(
        "tr",
        element("th", text(name(verdict.judge)), *vote, scope="row", dir="auto"),
        *cells,
        element("td", text(name(verdict.path)), *known),
    )
    below = [element("tr", element("td", *told, colspan="4", class_="reasons"))] if told else []
    return element("tbody", first, *below)


def _uncited(case: CaseSheet, test: ConceptSheet, key: str, pictures: Pictures) -> Markup:
    """An edit of something that the explanation does not cite: the answer should stay."""
    if test.answer is None or case.answer is None:
        badge = element("span", text("not asked"), class_="verdict missing")
    elif same_answer(case.question, case.answer, test.answer):
        badge = element("span", text("the answer stays"), class_="verdict right")
    else:
        badge = element("span", text("the answer moves"), class_="verdict wrong")
    heading = element("h4", text("Not cited: "), element("q", text(name(test.instruction.concept)), dir="auto"))
    said = element("div", _said("after", "After this edit", test.answer, test.explanation, []), class_="said")
    return element(
        "div",
        element("div", heading, badge, class_="test-head"),
        element("p", text(_cut(test.instruction.positive)), class_="instruction", dir="auto"),
        element("div", _views(test, key, pictures), element("div", said, class_="words"), class_="test-body"),
        *checked(test.edit),
        class_="uncited",
    )


def _doses(test: ConceptSheet, pictures: Pictures) -> Iterator[Markup]:
    """The same edit, weaker, with the answer to each dose."""
    if not test.doses:
        return
    of = len(test.doses) + 1
    figures = [
        _figure(
            "dose",
            f"dose {dose.strength} of {of}: {_cut(dose.answer) if dose.answer is not None else 'not asked'}",
            pictures.show(dose.picture, f"The edit at dose {dose.strength} of {of}, {EDITED}"),
        )
        for dose in test.doses
    ]
    yield element("div", element("p", text("Weaker doses of this edit"), class_="said-of"), *figures, class_="doses")


def _thought(case: CaseSheet, test: ConceptSheet) -> Iterator[Markup]:
    """The model's own explanation with the concept changed, and the answer then."""
    thought = test.thought
    if thought is None:
        return
    if not thought.text:
        yield element("p", text(f"No changed thought: {undirected(thought.reason)}."), class_="remark", dir="auto")
        return
    follows = f" (the changed thought calls for {name(thought.expected)})" if thought.expected else ""
    answer = "not asked" if thought.answer is None else _cut(thought.answer)
    yield element(
        "div",
        element("p", text("With its own explanation changed"), class_="said-of"),
        element("p", text(_cut(thought.text)), class_="why", dir="auto"),
        element("p", text(f"Answer then: {answer}{follows}"), class_="answer-text", dir="auto"),
        class_="thought",
    )


def _control(case: CaseSheet) -> Iterator[Markup]:
    control = case.control
    if control is None or control.answer is None or case.answer is None:
        return
    same = "the same answer" if control.answer == case.answer else "another answer"
    quality = control.edit.quality if control.edit else None
    judged = (
        "" if quality is None else ", which changed nothing" if quality.good else f", which is bad: {quality.reason}"
    )
    yield element(
        "p",
        element("b", text("Control edit")),
        text(f"{judged}: {same}, {_cut(control.answer)!r}."),
        class_="control",
        dir="auto",
    )


def _cut(words: str) -> str:
    plain = undirected(words)
    return plain if len(plain) <= LONGEST_TEXT else f"{plain[:LONGEST_TEXT]}… (the rest is in cases.jsonl)"

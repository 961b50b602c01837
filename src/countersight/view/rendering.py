"""The pages of `countersight view`, as markup."""

from collections.abc import Iterable, Sequence
from urllib.parse import urlencode

from countersight.case import ASKING_WORDS, ASKINGS, WORLDS, Asking, Case, Reply
from countersight.pages import Markup, count, document, element, interval, joined, name, percent, text
from countersight.scoring import OUTCOMES, Scores, standing
from countersight.view.watched import PER_PAGE, WatchedRun
from countersight.view.watched_audit import WatchedAudit

LONGEST = 2_000
_FROM_HERE = "'self'"


def index_page(runs: Sequence[tuple[str, WatchedRun]], audits: Sequence[tuple[str, WatchedAudit]]) -> str:
    """Every folder with how far it has come."""
    listed = _table(("run", "dataset", "so far", "factual", "counterfactual", "drop"), [_run(*each) for each in runs])
    parts = [element("h1", text("Runs")), listed] if runs else []
    if audits:
        parts += [element("h2", text("Audits")), element("p", text(_SCORES))]
        parts.append(_table(("audit", "dataset", "so far", "PCS", "NCC", "CCS"), [_audit(*each) for each in audits]))
    shown = state_of([run.seen for _, run in runs], [audit.seen for _, audit in audits])
    return _page("Countersight", "/state", shown, *parts)


_SCORES = (
    "PCS: whether the answer about the edited picture is one that the edit calls for. NCC: whether the explanation "
    "takes up the edit. CCS: both at once. Of the tests that count so far; an audit's page comes when it is finished."
)


def state_of(runs: Iterable[int], audits: Iterable[str]) -> str:
    """One word that changes with whatever comes."""
    return ".".join([*map(str, runs), *audits])


def _table(heads: Sequence[str], rows: Iterable[Sequence[Markup]]) -> Markup:
    table = element(
        "table",
        element("thead", element("tr", *(element("th", text(head), scope="col") for head in heads))),
        element("tbody", *(element("tr", *(element("td", cell) for cell in row)) for row in rows)),
    )
    return element("div", table, class_="panel")


def _run(key: str, run: WatchedRun) -> list[Markup]:
    scores = run.scores()
    model = element("a", text(name(run.judged().run.manifest.model)), href=f"/run/{key}")
    return [model, text(name(run.judged().dataset.name)), text(standing(scores.overall)), *_figures(scores)]


def _audit(key: str, audit: WatchedAudit) -> list[Markup]:
    found = audit.standing()
    called = text(f"{audit.path.name}: {name(found.model)}")
    page = element("a", called, href=f"/audit/{key}/report.html") if audit.has_page else called
    figures = [
        "–" if each.value is None else f"{each.value:.3f} ({each.low:.3f} to {each.high:.3f})" for each in found.scores
    ]
    return [page, text(name(found.dataset)), text(name(found.so_far)), *map(text, figures or ["–"] * 3)]


def _figures(scores: Scores) -> list[Markup]:
    row = scores.overall
    found = []
    for figure in (row.factual, row.counterfactual, row.drop):
        known = figure is not None and figure.value is not None
        found.append(text(f"{percent(figure.value)} ({interval(figure)})" if known else "–"))  # type: ignore[union-attr,arg-type]
    return found


def run_page(key: str, run: WatchedRun, outcome: str, asking: Asking, page: int) -> str:
    """One run: how far it has come, and a page of its cases."""
    scores, positions = run.scores(), run.positions(outcome, asking)
    pages = max(1, -(-len(positions) // PER_PAGE))
    page = min(max(page, 1), pages)
    here = positions[(page - 1) * PER_PAGE : page * PER_PAGE]
    cards = [_card(key, run, place, case, said) for place, case, said in run.shown(here)]
    manifest = run.judged().run.manifest
    return _page(
        name(manifest.model),
        f"/state?run={key}",
        str(run.seen),
        element("p", element("a", text("← all runs"), href="/")),
        element("h1", text(name(manifest.model)), dir="auto"),
        element("p", text(f"{name(manifest.dataset.name)}, prompt {name(manifest.prompt.name)}.")),
        element("p", text(f"{standing(scores.overall)}.")),
        element("pre", text(repr(scores)), tabindex="0", class_="panel"),
        element("nav", *_filters(key, outcome, asking), aria_label="Outcome"),
        element("p", text(f"{count(len(positions))} cases, page {count(page)} of {count(pages)}."), role="status"),
        element("div", *cards, class_="cards"),
        element("nav", *_turns(key, outcome, asking, page, pages), aria_label="Pages"),
    )


def _filters(key: str, outcome: str, asking: Asking) -> Iterable[Markup]:
    for each in ("", *filter(None, OUTCOMES)):
        yield _link(each or "any", key, each, asking, 1, current=each == outcome)
    for way in ASKINGS:
        yield _link(way, key, outcome, way, 1, current=way == asking)


def _turns(key: str, outcome: str, asking: Asking, page: int, pages: int) -> Iterable[Markup]:
    if page > 1:
        yield _link("← Previous", key, outcome, asking, page - 1)
    if page < pages:
        yield _link("Next →", key, outcome, asking, page + 1)


def _link(words: str, key: str, outcome: str, asking: Asking, page: int, *, current: bool = False) -> Markup:
    query = urlencode({"outcome": outcome, "asking": asking, "page": page})
    return element(
        "a", text(words), href=f"/run/{key}?{query}", class_="plain", aria_current="true" if current else None
    ) + text(" ")


def _card(key: str, run: WatchedRun, place: int, case: Case, said: dict[Asking, Reply]) -> Markup:
    sees = run.judged().run.manifest.prompt.picture
    shown = [
        ("image", case.image, "factual picture", sees),
        ("counterfactual", case.counterfactual_image, "counterfactual picture", sees and run.verdict(place, "shown")),
    ]
    pictures = [
        _figure(f"/run/{key}/picture/{place}/{side}", words if seen else f"{words}, not shown to the model")
        for side, file, words, seen in shown
        if file
    ]
    asked = [_asking(run, place, case, asking, said.get(asking)) for asking in ASKINGS]
    return element("article", element("h3", text(name(case.id)), dir="auto"), *pictures, *asked, class_="card")


def _figure(address: str, words: str) -> Markup:
    """A picture that leads to itself at its own size."""
    image = element("img", src=address, alt=f"The {words}", width=224, loading="lazy")
    return element("figure", element("a", image, href=address), element("figcaption", text(words)))


def _asking(run: WatchedRun, place: int, case: Case, asking: Asking, reply: Reply | None) -> Markup:
    question = case.question(*WORLDS[asking])
    verdict = run.verdict(place, asking)
    if question is None or verdict is None:
        return Markup("")
    words = (reply.text or reply.reason)[:LONGEST] if reply else "not asked yet"
    return element(
        "div",
        element("h4", text(f"{asking}: {ASKING_WORDS[asking]}")),
        element("p", text(question.text), dir="auto"),
        element("p", text(f"Right answer: {question.right_text}"), dir="auto"),
        element("p", element("b", text(f"{verdict}: "), class_=f"verdict {verdict}"), text(words), dir="auto"),
        element("p", text(" · ".join(_spent(reply))), class_="spent") if reply else Markup(""),
    )


def _spent(reply: Reply) -> Iterable[str]:
    """How a reply ended and what it took, as far as the server told."""
    if reply.finish:
        yield f"ended by {name(reply.finish)}"
    if reply.tokens_in or reply.tokens_out:
        yield f"{count(reply.tokens_in or 0)} + {count(reply.tokens_out or 0)} tokens"
    if reply.cost:
        yield f"${reply.cost:.2g}"
    if reply.seconds:
        yield f"{reply.seconds:.2f} s"


def _page(title: str, look: str, state: str, *parts: Markup) -> str:
    """A page that looks at an address whether there is more than the state that it shows."""
    return document(
        __package__,
        "view.html",
        title=title,
        script="view.js",
        picture_sources=f"{_FROM_HERE} data:",
        asks=_FROM_HERE,
        look=text(look),
        state=text(state),
        body=joined(parts),
    )

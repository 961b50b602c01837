"""The pages of `countersight view`, as markup."""

from collections.abc import Iterable
from urllib.parse import urlencode

from countersight.case import ASKING_WORDS, ASKINGS, WORLDS, Asking, Case, Reply
from countersight.pages import Markup, count, document, element, interval, joined, name, percent, text
from countersight.scoring import OUTCOMES, Scores, standing
from countersight.view.watched import PER_PAGE, WatchedRun

LONGEST = 2_000
_FROM_HERE = "'self'"


def index_page(runs: Iterable[tuple[str, WatchedRun]], audits: Iterable[tuple[str, str]]) -> str:
    """Every folder with how far it has come."""
    rows = []
    for key, run in runs:
        scores = run.scores()
        model = element("a", text(name(run.judged().run.manifest.model)), href=f"/run/{key}")
        cells = [model, text(name(run.judged().dataset.name)), text(standing(scores.overall)), *_figures(scores)]
        rows.append(element("tr", *(element("td", cell) for cell in cells)))
    heads = ("run", "dataset", "so far", "factual", "counterfactual", "drop")
    table = element(
        "table",
        element("thead", element("tr", *(element("th", text(head), scope="col") for head in heads))),
        element("tbody", *rows),
    )
    pages = [element("li", element("a", text(words), href=f"/audit/{key}/report.html")) for key, words in audits]
    listed = [element("h2", text("Audits")), element("ul", *pages)] if pages else []
    return _page("Countersight", element("h1", text("Runs")), element("div", table, class_="panel"), *listed)


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
    shown = [("factual", "image", case.image), ("counterfactual", "counterfactual", case.counterfactual_image)]
    pictures = [
        _figure(f"/run/{key}/picture/{place}/{side}", f"{world} picture") for world, side, file in shown if file
    ]
    asked = [_asking(run, place, case, asking, said.get(asking)) for asking in ASKINGS]
    return element("article", element("h3", text(name(case.id)), dir="auto"), *pictures, *asked, class_="card")


def _figure(address: str, words: str) -> Markup:
    """A picture that leads to itself at its own size, as the model saw it."""
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
    )


def _page(title: str, *parts: Markup) -> str:
    return document(
        __package__,
        "view.html",
        title=title,
        script="view.js",
        picture_sources=f"{_FROM_HERE} data:",
        asks=_FROM_HERE,
        body=joined(parts),
    )

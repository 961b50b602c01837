"""What lmms-eval calls for a task of ours: how a question is shown, read and added up.

A document is a row of the exported Parquet file. What `process` returns for it holds the question and the reply, so
that the figures over all of them are worked out as `countersight score` does, and a log of samples can be brought in.
"""

from collections.abc import Callable, Iterable
from functools import partial
from typing import Any, Final

import msgspec

from countersight.case import WORLDS, Asking, Case, Question, Reply
from countersight.engine import offered, ranked_answer
from countersight.exchange.asked import MEASURES, run_figures
from countersight.scoring import OUTCOMES, judge, outcomes, score

Document = dict[str, Any]

ACCURACY: Final = "accuracy"
CONTROL: Final = "control"
"""What is right of the controls: they are in no other figure, as in `countersight score`."""
_PAIRS: Final = {
    "drop": ("factual", "counterfactual"),
    "both_right": ("factual", "counterfactual"),
    "imagination_gap": ("counterfactual", "shown"),
}
"""The figures of pairs, and the askings that each compares."""


def doc_to_visual(doc: Document) -> list[Any]:
    """The pictures of a question, in order."""
    return [picture.convert("RGB") for picture in doc["images"]]


def doc_to_text(doc: Document, lmms_eval_specific_kwargs: object = None) -> str:
    """The question with its options, as we word it."""
    return str(doc["words"])


def doc_to_text_rank(doc: Document, lmms_eval_specific_kwargs: object = None) -> str:
    """The question without its options, which are ranked."""
    return str(doc["unlisted_words"])


def doc_to_messages(doc: Document, lmms_eval_specific_kwargs: object = None) -> list[Document]:
    """The question as a chat: pictures, then words."""
    pictures = [{"type": "image", "url": picture} for picture in doc_to_visual(doc)]
    return [{"role": "user", "content": [*pictures, {"type": "text", "text": doc_to_text(doc)}]}]


def doc_to_choice(doc: Document) -> list[str]:
    """What is ranked: the texts of the options, or yes and no."""
    return [option.text for option in offered(_question(doc), ranked=True)]


def rankable(docs: Any) -> Any:
    """Those documents that offer something to choose from."""
    kept = [place for place, kind in enumerate(docs["kind"]) if kind in ("choice", "boolean")]
    return docs.select(kept)


def process_gen(doc: Document, results: list[str]) -> dict[str, Document]:
    """What one generated reply comes to."""
    return _processed(doc, text=results[0])


def process_rank(doc: Document, results: Iterable[tuple[float, bool] | str]) -> dict[str, Document]:
    """What the losses of one question's options come to; lmms-eval's models give losses, the smallest is chosen."""
    question, losses = _question(doc), tuple(map(_loss, results))
    return _processed(doc, text=ranked_answer(question.kind, offered(question, ranked=True), losses), losses=losses)


def _loss(result: tuple[float, bool] | str) -> float:
    """The loss of one option; lmms-eval 0.7.3 hands "(0.5, False)" over as a text."""
    loss = result.strip("()").split(",")[0] if isinstance(result, str) else result[0]
    return float(loss)


def aggregations() -> dict[str, Callable[[list[Document]], float]]:
    """What adds each figure up, under the name that the exported `utils.py` gives it."""
    found: dict[str, Callable[[list[Document]], float]] = {name: partial(_aggregate, name) for name in MEASURES}
    found |= {ACCURACY: _accuracy, CONTROL: _accuracy}
    return {f"aggregate_{name}": add_up for name, add_up in found.items()}


def _processed(doc: Document, **said: Any) -> dict[str, Document]:
    world, telling = WORLDS[_asking(doc)]
    judged = judge(Reply(doc["case"], doc["row"], world, telling, **said), _question(doc))
    known = {name: doc[name] for name in ("key", "case", "row", "asking", "picture", "gold")}
    item = known | said
    scored = item | {"score": judged.credit, "outcome": OUTCOMES[judged.code]}
    if doc.get("control_of"):
        return {CONTROL: scored}
    # Without a score where a figure is of pairs: lmms-eval would take the error of single answers for theirs.
    pairs = {name: item for name, askings in _PAIRS.items() if doc["asking"] in askings}
    return {ACCURACY: scored, doc["asking"]: scored} | pairs


def _accuracy(items: list[Document]) -> float:
    """What is right of everything that was asked."""
    return sum(item["score"] for item in items) / len(items) if items else float("nan")


def _aggregate(name: str, items: list[Document]) -> float:
    return figures_of(items).get(name, float("nan"))


def figures_of(items: list[Document]) -> dict[str, float]:
    """Our figures over what was said to all questions."""
    cases: dict[int, Case] = {}
    replies = []
    for item in items:
        asking = _asking(item)
        case = cases.get(item["row"], Case(item["case"], image_digest=item["picture"]))
        cases[item["row"]] = msgspec.structs.replace(case, **{asking: _question(item)})
        said = {name: item[name] for name in ("text", "losses") if name in item}
        replies.append(Reply(item["case"], item["row"], *WORLDS[asking], **said))
    return run_figures(score(outcomes(sorted(cases.items()), replies)).overall)


def _asking(doc: Document) -> Asking:
    asking: Asking = doc["asking"]
    return asking


def _question(doc: Document) -> Question:
    return msgspec.json.decode(doc["gold"], type=Question)

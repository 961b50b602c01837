"""Choose the cases of the gallery and the heading of each case."""

from collections.abc import Sequence
from typing import Literal

import msgspec
import numpy as np
from numpy.typing import NDArray

from countersight.case import LETTERS, VARIANTS, WORLDS, Case, QuestionVariant, Reply
from countersight.engine import COMPOSED, SentRequests, edges_in_words
from countersight.html import balanced_sample
from countersight.reports.data import AskedQuestion, GalleryAnswer, GalleryCase, ShownGraph
from countersight.scoring import OUTCOMES, JudgedRun, Outcome, Outcomes, counted_replies

PairOutcome = Literal[
    "lost", "gained", "both-right", "both-wrong", "right", "wrong", "unread", "empty", "cut", "failed", "missing"
]

PAIR_OUTCOMES: dict[PairOutcome, str] = {
    "lost": "factual right, counterfactual wrong",
    "gained": "factual wrong, counterfactual right",
    "both-right": "both right",
    "both-wrong": "both wrong",
    "right": "right (asked in one world)",
    "wrong": "wrong (asked in one world)",
    "unread": "unread",
    "empty": "empty",
    "cut": "cut off",
    "failed": "failed",
    "missing": "no reply recorded",
}
"""The outcomes of a case in a run, in words. Every case has exactly one."""


def pair_outcome(factual: Outcome | None, counterfactual: Outcome | None) -> PairOutcome:
    """Return the outcome of a case: what went wrong if anything did, or right and wrong before and after the change."""
    verdicts = [verdict for verdict in (factual, counterfactual) if verdict is not None] or ["missing"]
    for problem in ("failed", "missing", "cut", "empty", "unread"):
        if problem in verdicts:
            return problem
    if len(verdicts) < 2:
        return "right" if verdicts == ["right"] else "wrong"
    match factual == "right", counterfactual == "right":
        case True, True:
            return "both-right"
        case True, False:
            return "lost"
        case False, True:
            return "gained"
        case _:
            return "both-wrong"


MAX_TEXT_LENGTH = 4_000
"""The maximum length of a text on the page, in characters; the run folder has the full text."""

_HEADINGS = list(PAIR_OUTCOMES)
_HEADING_OF = np.array(
    [[_HEADINGS.index(pair_outcome(factual, told)) for told in OUTCOMES] for factual in OUTCOMES], dtype=np.int64
)
"""The index of the heading for every pair of outcome codes."""

_USAGE_FIELDS = ("finish", "tokens_in", "tokens_out", "cost", "seconds", "attempts")
_Replies = dict[tuple[int, QuestionVariant], Reply]
_Gallery = tuple[tuple[GalleryCase, ...], tuple[str, ...]]


def gallery_cases(runs: Sequence[JudgedRun], size: int, seed: int) -> _Gallery:
    """Return at most `size` cases, balanced over groups and outcomes, and the names of their pictures."""
    return _shown(runs, balanced_sample([_strata(judged.outcomes) for judged in runs], size, seed))


def cases_from(runs: Sequence[JudgedRun], start: int, size: int) -> _Gallery:
    """Return at most `size` cases in the order of the dataset, and the names of their pictures."""
    return _shown(runs, np.arange(start, min(start + size, len(runs[0].outcomes))))


def _shown(runs: Sequence[JudgedRun], positions: NDArray[np.int64]) -> _Gallery:
    source, results = runs[0].dataset, [judged.outcomes for judged in runs]
    place = dict(zip(results[0].rows[positions].tolist(), positions.tolist(), strict=True))
    all_replies = [counted_replies(judged.outcomes, positions.tolist(), judged.run.numbered().at) for judged in runs]
    sent = [SentRequests(judged.run, source) for judged in runs]
    pictures: dict[str, int] = {}

    def number(file_name: str | None) -> int | None:
        return None if file_name is None else pictures.setdefault(file_name, len(pictures))

    def shown(row: int, case: Case) -> GalleryCase:
        requests: dict[str, int] = {}
        answers, edges = [], edges_in_words(case.graph)
        for judged, replies, words in zip(runs, all_replies, sent, strict=True):
            fact = replies.get((place[row], "factual"))
            found = _answers(judged.outcomes, place[row], replies)
            prompt = judged.run.manifest.prompt
            for variant, answer in found.items():
                text = "" if answer.verdict == "missing" else _cut(words.text(row, case, *WORLDS[variant], fact))
                number_of = requests.setdefault(text, len(requests)) if text else None
                not_applicable = prompt.why_not_applicable(case, *WORLDS[variant])
                found[variant] = msgspec.structs.replace(answer, sent=number_of, not_applicable=not_applicable)
            answers.append(found)
        return GalleryCase(
            id=_cut(case.id),
            group=_cut(case.group),
            change=_cut(case.change.text) if case.change else "",
            picture=number(case.image),
            counterfactual_picture=number(case.counterfactual_image),
            graph=ShownGraph(tuple(edges), _cut(str(case.provenance.get("why", "")))) if edges else None,
            questions=_questions(case),
            answers=tuple(answers),
            requests=tuple(requests),
        )

    # This run asked every question.
    most_asked = next((judged for judged in runs if judged.run.manifest.shown), runs[0])
    cases = tuple(shown(row, case) for row, case in most_asked.cases() if row in place)
    return cases, tuple(pictures)


def _strata(result: Outcomes) -> NDArray[np.int64]:
    headings = _HEADING_OF[
        result.codes[:, VARIANTS.index("factual")], result.codes[:, VARIANTS.index("counterfactual")]
    ]
    strata: NDArray[np.int64] = result.groups.astype(np.int64) * len(_HEADINGS) + headings
    return strata


def _questions(case: Case) -> dict[QuestionVariant, AskedQuestion]:
    found = {variant: case.question(*place) for variant, place in WORLDS.items()}
    return {
        variant: AskedQuestion(_cut(each.text), _cut(each.answer), tuple(_cut(option.text) for option in each.options))
        for variant, each in found.items()
        if each
    }


def _answers(result: Outcomes, position: int, replies: _Replies) -> dict[QuestionVariant, GalleryAnswer]:
    answers: dict[QuestionVariant, GalleryAnswer] = {}
    for column, variant in enumerate(VARIANTS):
        verdict = OUTCOMES[result.codes[position, column]]
        if verdict is None:
            continue
        reply = replies.get((position, variant))
        text, reason = (reply.text or _transcript(reply), reply.reason) if reply else ("", "")
        if reply and reply.restates:
            text = f"{reply.restates}\n\n(asked to state only its final answer)\n{text}"
        read = result.answer_texts[result.answers[position, column]]
        answers[variant] = GalleryAnswer(
            verdict,
            text[:MAX_TEXT_LENGTH],
            len(text),
            read,
            _cut(reason),
            composed=reply is not None and reply.finish == COMPOSED,
            **({field: value for field in _USAGE_FIELDS if (value := getattr(reply, field))} if reply else {}),
            program=reply.trace if reply else None,
        )
    return answers


def _transcript(reply: Reply) -> str:
    """Return the reply to each order of the options, one per line; "BA: A" if the second option came first."""
    return "\n".join(f"{''.join(LETTERS[place] for place in order.places)}: {order.text}" for order in reply.orders)


def _cut(text: str) -> str:
    return text if len(text) <= MAX_TEXT_LENGTH else text[:MAX_TEXT_LENGTH] + "…"

"""Choose the cases of a report's gallery, and collect what the card of each case shows."""

from collections.abc import Sequence
from typing import Final, Literal

import numpy as np
from numpy.typing import NDArray

from countersight.case import LETTERS, VARIANTS, WORLDS, Case, QuestionVariant, Reply
from countersight.engine import COMPOSED, SentRequests, edges_in_words
from countersight.html import balanced_sample
from countersight.reports.data import AskedQuestion, GalleryAnswer, GalleryCase
from countersight.scoring import OUTCOMES, JudgedRun, Outcome, Outcomes, counted_replies

MAX_TEXT_LENGTH = 4_000
"""The maximum length of a text on the page, in characters; the run folder has the full text."""
_USAGE_FIELDS = ("finish", "tokens_in", "tokens_out", "cost", "seconds", "attempts")

_Gallery = tuple[tuple[GalleryCase, ...], tuple[str, ...]]


def gallery_cases(runs: Sequence[JudgedRun], size: int, seed: int) -> _Gallery:
    """Return at most `size` cases, balanced over groups and outcomes, and the names of their pictures."""
    return _gallery(runs, balanced_sample([_strata(judged.outcomes) for judged in runs], size, seed))


def cases_from(runs: Sequence[JudgedRun], start: int, size: int) -> _Gallery:
    """Return at most `size` cases in the order of the dataset, and the names of their pictures."""
    return _gallery(runs, np.arange(start, min(start + size, len(runs[0].outcomes))))


def _gallery(runs: Sequence[JudgedRun], positions: NDArray[np.int64]) -> _Gallery:
    answers_of_runs = [_RunAnswers(judged, positions) for judged in runs]
    pictures: dict[str, int] = {}
    # A run that was shown the pictures after the change has every question of a case.
    complete = next((judged for judged in runs if judged.run.manifest.shown), runs[0])
    rows = complete.outcomes.rows
    cases = tuple(
        _case(complete.case_at(each), int(rows[each]), each, answers_of_runs, pictures) for each in positions.tolist()
    )
    return cases, tuple(pictures)


class _RunAnswers:
    """The answers of one run to the cases of the gallery."""

    def __init__(self, judged: JudgedRun, positions: NDArray[np.int64]) -> None:
        self._outcomes = judged.outcomes
        self._replies = counted_replies(judged.outcomes, positions.tolist(), judged.replies_at)
        self._requests = SentRequests(judged.run, judged.dataset)

    def of_case(
        self, case: Case, row: int, position: int, requests: dict[str, int]
    ) -> dict[QuestionVariant, GalleryAnswer]:
        """Return the answers to the questions of a case; new prompts are added to `requests`."""
        found = {}
        for column, variant in enumerate(VARIANTS):
            verdict = OUTCOMES[self._outcomes.codes[position, column]]
            if verdict is None:
                continue
            reply = self._replies.get((position, variant))
            text = _reply_text(reply) if reply else ""
            request = "" if verdict == "missing" else self._request(case, row, position, variant)
            usage = {field: getattr(reply, field) for field in _USAGE_FIELDS if getattr(reply, field, None)}
            found[variant] = GalleryAnswer(
                verdict,
                text[:MAX_TEXT_LENGTH],
                len(text),
                read=self._outcomes.answer_texts[self._outcomes.answers[position, column]],
                reason=_cut(reply.reason) if reply else "",
                composed=reply is not None and reply.finish == COMPOSED,
                sent=requests.setdefault(request, len(requests)) if request else None,
                program=reply.trace if reply else None,
                **usage,
            )
        return found

    def _request(self, case: Case, row: int, position: int, variant: QuestionVariant) -> str:
        factual_reply = self._replies.get((position, "factual"))
        return _cut(self._requests.text(row, case, *WORLDS[variant], factual_reply))


def _case(
    case: Case, row: int, position: int, answers_of_runs: Sequence[_RunAnswers], pictures: dict[str, int]
) -> GalleryCase:
    """Return what the card of a case shows; new pictures are added to `pictures`."""
    requests: dict[str, int] = {}
    picture, counterfactual_picture = (
        None if file is None else pictures.setdefault(file, len(pictures))
        for file in (case.image, case.counterfactual_image)
    )
    return GalleryCase(
        id=_cut(case.id),
        group=_cut(case.group),
        change=_cut(case.change.text) if case.change else "",
        picture=picture,
        counterfactual_picture=counterfactual_picture,
        graph=tuple(edges_in_words(case.graph)),
        questions=_questions(case),
        answers=tuple(answers.of_case(case, row, position, requests) for answers in answers_of_runs),
        requests=tuple(requests),
    )


def _questions(case: Case) -> dict[QuestionVariant, AskedQuestion]:
    found = {variant: case.question(*place) for variant, place in WORLDS.items()}
    return {
        variant: AskedQuestion(_cut(each.text), _cut(each.answer), tuple(_cut(option.text) for option in each.options))
        for variant, each in found.items()
        if each
    }


def _reply_text(reply: Reply) -> str:
    """Return the text of a reply; if the answer was restated, the first reply comes before it.

    If the options were asked in several orders, the text has a line per order, such as "BA: A" if the second option
    came first.
    """
    orders = (f"{''.join(LETTERS[place] for place in order.places)}: {order.text}" for order in reply.orders)
    text = reply.text or "\n".join(orders)
    return f"{reply.restates}\n\n(asked to state only its final answer)\n{text}" if reply.restates else text


def _cut(text: str) -> str:
    return text if len(text) <= MAX_TEXT_LENGTH else text[:MAX_TEXT_LENGTH] + "…"


PairOutcome = Literal[
    "lost", "gained", "both-right", "both-wrong", "right", "wrong", "unread", "empty", "cut", "failed", "missing"
]

PAIR_OUTCOMES: Final[dict[PairOutcome, str]] = {
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
    """Return the outcome of a case: the problem of a reply if there is one, or whether the answers are right."""
    verdicts = [verdict for verdict in (factual, counterfactual) if verdict is not None] or ["missing"]
    for problem in ("failed", "missing", "cut", "empty", "unread"):
        if problem in verdicts:
            return problem
    if len(verdicts) < 2:
        return "right" if verdicts == ["right"] else "wrong"
    if factual == counterfactual:
        return "both-right" if factual == "right" else "both-wrong"
    return "lost" if factual == "right" else "gained"


_INDEX_OF_CODES: Final = np.array(
    [[list(PAIR_OUTCOMES).index(pair_outcome(factual, told)) for told in OUTCOMES] for factual in OUTCOMES],
    dtype=np.int64,
)
"""The index in `PAIR_OUTCOMES` for every pair of outcome codes."""


def _strata(outcomes: Outcomes) -> NDArray[np.int64]:
    """Return a number for each case; cases of one group with the same outcome have the same number."""
    factual, counterfactual = (outcomes.codes[:, VARIANTS.index(world)] for world in ("factual", "counterfactual"))
    found: NDArray[np.int64] = (
        outcomes.groups.astype(np.int64) * len(PAIR_OUTCOMES) + _INDEX_OF_CODES[factual, counterfactual]
    )
    return found

"""Causal questions worded by a language model (CELLO 4.3): told the descriptions, the graph in words and what not to
say. What it writes is checked; a wording that leaks or asks something else is sent back, and after so many attempts the
template stands."""

import asyncio
from collections.abc import Callable, Sequence

import msgspec

from countersight.case import Case, Question
from countersight.errors import AskingFailed, ModelError, Overloaded
from countersight.models import Model, Request, Turn
from countersight.suites.cello.cases import Drafted
from countersight.suites.cello.leaks import fault
from countersight.suites.cello.wording import edges_in_words

ATTEMPTS = 3
UNDER_WAY = 16
_DESCRIPTIONS = 12
_LONGEST_KEPT = 600
_LONGEST_WAIT = 30.0


async def reword_all(
    model: Model, drafts: Sequence[Drafted], *, attempts: int = ATTEMPTS, progress: Callable[[int], None]
) -> list[Case]:
    """The cases of the drafts, in order, their questions worded by the model where it does so without a fault."""
    places = asyncio.Semaphore(UNDER_WAY)
    done = 0

    async def one(drafted: Drafted) -> Case:
        nonlocal done
        async with places:
            case = await reword(model, drafted, attempts=attempts)
        done += 1
        progress(done)
        return case

    try:
        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(one(drafted)) for drafted in drafts]
    except* ModelError as errors:  # every question would fail as the first did
        raise ModelError(str(errors.exceptions[0])) from errors
    return [task.result() for task in tasks]


async def reword(model: Model, drafted: Drafted, *, attempts: int = ATTEMPTS) -> Case:
    """One case with its question worded by the model, or with that of the template. The other text is kept beside."""
    case, asked = drafted.case, drafted.case.counterfactual
    assert asked is not None
    turns = [Turn("user", instructions(drafted))]
    written, wrong = "", "the model was not asked"
    for attempt in range(attempts):
        try:
            answer = await model.reply(Request(f"{case.id}/{attempt}", tuple(turns), "open"))
        except AskingFailed as failure:
            wrong = f"the model did not answer: {failure}"
            if not failure.again or attempt + 1 == attempts:
                break
            wait = failure.wait if isinstance(failure, Overloaded) and failure.wait else 1.0
            await asyncio.sleep(min(wait, _LONGEST_WAIT))
            continue
        written = _only_line(answer.text)
        found = fault(written, forbidden=drafted.forbidden, named=drafted.named, asks_stays=drafted.asks_stays)
        if found is None:
            return _worded(case, asked, written, model.name)
        wrong = found
        turns += [Turn("assistant", written), Turn("user", f"That will not do: {wrong}. Write it again.")]
    beside: dict[str, str | int] = {"rejected": written, "rejected_because": wrong[:_LONGEST_KEPT]}
    return msgspec.structs.replace(case, provenance=case.provenance | beside)


def instructions(drafted: Drafted) -> str:
    """What the model is told: descriptions, causal graph, and constraints."""
    asked = drafted.case.counterfactual
    assert asked is not None
    described = [f"- {line}" for line in drafted.graph.descriptions[:_DESCRIPTIONS]]
    edges = [f"- {edge}" for edge in edges_in_words(drafted.graph)]
    parts = [
        "Word a question about a photograph so that it sounds natural to somebody who looks at it.",
        *(["What people say of the photograph:", *described] if described else []),
        "What depends on what in it:",
        *edges,
        f"The question to word: {asked.text}",
        f"Its answer must stay: {asked.right_text}",
        "Constraints:",
        "- Ask the same thing, in one or two short sentences that end with one question mark.",
    ]
    if drafted.named:
        parts.append(f"- Mention {', '.join(drafted.named)}.")
    if drafted.forbidden:
        parts.append(f"- Do not mention {', '.join(drafted.forbidden)}, nor any synonym of these.")
    if drafted.asks_stays is not None:
        outcome = "stays as it is (use “still”)" if drafted.asks_stays else "is lost, moved or changed"
        parts.append(f"- Ask for yes or no, without a negation: whether the thing {outcome}.")
    parts.append("Write the question and nothing else.")
    return "\n".join(parts)


def _only_line(text: str) -> str:
    """What the model wrote, without the quotes and the label it may have put around it."""
    line = " ".join(text.split())[:_LONGEST_KEPT]
    return line.removeprefix("Question:").strip().strip('"“”').strip()


def _worded(case: Case, asked: Question, written: str, model: str) -> Case:
    return msgspec.structs.replace(
        case,
        counterfactual=msgspec.structs.replace(asked, text=written),
        provenance=case.provenance | {"wording": model, "template": asked.text},
    )

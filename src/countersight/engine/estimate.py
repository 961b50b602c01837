"""The estimate of a run before it starts: number of questions, an example request, tokens and price."""

import asyncio
import json
import re
import statistics
from collections.abc import Sequence
from contextlib import suppress
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import msgspec

from countersight.dataset import Dataset
from countersight.engine.batches import batches_for
from countersight.engine.conversations import NoExample, conversations_of
from countersight.engine.options import RunOptions
from countersight.engine.outcome import Tally
from countersight.engine.plan import QuestionPlan, begin_run
from countersight.engine.run_folder import MANIFEST, RunFolder
from countersight.errors import BadPicture
from countersight.models import HALF, Hosted, Model, Price, Request
from countersight.text import in_dollars

SAMPLED_QUESTIONS = 40
"""The number of questions sampled to estimate the length of a question."""
CHARACTERS_PER_TOKEN = 4
"""Characters per token in English, roughly."""
PIXELS_PER_TOKEN = 750
"""Pixels per token, roughly; providers differ by a factor of three."""
_DATA = re.compile(r'("(?:data:[\w/]+;base64,)?)([A-Za-z0-9+/=]{200,})"')


class RunEstimate(msgspec.Struct, frozen=True):
    """The estimated size and price of a run."""

    questions: int
    request: str
    """An example request as it is sent, without the data of its picture."""
    tokens_in: float
    """Input tokens per question."""
    tokens_out: float
    dollars: float | None
    """The price of all remaining questions; None if the price of the model is unknown."""
    seconds: float | None
    """Seconds per answer, if there are answers already."""
    from_replies: int
    """The number of answers that the estimate is based on; 0 if it is based on the questions only."""
    at_once: int = 64
    """The number of concurrent questions."""
    batched: bool = False
    """Whether the questions are sent in batches, at half the price."""

    def __str__(self) -> str:
        source, price = "estimated roughly from the questions", "the price is unknown: set it with `price`"
        if self.from_replies:
            source = f"estimated from {self.from_replies:,} answers so far"
        if self.dollars is not None:
            halved = ", in batches at half the price" if self.batched else ""
            price = f"{in_dollars(self.dollars)} for all of them{halved}"
        rounds = self.questions / self.at_once
        time = f"{self.at_once} at a time: about {rounds:,.1f} s in all if an answer takes 1 s"
        if self.batched:
            time = "a provider may take up to a day to answer a batch"
        elif self.seconds is not None:
            time = f"{self.at_once} at a time, {self.seconds:.1f} s each: about {rounds * self.seconds:,.0f} s"
        tokens = f"{self.tokens_in:,.0f} tokens read and at most {self.tokens_out:,.0f} written for each, {source}"
        return "\n".join([self.request, "", f"{self.questions:,} questions to ask", tokens, price, time])


def estimate_run(
    dataset: Dataset,
    output: Path,
    model: Model,
    options: RunOptions,
    *,
    pool: Dataset | None = None,
    at_once: int = 64,
    batched: bool = False,
) -> RunEstimate:
    """Estimate a run that would start or continue in a folder, without sending requests or writing to the folder."""
    if batched:
        batches_for(model, options)
    if (output / MANIFEST).exists():
        found = _estimate(RunFolder.open(output), dataset, model, options, pool)
    else:
        with TemporaryDirectory() as folder:
            run = begin_run(dataset, Path(folder) / "run", model, options, pool)
            found = _estimate(run, dataset, model, options, pool)
    dollars = found.dollars if found.dollars is None or not batched else HALF * found.dollars
    return msgspec.structs.replace(found, at_once=at_once, batched=batched, dollars=dollars)


def combine_estimates(runs: Sequence[RunEstimate]) -> RunEstimate:
    """Combine the estimates of several runs that ask the same questions one after the other."""
    questions = [run.questions for run in runs]
    weights = questions if any(questions) else [1] * len(runs)
    timed = [run.seconds for run in runs if run.seconds is not None]
    dollars = [run.dollars for run in runs if run.dollars is not None]
    return msgspec.structs.replace(
        next((run for run in runs if run.request), runs[0]),
        questions=sum(questions),
        tokens_in=statistics.fmean((run.tokens_in for run in runs), weights),
        tokens_out=statistics.fmean((run.tokens_out for run in runs), weights),
        dollars=sum(dollars) if len(dollars) == len(runs) else None,
        seconds=statistics.fmean(timed) if timed else None,
        from_replies=sum(run.from_replies for run in runs),
    )


def _estimate(run: RunFolder, dataset: Dataset, model: Model, options: RunOptions, pool: Dataset | None) -> RunEstimate:
    conversations = conversations_of(run, dataset, pool=pool)
    requests: list[Request] = []
    questions = 0
    for chain in QuestionPlan(run, dataset, Tally(), options, needs_picture=model.needs_picture).chains():
        questions += len(chain)
        if len(requests) < SAMPLED_QUESTIONS:
            with suppress(BadPicture, NoExample):
                requests.append(conversations.request(chain[0]))
    answers = list(islice((reply for reply in run.replies() if reply.state == "answered"), 1000))
    read, written = statistics.fmean(map(_length, requests)) if requests else 0.0, model.settings.get("max_tokens") or 0
    if any(reply.tokens_in for reply in answers):
        read = statistics.fmean(reply.tokens_in for reply in answers)
        written = statistics.fmean(reply.tokens_out for reply in answers)
    dollars = None
    # Known prices take precedence over earlier costs, because earlier answers may come from cheaper batches.
    price = model.price if isinstance(model, Hosted) and not model.tells_cost else Price()
    if price.read or price.written:
        dollars = questions * price.of(read, written)
    elif any(reply.cost for reply in answers):
        dollars = questions * statistics.fmean(reply.cost for reply in answers)
    seconds = statistics.fmean(reply.seconds for reply in answers) if answers else None
    example = _describe_request(model, requests[0]) if requests else ""
    return RunEstimate(questions, example, read, float(written), dollars, seconds, len(answers))


def _length(request: Request) -> float:
    pixels = sum(picture.width * picture.height for picture in request.pictures)
    return sum(len(turn.text) for turn in request.turns) / CHARACTERS_PER_TOKEN + pixels / PIXELS_PER_TOKEN


def _describe_request(model: Model, request: Request) -> str:
    """Return a request as sent, with shortened picture data; for local models, the conversation."""
    if isinstance(model, Hosted):
        body: Any = json.loads(asyncio.run(model.request_body(request.turns)))
        text = json.dumps(body, indent=2, ensure_ascii=False)
        short = _DATA.sub(lambda found: f'{found[1]}{found[2][:20]}… ({len(found[2]):,} characters)"', text)
        return f"POST {model.url}\n{short}"
    return "\n".join(f"{turn.role}: {'[picture] ' * len(turn.pictures)}{turn.text}" for turn in request.turns)

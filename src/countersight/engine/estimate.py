"""The estimate of a run before it starts: number of questions, an example request, tokens and price."""

import asyncio
import json
import re
import statistics
from collections.abc import Sequence
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import msgspec

from countersight.case import Reply
from countersight.dataset import Dataset
from countersight.engine.batches import batches_for
from countersight.engine.conversations import NoExample, conversations_of
from countersight.engine.outcome import Tally
from countersight.engine.plan import QuestionPlan, RunOptions, begun_run
from countersight.engine.run_folder import MANIFEST, RunFolder
from countersight.errors import BadPicture
from countersight.models import HALF, Hosted, Model, Price, Request
from countersight.text import in_dollars

LOOKED_AT = 40
"""The number of questions sampled to estimate the length of a question."""
SIGNS = 4
"""Characters per token in English, roughly."""
PIXELS = 750
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
        source = (
            f"estimated from {self.from_replies:,} answers so far"
            if self.from_replies
            else "estimated roughly from the questions"
        )
        price = "the price is unknown: set it with `price`"
        if self.dollars is not None:
            halved = ", in batches at half the price" if self.batched else ""
            price = f"{in_dollars(self.dollars)} for all of them{halved}"
        lines = [
            self.request,
            "",
            f"{self.questions:,} questions to ask",
            f"{self.tokens_in:,.0f} tokens read and at most {self.tokens_out:,.0f} written for each, {source}",
            price,
        ]
        rounds = self.questions / self.at_once
        if self.batched:
            lines.append("a provider may take up to a day to answer a batch")
        elif self.seconds is None:
            lines.append(f"{self.at_once} at a time: about {rounds:,.1f} s in all if an answer takes 1 s")
        else:
            lines.append(f"{self.at_once} at a time, {self.seconds:.1f} s each: about {rounds * self.seconds:,.0f} s")
        return "\n".join(lines)


def estimated(
    dataset: Dataset,
    output: Path,
    model: Model,
    options: RunOptions,
    *,
    pool: Dataset | None = None,
    at_once: int = 64,
    batched: bool = False,
) -> RunEstimate:
    """Estimate a run that starts or continues in a folder; nothing is asked, and nothing is written there."""
    if batched:
        batches_for(model, options)
    if (output / MANIFEST).exists():
        found = _estimated(RunFolder.open(output), dataset, model, options, pool)
    else:
        with TemporaryDirectory() as folder:
            run = begun_run(dataset, Path(folder) / "run", model, options, pool)
            found = _estimated(run, dataset, model, options, pool)
    dollars = found.dollars if found.dollars is None or not batched else HALF * found.dollars
    return msgspec.structs.replace(found, at_once=at_once, batched=batched, dollars=dollars)


def together(runs: Sequence[RunEstimate]) -> RunEstimate:
    """Combine the estimates of several runs of the same questions, one after the other."""
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


def _estimated(
    run: RunFolder, dataset: Dataset, model: Model, options: RunOptions, pool: Dataset | None
) -> RunEstimate:
    conversations = conversations_of(run, dataset, pool=pool)
    asks = QuestionPlan(
        run, dataset, Tally(), needs_picture=model.needs_picture, again=options.again, sample=options.sample
    )
    requests: list[Request] = []
    questions = 0
    for chain in asks.chains():
        questions += len(chain)
        if len(requests) < LOOKED_AT:
            try:
                requests.append(conversations.request(chain[0]))
            except (BadPicture, NoExample):
                continue
    answers = list(islice((reply for reply in run.replies() if reply.state == "answered"), 1000))
    tokens_in, tokens_out = _tokens(requests, answers, model)
    return RunEstimate(
        questions,
        _shown(model, requests[0]) if requests else "",
        tokens_in,
        tokens_out,
        _dollars(model, answers, questions, tokens_in, tokens_out),
        statistics.fmean(reply.seconds for reply in answers) if answers else None,
        len(answers),
    )


def _tokens(requests: list[Request], answers: list[Reply], model: Model) -> tuple[float, float]:
    if any(reply.tokens_in for reply in answers):
        return statistics.fmean(r.tokens_in for r in answers), statistics.fmean(r.tokens_out for r in answers)
    read = statistics.fmean(map(_length, requests)) if requests else 0.0
    return read, float(model.settings.get("max_tokens") or 0)


def _length(request: Request) -> float:
    pixels = sum(picture.width * picture.height for picture in request.pictures)
    return sum(len(turn.text) for turn in request.turns) / SIGNS + pixels / PIXELS


def _dollars(model: Model, answers: list[Reply], questions: int, tokens_in: float, tokens_out: float) -> float | None:
    """Return the cost of questions that are asked one by one; prices come first, since answers may be from cheaper
    batches."""
    price = model.price if isinstance(model, Hosted) and not model.tells_cost else Price()
    if price.read or price.written:
        return questions * price.of(tokens_in, tokens_out)
    if any(reply.cost for reply in answers):
        return questions * statistics.fmean(reply.cost for reply in answers)
    return None


def _shown(model: Model, request: Request) -> str:
    """Return a request as sent, with shortened picture data; for local models, the conversation."""
    if isinstance(model, Hosted):
        body: Any = json.loads(asyncio.run(model.request_body(request.turns)))
        return f"POST {model.url}\n" + _DATA.sub(_shortened, json.dumps(body, indent=2, ensure_ascii=False))
    return "\n".join(f"{turn.role}: {'[picture] ' * len(turn.pictures)}{turn.text}" for turn in request.turns)


def _shortened(found: re.Match[str]) -> str:
    return f'{found[1]}{found[2][:20]}… ({len(found[2]):,} characters)"'

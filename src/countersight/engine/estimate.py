"""The estimate of a run before it starts: number of questions, an example request, tokens and price."""

import asyncio
import json
import re
import statistics
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import msgspec

from countersight.dataset import Dataset
from countersight.engine.batches import batches_for
from countersight.engine.conversations import NoExample, conversations_of
from countersight.engine.options import RunOptions
from countersight.engine.outcome import Tally
from countersight.engine.plan import QuestionPlan
from countersight.engine.run_folder import MANIFEST, RunFolder
from countersight.engine.starting import begin_run
from countersight.errors import BadPicture
from countersight.models import HALF, Hosted, Model, Request
from countersight.number_formats import in_dollars

SAMPLED_QUESTIONS = 40
"""The number of questions sampled to estimate the length of a question."""
CHARACTERS_PER_TOKEN = 4
"""The approximate number of characters per token in English."""
PIXELS_PER_TOKEN = 750
"""The approximate number of pixels per token; providers differ by a factor of three."""
_DATA = re.compile(r'("(?:data:[\w/]+;base64,)?)([A-Za-z0-9+/=]{200,})"')


class RunEstimate(msgspec.Struct, frozen=True):
    """The estimated size and price of a run."""

    questions: int
    request: str
    """An example request as it is sent, without the data of its picture."""
    tokens_in: float
    """The number of input tokens per question."""
    tokens_out: int
    """The maximum number of output tokens per question."""
    dollars: float | None
    """The price of all remaining questions; None if the price of the model is unknown."""
    batched: bool

    def __str__(self) -> str:
        price = "the price is unknown: set it with `price`"
        if self.dollars is not None:
            price = f"{in_dollars(self.dollars)} for all questions"
            price += ", in batches at half the price" if self.batched else ""
        tokens = f"about {self.tokens_in:,.0f} input tokens and at most {self.tokens_out:,} output tokens per question"
        return "\n".join([self.request, "", f"{self.questions:,} questions to ask", tokens, price])


def estimate_run(
    dataset: Dataset,
    folder: Path,
    model: Model,
    options: RunOptions,
    *,
    pool: Dataset | None = None,
    batched: bool = False,
) -> RunEstimate:
    """Estimate a run of a model that would start or continue in this folder.

    Nothing is sent, and nothing is written to the folder.
    """
    if batched:
        batches_for(model, options)
    requests: list[Request] = []
    questions = 0
    with TemporaryDirectory() as elsewhere:
        begun = (folder / MANIFEST).exists()
        run = RunFolder.open(folder) if begun else begin_run(dataset, Path(elsewhere) / "run", model, options, pool)
        conversations = conversations_of(run, dataset, pool=pool)
        plan = QuestionPlan(run, dataset, Tally(), options, model)
        for chain in plan.chains():
            questions += len(chain)
            if len(requests) < SAMPLED_QUESTIONS:
                with suppress(BadPicture, NoExample):
                    requests.append(conversations.request(chain[0]))
    read, written = statistics.fmean(map(_length, requests)) if requests else 0.0, model.settings.get("max_tokens") or 0
    price = model.price if isinstance(model, Hosted) and model.price.is_known else None
    return RunEstimate(
        questions=questions,
        request=_describe_request(model, requests[0]) if requests else "",
        tokens_in=read,
        tokens_out=written,
        dollars=questions * price.of(read, written) * (HALF if batched else 1) if price else None,
        batched=batched,
    )


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

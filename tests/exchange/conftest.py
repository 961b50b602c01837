"""Shared fixtures: a small dataset, and a run of it with every outcome."""

from pathlib import Path

import pytest
from making import case, choice, dataset

import countersight as cs
from countersight.models import Answer, Request

REPLIES = ("A", "The answer is B.", "I cannot tell.", "", "C", "D", "Let me count the")


class Speaker:
    """Says one thing after the other; a reply that breaks off was cut, and every ninth question fails."""

    name = "speaker"
    settings = {"temperature": 0.0}
    needs_picture = False

    def __init__(self) -> None:
        self.asked = 0

    async def reply(self, request: Request) -> Answer:
        self.asked += 1
        if self.asked % 9 == 0:
            raise cs.Refused("the server will not answer")
        text = REPLIES[self.asked % len(REPLIES)]
        return Answer(text, finish="length" if text.endswith("the") else "stop", tokens_in=7, tokens_out=2, cost=0.001)

    async def close(self) -> None: ...


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    """A dataset with pictures of both worlds; its names are those that people do not choose."""
    cases = [case(number) for number in range(11)]
    cases.append(case(11, id='a/b:"c" <d>\té', group="=1+1", counterfactual_image=None, shown=None))
    return dataset(tmp_path_factory.mktemp("exchange") / "tiny", cases)


@pytest.fixture(scope="module")
def run(folder, tmp_path_factory) -> cs.Run:
    retry = cs.RetryPolicy(concurrency=1, attempts=1)
    return cs.run(folder, Speaker(), out=tmp_path_factory.mktemp("runs") / "speaker", shown=True, retry=retry)


class Jumpy:
    """Right about pictures as they are, and says another number at any change."""

    name, settings, needs_picture = "jumpy", {}, False

    async def reply(self, request: Request) -> Answer:
        return Answer("A" if "/factual/" in request.key else "B")

    async def close(self) -> None: ...


@pytest.fixture(scope="module")
def controlled(tmp_path_factory) -> Path:
    """A dataset of six cases, two of which are not answered by any change, and six controls."""
    first, second = choice("How many dots are there?", "A"), choice("How many if 2 were removed?", "B")
    cases = [case(n, factual=first, counterfactual=second if n < 4 else choice("How many?", "C")) for n in range(6)]
    kept = choice("How many dots are there if a star was added?", "A")
    controls = [case(100 + n, factual=first, counterfactual=kept, control_of=f"case-{n}") for n in range(6)]
    return dataset(tmp_path_factory.mktemp("controlled") / "tiny", [*cases, *controls])


@pytest.fixture(scope="module")
def controlled_run(controlled, tmp_path_factory) -> cs.Run:
    return cs.run(controlled, Jumpy(), out=tmp_path_factory.mktemp("runs") / "jumpy")


@pytest.fixture
def fates(run):
    """What became of every question, by case, world and telling."""

    def of(which: cs.Run) -> dict:
        frame = which.frame("polars")
        names = ("case", "world", "telling", "outcome", "answer")
        return {tuple(row[:3]): row[3:] for row in zip(*(frame[name].to_list() for name in names), strict=True)}

    return of

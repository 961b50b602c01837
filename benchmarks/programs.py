"""Measure how many programs of ordinary size run per second, in the sandbox and step by step.

`python -m benchmarks.programs`. The programs are written by the reference programmer, for all six templates.
Vision results are cached beforehand, so that only the time to run programs is measured.
"""

import asyncio
import statistics
from time import perf_counter

from countersight.picture.checking import Picture, check_picture
from countersight.programs.limits import Limits, Tracing
from countersight.programs.styles import Python, StepByStep
from countersight.programs.vision.scene_vision import SceneVision
from countersight.scenes.drawing import draw, encode
from countersight.suites.cvqa.synthetic import make_case
from countersight.suites.cvqa.templates import TEMPLATES

PROGRAMS = 240
UNDER_WAY = 16


def questions(number: int) -> list[tuple[str, Picture]]:
    """Return questions in both worlds with their pictures: only twelve, so that vision caches them all."""
    made = [make_case(template, 1, index, 0) for template in TEMPLATES for index in range(2)]
    asked = []
    for one in made:
        picture = check_picture(encode(draw(one.record.scene)))
        for question in (one.case.factual, one.case.counterfactual):
            assert question
            asked.append((question.text, picture))
    return [asked[nth % len(asked)] for nth in range(number)]


async def rate(style: Python | StepByStep, asked: list[tuple[str, Picture]]) -> float:
    """Return how many programs per second are extracted from a reply and run."""
    eyes = SceneVision()
    for _, picture in asked[:24]:
        await eyes.find(picture, "dots", None)
    places = asyncio.Semaphore(UNDER_WAY)

    async def run(question: str, picture: Picture) -> object:
        async with places:
            program = style.extract(f"```\n{style.reference(question)}\n```")
            return await style.run(program, picture, eyes, None, Tracing())

    await asyncio.gather(*(run(*one) for one in asked[:UNDER_WAY]))  # start the interpreters first
    start = perf_counter()
    await asyncio.gather(*(run(*one) for one in asked))
    seconds = perf_counter() - start
    await eyes.close()
    return len(asked) / seconds


def measure(rounds: int = 5) -> dict[str, float]:
    """Return all figures by name: medians, so that short bursts of other load do not matter."""
    asked = questions(PROGRAMS)

    async def rates(kind: type[Python] | type[StepByStep]) -> float:
        style = kind(Limits())
        try:
            return statistics.median([await rate(style, asked) for _ in range(rounds)])
        finally:
            await style.close()

    return {
        "Python programs a second, in the sandbox": asyncio.run(rates(Python)),
        "step programs a second": asyncio.run(rates(StepByStep)),
    }


if __name__ == "__main__":
    for name, value in measure().items():
        print(f"{name:<42} {value:10.1f}")

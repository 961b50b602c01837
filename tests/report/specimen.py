"""A report made by hand, so that what the tests see does not depend on how it is computed."""

import io
import random
from functools import cache

from PIL import Image, ImageDraw

from countersight.figures import Figure
from countersight.html import Thumbnail
from countersight.reports.data import AskedQuestion, GalleryAnswer, GalleryCase, PageData, ReportData, RunScores
from countersight.scoring import (
    ComparedRuns,
    Comparison,
    Difference,
    GroupScores,
    LetterShare,
    Outcome,
)
from countersight.scoring.intervals import EffectiveCounts

GROUPS = ("flowers outside", "flowers inside after removal", "dots in all circles", "most dots in a circle")
HOSTILE = "</script><img src=x onerror=alert(1)>\u202eevil\u2066\x00\ud800 <b>bold</b>"


def share(value: float, n: int, spread: float = 0.04) -> Figure:
    return Figure(value, max(0.0, value - spread), min(1.0, value + spread), n, right=round(value * n))


def difference(value: float, n: int, p: float = 0.0001, spread: float = 0.045) -> Difference:
    ends = {"low": value - spread, "high": value + spread}
    return Difference(value=value, **ends, n=n, p=p, effective=EffectiveCounts(0, 0, n))


def scores(group: str, n: int, factual: float, counterfactual: float, shown: float | None = None) -> GroupScores:
    return GroupScores(
        group=group,
        n=n,
        questions=2 * n,
        factual=share(factual, n),
        counterfactual=share(counterfactual, n),
        drop=difference(factual - counterfactual, n),
        both_right=share(counterfactual * 0.9, n),
        shown=None if shown is None else share(shown, n - 2),
        imagination_gap=None if shown is None else difference(shown - counterfactual, n - 2, 0.0213),
        fell_back=None,
        chance={},
        unread=7,
        cut=0,
        empty=0,
        failed=1,
        missing=0,
    )


def run(label: str, *, seed: int = 0, n: int = 500) -> RunScores:
    rng = random.Random(seed)
    groups = []
    for group in GROUPS:
        factual = rng.uniform(0.6, 0.95)
        groups.append(scores(group, n, factual, factual - rng.uniform(0.05, 0.5), factual - rng.uniform(-0.02, 0.1)))
    letters = tuple(
        LetterShare(asking, letter, answered, 500, 2000)
        for asking in ("factual", "counterfactual", "shown")
        for letter, answered in zip("ABCD", (700 + 40 * seed, 520, 430, 350), strict=True)
    )
    return RunScores(
        label=label,
        model=label,
        prompt="zero-shot",
        started="2026-11-15T03:28:00Z",
        version="0.1.0",
        rows=(*groups, scores("all", n * len(GROUPS), 0.812, 0.53, 0.774)),
        letters=letters,
    )


def report(*labels: str, cases: int = 2000) -> ReportData:
    runs = tuple(run(label, seed=seed) for seed, label in enumerate(labels or ("gpt-4o",)))
    compared = tuple(
        ComparedRuns(
            runs[0].label,
            other.label,
            tuple(
                Comparison(
                    group.group,
                    group.n,
                    difference(0.031, group.n, 0.21),
                    difference(-0.104, group.n),
                    difference(0.0, group.n, 1.0),
                    None,
                )
                for group in other.rows
            ),
        )
        for other in runs[1:]
    )
    return ReportData(
        dataset="cvqa-synthetic",
        fingerprint="9f2c1a7be0d4435588aa01fe6c0b7d21",
        cases=cases,
        runs=runs,
        comparisons=compared,
        seed=0,
        confidence=0.95,
        version="0.1.0",
    )


def picture(seed: int, *, after: bool = False, side: int = 224) -> Thumbnail:
    rng = random.Random(seed)
    image = Image.new("RGB", (side, side), (244, 239, 228))
    draw = ImageDraw.Draw(image)
    for number in range(9):
        x, y = rng.randrange(side - 40), rng.randrange(side - 40)
        colour = rng.choice(("#3a7ca5", "#d1495b", "#edae49", "#66a182", "#8d6a9f"))
        if not (after and number < 3):
            draw.ellipse((x, y, x + 34, y + 34), fill=colour)
    file = io.BytesIO()
    image.save(file, "WEBP", quality=75, method=0)
    return Thumbnail(file.getvalue())


PAIRS: tuple[tuple[Outcome, Outcome], ...] = (
    ("right", "wrong"),
    ("wrong", "right"),
    ("right", "right"),
    ("wrong", "wrong"),
    ("right", "unread"),
    ("failed", "right"),
)
"""One of each outcome, in the order of the filters."""

LONG = "Let me think about it step by step. " * 30 + "\nThe answer is (B) 7."


def answer(verdict: Outcome, read: str) -> GalleryAnswer:
    if verdict == "failed":
        return GalleryAnswer("failed", reason="the server answered 503 four times")
    if verdict == "unread":
        text = "I cannot tell from the picture."
        return GalleryAnswer("unread", text, len(text))
    text = LONG if read == "D" else f"**{read}**: there would be that many."
    return GalleryAnswer(verdict, text, len(text), read)


def case(number: int, runs: int) -> GalleryCase:
    options = ("3", "7", "12", "15")
    answers = []
    for place in range(runs):
        factual, counterfactual = PAIRS[(number + place) % len(PAIRS)]
        answers.append(
            {
                "factual": answer(factual, "A" if factual == "right" else "C"),
                "counterfactual": answer(counterfactual, "B" if counterfactual == "right" else "D"),
                "shown": answer("right", "B"),
            }
        )
    return GalleryCase(
        id=f"case-{number:06}",
        group=GROUPS[number % len(GROUPS)],
        change="Four of the flowers inside the blue polygon are removed.",
        picture=2 * number,
        counterfactual_picture=2 * number + 1,
        questions={
            "factual": AskedQuestion("How many flowers are inside the blue polygon?", "A", options),
            "counterfactual": AskedQuestion(
                "If four of the flowers inside the blue polygon were removed, how many would be left inside it?",
                "B",
                options,
            ),
            "shown": AskedQuestion("How many flowers are inside the blue polygon?", "B", options),
        },
        answers=tuple(answers),
    )


@cache
def page(cases: int = 30, *labels: str, total: int | None = None) -> PageData:
    data = report(*labels, cases=total or cases)
    made = tuple(case(number, len(data.runs)) for number in range(cases))
    few = [picture(seed // 2, after=bool(seed % 2)) for seed in range(min(2 * cases, 60))]
    return PageData(data, made, tuple(few[number % len(few)] for number in range(2 * cases)))

"""Measure accuracy and speed of the embedded model, on cases with unseen seeds, prompted as by `run`.

    python -m benchmarks.embedded --cases 1200 --seed 7 [--photos DIR]

Prints, for each checkpoint, the share of right answers for every template and world with Wilson intervals, then
questions per second (without drawing; every picture is decoded and encoded anew) and peak memory.
"""

import argparse
import asyncio
import resource
import time
from collections import Counter
from pathlib import Path
from random import Random

from countersight.case import Question
from countersight.engine import find_prompt
from countersight.errors import AskingFailed
from countersight.models import open_model
from countersight.models.embedded.inference import encoder
from countersight.models.embedded.model import WORLDS, Embedded
from countersight.models.protocol import ModelSettings, Request, Turn
from countersight.picture.checking import check_picture
from countersight.reading import answer_in
from countersight.scenes.drawing import draw_both, encode
from countersight.scoring import share_interval
from countersight.suites.cvqa.synthetic import make_case
from countersight.suites.cvqa.templates import TEMPLATES

CONCURRENCY = 64
CASE_QUESTIONS = (("factual", "told"), ("counterfactual", "told"), ("counterfactual", "shown"))


def cases(size: int, seed: int):
    """Yield cases with the bytes of both pictures."""
    each = size // len(TEMPLATES)
    for template in TEMPLATES:
        for index in range(each):
            made = make_case(template, seed, index, index + 1)
            pictures = [check_picture(encode(pixels)) for pixels in draw_both(made.record.scene, made.changed)]
            yield template.group, made.case, pictures


async def ask(model, asks):
    """Return the answer to every request, with the concurrency of `run`."""
    answers = [None] * len(asks)
    waiting = iter(enumerate(asks))

    async def work():
        for nth, request in waiting:
            answers[nth] = (await model.reply(request)).text

    await asyncio.gather(*(work() for _ in range(CONCURRENCY)))
    return answers


async def measure(name: str, made, rank: int) -> None:
    prompt = find_prompt("0-shot")
    model = Embedded(name, ModelSettings())
    asks, questions = [], []
    for group, case, pictures in made:
        for world, telling in CASE_QUESTIONS:
            question = case.question(world, telling)
            picture = pictures[telling == "shown"]
            turn = Turn("user", prompt.render(question), picture)
            asks.append(Request(f"{case.id}/{world}/{telling}", (turn,), question.kind, question.options))
            questions.append((group, f"{world} {telling}", question))
    await ask(model, asks[:1])
    encoder.cache_clear()
    await model.close()  # so that loading is timed and no picture is cached
    start = time.perf_counter()
    answers = await ask(model, asks)
    seconds = time.perf_counter() - start
    right: Counter[tuple[str, str]] = Counter()
    asked: Counter[tuple[str, str]] = Counter()
    for answer, (group, telling, question) in zip(answers, questions, strict=True):
        for place in (group, "all"):
            asked[place, telling] += 1
            right[place, telling] += answer_in(answer, question) == question.answer
    print(f"\n{name}: {len(asks):,} questions in {seconds:.1f} s, {len(asks) / seconds:.0f} a second")
    for group, telling in sorted(asked):
        low_high = share_interval(right[group, telling], asked[group, telling])
        share = right[group, telling] / asked[group, telling]
        words = f"{share:7.1%}  [{low_high.low:.1%}, {low_high.high:.1%}]  n={asked[group, telling]}"
        print(f"  {group:28} {telling:22} {words}")
    await _rank(model, asks, questions, rank)
    await model.close()


async def _rank(model, asks, questions, number: int) -> None:
    """Print how often the right option has the smallest loss."""
    right: Counter[str] = Counter()
    count: Counter[str] = Counter()
    for request, (_, telling, question) in Random(0).sample(list(zip(asks, questions, strict=True)), number):
        losses = await model.losses(request)
        count[telling] += 1
        right[telling] += "ABCD"[losses.index(min(losses))] == question.answer
    print("  ranked:", ", ".join(f"{telling} {right[telling]}/{count[telling]}" for telling in count))


async def already_changed(name: str, made) -> None:
    """Ask the "if" question about the changed picture, without options, so that the change is applied once more.

    The right answer is what the reference programmer computes from that picture; cases it cannot answer are skipped.
    """
    model, reference = Embedded(name, ModelSettings()), open_model("visprog:reference?vision=scene")
    right: Counter[str] = Counter()
    asked: Counter[str] = Counter()
    for group, case, pictures in made:
        text = case.question("counterfactual", "told").text
        question = Question(text, "0", "number")
        turn = Turn("user", find_prompt("0-shot").render(question), pictures[1])
        request = Request(f"{case.id}/changed", (turn,), "number", question=text)
        try:
            gold = answer_in((await reference.reply(request)).text, question)
        except AskingFailed:
            continue
        said = answer_in((await model.reply(request)).text, question)
        for place in (group, "all"):
            asked[place] += 1
            right[place] += said == gold
    print(f'\n{name}, "if" questions about pictures that already show the change')
    for group in sorted(asked):
        low_high = share_interval(right[group], asked[group])
        share = f"{right[group] / asked[group]:.1%}  [{low_high.low:.1%}, {low_high.high:.1%}]"
        print(f"  {group:28} {share}  n={asked[group]}")
    await model.close()
    await reference.close()


async def photographs(folder: Path) -> None:
    """Print what each checkpoint answers about photographs."""
    for name in WORLDS:
        model = Embedded(name, ModelSettings())
        said: Counter[str] = Counter()
        for path in sorted(folder.glob("*.jpg")):
            picture = check_picture(path.read_bytes())
            for text in (
                "How many people are there?\nAnswer with a single number.",
                "How many flowers are inside the red polygons?\nA: 3\nB: 5\nC: 2\nD: 7\n"
                "Answer with the letter of the right option.",
            ):
                said[(await model.reply(Request("", (Turn("user", text, picture),), "open"))).text] += 1
        print(f"\n{name} about photographs: {dict(said)}")
        await model.close()


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cases", type=int, default=600)
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--rank", type=int, default=150, help="questions whose options are also ranked by loss")
    parser.add_argument("--models", nargs="+", default=list(WORLDS))
    parser.add_argument("--changed", action="store_true", help='ask "if" questions about changed pictures')
    parser.add_argument("--photos", type=Path, help="a folder of photographs to ask about")
    chosen = parser.parse_args(arguments)
    made = list(cases(chosen.cases, chosen.seed))
    for name in chosen.models:
        if chosen.changed:
            asyncio.run(already_changed(name, made))
            continue
        asyncio.run(measure(name, made, chosen.rank))
    print(f"\npeak memory {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f} MB, including drawing")
    if chosen.photos:
        asyncio.run(photographs(chosen.photos))


if __name__ == "__main__":
    main()

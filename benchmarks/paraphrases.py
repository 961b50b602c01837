"""Measure how well the embedded model answers wordings that were held out of its training.

    python -m benchmarks.paraphrases [--each 4] [--seed 1] [--weights DIR] [--misses]

Prints, for each checkpoint and each part of tests/data/embedded/held_out.toml, the shares of right answers, wrong
numbers and "I do not know.", with Wilson intervals, and how often an explanation contains the right number. The
checkpoint for factual questions is not asked any question with a supposition.
"""

import argparse
import asyncio
import re
from collections import Counter
from pathlib import Path

from countersight.models.embedded import UNKNOWN
from countersight.models.embedded.model import WORLDS, Embedded
from countersight.models.protocol import ModelSettings, Request, Turn
from countersight.picture.checking import check_picture
from countersight.scenes import draw, encode
from countersight.scoring import share_interval
from tools.embedded.examination import examination, read_held_out
from tools.embedded.wordings import SUPPOSING

HELD_OUT = Path(__file__).parent.parent / "tests/data/embedded/held_out.toml"
AT_ONCE = 64
FACTUAL = ("factual", "near_misses", "openings")


def outcome(text: str, answer: int | None) -> str:
    """Classify a reply: right, wrong (a number that is not the answer) or unknown."""
    if text == UNKNOWN:
        return "right" if answer is None else "unknown"
    return "right" if text == str(answer) else "wrong"


async def replies(model: Embedded, conversations: list[tuple[tuple[str, ...], object]]) -> list[str]:
    """Return the model's next reply in each conversation."""
    said: list[str] = []
    for first in range(0, len(conversations), AT_ONCE):
        requests = []
        for turns, picture in conversations[first : first + AT_ONCE]:
            roles = ("user", "assistant") * len(turns)
            told = tuple(Turn(role, text, None) for role, text in zip(roles, turns, strict=False))
            requests.append(Request("", (Turn("user", told[0].text, picture), *told[1:]), "number"))
        answers = await asyncio.gather(*(model.reply(request) for request in requests))
        said += [answer.text for answer in answers]
    return said


async def measure(name: str, weights: Path | None, asked, pictures, whys, misses: bool) -> None:
    model = Embedded(name, ModelSettings(), weights)
    chosen = [
        (one, picture)
        for one, picture in zip(asked, pictures, strict=True)
        if name == "embedded" or (one.part in FACTUAL and not SUPPOSING.search(one.text))
    ]
    prompts = [f"{one.text}\nAnswer with a single number." for one, _ in chosen]
    texts = await replies(model, [((prompt,), picture) for prompt, (_, picture) in zip(prompts, chosen, strict=True)])
    counts: dict[str, Counter[str]] = {}
    for text, (one, _) in zip(texts, chosen, strict=True):
        found = outcome(text, one.answer)
        counts.setdefault(one.part, Counter())[found] += 1
        if misses and found != "right":
            print(f"    {found:8} {text[:30]!r} for {one.answer}: {one.text}")
    print(f"\n{name}")
    for part, found in counts.items():
        total = sum(found.values())
        low_high = share_interval(found["right"], total)
        words = f"{found['right'] / total:6.1%} right [{low_high.low:.1%}, {low_high.high:.1%}]"
        others = ", ".join(f"{kind} {found[kind] / total:.1%}" for kind in ("wrong", "unknown"))
        print(f"  {part:15} n={total:<5} {words}, {others}")
    await _explain(model, texts, prompts, chosen, whys)
    await model.close()


async def _explain(model: Embedded, texts, prompts, chosen, whys) -> None:
    right = [
        (prompt, text, picture)
        for text, prompt, (one, picture) in zip(texts, prompts, chosen, strict=True)
        if one.part == "factual" and text == str(one.answer)
    ]
    conversations = [
        ((prompt, text, why), picture)
        for nth, why in enumerate(whys)
        for prompt, text, picture in right[nth :: len(whys)][:10]
    ]
    said = await replies(model, conversations)
    named = sum(turns[1] in re.findall(r"\d+", text) for (turns, _), text in zip(conversations, said, strict=True))
    print(f"  explanations that name the answer's number: {named} of {len(said)}")


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--each", type=int, default=4, help="pictures of which every wording is asked")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--models", nargs="+", default=list(WORLDS))
    parser.add_argument("--weights", type=Path, help="a folder of weights other than the shipped ones")
    parser.add_argument("--misses", action="store_true", help="print every question that was not answered right")
    chosen = parser.parse_args(arguments)
    held_out = read_held_out(HELD_OUT)
    asked = examination(held_out, chosen.seed, chosen.each)
    pictures = [check_picture(encode(draw(one.scene))) for one in asked]
    for name in chosen.models:
        asyncio.run(measure(name, chosen.weights, asked, pictures, held_out.openings["whys"], chosen.misses))


if __name__ == "__main__":
    main()

"""`countersight build`: pairs of questions written by a grammar or a model, checked, and ready for people."""

import argparse
from collections.abc import Sequence
from pathlib import Path
from shlex import quote

from countersight.cli.parsing import Verbs, add_ray, positive, price, seconds, temperature, verb
from countersight.text import several


def add(verbs: Verbs) -> None:
    """Add the verb to the command line."""
    build = verb(
        verbs,
        "build",
        _build,
        "write counterfactual questions for real ones, check them, and make a dataset of the pairs",
        "countersight build cvqa --questions questions.json --annotations annotations.json --pictures val2014 "
        "--writer grammar --size 500 -o pairs",
    )
    build.add_argument("suite", choices=("cvqa", "cfmm"), help="the benchmark whose pairs are built")
    build.add_argument(
        "--questions",
        type=Path,
        required=True,
        metavar="FILE",
        help="VQAv2's or OK-VQA's questions, C-VQA's CSV, or a dataset folder with factual questions",
    )
    build.add_argument("--annotations", type=Path, metavar="FILE", help="VQA's annotations, which hold the answers")
    build.add_argument("--captions", type=Path, metavar="FILE", help="COCO's captions: what else is in the pictures")
    build.add_argument("--pictures", type=Path, metavar="DIR", help="the folder of the pictures")
    build.add_argument(
        "--writer",
        default="grammar",
        metavar="WRITER",
        help="grammar, or any model: see list models (default: grammar)",
    )
    build.add_argument("--groups", default="direct,boolean", metavar="NAMES", help="default: direct,boolean")
    build.add_argument("--size", type=positive, default=500, metavar="N", help="pairs to build (default: 500)")
    build.add_argument("--seed", type=int, default=0, help="same seed, same pairs (default: 0)")
    build.add_argument(
        "--blind",
        metavar="MODEL",
        help="leave out what this model answers without the picture (default: the writer; none: no blind check)",
    )
    build.add_argument("--temperature", type=temperature, default=0.0, metavar="T", help="of the models (default: 0)")
    build.add_argument("--max-tokens", type=positive, default=256, metavar="N", help="of a reply (default: 256)")
    build.add_argument(
        "--concurrency", type=positive, default=16, metavar="N", help="questions under way (default: 16)"
    )
    build.add_argument("--timeout", type=seconds, default=120.0, metavar="S", help="seconds for one try (default: 120)")
    build.add_argument("--price", type=price, default=(0.0, 0.0), metavar="IN,OUT", help="dollars a million tokens")
    add_ray(build, "models that are computed here (hf:…) on all GPUs of")
    build.add_argument("-o", "--output", type=Path, required=True, metavar="DATASET", help="the dataset folder to make")


def _why_fewer(empty: Sequence[str]) -> str:
    """What was missing: all questions of a group, or only more of them."""
    named = " and no ".join({"direct": "how-many", "boolean": "yes/no"}[group] for group in empty)
    return f"no {named} questions fit" if named else "there were no more questions that fit"


def _build(chosen: argparse.Namespace) -> int:
    from countersight.authoring import REJECTED
    from countersight.cli.progress import counting
    from countersight.engine import RetryPolicy
    from countersight.models import ModelSettings
    from countersight.verbs import build

    built = build(
        chosen.suite,
        chosen.questions,
        chosen.output,
        annotations=chosen.annotations,
        captions=chosen.captions,
        pictures=chosen.pictures,
        writer=chosen.writer,
        groups=[name.strip() for name in chosen.groups.split(",") if name.strip()],
        size=chosen.size,
        seed=chosen.seed,
        blind=chosen.blind,
        settings=ModelSettings(
            seed=chosen.seed,
            max_tokens=chosen.max_tokens,
            temperature=chosen.temperature,
            timeout=chosen.timeout,
            price_in=chosen.price[0],
            price_out=chosen.price[1],
            ray=chosen.ray,
        ),
        retry=RetryPolicy(chosen.concurrency),
        progress=counting,
    )
    print(f"{several(built.cases, 'pair')} in {chosen.output}; {built.rejected:,} others, with reasons, in {REJECTED}")
    if built.cases < chosen.size:
        print(f"fewer than the {chosen.size:,} asked for: {built.stopped or _why_fewer(built.empty)}")
    if built.without_picture:
        print(f"{built.without_picture:,} without a picture: name their folder with --pictures")
    for step in built.funnel.steps:
        reasons = ", ".join(f"{count:,} {reason}" for reason, count in step.reasons)
        print(f"  {step.left:>7,}  {step.name}" + (f"   (less {reasons})" if reasons else ""))
    if built.funnel.spent:
        print(built.funnel.spent)
    print(f"The way there as a figure: countersight describe {quote(str(chosen.output))} -o FIGURE.svg")
    flow = "cvqa" if chosen.suite == "cvqa" else "verify"
    print(
        f"Two people for each pair: countersight collect new CAMPAIGN --flow {flow} --from {quote(str(chosen.output))}"
    )
    return 0

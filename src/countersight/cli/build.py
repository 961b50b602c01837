"""`countersight build`: pairs of questions, written by a grammar or a model and checked."""

import argparse
from collections.abc import Sequence
from shlex import quote
from typing import Final

from countersight.cli.parsing import Verbs, model_settings, shared, verb
from countersight.cli.terminal import counting
from countersight.text import several

_OPTIONS: Final = {
    "SUITE {cvqa,cfmm}": "the benchmark whose pairs are built",
    "-o, --output DATASET!": "the dataset folder to make",
    "--questions FILE!": "VQAv2's or OK-VQA's questions, C-VQA's CSV, or a dataset folder with factual questions",
    "--annotations FILE": "VQA's annotations, which contain the answers",
    "--captions FILE": "COCO's captions, which name other objects in the pictures",
    "--writer WRITER=grammar": "grammar, or any model: see list models",
    "--groups NAMES=direct,boolean": "the groups of questions to write",
    "--size N=500": "pairs to build",
    "--blind MODEL": "drop questions that this model answers without the picture (default: the writer; none: no "
    "such check)",
}


def add(verbs: Verbs) -> None:
    """Add the verb to the command line."""
    verb(
        verbs,
        "build",
        _build,
        "write counterfactual versions of existing questions, check them, and create a dataset of the pairs",
        "countersight build cvqa --questions questions.json --annotations annotations.json --pictures val2014 "
        "--writer grammar --size 500 -o pairs",
        _OPTIONS,
        shared("pictures", "seed", "temperature", "max_tokens", "timeout", "price", "ray", concurrency=16),
    )


def _why_fewer(empty: Sequence[str]) -> str:
    """Say why fewer pairs were built: a group has no suitable question, or there are no more."""
    named = " and no ".join({"direct": "how-many", "boolean": "yes/no"}[group] for group in empty)
    return f"no {named} question is suitable" if named else "no other question is suitable"


def _build(chosen: argparse.Namespace) -> int:
    from countersight.authoring import REJECTED
    from countersight.engine import RetryPolicy
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
        settings=model_settings(chosen),
        retry=RetryPolicy(chosen.concurrency),
        progress=counting,
    )
    print(f"{several(built.cases, 'pair')} in {chosen.output}; {built.rejected:,} others, with reasons, in {REJECTED}")
    if built.cases < chosen.size:
        print(f"fewer than the requested {chosen.size:,}: {built.stopped or _why_fewer(built.empty)}")
    if built.without_picture:
        print(f"{built.without_picture:,} without a picture: name the folder of the pictures with --pictures")
    for step in built.funnel.steps:
        reasons = ", ".join(f"{count:,} {reason}" for reason, count in step.reasons)
        print(f"  {step.left:>7,}  {step.name}" + (f"   (less {reasons})" if reasons else ""))
    if built.funnel.spent:
        print(built.funnel.spent)
    print(f"To see how the pairs were selected: countersight describe {quote(str(chosen.output))} --all")
    flow = "cvqa" if chosen.suite == "cvqa" else "verify"
    print(
        f"To have each pair checked by two people: countersight collect new CAMPAIGN --flow {flow} --from "
        f"{quote(str(chosen.output))}"
    )
    return 0

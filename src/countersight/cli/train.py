"""`countersight features` and `countersight train`: compute the inputs of a matcher, and train one."""

import argparse
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Final

from countersight.cli.parsing import Verbs, add_options, verb
from countersight.errors import CountersightError

if TYPE_CHECKING:
    from countersight.training import TrainingPlan

_FEATURES: Final = {
    "DATASET": "a dataset folder",
    "-o, --output DIR!": "the folder to make",
    "--with VCR>vcr": "with --tsv: also include the pictures in VCR's JSONL",
}
_SOURCES: Final = {
    "--encoder NAME": "embedded, or hf:FOLDER for the vision tower of any model",
    "--tsv FILE": "read features from a file in the format of LXMERT's authors",
}
_TRAIN: Final = {
    "WHAT {matcher,tables}": "`matcher` trains a matcher; `tables` compares trained matchers",
    "DATASET?": "the training dataset; for `tables`, the folder with the trained matchers",
    "--plan TOML": "a file with further settings, such as seeds, epochs and rate",
    "-o, --output DIR!": "the folder for checkpoints and weights",
}
_MATCHER: Final = {
    "--size {paper,small}=paper": "paper: the network in the CoSIm paper; small: a small, fast one",
    "--inputs {response,text,full}": "the inputs of the matcher (default: text)",
    "--encoder NAME": "folder of a BERT-like or LXMERT encoder (default: train from scratch)",
    "--features NAME": "the folder of features made with `countersight features`",
    "--folds K": "cross-validation: test on each part with matchers trained on the others",
    "--with VCR>vcr": "also train on this VCR annotation file (JSONL)",
}


def add(verbs: Verbs) -> None:
    """Add the commands of this module to the parser."""
    summary = "compute the visual features of every picture for a matcher"
    example = "countersight features flowers --encoder embedded -o regions"
    features = verb(verbs, "features", _features, summary, example, _FEATURES)
    add_options(features.add_mutually_exclusive_group(required=True), _SOURCES)
    example = "countersight train matcher cosim --inputs text --encoder models/minilm --folds 5 -o matchers/text"
    train = verb(verbs, "train", _train, "train CoSIm's matcher", example, _TRAIN)
    add_options(train.add_argument_group("settings (defaults: CoSIm's)"), _MATCHER)


def _features(chosen: argparse.Namespace) -> int:
    from countersight.dataset import Dataset
    from countersight.training import features_by_encoder, features_from_tsv

    if chosen.vcr and not chosen.tsv:
        raise CountersightError("VCR's pictures need a file of features: add --tsv FILE")
    dataset = Dataset.open(chosen.dataset)
    if chosen.encoder:
        made = features_by_encoder(dataset, chosen.encoder, chosen.output)
    else:
        made = features_from_tsv(dataset, chosen.tsv, chosen.output, chosen.vcr)
    print(f"regions of {len(made):,} pictures in {chosen.output}; train with --inputs full --features {chosen.output}")
    return 0


def _train(chosen: argparse.Namespace) -> int:
    print_now = partial(print, flush=True)  # otherwise output to a pipe would be buffered for hours
    from countersight.dataset import Dataset
    from countersight.training import train_matcher, write_table

    if chosen.what == "tables":
        folders = [file.parent for file in sorted((chosen.dataset or Path()).glob("*/result.json"))]
        print(write_table(folders, chosen.output))
        return 0
    if chosen.dataset is None:
        raise CountersightError("name the training dataset: countersight train matcher DATASET -o DIR")
    plan = _plan(chosen)
    train_matcher(Dataset.open(chosen.dataset), chosen.output, plan, vcr=chosen.vcr, say=print_now)
    then = f"run it with --model matcher:{chosen.output}"
    if plan.folds:
        then = "train without --folds to get a matcher that can be run"
    print(f"the results are in {chosen.output / 'README.md'}; {then}")
    return 0


def _plan(chosen: argparse.Namespace) -> "TrainingPlan":
    """Return the plan; command-line options override the plan file, which overrides the settings of --size."""
    import msgspec

    from countersight.training import SIZES, TrainingPlan

    named = {
        name: value
        for name in ("inputs", "encoder", "features", "folds")
        if (value := getattr(chosen, name)) is not None
    }
    try:
        before = msgspec.toml.decode(chosen.plan.read_bytes()) if chosen.plan else {}
        return msgspec.convert(SIZES[chosen.size] | before | named, TrainingPlan)
    except (ValueError, OSError) as error:
        raise CountersightError(f"invalid settings of a matcher: {error}") from None

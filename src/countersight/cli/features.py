"""`countersight features`: the regions of a dataset's pictures, for a matcher that looks."""

import argparse
from pathlib import Path

from countersight.cli.parsing import Verbs, verb


def add(verbs: Verbs) -> None:
    """Add the verb to the command line."""
    features = verb(
        verbs,
        "features",
        _features,
        "work out what a matcher sees of every picture, once",
        "countersight features flowers --encoder embedded -o regions",
    )
    features.add_argument("dataset", type=Path, metavar="DATASET")
    ways = features.add_mutually_exclusive_group(required=True)
    ways.add_argument("--encoder", metavar="NAME", help="embedded, or hf:FOLDER for the vision tower of any model")
    ways.add_argument("--detector", metavar="PATH", help="what a detector finds: an .onnx or .pb file, or a folder")
    ways.add_argument("--tsv", type=Path, metavar="FILE", help="out of a file as LXMERT's authors publish them")
    features.add_argument(
        "--with", dest="beside", type=Path, metavar="VCR", help="of the pictures of VCR's JSONL, too (with --tsv)"
    )
    features.add_argument("-o", "--output", type=Path, required=True, metavar="DIR", help="the folder to make")


def _features(chosen: argparse.Namespace) -> int:
    from countersight.dataset import Dataset
    from countersight.errors import CountersightError
    from countersight.training import features_by_detector, features_by_view, features_from_tsv

    if chosen.beside and not chosen.tsv:
        raise CountersightError("VCR's pictures are taken from a file of regions alone: add --tsv FILE")
    dataset = Dataset.open(chosen.dataset)
    if chosen.encoder:
        made = features_by_view(dataset, chosen.encoder, chosen.output)
    elif chosen.detector:
        made = features_by_detector(dataset, chosen.detector, chosen.output)
    else:
        made = features_from_tsv(dataset, chosen.tsv, chosen.output, chosen.beside)
    print(f"regions of {len(made):,} pictures in {chosen.output}; train with --inputs full --features {chosen.output}")
    return 0

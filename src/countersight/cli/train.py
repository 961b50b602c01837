"""`countersight train`: train a matcher on a dataset with options, or compare several."""

import argparse
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from countersight.cli.parsing import Verbs, positive, verb

if TYPE_CHECKING:
    from countersight.training import Plan


def add(verbs: Verbs) -> None:
    """Add the verb to the command line."""
    train = verb(
        verbs,
        "train",
        _train,
        "train CoSIm's matcher",
        "countersight train matcher cosim --inputs text --encoder models/minilm --folds 5 -o matchers/text",
    )
    train.add_argument("what", choices=["matcher", "tables"], help="a matcher; or a table of several that are trained")
    train.add_argument(
        "dataset",
        nargs="?",
        type=Path,
        metavar="DATASET",
        help="what a matcher learns from; for tables, the folder that holds them",
    )
    train.add_argument("--plan", type=Path, metavar="TOML", help="settings that are not named here")
    train.add_argument(
        "-o", "--output", type=Path, required=True, metavar="DIR", help="checkpoints, curves and weights"
    )
    matcher = train.add_argument_group("settings (defaults: CoSIm's)")
    matcher.add_argument("--size", choices=["paper", "small"], default="paper", help="small: forty cases a second")
    matcher.add_argument("--inputs", choices=["response", "text", "full"], help="what it is given (default: text)")
    matcher.add_argument("--encoder", metavar="DIR", help="a BERT-like folder, or LXMERT's (default: from scratch)")
    matcher.add_argument("--view", metavar="V", help="how pictures are seen, with --inputs full: embedded, hf:FOLDER")
    matcher.add_argument("--features", metavar="DIR", help="regions worked out before; see: countersight features")
    matcher.add_argument("--objective", choices=["ce", "contrastive"], help="(default: ce)")
    matcher.add_argument("--with", dest="beside", type=Path, metavar="VCR", help="VCR's JSONL, in alternate batches")
    matcher.add_argument("--folds", type=positive, metavar="K", help="try each part by matchers trained on the others")
    matcher.add_argument("--seeds", metavar="A,B,…", help="(default: 1234,2345,3456)")
    matcher.add_argument("--epochs", type=positive, metavar="N", help="(default: 50)")
    matcher.add_argument("--rate", type=float, metavar="R", help="of learning (default: 1e-5)")


def _train(chosen: argparse.Namespace) -> int:
    saying = partial(print, flush=True)  # hours pass between lines, and a pipe would keep them to the end
    from countersight.dataset import Dataset
    from countersight.errors import CountersightError
    from countersight.training import train_matcher, write_table

    if chosen.what == "tables":
        folders = [file.parent for file in sorted((chosen.dataset or Path()).glob("*/result.json"))]
        print(write_table(folders, chosen.output))
        return 0
    if chosen.dataset is None:
        raise CountersightError("a matcher learns from a dataset: countersight train matcher DATASET -o DIR")
    plan = _plan(chosen)
    train_matcher(Dataset.open(chosen.dataset), chosen.output, plan, vcr=chosen.beside, say=saying)
    then = "train without --folds for one to ask" if plan.folds else f"ask it with --model matcher:{chosen.output}"
    print(f"{chosen.output / 'README.md'} says what it reaches; {then}")
    return 0


def _plan(chosen: argparse.Namespace) -> "Plan":
    """The settings of a file, or the paper's, and over them those of the command line."""
    import msgspec

    from countersight.errors import CountersightError
    from countersight.training import SIZES, Plan

    named = {
        name: value
        for name in ("inputs", "encoder", "view", "features", "objective", "folds", "epochs", "rate")
        if (value := getattr(chosen, name)) is not None
    }
    try:
        if chosen.seeds:
            named["seeds"] = tuple(map(int, chosen.seeds.split(",")))
        before = msgspec.toml.decode(chosen.plan.read_bytes()) if chosen.plan else {}
        return msgspec.convert(SIZES[chosen.size] | before | named, Plan)
    except (ValueError, OSError) as error:
        raise CountersightError(f"these are no settings of a matcher: {error}") from None

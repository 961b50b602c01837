"""`countersight train matcher`: train all seeds and folds in turn, and resume interrupted training."""

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

import msgspec

from countersight.dataset import Dataset
from countersight.errors import CountersightError
from countersight.models.matcher import Regions
from countersight.training.examples import Example, folds, read_examples, read_vcr
from countersight.training.plan import Plan
from countersight.training.results import KEPT, KeptPlan, write_results

LOG = "training.log"


def train_matcher(
    dataset: Dataset, folder: Path, plan: Plan, *, vcr: Path | None = None, say: Callable[[str], None] = print
) -> Path:
    """Train a matcher for each seed (and for each fold, if any), and report the accuracy on held-out examples."""
    plan.check()
    try:
        import onnx  # noqa: F401 - needed only at the end, so fail early if it is missing
        import tokenizers  # noqa: F401
        import torch  # noqa: F401
        import transformers  # noqa: F401
    except ImportError as error:
        raise CountersightError(
            f"training a matcher needs {error.name}: pip install 'countersight[matcher,train]'"
        ) from None
    examples = read_examples(dataset)
    beside = read_vcr(vcr) if vcr else []
    folder.mkdir(parents=True, exist_ok=True)
    kept = KeptPlan(plan, dataset.fingerprint, vcr.name if vcr else "")
    _store_plan(folder, kept)
    scores = _train_all(dataset, folder, plan, examples, beside, say)
    write_results(folder, plan, examples, scores, beside=kept.beside)
    return folder


def _report(say: Callable[[str], None], folder: Path, where: Path, words: str) -> None:
    """Report the progress of one training, and append it to a log file in the folder."""
    line = f"{where.relative_to(folder)} {words}"
    say(line)
    with open(folder / LOG, "a", encoding="utf-8") as log:
        log.write(f"{line}\n")


def _train_all(
    dataset: Dataset,
    folder: Path,
    plan: Plan,
    examples: Sequence[Example],
    beside: Sequence[Example],
    say: Callable[[str], None],
) -> dict[int, dict[str, list[float]]]:
    """Return the scores that each seed's matchers give to examples they were not trained on."""
    import torch

    from countersight.training.batches import TrainingBatches, sequences_for
    from countersight.training.loop import Trainer
    from countersight.training.network import build, export

    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    torch.set_float32_matmul_precision("high")  # several times as fast on a GPU, and exact enough for training
    regions = _regions(dataset, plan, [*examples, *beside])
    width = regions.width if regions else 0
    parts = folds(examples, plan.folds, 0) if plan.folds else [[]]
    found: dict[int, dict[str, list[float]]] = {}
    for seed in plan.seeds:
        found[seed] = {}
        for number, left_out in enumerate(parts, 1):
            rest = [one for part in parts if part is not left_out for one in part] if plan.folds else list(examples)
            held_out, learned = _held_out(rest, plan, seed)
            sequences = sequences_for(plan.encoder, rest)
            torch.manual_seed(seed)
            network = build(plan, sequences.size, sequences.pad, width)
            where = folder / f"seed-{seed}" / (f"fold-{number}" if plan.folds else "")
            trainer = Trainer(plan, network, TrainingBatches(sequences, plan, regions or {}), where, device)
            trainer.fit(learned, held_out, beside, seed, partial(_report, say, folder, where))
            tried = left_out or held_out or learned
            found[seed] |= {key: scores.tolist() for key, scores in trainer.scores(tried).items()}
            if not plan.folds:
                export(trainer.network, sequences, plan, where, regions.made_by if regions else "", width)
    return found


def _regions(dataset: Dataset, plan: Plan, examples: Sequence[Example]) -> Regions | None:
    """Return the regions of the examples' pictures, if the matcher uses them."""
    if plan.inputs != "full":
        return None
    regions = Regions(Path(plan.features))
    if missing := sorted({one.picture for one in examples if one.picture not in regions}):
        raise CountersightError(
            f"{plan.features} has no regions for {len(missing)} pictures, such as {missing[0]}; make them with "
            f"`countersight features {dataset.path}` (for VCR's pictures, add --tsv and --with)"
        )
    return regions


def _held_out(examples: Sequence[Example], plan: Plan, seed: int) -> tuple[list[Example], list[Example]]:
    """Split off the held-out examples, which select the best epoch; return them and the examples to train on."""
    if not plan.held_out:
        return [], list(examples)
    held_out, *learned = folds(examples, round(1 / plan.held_out), seed)
    return held_out, [one for part in learned for one in part]


def _store_plan(folder: Path, kept: KeptPlan) -> None:
    """Store the settings in the folder; raises an error if the folder was started with other settings."""
    path, content = folder / KEPT, msgspec.json.format(msgspec.json.encode(kept)) + b"\n"
    if path.exists() and path.read_bytes() != content:
        raise CountersightError(
            f"{folder} was started with other settings or another dataset ({path}); choose a new folder"
        )
    path.write_bytes(content)

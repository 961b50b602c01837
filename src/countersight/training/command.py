"""`countersight train matcher`: train all seeds and folds in turn, and resume interrupted training.

The results are the accuracy, its confidence interval and its spread over seeds, compared with CoSIm's paper.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from statistics import mean, stdev

import msgspec
import numpy as np

from countersight.dataset import Dataset
from countersight.errors import CountersightError
from countersight.figures import Figure
from countersight.files import write_text
from countersight.models.matcher import Regions
from countersight.scoring import rate
from countersight.training.examples import Example, folds, read_examples, read_vcr
from countersight.training.plan import TrainingPlan

KEPT, RESULT, CARD, LOG = "plan.json", "result.json", "README.md", "training.log"
REPORTED = {
    ("response", "ce"): "38.37",
    ("text", "ce"): "44.62",
    ("full", "ce"): "49.25 ± 1.52",
    ("full", "contrastive"): "49.50",
}
"""Accuracy on CoSIm's validation split (CoSIm, Tables 3 and 6; the spread from its footnote 5)."""
BESIDE_VCR = "47.37"
"""The paper's accuracy with VCR in alternate batches and full inputs (Table 6)."""

HEAD = (
    "| training | inputs | encoder | objective | also trained on | mean | ensemble | cases | measured | reported |\n"
    "| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |\n"
)

Scores = Mapping[int, Mapping[str, Sequence[float]]]


class KeptPlan(msgspec.Struct, frozen=True):
    """The settings with which training in a folder was started."""

    plan: TrainingPlan
    dataset: str
    """The fingerprint of the dataset."""
    beside: str = ""


class Result(msgspec.Struct, frozen=True):
    """The accuracy of the matchers on examples that were not used to train them."""

    by_seed: dict[int, float]
    mean: float
    spread: float | None
    """The standard deviation over the seeds; None for a single seed."""
    together: Figure
    """The accuracy with scores averaged over all seeds; its interval is clustered by picture."""
    by_world: dict[str, Figure]
    chance: float


def train_matcher(
    dataset: Dataset, folder: Path, plan: TrainingPlan, *, vcr: Path | None = None, say: Callable[[str], None] = print
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
    plan: TrainingPlan,
    examples: Sequence[Example],
    beside: Sequence[Example],
    say: Callable[[str], None],
) -> Scores:
    """Return the scores that the matchers of each seed give to examples that were not used to train them."""
    import torch

    from countersight.training.loop import Trainer, TrainingBatches, sequences_for
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
            held_out, *others = folds(rest, round(1 / plan.held_out), seed) if plan.held_out else ([], rest)
            learned = [one for part in others for one in part]  # the held-out ones select the best epoch
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


def _regions(dataset: Dataset, plan: TrainingPlan, examples: Sequence[Example]) -> Regions | None:
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


def _store_plan(folder: Path, kept: KeptPlan) -> None:
    """Store the settings in the folder; raises an error if the folder was started with other settings."""
    path, content = folder / KEPT, msgspec.json.format(msgspec.json.encode(kept)) + b"\n"
    if path.exists() and path.read_bytes() != content:
        raise CountersightError(
            f"{folder} was started with other settings or another dataset ({path}); choose a new folder"
        )
    path.write_bytes(content)


def write_results(
    folder: Path, plan: TrainingPlan, examples: Sequence[Example], scores: Scores, *, beside: str = ""
) -> Result:
    """Compute the results, and write them as data and as a card; `beside` is the name of the additional training
    file."""
    tried = [one for one in examples if all(one.key in of_seed for of_seed in scores.values())]
    if not tried:  # without folds, each seed holds out different pictures
        tried = [one for one in examples if any(one.key in of_seed for of_seed in scores.values())]
    by_seed = {
        seed: mean(int(np.argmax(of_seed[one.key])) == one.right for one in examples if one.key in of_seed)
        for seed, of_seed in scores.items()
    }
    values = list(by_seed.values())
    result = Result(
        by_seed,
        mean(values),
        stdev(values) if len(values) > 1 else None,
        _ensemble_accuracy(tried, scores),
        {
            world: _ensemble_accuracy([one for one in tried if one.world == world], scores)
            for world in sorted({one.world for one in tried})
        },
        mean(1 / len(one.options) for one in tried),
    )
    write_text(folder / RESULT, msgspec.json.format(msgspec.json.encode(result)).decode() + "\n")
    write_text(folder / CARD, _card(plan, result, beside))
    return result


def _ensemble_accuracy(examples: Sequence[Example], scores: Scores) -> Figure:
    right = []
    for one in examples:
        given = [of_seed[one.key] for of_seed in scores.values() if one.key in of_seed]
        right.append(int(np.argmax(np.mean(given, axis=0))) == one.right)
    _, clusters = np.unique([one.picture for one in examples], return_inverse=True)
    return rate(np.array(right, bool), clusters)


def protocol(plan: TrainingPlan) -> str:
    """Return a description of the cases on which the accuracy was measured."""
    if plan.folds:
        chosen = (
            "the best epoch, chosen on pictures held out of the training part" if plan.held_out else "the last epoch"
        )
        return f"{plan.folds}-fold by picture; {chosen}"
    if plan.held_out:
        return (
            "on the held-out pictures that were also used to select the best epoch, which is optimistic; use `folds` "
            "for an unbiased figure"
        )
    return "**on the training cases themselves**, which is meaningless; use `folds` for an unbiased figure"


def reported(plan: TrainingPlan, beside: str) -> str:
    """Return the accuracy that CoSIm's paper reports for these settings; empty if there is none."""
    if not beside:
        return REPORTED.get((plan.inputs, plan.objective), "")
    return BESIDE_VCR if plan.inputs == "full" else f"{BESIDE_VCR} (full inputs)"


def _percent(figure: Figure) -> str:
    return f"{100 * (figure.value or 0):.2f} ({100 * figure.low:.2f}–{100 * figure.high:.2f})"


def _mean(result: Result, words: str = "") -> str:
    spread = f" ± {100 * result.spread:.2f}{words}" if result.spread is not None else ""
    return f"{100 * result.mean:.2f}{spread}"


def _card(plan: TrainingPlan, result: Result, beside: str) -> str:
    rows = {f"seed {seed}": f"{100 * value:.2f}" for seed, value in result.by_seed.items()}
    rows["mean"] = _mean(result, " over the seeds")
    rows["ensemble of all seeds"] = f"{_percent(result.together)}, n = {result.together.n:,}"
    if len(result.by_world) > 1:
        rows |= {f"… {world}": f"{_percent(one)}, n = {one.n:,}" for world, one in result.by_world.items()}
    if known := reported(plan, beside):
        rows["reported for CoSIm's validation split (Tables 3 and 6)"] = known
    rows["chance"] = f"{100 * result.chance:.2f}"
    title = f"# A matcher: {plan.inputs} inputs" + (f", also trained on {beside}" if beside else "")
    settings = msgspec.json.format(msgspec.json.encode(plan)).decode()
    return (
        f"{title}\n\nAccuracy in per cent, {protocol(plan)}.\n\n| | accuracy |\n| --- | --- |\n"
        + "\n".join(f"| {name} | {value} |" for name, value in rows.items())
        + "\n\nIntervals are 95 %, clustered by picture.\n\n"
        f"All settings:\n\n```json\n{settings}\n```\n"
    )


def write_table(folders: Sequence[Path], path: Path) -> Path:
    """Write a table with one row per trained folder: accuracy in per cent with spread over seeds and a 95 %
    interval."""
    if not folders:
        raise CountersightError("name the folders of the trained matchers: countersight train tables DIR …")
    rows = sorted(_row(folder) for folder in folders)
    note = "\nReported accuracies are for CoSIm's validation split. Intervals are 95 %, clustered by picture.\n"
    return write_text(path, "# Matchers\n\n" + HEAD + "\n".join(rows) + "\n" + note)


def _row(folder: Path) -> str:
    try:
        kept = msgspec.json.decode((folder / KEPT).read_bytes(), type=KeptPlan)
        result = msgspec.json.decode((folder / RESULT).read_bytes(), type=Result, strict=False)
    except (OSError, msgspec.DecodeError) as error:
        raise CountersightError(f"{folder} contains no completed training of a matcher: {error}") from None
    plan, together = kept.plan, result.together
    encoder = Path(plan.encoder).name or "from scratch"
    cells = (folder.name, plan.inputs, encoder, plan.objective, kept.beside, _mean(result), _percent(together))
    return f"| {' | '.join(cells)} | {together.n:,} | {protocol(plan)} | {reported(plan, kept.beside)} |"

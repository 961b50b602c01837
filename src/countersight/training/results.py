"""Training results: accuracy with confidence interval and spread over seeds, compared with CoSIm's paper."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import mean, stdev

import msgspec
import numpy as np

from countersight.errors import CountersightError
from countersight.figures import Figure
from countersight.files import write_text
from countersight.scoring import rate
from countersight.training.examples import Example
from countersight.training.plan import Plan

KEPT, RESULT, CARD = "plan.json", "result.json", "README.md"
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
    "| training | inputs | encoder | objective | beside | mean over seeds | seeds together | cases | how | reported |\n"
    "| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |\n"
)

Scores = Mapping[int, Mapping[str, Sequence[float]]]


class KeptPlan(msgspec.Struct, frozen=True):
    """The settings with which training in a folder was started."""

    plan: Plan
    dataset: str
    """The fingerprint of the dataset."""
    beside: str = ""


class Result(msgspec.Struct, frozen=True):
    """The accuracy of the matchers on examples that they were not trained on."""

    by_seed: dict[int, float]
    mean: float
    spread: float | None
    """The standard deviation over the seeds; None for a single seed."""
    together: Figure
    """The accuracy with scores averaged over all seeds; its interval is clustered by picture."""
    by_world: dict[str, Figure]
    chance: float


def write_results(folder: Path, plan: Plan, examples: Sequence[Example], scores: Scores, *, beside: str = "") -> Result:
    """Compute the results and write them as data and a card; `beside` is the name of the additional training
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


def protocol(plan: Plan) -> str:
    """Return a description of the cases on which the accuracy was measured."""
    if plan.folds:
        chosen = "the best epoch chosen on pictures held out of the training part" if plan.held_out else "last epoch"
        return f"{plan.folds}-fold by picture; {chosen}"
    if plan.held_out:
        return (
            "on the held-out pictures that also selected the best epoch, which is optimistic: use `folds` for an "
            "unbiased figure"
        )
    return "**on the training cases themselves**, which is meaningless: use `folds` for an unbiased figure"


def reported(plan: Plan, beside: str) -> str:
    """Return the accuracy that CoSIm's paper reports for these settings; empty if there is none."""
    if not beside:
        return REPORTED.get((plan.inputs, plan.objective), "")
    return BESIDE_VCR if plan.inputs == "full" else f"{BESIDE_VCR} (full inputs)"


def _percent(figure: Figure) -> str:
    return f"{100 * (figure.value or 0):.2f} ({100 * figure.low:.2f}–{100 * figure.high:.2f})"


def _mean(result: Result, words: str = "") -> str:
    spread = f" ± {100 * result.spread:.2f}{words}" if result.spread is not None else ""
    return f"{100 * result.mean:.2f}{spread}"


def _card(plan: Plan, result: Result, beside: str) -> str:
    rows = {f"seed {seed}": f"{100 * value:.2f}" for seed, value in result.by_seed.items()}
    rows["mean"] = _mean(result, " over the seeds")
    rows["seeds together"] = f"{_percent(result.together)}, n = {result.together.n:,}"
    if len(result.by_world) > 1:
        rows |= {f"… {world}": f"{_percent(one)}, n = {one.n:,}" for world, one in result.by_world.items()}
    if known := reported(plan, beside):
        rows["reported for CoSIm's validation split (Tables 3 and 6)"] = known
    rows["chance"] = f"{100 * result.chance:.2f}"
    title = f"# A matcher: {plan.inputs} inputs" + (f", beside {beside}" if beside else "")
    settings = msgspec.json.format(msgspec.json.encode(plan)).decode()
    return (
        f"{title}\n\nAccuracy in per cent, {protocol(plan)}.\n\n| | accuracy |\n| --- | --- |\n"
        + "\n".join(f"| {name} | {value} |" for name, value in rows.items())
        + "\n\nIntervals are 95 %, clustered by picture.\n\n"
        f"Every setting:\n\n```json\n{settings}\n```\n"
    )


def write_table(folders: Sequence[Path], path: Path) -> Path:
    """Write a table with one row per trained folder: accuracy in per cent with spread over seeds and a 95 %
    interval."""
    if not folders:
        raise CountersightError("no trained matcher is named: countersight train tables DIR, with one in each folder")
    rows = sorted(_row(folder) for folder in folders)
    note = "\nReported: on CoSIm's validation split. Intervals are 95 %, clustered by picture.\n"
    return write_text(path, "# Matchers\n\n" + HEAD + "\n".join(rows) + "\n" + note)


def _row(folder: Path) -> str:
    try:
        kept = msgspec.json.decode((folder / KEPT).read_bytes(), type=KeptPlan)
        result = msgspec.json.decode((folder / RESULT).read_bytes(), type=Result, strict=False)
    except (OSError, msgspec.DecodeError) as error:
        raise CountersightError(f"{folder} contains no finished training of a matcher: {error}") from None
    plan, together = kept.plan, result.together
    encoder = Path(plan.encoder).name or "from scratch"
    cells = (folder.name, plan.inputs, encoder, plan.objective, kept.beside, _mean(result), _percent(together))
    return f"| {' | '.join(cells)} | {together.n:,} | {protocol(plan)} | {reported(plan, kept.beside)} |"

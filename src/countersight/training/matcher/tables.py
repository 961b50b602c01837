"""Several trained matchers in one table, beside the rows that CoSIm reports (its Tables 3 and 6)."""

from collections.abc import Sequence
from pathlib import Path

import msgspec

from countersight.errors import CountersightError
from countersight.files import write_text
from countersight.training.matcher.command import KEPT, Kept
from countersight.training.matcher.results import RESULT, Result, protocol, reported

HEAD = (
    "| training | inputs | encoder | objective | beside | mean over seeds | seeds together | cases | how | reported |\n"
    "| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |\n"
)


def write_table(folders: Sequence[Path], path: Path) -> Path:
    """One row for each trained folder: accuracy in per cent with spread over seeds and a 95 % interval."""
    if not folders:
        raise CountersightError("no trained matcher is named: countersight train tables DIR, with one in each folder")
    rows = sorted(_row(folder) for folder in folders)
    note = "\nReported: on CoSIm's validation split. Intervals are 95 %, for questions that share pictures.\n"
    return write_text(path, "# Matchers\n\n" + HEAD + "\n".join(rows) + "\n" + note)


def _row(folder: Path) -> str:
    try:
        kept = msgspec.json.decode((folder / KEPT).read_bytes(), type=Kept)
        result = msgspec.json.decode((folder / RESULT).read_bytes(), type=Result, strict=False)
    except (OSError, msgspec.DecodeError) as error:
        raise CountersightError(f"{folder} holds no finished training of a matcher: {error}") from None
    plan, together = kept.plan, result.together
    spread = f" ± {100 * result.spread:.2f}" if result.spread is not None else ""
    interval = f"{100 * (together.value or 0):.2f} ({100 * together.low:.2f}–{100 * together.high:.2f})"
    encoder = Path(plan.encoder).name or "from scratch"
    mean = f"{100 * result.mean:.2f}{spread}"
    cells = (folder.name, plan.inputs, encoder, plan.objective, kept.beside, mean, interval)
    return f"| {' | '.join(cells)} | {together.n:,} | {protocol(plan)} | {reported(plan, kept.beside)} |"

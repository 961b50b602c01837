"""CELLO of a mined folder, as the table of suites has it."""

from pathlib import Path

from countersight.models import Model
from countersight.progress import Progress
from countersight.suites.cello.making import SIZE, Made, make_cello
from countersight.suites.cello.tasks.asked import TASKS
from countersight.suites.importing import OnBad


def assemble(
    mined: Path,
    folder: Path,
    *,
    size: int | None,
    seed: int,
    progress: Progress,
    on_bad: OnBad,
    per_task: int | None = None,
    reworded: bool = False,
    wording: Model | None = None,
) -> Made:
    """Sample a balanced dataset of what `mine` found: so many cases in all, or of each task; see `make_cello`."""
    wanted = per_task * len(TASKS) if per_task else size or SIZE
    with progress("Wording", wanted, "questions") as told:
        return make_cello(
            mined,
            folder,
            size=wanted,
            per_task=per_task,
            reworded=reworded,
            seed=seed,
            model=wording,
            on_bad=on_bad,
            progress=told,
        )

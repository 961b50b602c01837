"""Make datasets with variants of each change: in full, without each of its parts, and without each pair of parts."""

from collections.abc import Iterator
from itertools import combinations
from pathlib import Path

import msgspec

from countersight.case import Case, Change
from countersight.dataset import Dataset, DatasetWriter
from countersight.errors import CountersightError
from countersight.suites.cosim import change_parts

MAX_PARTS = 6
"""Changes with more parts are skipped, because their pairs alone need more than 15 questions."""
OF, WITHOUT = "of", "without"


def make_variants(dataset: Dataset, folder: Path) -> int:
    """Write the variants of every case whose change has several parts; return the number of these cases."""
    count = 0
    with DatasetWriter(
        folder,
        name=f"{dataset.path.name}, changes in parts",
        description="Each change in full, without each of its parts, and without each pair of parts.",
        license="the same as the original dataset",
        provenance={"of": dataset.fingerprint},
    ) as writer:
        for _, case in dataset.cases():
            parts = change_parts(case.change.text) if case.change and case.context else ()
            if not 2 <= len(parts) <= MAX_PARTS or case.counterfactual is None or not case.counterfactual.options:
                continue
            if case.image:
                _copy_picture(dataset, case, writer.staging)
            for variant in _variants(case, parts):
                writer.add(variant)
            count += 1
        if not count:
            raise CountersightError(f"{dataset.path} has no case with options and a separate change of several parts")
    return count


def _variants(case: Case, parts: tuple[str, ...]) -> Iterator[Case]:
    for size in (0, 1, 2) if len(parts) > 2 else (0, 1):
        for left_out in combinations(range(len(parts)), size):
            told = " ".join(part for number, part in enumerate(parts) if number not in left_out)
            name = "+".join(str(number + 1) for number in left_out)
            yield msgspec.structs.replace(
                case,
                id=f"{case.id}/without-{name}" if name else f"{case.id}/whole",
                change=Change(told),
                factual=None,
                shown=None,
                counterfactual_image=None,
                counterfactual_digest="",
                provenance={OF: case.id, WITHOUT: name, "parts": msgspec.json.encode(parts).decode()},
            )


def _copy_picture(dataset: Dataset, case: Case, staging: Path) -> None:
    """Copy the picture of a case, which its variants share, unless it was copied before."""
    target = staging / str(case.image)
    if not target.exists():
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(dataset.picture(str(case.image), case.image_digest).data)

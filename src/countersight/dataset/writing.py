"""Write dataset folders atomically."""

from collections.abc import Sequence
from contextlib import ExitStack, suppress
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Self

import msgspec

from countersight.case import Case
from countersight.errors import DatasetError
from countersight.files import Staging

if TYPE_CHECKING:
    from countersight.dataset.card import Section

from countersight.dataset.folder import METADATA, parse_case, picture_digest


class DatasetWriter:
    """Writes a dataset folder atomically: it appears complete or not at all.

    Rows and pictures go to `staging`; on a clean exit the card is written and the folder gets its final name.
    """

    def __init__(
        self,
        folder: Path | str,
        *,
        name: str,
        description: str,
        license: str,
        provenance: dict[str, str | int],
        sections: "Sequence[Section]" = (),
    ) -> None:
        self.folder = Path(folder)
        self.name = name
        self.description = description
        self.license = license
        self.provenance = provenance
        self.sections = sections
        """Functions that write further sections of the card."""
        self.count = 0
        self._columns: set[str] = set()
        self._making = Staging(self.folder)
        self.staging = self._making.path

    def __enter__(self) -> Self:
        self._making.__enter__()
        (self.staging / "images").mkdir()
        self._rows = open(self.staging / METADATA, "wb")
        return self

    def add(self, case: Case) -> None:
        """Append a case; its pictures must already be in `staging`. Raises DatasetError if a field is invalid."""
        try:
            parsed = parse_case(msgspec.json.encode(case))  # a suite may have set a field of a wrong type
        except TypeError as error:
            raise DatasetError(f"case {case.id!r}: {error}") from None
        if not isinstance(parsed, Case):
            raise DatasetError(f"case {case.id!r}: {': '.join(parsed)}")
        row = msgspec.to_builtins(
            msgspec.structs.replace(
                case,
                image_digest=self._digest(case.image),
                counterfactual_digest=self._digest(case.counterfactual_image),
                further_digests=tuple(map(self._digest, case.further_images)),
            )
        )
        self._columns.update(row)
        self._rows.write(msgspec.json.encode(row) + b"\n")
        self.count += 1

    def _digest(self, name: str | None) -> str:
        file = self.staging / name if name else None
        return picture_digest(file.read_bytes()) if file and file.is_file() else ""

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if error is not None:
            with suppress(OSError):  # after an error the unfinished folder is removed
                self._rows.close()
            self._making.__exit__(kind, error, trace)
            return
        from countersight.dataset.card import write_card

        with ExitStack() as stack:  # if rows or card cannot be written, for example on a full disk, no folder is left
            stack.push(self._making)
            self._rows.close()
            if _FURTHER in self._columns:
                _with_every_list(self.staging / METADATA)
            write_card(
                self.staging,
                self.name,
                self.description,
                self.license,
                self.provenance,
                self.count,
                self._columns,
                self.sections,
            )


_FURTHER = "further_file_names"


def _with_every_list(rows: Path) -> None:
    """Add an empty list to rows without further pictures: Hugging Face loads lists only if every row has one."""
    whole = rows.with_name(f"{rows.name}.whole")
    with open(rows, "rb") as source, open(whole, "wb") as target:
        for line in source:
            target.write(msgspec.json.encode({_FURTHER: [], **msgspec.json.decode(line)}) + b"\n")
    whole.replace(rows)

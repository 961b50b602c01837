"""CSV that is safe to open in a spreadsheet."""

import csv
import io
from collections.abc import Iterable, Sequence

from countersight.html.formatting import name


def csv_text(columns: Sequence[str], rows: Iterable[Iterable[str | float | None]]) -> str:
    """Return CSV with these columns; text that a spreadsheet would treat as a formula is made safe."""
    file = io.StringIO()
    table = csv.writer(file, lineterminator="\n")
    table.writerow(columns)
    for row in rows:
        table.writerow([csv_safe(cell) if isinstance(cell, str) else cell for cell in row])
    return file.getvalue()


def csv_safe(text: str) -> str:
    """Return text that a spreadsheet does not treat as a formula."""
    plain = name(text)
    return "'" + plain if plain.startswith(("=", "+", "-", "@", "'")) else plain

"""How a dataset was made: a section of its card, written here for people and read back here."""

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Final

_HEADING: Final = "## How it was made\n"
_LINE: Final = "- {}: `{}`"
_WRITTEN_LINE: Final = re.compile(r"^- ([\w ]+): `(.*)`$", re.MULTILINE)
"""A line as `_LINE` writes it."""


def provenance_section(provenance: Mapping[str, str | int]) -> str:
    """Return the section of a card that says how a dataset was made."""
    lines = (_LINE.format(key, " ".join(str(value).split())) for key, value in provenance.items())
    return "\n".join((_HEADING, *lines))


def read_card(folder: Path) -> tuple[dict[str, str], str]:
    """Return the simple header fields of a dataset's card, and its text; both are empty if there is no card."""
    file = folder / "README.md"
    text = file.read_text(encoding="utf-8", errors="replace") if file.is_file() else ""
    parts = re.fullmatch(r"---\n(.*?)\n---\n(.*)", text, re.DOTALL)
    if parts is None:
        return {}, text
    return dict(re.findall(r"^(\w+): (\S.*)$", parts[1], re.MULTILINE)), parts[2]


def read_provenance(folder: Path) -> dict[str, str]:
    """Return how a dataset was made, according to its card: its suite, and the seed or the published file."""
    _, _, made = read_card(folder)[1].partition(_HEADING)
    return dict(_WRITTEN_LINE.findall(made.partition("\n#")[0]))


def published_file(folder: Path) -> str:
    """Return the name of the published file that contains these questions or that they were built from; "" if there is
    none."""
    made = read_provenance(folder)
    if made.get("suite") == "own":
        return ""
    # `build` records where its questions come from: a published file, or a dataset, which is a folder.
    built_from = made.get("questions", "")
    return made.get("file") or (built_from if Path(built_from).suffix in (".csv", ".json") else "")

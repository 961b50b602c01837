"""The machine-readable card: Croissant 1.1, with its RAI extension.

NeurIPS requires the RAI fields in `DEMANDED` for every new dataset. Unknown facts are not invented: they are left out
and reported as missing. `croissant_terms.json` has the JSON-LD context, the fields of both standards that are used, and
the facts that are true of every generated dataset.
"""

import datetime
import hashlib
from importlib.resources import files
from pathlib import Path
from typing import Any, Final

import msgspec

from countersight import __version__
from countersight.errors import DatasetError
from countersight.files import write_whole

CROISSANT: Final = "croissant.json"
CONFORMS: Final = ["http://mlcommons.org/croissant/1.1", "http://mlcommons.org/croissant/RAI/1.0"]

_TERMS: Final[dict[str, Any]] = msgspec.json.decode((files(__package__) / "croissant_terms.json").read_bytes())
_CONTEXT: Final[dict[str, Any]] = _TERMS["context"]
_COLUMNS: Final[dict[str, str]] = _TERMS["columns"]
DEMANDED: Final = tuple[str, ...](_TERMS["demanded"])
RAI_FIELDS: Final = (*DEMANDED, *_TERMS["further"])
"""All fields of the extension that are supported."""
_DRAWN_FROM: Final = ("scenes.jsonl", "worlds.jsonl")
"""Files that only generated datasets contain: descriptions of the scenes or worlds in the pictures."""
_MEDIA_TYPES: Final = {
    ".png": "image/png",
    ".jpg": "image/jpeg",
    ".jpeg": "image/jpeg",
    ".gif": "image/gif",
    ".webp": "image/webp",
}
_PARTS = {"change": ("text",)} | dict.fromkeys(
    ("factual_question", "counterfactual_question", "shown_question", "twice_question"), ("text", "answer", "kind")
)


def read_croissant(folder: Path) -> dict[str, Any]:
    """Read the card of a dataset; cards of older versions are converted to the current form."""
    file = folder / CROISSANT
    if not file.is_file():
        raise DatasetError(f"{folder} has no {CROISSANT}; make or import the dataset again")
    try:
        found = msgspec.json.decode(file.read_bytes(), type=dict[str, Any])
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as fault:
        raise DatasetError(f"{file} is damaged: {fault}") from None
    return found | {"@context": _CONTEXT, "conformsTo": CONFORMS}


def write_croissant(path: Path, card: dict[str, Any]) -> None:
    """Write the card as indented JSON."""
    write_whole(path, msgspec.json.format(msgspec.json.encode(card), indent=2) + b"\n")


def croissant(folder: Path, name: str, description: str, license: str, columns: set[str]) -> dict[str, Any]:
    """Return the machine-readable card of a folder whose rows are complete; `columns` are the columns in use."""
    with open(folder / "metadata.jsonl", "rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    return {
        "@context": _CONTEXT,
        "@type": "sc:Dataset",
        "name": name,
        "description": description,
        "conformsTo": CONFORMS,
        "license": license,
        "url": f"https://schema.org/Dataset#{name}",
        "version": "1.0.0",
        "datePublished": datetime.datetime.now(datetime.UTC).date().isoformat(),
        "creator": {"@type": "sc:Organization", "name": f"Countersight {__version__}"},
        "citeAs": f"{name}, made with Countersight {__version__}",
        "distribution": [
            {
                "@type": "cr:FileObject",
                "@id": "metadata",
                "name": "metadata.jsonl",
                "contentUrl": "metadata.jsonl",
                "encodingFormat": "application/jsonlines",
                "sha256": digest,
            },
            {
                "@type": "cr:FileSet",
                "@id": "pictures",
                "name": "pictures",
                "includes": "images/*",
                "encodingFormat": _picture_formats(folder / "images"),
            },
        ],
        "recordSet": [
            {
                "@type": "cr:RecordSet",
                "@id": "cases",
                "name": "cases",
                "key": {"@id": "cases/id"},
                "field": [field for column in _COLUMNS if column in columns for field in _fields(column)],
            }
        ],
    }


def known_facts(folder: Path, provenance: dict[str, str]) -> dict[str, Any]:
    """Return the known facts about a dataset with this provenance; a generated one is recognised by its file of scenes
    or worlds."""
    origin = ", ".join(f"{key} {value}" for key, value in provenance.items() if key != "countersight")
    facts: dict[str, Any] = {"prov:wasGeneratedBy": f"Countersight {__version__}: {origin}" if origin else ""}
    if "file" in provenance:
        file, suite = provenance["file"], provenance.get("suite", "a suite")
        facts["prov:wasDerivedFrom"] = (
            f"Imported from the authors' file {file} of {suite}; see the authors' publication."
        )
    elif any((folder / name).is_file() for name in _DRAWN_FROM):
        facts |= _TERMS["drawn"]
        facts["rai:machineAnnotationTools"] = facts["rai:machineAnnotationTools"].format(version=__version__)
    return {name: value for name, value in facts.items() if value != ""}


def missing_facts(card: dict[str, Any]) -> list[str]:
    """Return the required fields that a card does not have."""
    return [name for name in DEMANDED if name not in card]


def _picture_formats(pictures: Path) -> str | list[str]:
    """Return the media type of the pictures, or a list if there are several; PNG if there are no pictures."""
    endings = {file.suffix.lower() for file in pictures.iterdir()} if pictures.is_dir() else set()
    formats = sorted({_MEDIA_TYPES[ending] for ending in endings if ending in _MEDIA_TYPES}) or ["image/png"]
    return formats if len(formats) > 1 else formats[0]


def _fields(column: str) -> list[dict[str, Any]]:
    """Return the Croissant fields of a column: one for each part of a question or a change, else one."""
    return [
        {
            "@type": "cr:Field",
            "@id": f"cases/{column}/{part}" if part else f"cases/{column}",
            "name": f"{column}/{part}" if part else column,
            "description": _COLUMNS[column] + (f" Its {part}." if part else ""),
            "dataType": "sc:Text",
            "source": {
                "fileObject": {"@id": "metadata"},
                "extract": {"column": column},
                **({"transform": {"jsonPath": part}} if part else {}),
            },
        }
        for part in _PARTS.get(column, ("",))
    ]

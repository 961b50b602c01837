"""The machine-readable card: Croissant 1.1, with the fields of its RAI extension that are known."""

import datetime
import hashlib
from pathlib import Path
from typing import Any, Final

import msgspec

from countersight import __version__
from countersight.errors import DatasetError
from countersight.files import write_whole

CROISSANT: Final = "croissant.json"
CONFORMS: Final = ["http://mlcommons.org/croissant/1.1", "http://mlcommons.org/croissant/RAI/1.0"]

_CONTEXT: dict[str, Any] = {
    "@language": "en",
    "@vocab": "https://schema.org/",
    "arrayShape": "cr:arrayShape",
    "citeAs": "cr:citeAs",
    "column": "cr:column",
    "conformsTo": "dct:conformsTo",
    "containedIn": "cr:containedIn",
    "cr": "http://mlcommons.org/croissant/",
    "rai": "http://mlcommons.org/croissant/RAI/",
    "data": {"@id": "cr:data", "@type": "@json"},
    "dataType": {"@id": "cr:dataType", "@type": "@vocab"},
    "dct": "http://purl.org/dc/terms/",
    "description": {"@container": "@language"},
    "equivalentProperty": "cr:equivalentProperty",
    "examples": {"@id": "cr:examples", "@type": "@json"},
    "extract": "cr:extract",
    "field": "cr:field",
    "fileProperty": "cr:fileProperty",
    "fileObject": "cr:fileObject",
    "fileSet": "cr:fileSet",
    "format": "cr:format",
    "includes": "cr:includes",
    "isArray": "cr:isArray",
    "isLiveDataset": "cr:isLiveDataset",
    "jsonPath": "cr:jsonPath",
    "key": "cr:key",
    "md5": "cr:md5",
    "name": {"@container": "@language"},
    "parentField": "cr:parentField",
    "path": "cr:path",
    "prov": "http://www.w3.org/ns/prov#",
    "recordSet": "cr:recordSet",
    "references": "cr:references",
    "regex": "cr:regex",
    "repeated": "cr:repeated",
    "replace": "cr:replace",
    "samplingRate": "cr:samplingRate",
    "sc": "https://schema.org/",
    "separator": "cr:separator",
    "source": "cr:source",
    "subField": "cr:subField",
    "transform": "cr:transform",
}


_COLUMNS = {
    "id": "Name of the case.",
    "file_name": "The factual picture.",
    "counterfactual_file_name": "The picture after the change.",
    "suite": "The benchmark that the case belongs to.",
    "group": "Part of the suite that the case belongs to.",
    "factual_question": "Question about the factual picture.",
    "change": "What is different in the counterfactual world.",
    "counterfactual_question": "Question about the picture under the change.",
    "shown_question": "Question about the counterfactual picture.",
    "twice_question": "Question about the counterfactual picture that repeats the change in words.",
    "context": "The response to the picture before the change.",
    "control_of": "The original case, if this case is a control whose change must not affect the answer.",
}
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


def _picture_formats(pictures: Path) -> str | list[str]:
    """Return the media type of the pictures, or a list if there are several; PNG if there are no pictures."""
    endings = {file.suffix.lower() for file in pictures.iterdir()} if pictures.is_dir() else set()
    formats = sorted({_MEDIA_TYPES[ending] for ending in endings if ending in _MEDIA_TYPES}) or ["image/png"]
    return formats if len(formats) > 1 else formats[0]


def _fields(column: str) -> list[dict[str, Any]]:
    """Return the Croissant fields of a column; a question or a change has one for each of its parts."""
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

"""What stands beside the rows of a dataset: a card for people (README.md) and one for machines (croissant.json)."""

import datetime
import hashlib
import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import msgspec

from countersight import __version__

_CONTEXT: dict[str, Any] = {
    "@language": "en",
    "@vocab": "https://schema.org/",
    "citeAs": "cr:citeAs",
    "column": "cr:column",
    "conformsTo": "dct:conformsTo",
    "cr": "http://mlcommons.org/croissant/",
    "rai": "http://mlcommons.org/croissant/RAI/",
    "data": {"@id": "cr:data", "@type": "@json"},
    "dataType": {"@id": "cr:dataType", "@type": "@vocab"},
    "dct": "http://purl.org/dc/terms/",
    "equivalentProperty": "cr:equivalentProperty",
    "examples": {"@id": "cr:examples", "@type": "@json"},
    "extract": "cr:extract",
    "field": "cr:field",
    "fileProperty": "cr:fileProperty",
    "fileObject": "cr:fileObject",
    "fileSet": "cr:fileSet",
    "format": "cr:format",
    "includes": "cr:includes",
    "isLiveDataset": "cr:isLiveDataset",
    "jsonPath": "cr:jsonPath",
    "key": "cr:key",
    "md5": "cr:md5",
    "parentField": "cr:parentField",
    "path": "cr:path",
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

_MADE = "## How it was made\n"

Section = Callable[[Path], str]
"""A further part of the card in Markdown, told of a folder whose rows are complete."""

_CONTROLS = """## Controls

A case with `control_of` is the control of the case it names: the same picture and question, and a change that does not
touch what is asked, so that the answer must stay. An answer that does not change where it should is a miss, one that
changes where it should not a false alarm; `countersight report` has both side by side, and their balance as one figure.
"""

_COLUMNS = {
    "id": "Name of the case.",
    "file_name": "The picture as it is.",
    "counterfactual_file_name": "The picture after the change.",
    "suite": "The benchmark that the case belongs to.",
    "group": "Part of the suite that the case belongs to.",
    "factual_question": "Question about the picture as it is.",
    "change": "What is different in the counterfactual world.",
    "counterfactual_question": "Question about the picture under the change.",
    "shown_question": "Question to ask of the counterfactual picture.",
    "context": "What was said of the picture before the change.",
    "control_of": "The case of which this is a control: its change does not touch what is asked.",
}
_PARTS = {"change": ("text",)} | dict.fromkeys(
    ("factual_question", "counterfactual_question", "shown_question"), ("text", "answer", "kind")
)


def write_card(
    folder: Path,
    name: str,
    description: str,
    license: str,
    provenance: dict[str, str | int],
    count: int,
    columns: set[str],
    sections: Sequence[Section] = (),
) -> None:
    """Write README.md and croissant.json into a dataset folder whose rows are complete; `columns` are in use."""
    readme = [_readme(name, description, license, provenance, count)]
    readme += [_CONTROLS] if "control_of" in columns else []
    readme += [section(folder) for section in sections]
    (folder / "README.md").write_text("\n".join(readme), encoding="utf-8")
    croissant = _croissant(folder, name, description, license, columns)
    (folder / "croissant.json").write_bytes(msgspec.json.format(msgspec.json.encode(croissant), indent=2) + b"\n")


def read_card(folder: Path) -> tuple[dict[str, str], str]:
    """The simple fields at the head of a dataset's card, and its text; nothing where there is no card."""
    file = folder / "README.md"
    text = file.read_text(encoding="utf-8", errors="replace") if file.is_file() else ""
    parts = re.fullmatch(r"---\n(.*?)\n---\n(.*)", text, re.DOTALL)
    if parts is None:
        return {}, text
    return dict(re.findall(r"^(\w+): (\S.*)$", parts[1], re.MULTILINE)), parts[2]


def read_provenance(folder: Path) -> dict[str, str]:
    """How a dataset says it was made: its suite, and the seed or the published file."""
    _, _, made = read_card(folder)[1].partition(_MADE)
    return dict(re.findall(r"^- ([\w ]+): `(.*)`$", made.partition("\n#")[0], re.MULTILINE))


def _readme(name: str, description: str, license: str, provenance: dict[str, str | int], count: int) -> str:
    made = "\n".join(f"- {key}: `{value}`" for key, value in provenance.items())
    return f"""---
license: {license.lower()}
pretty_name: {name}
task_categories:
- visual-question-answering
tags:
- counterfactual
- countersight
size_categories:
- {size_category(count)}
---

# {name}

{description}

{count:,} cases, one a line in `metadata.jsonl`: a picture (`file_name`), a question about it as it is
(`factual_question`), and a question about it under a change (`counterfactual_question`). Where there is a picture of
the changed world, it is `counterfactual_file_name`, and `shown_question` asks about it.

```python
from datasets import load_dataset

cases = load_dataset("imagefolder", data_dir="path/to/this/folder")["train"]
```

{_MADE}
{made}
"""


def size_category(count: int) -> str:
    """How many cases there are, in the words of the Hugging Face hub."""
    for limit, label in ((1_000, "n<1K"), (10_000, "1K<n<10K"), (100_000, "10K<n<100K"), (1_000_000, "100K<n<1M")):
        if count < limit:
            return label
    return "1M<n<10M"


def _croissant(folder: Path, name: str, description: str, license: str, columns: set[str]) -> dict[str, Any]:
    with open(folder / "metadata.jsonl", "rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    return {
        "@context": _CONTEXT,
        "@type": "sc:Dataset",
        "name": name,
        "description": description,
        "conformsTo": "http://mlcommons.org/croissant/1.0",
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
                "encodingFormat": "image/png",
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


def _fields(column: str) -> list[dict[str, Any]]:
    """A column as Croissant fields: a question or a change has one for each of its parts."""
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

"""The cards of a dataset: README.md for people and croissant.json for machines."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final

from countersight.dataset.croissant import CROISSANT, croissant, known_facts, write_croissant
from countersight.dataset.provenance import provenance_section

Section = Callable[[Path], str]
"""Returns a further section of the card in Markdown, given a dataset folder whose rows are complete."""

_LOADS: Final = {
    True: 'load_dataset("imagefolder", data_dir="path/to/this/folder")',
    False: 'load_dataset("json", data_files="path/to/this/folder/metadata.jsonl")',
}
"""Code that loads a dataset with or without pictures; "imagefolder" needs the column `file_name`."""
_ROWS: Final = "one per line in `metadata.jsonl`"
_PICTURE: Final = "a picture (`file_name`)"
_CHANGED_PICTURE: Final = "`counterfactual_file_name`"
_AS_PARQUET: Final = {
    _ROWS: "one per row, with the complete case in `case`",
    _PICTURE: "a picture (`images`)",
    _CHANGED_PICTURE: "`counterfactual_images`",
    **dict.fromkeys(_LOADS.values(), 'load_dataset("path/to/this/folder")'),
}
"""The phrases of a card that depend on the files, as they read in a copy whose rows are in Parquet files."""

_CONTROLS = """## Controls

A case with `control_of` is a control of the named case: it has the same picture and question, but its change must not
affect the answer. An answer that should change but stays is a miss; an answer that should stay but changes is a false
alarm. `countersight report` shows both rates and their balance, next to the balance of a model that ignores every
change.
"""


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
    """Write README.md and croissant.json to a dataset folder whose rows are complete; `columns` are the columns in
    use."""
    readme = [_readme(name, description, license, provenance, count, columns)]
    readme += [_CONTROLS] if "control_of" in columns else []
    readme += [section(folder) for section in sections]
    (folder / "README.md").write_text("\n".join(readme), encoding="utf-8")
    made = {key: str(value) for key, value in provenance.items()}
    write_croissant(
        folder / CROISSANT, croissant(folder, name, description, license, columns) | known_facts(folder, made)
    )


def _readme(
    name: str, description: str, license: str, provenance: dict[str, str | int], count: int, columns: set[str]
) -> str:
    load = _LOADS["file_name" in columns]
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

{count:,} cases, {_ROWS}{_contents(columns)}

```python
from datasets import load_dataset

cases = {load}["train"]
```

{provenance_section(provenance)}
"""


def describe_as_parquet(card: str) -> str:
    """Return the text of a dataset's card for a copy of the dataset in Parquet files."""
    for folder, parquet in _AS_PARQUET.items():
        card = card.replace(folder, parquet)
    return card


def _contents(columns: set[str]) -> str:
    """Describe what a case contains, given the columns in use."""
    about = "about it" if "file_name" in columns else "about a picture that is not in this folder"
    under = " under a change" if "factual_question" in columns else ""
    words = {
        "file_name": _PICTURE,
        "factual_question": f"a question {about} (`factual_question`)",
        "counterfactual_question": f"a question {about}{under} (`counterfactual_question`)",
    }
    parts = [text for column, text in words.items() if column in columns]
    if not parts:  # there are no cases
        return "."
    *first, last = parts
    comma = "," if len(first) > 1 else ""
    text = f": {', '.join(first)}{comma}\nand {last}." if first else f": {last}."
    if "counterfactual_file_name" in columns:
        text += (
            f" If there is a picture after the change,\n{_CHANGED_PICTURE} names it and `shown_question` asks about it."
        )
    return text


def size_category(count: int) -> str:
    """Return the size category of the Hugging Face Hub for this number of cases."""
    for limit, label in ((1_000, "n<1K"), (10_000, "1K<n<10K"), (100_000, "10K<n<100K"), (1_000_000, "100K<n<1M")):
        if count < limit:
            return label
    return "1M<n<10M"

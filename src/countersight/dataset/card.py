"""The cards of a dataset: README.md for people and croissant.json for machines."""

import re
from collections.abc import Callable, Sequence
from pathlib import Path

from countersight.dataset.croissant import CROISSANT, croissant, known_facts, write_croissant

_MADE = "## How it was made\n"

Section = Callable[[Path], str]
"""Returns a further section of the card in Markdown, given a dataset folder whose rows are complete."""

_LOADS = {
    True: 'load_dataset("imagefolder", data_dir="path/to/this/folder")',
    False: 'load_dataset("json", data_files="path/to/this/folder/metadata.jsonl")',
}
"""Code that loads a dataset with or without pictures; "imagefolder" needs the column `file_name`."""

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
    _, _, made = read_card(folder)[1].partition(_MADE)
    return dict(re.findall(r"^- ([\w ]+): `(.*)`$", made.partition("\n#")[0], re.MULTILINE))


def published_file(folder: Path) -> str:
    """Return the name of the published file that contains these questions or that they were built from; "" if there is
    none."""
    made = read_provenance(folder)
    if made.get("suite") == "own":
        return ""
    # `build` records where its questions come from: a published file, or a dataset, which is a folder.
    built_from = made.get("questions", "")
    return made.get("file") or (built_from if Path(built_from).suffix in (".csv", ".json") else "")


def _readme(
    name: str, description: str, license: str, provenance: dict[str, str | int], count: int, columns: set[str]
) -> str:
    load = _LOADS["file_name" in columns]
    made = "\n".join(f"- {key}: `{' '.join(str(value).split())}`" for key, value in provenance.items())
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

{count:,} cases, one per line in `metadata.jsonl`{_contents(columns)}

```python
from datasets import load_dataset

cases = {load}["train"]
```

{_MADE}
{made}
"""


def _contents(columns: set[str]) -> str:
    """Describe what a case contains, given the columns in use."""
    about = "about it" if "file_name" in columns else "about a picture that is not in this folder"
    under = " under a change" if "factual_question" in columns else ""
    words = {
        "file_name": "a picture",
        "factual_question": f"a question {about}",
        "counterfactual_question": f"a question {about}{under}",
    }
    parts = [f"{text} (`{column}`)" for column, text in words.items() if column in columns]
    if not parts:  # there are no cases
        return "."
    *first, last = parts
    comma = "," if len(first) > 1 else ""
    text = f": {', '.join(first)}{comma}\nand {last}." if first else f": {last}."
    if "counterfactual_file_name" in columns:
        text += (
            " If there is a picture after the change,\n"
            "`counterfactual_file_name` names it and `shown_question` asks about it."
        )
    return text


def size_category(count: int) -> str:
    """Return the size category of the Hugging Face Hub for this number of cases."""
    for limit, label in ((1_000, "n<1K"), (10_000, "1K<n<10K"), (100_000, "10K<n<100K"), (1_000_000, "100K<n<1M")):
        if count < limit:
            return label
    return "1M<n<10M"

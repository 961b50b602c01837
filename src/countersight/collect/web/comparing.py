"""Two versions of a text side by side: what was taken out of the first, and what is new in the second."""

from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher

from markupsafe import Markup


def compared(before: str, after: str) -> tuple[Markup, Markup]:
    """Both texts, with the words marked that the other does not have."""
    first, second = before.split(), after.split()
    steps = SequenceMatcher(None, first, second, autojunk=False).get_opcodes()
    old = ((step == "equal", first[start:end]) for step, start, end, _, _ in steps)
    new = ((step == "equal", second[start:end]) for step, _, _, start, end in steps)
    return _marked(old, Markup("<del>{}</del>")), _marked(new, Markup("<ins>{}</ins>"))


def _marked(parts: Iterator[tuple[bool, Sequence[str]]], mark: Markup) -> Markup:
    plain = Markup("{}")
    return Markup(" ").join((plain if same else mark).format(" ".join(words)) for same, words in parts if words)

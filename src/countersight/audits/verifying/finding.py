"""What can be wrong with a bundle, and what of it cannot be checked."""

from typing import Literal

import msgspec

from countersight.text import printable

What = Literal["altered", "missing", "added", "broken", "not verified"]
"""The last is neither sound nor proven wrong: another version wrote it, and this one cannot derive it again."""


class Finding(msgspec.Struct, frozen=True):
    """Something that is not as it was, or does not follow."""

    what: What
    file: str
    why: str = ""

    def __str__(self) -> str:
        return printable(f"{self.what}: {self.file}" + (f" ({self.why})" if self.why else ""))


class Note(msgspec.Struct, frozen=True):
    """Something that nobody can derive again, and why; it proves nothing against a bundle, and nothing for it."""

    what: str
    why: str
    trusted: bool = True
    """Whether the verdict rests on it."""

    def __str__(self) -> str:
        return printable(f"{'Taken on trust' if self.trusted else 'Not checked'}: {self.what} ({self.why})")

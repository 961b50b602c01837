"""The input text of the matcher: `[CLS] question [SEP] response [SEP] change [SEP] new response [SEP]` (CoSIm 6)."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from countersight.errors import ModelError
from countersight.models.embedded import padded
from countersight.models.protocol import Parts

Inputs = Literal["response", "text", "full"]
"""The inputs of the matcher: the new response alone, all text, or text and picture (CoSIm, Table 3)."""
LONGEST = 160
"""The maximum number of tokens; one in 1,900 of CoSIm's real texts is longer. The end of the longest part is then
cut."""
REMEMBERED = 50_000
"""The number of texts whose tokens are cached."""
CLS, SEP, PAD = ("[CLS]", "<s>"), ("[SEP]", "</s>"), ("[PAD]", "<pad>")
INSTALL = "pip install 'countersight[matcher]'"

Tokens = npt.NDArray[np.int64]


class Sequences:
    """Converts texts to tokens, with the tokenizer of the matcher's encoder."""

    def __init__(self, tokenizer: Any) -> None:
        self._tokenizer = tokenizer
        self._known: dict[str, list[int]] = {}
        tokenizer.no_truncation()
        tokenizer.no_padding()
        self._cls, self._sep, self.pad = (self._special(names) for names in (CLS, SEP, PAD))

    @classmethod
    def open(cls, path: Path) -> "Sequences":
        """Open the tokenizer in a file."""
        try:
            from tokenizers import Tokenizer
        except ImportError:
            raise ModelError(f"a matcher needs the package tokenizers, which is not installed: {INSTALL}") from None
        try:
            return cls(Tokenizer.from_file(str(path)))
        except Exception as error:  # the package raises no specific exceptions
            raise ModelError(f"{path} is not a tokenizer: {str(error)[:200]}") from None

    def encode_options(self, inputs: Inputs, told: Parts, options: Sequence[str]) -> list[list[int]]:
        """Return the tokens of each option's sequence."""
        before = () if inputs == "response" else (told.question, told.context, told.change)
        return [self.encode((*before, option)) for option in options]

    def encode(self, parts: Sequence[str]) -> list[int]:
        """Return the tokens of one sequence."""
        pieces = [list(self._piece(part)) for part in parts]
        over = sum(map(len, pieces)) + len(pieces) + 1 - LONGEST
        while over > 0:
            longest_piece = max(pieces, key=len)
            cut = min(over, max(1, len(longest_piece) // 4))
            del longest_piece[-cut:]
            over -= cut
        return [self._cls, *(token for piece in pieces for token in (*piece, self._sep))]

    def _piece(self, text: str) -> list[int]:
        """Return the tokens of a text, cached because the options of a case share all texts but one."""
        if text not in self._known:
            if len(self._known) >= REMEMBERED:
                self._known.clear()
            self._known[text] = list(self._tokenizer.encode(text, add_special_tokens=False).ids)
        return self._known[text]

    def batch(self, rows: Sequence[Sequence[int]]) -> tuple[Tokens, Tokens]:
        """Stack sequences, padded to the longest, and return a mask of real tokens."""
        return padded(rows, self.pad)

    def save(self, path: Path) -> None:
        """Write the tokenizer to a file."""
        self._tokenizer.save(str(path))

    @property
    def size(self) -> int:
        """The size of the vocabulary."""
        return int(self._tokenizer.get_vocab_size())

    def _special(self, names: tuple[str, ...]) -> int:
        found = [number for name in names if (number := self._tokenizer.token_to_id(name)) is not None]
        if not found:
            raise ModelError(f"the tokenizer has no {names[0]}; use the tokenizer of a BERT-like encoder")
        return int(found[0])

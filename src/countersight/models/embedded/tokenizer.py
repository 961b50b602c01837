"""The tokenizer: known words and numbers are one token each; other words are one token per letter."""

import re
from collections.abc import Iterable, Sequence
from typing import Final

PAD: Final = "<pad>"
USER: Final = "<user>"
MODEL: Final = "<model>"
END: Final = "<end>"
UNKNOWN: Final = "<unknown>"
SPECIAL: Final = (PAD, USER, MODEL, END, UNKNOWN)
PIECE: Final = "##"
"""The prefix of a token that is one letter of an unknown word."""

_SPLIT = re.compile(r"\n|[0-9]+|[^\W\d_]+|[^\s]")
_NO_SPACE_BEFORE = frozenset(".,;:?!)")


class Tokenizer:
    """Converts text to tokens with a fixed vocabulary. Case matters only for words that it contains in both cases."""

    def __init__(self, vocabulary: Sequence[str]) -> None:
        self.vocabulary = tuple(vocabulary)
        self._numbers = {token: number for number, token in enumerate(self.vocabulary)}
        self.pad, self.user, self.model, self.end, self._unknown = (self._numbers[token] for token in SPECIAL)
        self._words: dict[str, tuple[int, ...]] = {}

    def encode(self, text: str) -> list[int]:
        """Return the tokens of a text; never fails, whatever the text contains."""
        tokens: list[int] = []
        for word in _SPLIT.findall(text):
            known = self._words.get(word)
            if known is None:
                known = self._spell(word)
                if len(self._words) < 10_000:  # limits memory for arbitrary texts
                    self._words[word] = known
            tokens += known
        return tokens

    def decode(self, tokens: Iterable[int]) -> str:
        """Return the text of tokens with normal spacing; turn markers are left out."""
        text = ""
        spelling = False
        for number in tokens:
            token = self.vocabulary[number]
            if token in SPECIAL:
                continue
            piece = token.startswith(PIECE)
            word = token.removeprefix(PIECE) if piece else token
            glued = not text or text[-1] in "\n(" or word == "\n" or word in _NO_SPACE_BEFORE or (piece and spelling)
            text += word if glued else f" {word}"
            spelling = piece
        return text

    def conversation(self, turns: Iterable[tuple[str, str]]) -> list[int]:
        """Return the tokens of a conversation, given as pairs of role and text, up to the model's next turn."""
        tokens: list[int] = []
        for role, text in turns:
            if role == "user":
                tokens += [self.user, *self.encode(text)]
            else:
                tokens += [self.model, *self.encode(text), self.end]
        return [*tokens, self.model]

    def _spell(self, word: str) -> tuple[int, ...]:
        for known in (word, word.lower()):
            if known in self._numbers and known not in SPECIAL:
                return (self._numbers[known],)
        return tuple(self._numbers.get(PIECE + letter, self._unknown) for letter in word.lower())

"""The tokenizer of a matcher: that of its encoder, or one learned from the texts where it begins from scratch."""

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec

from countersight.errors import CountersightError
from countersight.models.matcher import TOKENIZER, Sequences
from countersight.training.matcher.examples import Example
from countersight.training.matcher.plan import COUNTS

VOCABULARY = 8000
SPECIAL = ("[PAD]", "[UNK]", "[CLS]", "[SEP]")


def sequences_for(encoder: str, examples: Sequence[Example]) -> Sequences:
    """The tokenizer to train with."""
    if encoder in ("", COUNTS):
        return Sequences(_learned(examples))
    file = Path(encoder) / TOKENIZER
    if file.is_file():
        return Sequences.open(file)
    from transformers import AutoTokenizer

    try:
        slow = AutoTokenizer.from_pretrained(encoder, local_files_only=True)
        return Sequences(slow.backend_tokenizer)
    except (OSError, ValueError, AttributeError) as error:
        raise CountersightError(f"{encoder} holds no tokenizer that can be used: {str(error)[:200]}") from None


def _learned(examples: Sequence[Example]) -> Any:
    """The most frequent words, and every sign to spell the others with.

    The package's own trainer breaks ties by chance; this is the same every time, so that a training can be repeated.
    """
    from tokenizers import Tokenizer, normalizers, pre_tokenizers
    from tokenizers.models import WordPiece

    normalizer, splitter = normalizers.BertNormalizer(), pre_tokenizers.BertPreTokenizer()
    words: Counter[str] = Counter()
    for text in (text for one in examples for text in (*msgspec.structs.astuple(one.parts), *one.options)):
        words.update(word for word, _ in splitter.pre_tokenize_str(normalizer.normalize_str(text)))
    signs = sorted({sign for word in words for sign in word})
    known = sorted(words, key=lambda word: (-words[word], word))[:VOCABULARY]
    tokens = dict.fromkeys([*SPECIAL, *signs, *(f"##{sign}" for sign in signs), *known])
    tokenizer = Tokenizer(WordPiece({token: number for number, token in enumerate(tokens)}, unk_token=SPECIAL[1]))
    tokenizer.normalizer, tokenizer.pre_tokenizer = normalizer, splitter
    return tokenizer

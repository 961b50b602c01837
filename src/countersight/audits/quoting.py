"""Quote texts of others in a prompt, so that a model can tell them from its instructions."""

import hashlib
import re

from countersight.audits.clients import replace_surrogates

MARK = "| "
LONGEST_QUOTATION = 8_000
"""The maximum length of a text that is quoted in a prompt, in characters; explanations are far shorter."""
_BREAKS = re.compile(r"\r\n|[\n\r\v\f\x1c-\x1e\x85\u2028\u2029]")
_UNSEEN = re.compile(r"[\x00-\x08\x0e-\x1b\x1f\x7f\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff\U000e0000-\U000e007f]")
"""Invisible characters, which could hide words from a person who reads the log."""


def flatten(text: str) -> str:
    """Return a text on one line without quotation marks, for prompts that are used as published."""
    return " ".join(_plain(text).split()) or "(nothing)"


def _plain(text: str) -> str:
    """Return the part of a text that is quoted, with invisible characters made visible."""
    return _UNSEEN.sub("\ufffd", replace_surrogates(text[:LONGEST_QUOTATION]))


def quote(name: str, text: str) -> str:
    """Quote a text as data under a name: every line is marked, and the result is reproducible."""
    plain = _plain(text)
    tag = hashlib.sha256(f"{name}/{plain}".encode()).hexdigest()[:12]
    lines = [f"{MARK}{line}" for line in _BREAKS.split(plain)]
    cut = [f"(cut: {len(text):,} characters in all)"] if len(text) > LONGEST_QUOTATION else []
    return "\n".join((f"--- {name} {tag} begins ---", *lines, f"--- {name} {tag} ends ---", *cut))

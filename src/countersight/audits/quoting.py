"""Words of others, handed on as data: what a model under audit says must never be taken for an instruction.

Every line of a quotation is marked, whatever it holds, and the quotation stands between two lines that name it by a
digest of its own words: a text that knew its own digest could write such a line, but still not an unmarked one.
"""

import hashlib
import re

MARK = "| "
LONGEST = 8_000
"""Signs of a quotation that are handed on; an explanation is far shorter."""
_BREAKS = re.compile(r"\r\n|[\n\r\v\f\x1c-\x1e\x85\u2028\u2029]")
_UNSEEN = re.compile(r"[\x00-\x08\x0e-\x1b\x1f\x7f\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff\U000e0000-\U000e007f]")
"""Signs that nobody sees but a tokenizer: they could hide words from whoever reads the log."""


def as_it_stands(text: str) -> str:
    """A text without marks, for prompts that are used as others wrote them; on one line, as they have it."""
    return " ".join(_UNSEEN.sub("\ufffd", text[:LONGEST].encode("utf-8", "replace").decode()).split()) or "(nothing)"


def quoted(name: str, text: str) -> str:
    """A text as quoted data, under a name; the same for the same text, and never holding a line that is not marked."""
    plain = _UNSEEN.sub("\ufffd", text[:LONGEST].encode("utf-8", "replace").decode())
    tag = hashlib.sha256(f"{name}/{plain}".encode()).hexdigest()[:12]
    lines = [f"{MARK}{line}" for line in _BREAKS.split(plain)]
    cut = [f"(cut: {len(text):,} signs in all)"] if len(text) > LONGEST else []
    return "\n".join((f"--- {name} {tag} begins ---", *lines, f"--- {name} {tag} ends ---", *cut))

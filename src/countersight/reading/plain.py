"""Converts a reply to plain text of limited length, without reasoning, markup and look-alike characters."""

import re
import unicodedata
from typing import cast


class _Lazy:
    """A pattern that is compiled on first use, so that importing the package is fast."""

    def __init__(self, pattern: str, flags: int) -> None:
        self._source, self._flags = pattern, flags

    def __getattr__(self, method: str) -> object:
        found: object = getattr(re.compile(self._source, self._flags), method)
        setattr(self, method, found)
        return found


def lazy(pattern: str, flags: int = 0) -> re.Pattern[str]:
    """Return a regular expression that is compiled on first use."""
    return cast("re.Pattern[str]", _Lazy(pattern, flags))


def any_case(pattern: str, flags: int = 0) -> re.Pattern[str]:
    """Return a lazy regular expression that ignores case."""
    return lazy(pattern, flags | re.IGNORECASE)


# Answers are at the beginning or the end; the middle of a very long reply is ignored.
_HEAD = _TAIL = 4_000

_LOOK_ALIKES = str.maketrans(
    {
        "‘": "'", "’": "'", "‛": "'", "´": "'", "′": "'", "“": '"', "”": '"', "„": '"', "«": '"', "»": '"', "″": '"',
        "‐": "-", "‑": "-", "‒": "-", "–": "-", "−": "-", "﹣": "-", "—": " -- ", "―": " -- ",
        "×": "*", "✕": "*", "⋅": "*", "÷": "/", "⁄": "/", "→": "=", "⇒": "=", "≈": "=", "∴": " So ",
        "。": ". ", "，": ", ", "、": ", ", "｡": ". ", "．": ".", "：": ": ", "！": "! ", "？": "? ", "；": "; ",
        "।": ". ", "،": ", ", "؟": "? ", "؛": "; ", "\u20e3": "",
    }
)  # fmt: skip
_THOUGHT = r"(?:\w{1,12}:)?(?:think|thinking|thoughts?|reason|reasoning|scratchpad|analysis|reflection|monologue)"
_THOUGHT_START = any_case(rf"(?:<\|?|\[|◁)(?:(?:start|begin)_(?:of_)?)?{_THOUGHT}(?:\|?>|\]|▷)")
_THOUGHT_END = any_case(
    rf"(?:<\|?/|\[/|◁/|<\|?end_(?:of_)?){_THOUGHT}(?:\|?>|\]|▷)|<\|channel\|>\s*final\s*<\|message\|>|assistantfinal"
)
_BOX_TOKEN = any_case(r"<\|(?:begin|start)_of_box\|>(.{0,400}?)<\|end_of_box\|>", re.DOTALL)
_CONTROL_TOKEN = any_case(r"<\|[^|<>]{1,40}\|>|</?s>|<(?:pad|eos|bos|end_of_turn|start_of_turn)>")
_ARROW = lazy(r"(?<=[\w )])[-=]{1,2}>(?=[\w (])")
_FENCE = lazy(r"^[ \t]*(?:```|~~~)[ \t]*\w*[ \t]*$|```(?:json|text|python|latex|markdown)?", re.MULTILINE)
_LATEX = (
    (lazy(r"\\boxed\s*\{([^{}]{0,200})\}"), r"\1"),
    (lazy(r"\\(?:text\w*|math\w+|operatorname|mbox)\s*\{([^{}]{0,200})\}"), r"\1"),
    (lazy(r"(?:\\sqrt|√)\s*\{([^{}]{1,60})\}"), r"√\1"),
    (lazy(r"\\[dt]?frac\s*\{([^{}]{1,60})\}\s*\{([^{}]{1,60})\}"), r"\1/\2"),
    (lazy(r"\\(?:times|cdot|ast)\b"), " * "),
    (lazy(r"\\(?:rightarrow|Rightarrow|implies|to|approx)\b"), " = "),
    (lazy(r"\^?\{?\\circ\}?|\^\{?\\degree\}?"), "°"),
    (lazy(r"\\pi\b"), "π"),
    (lazy(r"\\%"), "%"),
    (lazy(r"\\\\(?![a-zA-Z])|\\(?:quad|qquad)\b"), "\n"),
    (lazy(r"\\[\[\]()]|\\[,;:! ]|\$+|\\(?:left|right|displaystyle|math(?:rm|bf)|rm|bf|text)\b|[{}&](?=\s|$)"), " "),
)
_TAG = any_case(r"</?(?:b|i|em|strong|p|br|span|div|u|code|mark|sup|sub|li|ul|ol|center|h[1-6])\s*/?>")
_STRUCK = lazy(r"~~[^~\n]{1,200}~~")
_EMPHASIS = lazy(r"\*{2,}|__+|(?<![\w*])\*(?=\S)|(?<=\S)\*(?![\w*])|(?<!\w)_(?=\w)|(?<=\w)_(?!\w)|`")
_LINE_MARK = lazy(r"^[ \t]*(?:#{1,6}[ \t]*(?!#)|>+[ \t]*|(?:--|[-*+•·▪►✓✅☑])[ \t]+)+", re.MULTILINE)
_SPACES = lazy(r"[^\S\n]+")
_UNUSUAL = lazy(r"[^\n\x20-\x7e]")


def word_set(words: str) -> frozenset[str]:
    """Return the distinct words of a text."""
    return frozenset(words.split())


def strip_reasoning(text: str) -> str | None:
    """Return the reply after its reasoning, with normalised characters; None if the reasoning never ended."""
    ends = list(_THOUGHT_END.finditer(text, max(0, len(text) - 1_000_000)))
    after = text[ends[-1].end() :] if ends else text
    start = _THOUGHT_START.search(text if ends else text[:200_000])
    if start and (not ends or not after.strip()):
        after = text[: start.start()]
    if (start or ends) and not after.strip():
        return None
    text = _shortened(unicodedata.normalize("NFKC", _shortened(after).translate(_LOOK_ALIKES)).translate(_LOOK_ALIKES))
    text = _UNUSUAL.sub(lambda sign: _visible(sign[0]), text)
    if "<" in text:
        text = _CONTROL_TOKEN.sub(" ", _BOX_TOKEN.sub(r"\\boxed{\1}", text))
    return _ARROW.sub(" = ", text) if ">" in text else text


def strip_markup(text: str) -> str:
    """Return the text without Markdown, HTML or LaTeX."""
    if "```" in text or "~~" in text:
        text = _STRUCK.sub(" ", _FENCE.sub("\n", text))
    if "\\" in text or "$" in text:
        for pattern, sign in _LATEX:
            text = pattern.sub(sign, text)
    if "<" in text:
        text = _TAG.sub(" ", text)
    text = _LINE_MARK.sub("", text)
    if "*" in text or "_" in text or "`" in text:
        text = _EMPHASIS.sub("", text)
    return _SPACES.sub(" ", text).strip()


def normalise_lines(question: str) -> str:
    """Return a question of limited length, with single spaces and no empty lines."""
    return "\n".join(" ".join(line.split()) for line in _shortened(question).splitlines() if line.strip())


def _shortened(text: str) -> str:
    if len(text) <= _HEAD + _TAIL:
        return text
    head, tail = text[:_HEAD], text[-_TAIL:]
    # A number or word that was cut in two would be misread: remove the partial word on both sides.
    return f"{head[: head.rfind(' ') + 1]}\n\n{tail[tail.find(' ') + 1 :]}"


def _visible(character: str) -> str:
    if character < "\x7f":
        return character if character >= " " or character == "\n" else (" " if character.isspace() else "")
    category = unicodedata.category(character)
    if category == "Nd":
        return str(unicodedata.digit(character))  # Arabic-Indic, Devanagari, … digits
    if category in ("Cf", "Cc", "Cs") or "\ufe00" <= character <= "\ufe0f":
        return ""  # zero-width signs, byte order marks, text direction, variation selectors
    return "\n" if category in ("Zl", "Zp") else character

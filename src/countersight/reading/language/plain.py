"""Turns what a model wrote into plain text: no markup, no thoughts, no look-alike characters, bounded length."""

import re
import unicodedata

# A reply states its answer at its beginning or at its end; what lies between in a very long one is never looked at,
# so that ten megabytes cost no more than twelve thousand characters.
_HEAD = 6_000
_TAIL = 6_000

_LOOK_ALIKES = str.maketrans(
    {
        "‘": "'", "’": "'", "‚": "'", "‛": "'", "´": "'", "′": "'",
        "“": '"', "”": '"', "„": '"', "‟": '"', "«": '"', "»": '"', "″": '"',
        "‐": "-", "‑": "-", "‒": "-", "–": "-", "−": "-", "﹣": "-",
        "—": " -- ", "―": " -- ",  # never a minus, unlike the shorter ones
        "×": "*", "✕": "*", "⋅": "*", "÷": "/", "⁄": "/",
        "→": "=", "⇒": "=", "≈": "=",
        "∴": " so ",
        "。": ". ", "，": ", ", "、": ", ",
        "\u20e3": "",  # the box of a keycap digit
    }
)  # fmt: skip

_THOUGHT = "think|thinking|thought|thoughts|reasoning|scratchpad|analysis"
_THOUGHT_END = re.compile(rf"</\s*(?:{_THOUGHT})\s*>", re.IGNORECASE)
_THOUGHT_START = re.compile(rf"<\s*(?:{_THOUGHT})\s*>", re.IGNORECASE)
_CONTROL_TOKEN = re.compile(r"<\|[^|<>]{1,40}\|>|</?s>|<(?:pad|eos|bos|end_of_turn|start_of_turn)>", re.IGNORECASE)
_ARROW = re.compile(r"(?<=[\w ])[-=]{1,2}>(?=[\w ])")
_FENCE = re.compile(r"^[ \t]*(?:```|~~~)[ \t]*[a-zA-Z]*[ \t]*$|```", re.MULTILINE)
_LATEX_WRAPPER = re.compile(r"\\(?:text|textbf|textit|mathbf|mathrm|mathit|operatorname)\s*\{([^{}]{0,200})\}")
_LATEX_SIGN = re.compile(r"\\[\[\]()]|\\[,;! ]|\$+(?!\d)|(?<=[\d}])\$+|\\(?:left|right)\b")
_LATEX_WORDS = (
    (re.compile(r"\\(?:times|cdot)\b"), " * "),
    (re.compile(r"\\(?:rightarrow|Rightarrow|implies|to|approx)\b"), " = "),
)
_TAG = re.compile(r"</?(?:b|i|em|strong|p|br|span|div|u|code|mark|h[1-6])\s*/?>", re.IGNORECASE)
_BACKTICK = re.compile(r"(?<=[a-z])`(?=[a-z])", re.IGNORECASE)  # "don`t"; the others mark code
_STRUCK = re.compile(r"~~[^~\n]{1,200}~~")
_EMPHASIS = re.compile(r"\*{2,}|__+|(?<![\w*])\*(?=\S)|(?<=\S)\*(?![\w*])|(?<!\w)_(?=\w)|(?<=\w)_(?!\w)")
_LINE_MARK = re.compile(r"^[ \t]*(?:#{1,6}[ \t]+|>+[ \t]*|(?:--|[-*+•·▪►])[ \t]+)+", re.MULTILINE)
_MISSPELT_NOT = re.compile(r"\b(would|could|should|is|are|was|were|does|do|did|has|have|had)'?nt\b", re.IGNORECASE)
_TAG_QUESTION = re.compile(r",? (?:\w+n't (?:it|he|she|they|there)|right)\?(?=\s|$)", re.IGNORECASE)
_SPACES = re.compile(r"[^\S\n]+")


def bounded(text: str) -> str:
    """The beginning and the end of a text that is too long to be read whole."""
    if len(text) <= _HEAD + _TAIL:
        return text
    head, tail = text[:_HEAD], text[-_TAIL:]
    # A number or a word cut in two would be read as another: give up the torn piece on either side.
    return f"{head[: head.rfind(' ') + 1]}\n\n{tail[tail.find(' ') + 1 :]}"


def spoken(text: str) -> str | None:
    """What the model said after thinking, in one alphabet; None where it never stopped thinking."""
    after = list(_THOUGHT_END.finditer(text, max(0, len(text) - 1_000_000)))
    if after:
        text = text[after[-1].end() :]
    elif _THOUGHT_START.match(text.lstrip()[:40]):
        return None  # cut off before it came to an answer: any number in there is not one
    text = bounded(unicodedata.normalize("NFKC", bounded(text).translate(_LOOK_ALIKES)).translate(_LOOK_ALIKES))
    return _ARROW.sub(" = ", _CONTROL_TOKEN.sub(" ", "".join(map(_visible, text))))


def plain(text: str) -> str:
    """The words without Markdown, HTML or LaTeX around them."""
    text = _LATEX_WRAPPER.sub(r"\1", _STRUCK.sub(" ", _FENCE.sub("\n", text)))
    text = _BACKTICK.sub("'", text).replace("`", " ")
    for pattern, sign in _LATEX_WORDS:
        text = pattern.sub(sign, text)
    text = _TAG.sub(" ", _LATEX_SIGN.sub(" ", text))
    text = _EMPHASIS.sub("", _LINE_MARK.sub("", text))
    text = _TAG_QUESTION.sub(".", text)
    return _SPACES.sub(" ", _MISSPELT_NOT.sub(r"\1n't", text)).strip()


def _visible(character: str) -> str:
    if character < "\x7f":
        return character if character >= " " or character in "\n\t" else (" " if character.isspace() else "")
    category = unicodedata.category(character)
    if category == "Nd":
        return str(unicodedata.digit(character))  # Arabic-Indic, Devanagari, … digits
    if category in ("Cf", "Cc", "Cs") or "\ufe00" <= character <= "\ufe0f":
        return ""  # zero-width signs, byte order marks, text direction, variation selectors
    return "\n" if category in ("Zl", "Zp") else character

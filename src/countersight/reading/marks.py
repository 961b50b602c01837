"""Finds marked or announced answers: boxes, tags, JSON fields, "Answer:" in seventeen languages, and bold type."""

import re
from collections.abc import Iterator
from typing import Final

from countersight.reading.plain import any_case, lazy

# Each language: phrases before the answer, words for yes, words for no.
_SPACED: Final = {
    "Arabic": ("الإجابة الصحيحة هي|الإجابة هي|الجواب هو|الإجابة|الجواب", "نعم|أجل", "لا|كلا"),
    "Dutch": ("het juiste antwoord is|het antwoord is|antwoord", "ja", "nee"),
    "French": ("la bonne réponse est|la réponse est|réponse finale|réponse", "oui", "non"),
    "German": ("die (?:richtige )?antwort (?:ist|lautet)|antwort", "ja", "nein"),
    "Hindi": ("सही उत्तर है|उत्तर है|सही उत्तर|उत्तर|जवाब", "हाँ|हां|जी हाँ", "नहीं|जी नहीं"),
    "Indonesian": ("jawaban yang benar adalah|jawabannya adalah|jawaban", "ya", "tidak|bukan"),
    "Italian": ("la risposta (?:corretta )?è|risposta", "sì", "no"),
    "Polish": ("(?:prawidłowa |poprawna )?odpowiedź(?: to)?", "tak", "nie"),
    "Portuguese": ("a resposta (?:correta )?é|resposta final|resposta", "sim", "não"),
    "Russian": ("правильный ответ|ответ", "да", "нет"),
    "Spanish": ("la (?:respuesta|opción) (?:correcta )?es|respuesta final|respuesta", "sí", "no"),
    "Turkish": ("doğru cevap|doğru yanıt|cevap|yanıt", "evet", "hayır"),
    "Vietnamese": ("đáp án đúng là|đáp án là|câu trả lời là|đáp án|câu trả lời", "có|đúng|vâng", "không"),
}
_UNSPACED: Final = {
    "Chinese": (
        "(?:正确|最终)?(?:答案|选项)(?:应该)?[是为选]?|应该?选|故选|选择|選|选",
        "是的?|对的?|会的?|有的?|可以|能|正确",
        "不是|不会|不对|没有|不能|不可以|否|不|错误",
    ),
    "Japanese": ("(?:正解|答え|回答)は?|最終回答", "はい|そうです|ええ", "いいえ|いえ|違います"),
    "Korean": ("정답은?|답은|최종 답변|답변", "네|예", "아니[요오]|아뇨"),
}


def _either(column: int, before: str, after: str) -> str:
    spaced = "|".join(words[column] for words in _SPACED.values())
    unspaced = "|".join(words[column] for words in _UNSPACED.values())
    return rf"(?:{before}(?:{spaced}){after}|(?:{unspaced}))"


_ARTICLE = r"(?:\s*(?:la|le|el|il|a|die|de)\b)?(?:\s*(?:option|opción|opção|opzione|letra|lettre|lettera)\b)?"
ANSWER: Final = _either(0, r"(?<!\w)", r"(?!\w)") + rf"\s*[:=]?(?:{_ARTICLE}(?=\s*[(]?(?-i:[A-Z])\b))?"
YES: Final = _either(1, "", r"(?!\w)")
NO: Final = _either(2, "", r"(?!\w)")
"""Patterns of words before an answer, and of words for yes or no at the beginning of a reply."""
SIDES: Final = {"左": "left", "右": "right", "左边": "left", "右边": "right", "左側": "left", "右側": "right"}
"""Chinese and Japanese replies that consist of "left" or "right"; some models give them to English questions."""
_NOT_LATIN = lazy(r"[\u0370-\u1fff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")


def is_foreign(text: str) -> bool:
    """Whether most letters of a text are not Latin."""
    return not text.isascii() and 2 * len(_NOT_LATIN.findall(text)) > sum(map(str.isalpha, text))


_TAGS = r"(?:final_?\s?)?(?:answer|conclusion|final|result|output|response|solution|ans|prediction|choice|verdict)"
_TAGGED = any_case(
    rf"<\s*({_TAGS})\s*>\s*(.{{0,2000}}?)\s*(?:<\s*/\s*\1\s*>|$)|\[({_TAGS})\]\s*(.{{0,400}}?)\s*\[/\3\]", re.DOTALL
)
_BOXED = lazy(r"\\(?:boxed|fbox)\s*\{")
_FIELD = any_case(
    r"[\"'](?:final[_ ]?|correct[_ ]?|predicted[_ ]?|selected[_ ]?)?(?:answer|ans|prediction|choice|option"
    r"|result|response|conclusion|count|number|letter|value|label|verdict|total)[\"']"
    r"\s*:\s*[\[{]?\s*(?:\"((?:[^\"\\\n]|\\.){0,400})\"|'([^'\n]{0,400})'|([-\w.]{1,30}))"
)
_HASHES = lazy(r"^\s*####\s*(\S[^\n]*)$", re.MULTILINE)
_NOUN = (
    r"(?:answers?|ans|option|choice|conclusion|verdict|final (?:count|number|value|result|response|total"
    r"|decision)|correct (?:count|number|response|statement|letter)|response)"
)
# "Answer: B", "**Final answer** — B", "### Answer\nB"; but not "A: B", which may be an option.
_LABEL = any_case(
    rf"(?<![\w\"'-]){_NOUN}"
    r"(?:\s+to (?:the|this|your) question)?\s*(?:\((?:letter|number|[a-z ]{1,20})\))?\s*(?:\*\*"
    r"|__)?\s*(?:(?:is\s*)?[:=]|--?(?= ))\s*(?:\*\*|__)?"
)
_HEADING = any_case(rf"^[^\w\n]{{0,12}}(?:final |correct |short ){{0,2}}{_NOUN}[^\w\n]{{0,12}}\n+", re.MULTILINE)
_IS = r"(?:is|are|would be|will be|should be|must be|has to be|seems to be|appears to be|becomes?|=)"
_ANNOUNCED = any_case(
    rf"\b(?:answer|(?:correct|right|best|matching|appropriate|accurate|likely|suitable|closest|final|only"
    rf"|fitting|valid) (?:\w+ )?(?:answer|option|choice|one|response|letter|match|statement|conclusion"
    rf"|description|value|number|count|total))s?"
    rf"(?:\s+(?:to|for|here|in|among|from|of|based|given|that)\b[^.:\n]{{0,90}}?)?,?\s+(?:\w+ly,? |now |thus |then "
    rf"|also |most likely )?{_IS}\s*(?:not\s)?[:,]?\s*(?:that |option |choice |indeed |therefore |most likely "
    rf"|likely |probably |approximately |about )*"
    r"|\b(?:i (?:would |will |'ll |'d )?(?:choose|pick|select|go with|answer|say)|i'(?:d|ll) (?:choose|pick"
    r"|select|go with|answer|say)|(?:i'm |i am )?going with|we (?:choose|select|pick)"
    r"|my (?:choice|pick|guess|answer|best guess)(?: is| would be|:))\s*(?:that |option |choice |with )*[:]?\s*"
    r"|\b(?:correspond(?:s|ing)?|match(?:es|ing)?|leads?|points?|pointing)\s+(?:most closely )?(?:to "
    r"|with )?(?=(?:option|choice|answer)\b)(?:option|choice|answer)\s*:?\s*"
    r"|\b(?:which|this|that|it)(?: is|'s) (?:option|choice)\s+|\b(?:chang|revis|correct|updat)\w+ my answer to\s+"
)
# "Since the answer is 9", "if the answer is yes", "the answer to the first question is 2": not the reply's own answer.
_QUOTED_ANSWER = any_case(
    r"\b(?:if|since|because|when|whether|as|although|though|unless|suppose|assuming|imagine|given(?: that)?"
    r"|(?:said|asked|says|asks|think)(?: that)?)\s+(?:\w+\s+){0,3}$|\bask(?:s|ed)\b[^.\n]*$"
)
_OTHER_QUESTION = any_case(
    r"\b(?:first|original|initial|previous|given|earlier|other|second) (?:question|answer)|\bgiven\b"
)
_IS_THE_ANSWER = any_case(
    r"\s(?:is|are|was|must be|seems to be|appears to be)\s+(?:(?:clearly|therefore|thus|likely|probably) ){0,2}"
    r"(?:the |an? )?(?:only |most |best |more )?(?:correct|right|best|accurate|appropriate|likely|suitable|valid)?\s?"
    r"(?:answer|option|choice|response|match|(?<=correct)(?=[.\s,]{0,3}$))\b(?! (?:to|for) (?:a|an|another)\b)",
    re.MULTILINE,
)
_SUBJECT = lazy(r"(?:\([A-Z]\)[^\n.;]{0,60}|[^\n.,;:()]{1,60})$")
_FOREIGN = any_case(ANSWER)
BOLD = lazy(r"\*\*([^*\n]{1,120})\*\*|__([^_\n]{1,120})__|<(?:b|strong)>([^<\n]{1,120})</")


def marked_regions(said: str) -> list[str]:
    """Return the contents of boxes, tags, JSON fields and text after "####", in order; the last one counts."""
    found = [(match.start(), match[2] if match[1] else match[4]) for match in _TAGGED.finditer(said)]
    if "\\" in said:
        found += [(match.start(), _braced(said, match)) for match in _BOXED.finditer(said)]
    if ":" in said:
        found += [(match.start(), match[1] or match[2] or match[3] or "") for match in _FIELD.finditer(said)]
    if "####" in said:
        found += [(match.start(), match[1]) for match in _HASHES.finditer(said)]
    return [region for _, region in sorted(found) if region.strip()]


def announcements(text: str) -> list[tuple[int, str]]:
    """Return the labelled or announced answers in a plain text with their positions; English ones take precedence."""
    others = ((match.start(), text[match.end() :].strip()) for match in _FOREIGN.finditer(text))
    return sorted(_announced(text)) or list(others)


def _announced(text: str) -> Iterator[tuple[int, str]]:
    """Yield the text after "Answer:" or "the answer is" and before "is the correct option", with its position."""
    for match in (*_LABEL.finditer(text), *_HEADING.finditer(text)):
        if not text[: match.start()].endswith(("given ", "initial ")):
            yield match.start(), text[match.end() :].strip()
    for match in _ANNOUNCED.finditer(text):
        said = match.group()
        if not (
            re.search(r"\bnot\W*$", said, re.IGNORECASE)
            or _QUOTED_ANSWER.search(text, max(0, match.start() - 120), match.start())
            or _OTHER_QUESTION.search(said)
        ):
            yield match.start(), text[match.end() :].strip()
    for match in _IS_THE_ANSWER.finditer(text):
        if subject := _SUBJECT.search(text[max(0, match.start() - 64) : match.start()]):
            yield match.start(), subject.group().strip()


def _braced(said: str, match: re.Match[str]) -> str:
    """Return the text between the braces of a box; the rest of the line if the braces are not closed."""
    text, depth = said[match.end() : match.end() + 400], 1
    for place, sign in enumerate(text):
        depth += {"{": 1, "}": -1}.get(sign, 0)
        if not depth:
            return text[:place]
    return text.split("\n")[0]

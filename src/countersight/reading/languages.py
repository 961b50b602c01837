"""Words for "answer", "yes" and "no" in sixteen languages besides English."""

from typing import Final

from countersight.reading.plain import lazy

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


ANSWER: Final = _either(0, r"(?<!\w)", r"(?!\w)") + r"\s*[:=]?"
YES: Final = _either(1, "", r"(?!\w)")
NO: Final = _either(2, "", r"(?!\w)")
"""Patterns of words before an answer, and of words for yes or no at the beginning of a reply."""
SIDES: Final = {"左": "left", "右": "right", "左边": "left", "右边": "right", "左側": "left", "右側": "right"}
"""Replies in Chinese or Japanese that only name a side; some models give them to English questions."""
_FOREIGN = lazy(r"[\u0370-\u1fff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")


def is_foreign(text: str) -> bool:
    """Whether most letters of a text are not Latin."""
    return not text.isascii() and 2 * len(_FOREIGN.findall(text)) > sum(map(str.isalpha, text))

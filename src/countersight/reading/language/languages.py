"""Which language a reply is in, and the reading of plain Chinese and Japanese. Other languages are not read."""

import re
from collections.abc import Sequence
from typing import Literal

from countersight.case import LETTERS, Question
from countersight.reading.language.eastern_senses import said_in_signs
from countersight.reading.language.stems import stem
from countersight.reading.language.vocabulary import listed, words
from countersight.text import NUMBER_WORDS

Language = Literal["english", "eastern", "other"]

_EASTERN = re.compile(r"[\u3040-\u30ff\u4e00-\u9fff]")
_OTHER_LETTER = re.compile(r"[\u0370-\u03ff\u0400-\u04ff\u0590-\u06ff\u0900-\u0e7f\uac00-\ud7af]")
_WORD = re.compile(r"[^\W\d_]+")
_FOREIGN = words("languages.foreign")
_ENGLISH = words("languages.english")
_KNOWN = _ENGLISH | words("languages.english_too") | frozenset(NUMBER_WORDS)
_LOOKED_AT = 1_000  # characters that tell a language
_FEW = 3  # letters of another alphabet that an English reply may hold


def language_of(text: str, asked: str = "") -> Language:
    """The language of a reply, by its letters and its shortest words; those of the question tell nothing."""
    text = text[:_LOOKED_AT].lower()
    if text.isascii() and len(text) <= _FEW:
        return "english"
    if _EASTERN.search(text) and len(_EASTERN.findall(text)) * 4 >= len(re.findall(r"[a-z]+", text)):
        return "eastern"
    if len(_OTHER_LETTER.findall(text)) > _FEW:
        return "other"
    every = _WORD.findall(text)
    told = frozenset(_WORD.findall(asked.lower()))  # "hay bales" is no Spanish where they are an option
    foreign = sum((word in _FOREIGN or not word.isascii()) and word not in told for word in every)
    return "other" if foreign > sum(word in _ENGLISH for word in every) else "english"


def is_strange(text: str, question: str) -> bool:
    """Whether no word of a reply is known to be English: a number can be picked out of any language."""
    every = set(_WORD.findall(text[:_LOOKED_AT].lower()))
    known = _KNOWN.union(_WORD.findall(question.lower()), words("counts.units"))
    return len(set(map(stem, every))) > 1 and not any(word in known or word.endswith("ly") for word in every)


def _either(name: str) -> str:
    return "|".join(sorted(map(re.escape, listed(name)), key=len, reverse=True))


_ANSWER = re.compile(rf"(?:{_either('eastern.answer')})\s*(?:是|は|为|為|应为|应该是|选)?\s*[::]?\s*([^.\n]+)")
_THEREFORE = re.compile(rf"(?:{_either('eastern.therefore')})[,,]?\s*([^.\n]+)")
_RETRACTION = re.compile(_either("eastern.retractions").replace("，", ", "))
_CONDITION = re.compile(rf"(?:{_either('eastern.conditions')})[^,.\n]*,\s*")
_UNSURE = re.compile(f"{_either('eastern.unsure')}|{_either('eastern.unsaid')}|[~?]")
_SURELY = re.compile("[最不]可能")
_CHOOSE = re.compile(
    rf"^[,\s]*(?:{_either('eastern.choose')})*\s*:?\s*[((]?([A-Z])[))]?\s*(?:$|[::.,、\s((]|{_either('eastern.after_a_letter')})"
)
_CHOSEN_AT_LAST = re.compile(r"[,.]\s*(?:所以|因此|故|应|應)*[选選]择?\s*([A-Z])$")
# "不是A, 也不是B, 应该是C"
_NOT_BUT = re.compile(
    r"(?P<denied>(?:[也并]?不[会应]?[是选選]\s*[A-Z][,、.]?\s*)+)(?:应该是|應該是|应是|而是|是|应该选|应选|选)"
    r"\s*(?P<chosen>[A-Z])"
)
_IN_BRACKETS = re.compile(r"[((（]([A-Z])[))）]")
_ASKS_WHAT_IS_LEFT = re.compile(r"\b(?:left|remain\w*|still)\b|剩|还有|残", re.IGNORECASE)
_YES = re.compile(rf"^(?:(?:{_either('eastern.yes')})(?:$|[,.!\s])|[会會能][^,.?不没]{{1,8}}$)")
_NO = re.compile(rf"^(?:(?:{_either('eastern.no')})(?:$|[,.!\s])|不[会會是能可]|[没沒]有(?![^,.]*[就才])|いいえ)")
_ZERO = re.compile(rf"^(?:{_either('eastern.zero')})(?:$|[,.!\s]|[^\s,.]{{1,4}}$)")
_DIGITS = listed("eastern.digits")
_SPELLED = f"[{''.join(_DIGITS)}十百]+"
_COUNTER = f"(?:{_either('eastern.counters')})"
_NUMBER = re.compile(rf"(?<![\d.])(\d{{1,9}})(?![\d.]*\d)|({_SPELLED})(?={_COUNTER})|^({_SPELLED})$")
_ONE_OR_THE_OTHER = re.compile(rf"(?<![十百])[{''.join(_DIGITS)}]{{2}}{_COUNTER}")  # "三四只": three or four
_ONE = re.compile(f"^一{_COUNTER}")
_ANY_NUMBER = rf"(?P<number>[0-9]{{1,9}}|{_SPELLED})"
_HOW_MANY = re.compile(rf"(?P<before>.*)(?:几|幾|多少|何)(?P<counter>{_COUNTER})(?P<after>.*?)か?")
_CLAUSE_END = re.compile(r"[,.?!，。？！、\s]+")
_IN_ALL = re.compile(r"一共|总共|共(?=有)")
_COMES_TO = f"就是|{_either('eastern.results')}"
_AT_PRESENT = re.compile(_either("eastern.now"))
_AND_MORE = re.compile(_either("eastern.and_more"))
_BESIDES = re.compile("另外|另有")
_A_NOUN = 3  # signs that may be a noun and nothing else
_RESULT = re.compile(rf"(?:{_either('eastern.results')}|(?<={_COUNTER}就是))[^,.\n]*")  # "再加两个就是6个"
_JAPANESE_CONDITION = re.compile(_either("eastern.japanese_conditions") + "|いて")
_DENIES = re.compile(_either("eastern.denying"))
_GONE = re.compile(r"[就便]没有|[就便]沒有")
_NOT_EVEN_ONE = re.compile(_either("eastern.not_even_one"))
_NEGATED = re.compile(r"\b(?:no|not|without)\b|n't\b", re.IGNORECASE)
_ASKS_FOR_A_COLOUR = re.compile(
    r"how many (?:(?P<kind>[a-z]+) [a-z]+|[a-z]+(?: [a-z]+)? are (?P<is>[a-z]+))"
    r"(?: (?:are|can|do) (?:there|be seen|you see|visible))?(?: in the (?:image|picture|photo))?\W*$",
    re.IGNORECASE,
)
_PART = re.compile(_either("eastern.parts"))
_SUCH_ARE = re.compile(rf"[,.、]\s*(?P<part>[^,.、]+(?:的[是有]|のは){_ANY_NUMBER}{_COUNTER})$")  # "有缺口的是两个"
_ASKS_OF_ALL = re.compile(r"\b(?:are|is) (?:there|visible|shown|in the (?:image|picture|photo))\W*$", re.IGNORECASE)
_SOMEWHERE = re.compile("(?<!正)在(?![睡跑走飞吃喝玩看笑])|[上中下]に")
_IS_WHAT = re.compile(r"[^,.是は有]{1,12}(?:是|は|有)([^,.是は有]+)$")
# "犬はボールを追いかけています", "机の上に本があります"
_IS_DONE_TO = re.compile(r"(?:[^,.を]+は)?([^,.をは]{1,8})を[^,.を]+")
_IS_THERE = re.compile(r"[^,.]+に([^,.にが]{1,8})が(?:あります|います|ある|いる)")
_SOMEBODY_DOES = re.compile(r"[他她它][们們]?(?!是)")
_DOES = re.compile(r".+(?:会|會|正在|在[^,.]*着)")  # "孩子会喝水": a sentence, of which the answer is a part
_FEW_SIGNS = 6  # of a Chinese or Japanese answer that is no sentence
_PAUSE = re.compile(r"[,.、。]\s*")
_QUOTES = re.compile(r"[「」『』\"']")
_END = re.compile(rf"(?:{_either('eastern.endings')})?[\s.!]*$")


def eastern(text: str, question: Question) -> str | None:
    """The answer in plain Chinese or Japanese, or None. What is not plain is left unread."""
    options = [option.text for option in question.options]
    corrected = _RETRACTION.split(_QUOTES.sub("", text))[-1]
    said = _END.sub("", _said(corrected))
    if _UNSURE.search(_SURELY.sub("", said)):
        return None
    match question.kind:
        case "number":
            counted = _number(said, question.text) or _part_asked(said, question.text)
            return counted or _in_its_words(corrected, question.text)
        case "boolean":
            return _whether(said, corrected, question.text)
        case "choice":
            whole = _END.sub("", _QUOTES.sub("", text))
            if (but := _NOT_BUT.fullmatch(whole)) and but["chosen"] in LETTERS[: len(options)]:
                return None if but["chosen"] in but["denied"] else but["chosen"]
            letter = _CHOOSE.match(said) or _CHOSEN_AT_LAST.search(said) or _IN_BRACKETS.search(said)
            if not letter:
                return _worded(said, options)
            known = letter[1] in LETTERS[: len(options)] and not _names_another(said, letter[1])
            return letter[1] if known else None
        case "open":
            return _named(said)


def _named(said: str) -> str | None:
    """The few words that answer, or what a sentence says that something is: "窗帘是绿色". Others are unread."""
    done_to = _IS_DONE_TO.fullmatch(said) or _IS_THERE.fullmatch(said)
    if done_to or _SOMEBODY_DOES.match(said):
        return done_to[1] if done_to else None
    told = _IS_WHAT.match(said)
    answer = _ONE.sub("", told[1] if told else said) or said
    return answer if 0 < len(answer) <= _FEW_SIGNS and not _DOES.match(answer) else None


def _whether(said: str, whole: str, question: str) -> str | None:
    """Yes or no by these words, by the question's own, or by signs that are known to mean what it asks."""
    return _yes_or_no(said) or _said_again(whole, question) or said_in_signs(said, question)


def _yes_or_no(said: str) -> str | None:
    last = _PAUSE.split(said)[-1]  # "… not many leaves, so no"
    for part in (said, last):
        if _NO.match(part):
            return "no"
        if _YES.match(part):
            return "yes"  # "可以…没有障碍": what is gone comes after the answer
        if _GONE.search(part):
            return "no"
    return None


def _said(text: str) -> str:
    """What is announced as the answer, or else what is concluded, or else all but the supposition."""
    for pattern in (_ANSWER, _THEREFORE):
        if every := pattern.findall(text):
            return str(every[-1]).strip()
    return _CONDITION.sub("", text).strip()


def _names_another(said: str, letter: str) -> bool:
    return any(other != letter for other in re.findall(r"(?<![A-Za-z])[A-Z](?![A-Za-z])", said))


def _worded(said: str, options: Sequence[str]) -> str | None:
    """The letter of the only option whose own words stand in a text that denies nothing."""
    named = [letter for letter, option in zip(LETTERS, options, strict=False) if option.strip() in said]
    plain = len(named) == 1 and not _DENIES.search(said) and _EASTERN.search(options[LETTERS.index(named[0])])
    return named[0] if plain else None


def _said_again(said: str, question: str) -> str | None:
    """What a clause says in the question's own words: "川を渡れません", to "川を渡れますか"; "不安全", to "安全吗"."""
    main = [clause for clause in _CLAUSE_END.split(question) if clause][-1:] or [""]
    last = _PAUSE.split(said.strip(" .!"))[-1]
    if main[0].endswith("ますか"):
        done = main[0].removesuffix("ますか").rpartition("は")[2]
        told = {"no": f"{done}ません", "yes": f"{done}ます"} if len(done) > 1 else {}
        return next((answer for answer, words in told.items() if words in last), None)
    if not main[0].endswith(("吗", "嗎")):
        return None
    asked = main[0][:-1]
    if asked in said and not _DENIES.search(said.partition(asked)[0][-2:]):
        return "yes"
    first = _PAUSE.split(said)[0]
    if asked.endswith(first.removeprefix("不")) and first.startswith("不"):
        return "no"
    return "yes" if first == "有" and "有" in asked else None


def _number(said: str, question: str) -> str | None:
    if _NOT_EVEN_ONE.search(said):
        return "0"
    if _ONE_OR_THE_OTHER.search(said):
        return None
    values = _values(said)
    if not values and _ZERO.match(said):
        return "0"
    if len(values) > 1 and (then := _JAPANESE_CONDITION.split(said)[-1]) != said and len(_values(then)) == 1:
        return _values(then).pop()
    results = list(_RESULT.finditer(said))
    if len(values) > 1 and results and not _PART.search(said) and not _BESIDES.search(said):
        # What is told after a total may be what was asked, and "also" adds something else unless it means what is left.
        also = results[-1].group().startswith("还有") and not _ASKS_WHAT_IS_LEFT.search(question)
        return None if also or _values(said[results[-1].end() :]) else _only_of(_values(results[-1].group()))
    return _only_of(values)


def _part_asked(said: str, question: str) -> str | None:
    """The one part of a whole that is counted ("其中3个戴着帽子"), or that is of the colour in question."""
    such = _SUCH_ARE.search(said)
    split = (said[: such.start()], such["part"]) if such else tuple(_PART.split(said, maxsplit=1))
    if len(split) < 2 or not _values(split[0]):
        return None
    whole, parts = (
        split[0].replace("红绿灯", ""),
        [part for part in re.split(r"[,、.和;]\s*", split[1]) if _values(part)],
    )
    colour = _ASKS_FOR_A_COLOUR.match(question)
    named = (colour["kind"] or colour["is"]).lower() if colour else ""
    asked = [sign for sign, name in listed("eastern.colours").items() if name == named]
    if asked and not _DENIES.search(said):
        told = [part for part in parts if any(sign in part for sign in asked)]
        return _only_of(_values(told[0])) if len(told) == 1 and not any(sign in whole for sign in asked) else None
    told = [part for part in parts if _may_be_asked(part, question)]
    return _only_of(_values(told[0])) if len(told) == 1 else None


def _may_be_asked(part: str, question: str) -> bool:
    """Whether something that is said of a part, by the signs that are known, was asked, and nothing else is."""
    if (
        _ASKS_OF_ALL.search(question)
        or _SOMEWHERE.search(part)
        or any(map(part.__contains__, listed("eastern.colours")))
    ):
        return False
    known = [forms for sign, forms in listed("eastern.part_signs").items() if sign in part]
    asked = bool(known) and all(re.search(rf"\b(?:{forms})\b", question, re.IGNORECASE) for forms in known)
    return asked and bool(_DENIES.search(part)) == bool(_NEGATED.search(question))


def _only_of(values: set[str]) -> str | None:
    return values.pop().lstrip("0") or "0" if len(values) == 1 else None


def _in_its_words(said: str, question: str) -> str | None:
    """The number that stands where the question asks for one, in a clause that is else the question's own."""
    *supposed, main = [clause for clause in _CLAUSE_END.split(question) if clause] or [""]
    asked = _HOW_MANY.fullmatch(_IN_ALL.sub("", main))
    clauses = [_IN_ALL.sub("", clause) for clause in _CLAUSE_END.split(said) if clause.strip()]
    if not asked or not clauses:
        return None
    before, counter, after = map(re.escape, asked.group("before", "counter", "after"))
    if supposed:
        last = re.fullmatch(rf"(?:.*(?:{_COMES_TO}))?{_ANY_NUMBER}{counter}(?P<end>.*)", clauses[-1].rstrip("了"))
        also = "还有" in clauses[-1] and not _ASKS_WHAT_IS_LEFT.search(question)
        plain = last and asked["after"].endswith(last["end"]) and not _AT_PRESENT.search(clauses[-1]) and not also
        return _digits(last["number"]) if last and plain else None
    if first := re.fullmatch(rf"{before}{_ANY_NUMBER}{counter}{after}", clauses[0]):
        return None if _AND_MORE.search("".join(clauses[1:])) else _digits(first["number"])
    part = re.fullmatch(rf"其中只?有?{_ANY_NUMBER}{counter}{after}", clauses[-1])
    return _digits(part["number"]) if part and len(asked["after"]) > _A_NOUN else None


def _digits(number: str) -> str:
    return str(int(number)) if number.isascii() else _value(number)


def _values(said: str) -> set[str]:
    return {digits or _value(spelled or alone) for digits, spelled, alone in _NUMBER.findall(said)}


def _value(spelled: str) -> str:
    """A number below a thousand: 十二 is 12, 二十 is 20, 三百零五 is 305."""
    total = current = 0
    for sign in spelled:
        if sign in "十百":
            total, current = total + (current or 1) * (10 if sign == "十" else 100), 0
        else:
            current = _DIGITS[sign]
    return str(total + current)

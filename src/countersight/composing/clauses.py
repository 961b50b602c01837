"""Takes a counterfactual question apart: what is asked, what is supposed, and the events the supposition tells."""

import re

from countersight.composing.vocabulary import AUXILIARIES, MORE, SCALING, is_quantity, is_verb, verb_of

_SPACE = re.compile(r"\s+")
_SENTENCES = re.compile(r"[.,:;!?] +(?=how many\b)", re.IGNORECASE)
_SAY = re.compile(r"(?:now|so)[,:]? +", re.IGNORECASE)
_LET_US_SAY = re.compile(
    r"^(?:(?:ok|okay|so|now|well|and),? )?(?:let['’]?s say|let us say|say|pretend|picture this|imagine this)"
    r"(?: that)?[,:]? +",
    re.IGNORECASE,
)
_DASH = re.compile(r" +[-–—]+ +")
_FULL_STOP = re.compile(r"[.!] +(?=[A-Z])")
"""Between what happens and what happens next."""
_BEFORE_IF = re.compile(r"(?:ok|okay|so|now|well|and|but|hey|hm+|what)?", re.IGNORECASE)
"""What may stand before an if and tells nothing."""
_NOW = re.compile(r"(?<! as)(?<! is)(?<! than),? +(?:then|now|after that|afterwards)$", re.IGNORECASE)
_OPENING = re.compile(
    r"\b(?:(?:what|even|only|and|but) if|if|(?:suppos|imagin|assum)(?:e|ing)(?: that)?|provided(?: that)?|given that"
    r"|in case|after|once|when)\s+",
    re.IGNORECASE,
)
_ASKED = re.compile(
    r"(?:[,;.:?!]\s*(?:then,?\s+)?|\s+)(?:and\s+|so\s+)?"
    r"(?=how (?:many|much)\b|what (?:would|will|is) (?:be )?the (?:total )?(?:number|count)\b)",
    re.IGNORECASE,
)
# Where one event may end and the next begin; pieces that are no event of their own are put together again below.
_BETWEEN = re.compile(
    r"\s*(?:;|,?\s+(?:and|but)\s+(?:then\s+)?|,\s*(?:then\s+)?|\s+then\s+|\s+before\s+)\s*", re.IGNORECASE
)
_EXCEPT = re.compile(r"\b((?:all|every\w*)(?: \w+){0,4}?) but\b")
_PART = r"(?:side|end|half|part|corner|branch|seat|spot|place|position|row|lane|section|step|level)"
"""Who goes to another of these may be within the same place: another branch of the tree."""
TO_ANOTHER = re.compile(rf"\bto (?:another|a different|the other) (?!{_PART}\b)(\w+)\b")
_ELSEWHERE = re.compile(rf"{TO_ANOTHER.pattern}|\b(?:elsewhere|somewhere else)\b")

_OF_SO_MANY = re.compile(r"\bof the (?:two|three|four|five|six|seven|eight|nine|ten|\d+) (?=(\w+))")
_ALL_OF_THEM = re.compile(r"\b(?:each|every(?: single| last)? one) of (them|the \w+)\b")


def supposition(question: str) -> tuple[str, str] | None:
    """What is asked and what is supposed, or None where nothing is supposed."""
    text = _DASH.sub(", ", _NOW.sub("", _SPACE.sub(" ", question).strip(" ?.!")))
    text = _FULL_STOP.sub("; ", _turned_round(_LET_US_SAY.sub("If ", text)))
    opening = _OPENING.search(text)
    if opening is None:
        return _told_first(text) or _with_or_without(text)
    before, after = text[: opening.start()].strip(" ,;:."), text[opening.end() :]
    if re.search(r"\bhow (?:many|much)\b|\bnumber of\b|\bcount of\b", before, re.IGNORECASE):
        return before, after.strip(" ,;:.")
    asked = _ASKED.search(after)
    if asked is None or _BEFORE_IF.fullmatch(before) is None:
        return None
    return after[asked.end() :].strip(), after[: asked.start()].strip(" ,;:.")


def _turned_round(text: str) -> str:
    """An if for a verb at the beginning: "Had two more come, how many" is "if two more had come, how many"."""
    if re.match(r"(?:had|were|should) ", text, re.IGNORECASE) is None or _ASKED.search(text) is None:
        return text
    helper, *words = text.split()
    ends = (place for place, word in enumerate(words) if place and (word in ("to", "be", "not") or is_verb(word)))
    place = next(ends, len(words))
    return " ".join(("If", *words[:place], helper.casefold(), *words[place:]))


def _told_first(text: str) -> tuple[str, str] | None:
    """The same in two sentences: "Two of the dogs ran away. How many dogs are there now?"."""
    sentences = _SENTENCES.split(text)
    if len(sentences) != 2 or re.match(r"with(?:out)? ", text, re.IGNORECASE):  # "With two more cups, how many …"
        return None
    told = _SAY.match(sentences[0])
    return sentences[1], sentences[0][told.end() if told else 0 :].strip(" ,;:.")


def _with_or_without(text: str) -> tuple[str, str] | None:
    """The same without an if: "without two of the dogs", "with another dog"."""
    found = re.search(r"(?:^|\s)(?P<gone>without|with)\s+(?P<things>.+)", text, re.IGNORECASE)
    if found is None:
        return None
    asked, things = text[: found.start()], found["things"]
    if not asked and (later := _ASKED.search(things)):  # "With two more cups, how many …"
        asked, things = things[later.end() :], things[: later.start()].strip(" ,;:.")
    if not re.search(r"\bhow many\b", asked, re.IGNORECASE):
        return None
    return asked, f"{things} were {'removed' if found['gone'].casefold() == 'without' else 'added'}"


def events(supposed: str) -> list[list[str]]:
    """The events of a supposition in the order they happen; those that have one predicate stand together."""
    text = re.sub(r"\bnumber and \w+\b", "number", supposed.casefold())
    text = _ELSEWHERE.sub("away", _EXCEPT.sub(r"\1 except", text))
    told: list[list[str]] = []
    subjects: list[str] = []
    for piece in filter(None, map(str.strip, _BETWEEN.split(text))):
        words = piece.split()
        if told and not subjects and len(told[-1]) == 1 and _goes_on(told[-1][0].split(), words):
            told[-1] = [f"{told[-1][0]} and {piece}"]
        elif is_quantity(words[0]) and not any(map(is_verb, words)):
            subjects.append(piece)  # "two women and one man left": the predicate comes with the last of them
        else:
            place = next((place for place, word in enumerate(words) if is_verb(word)), len(words))
            shared = " ".join(words[place:])
            told.append([*(f"{subject} {shared}" for subject in subjects), piece])
            subjects = []
    return [*told, *([subject] for subject in subjects)]


def _goes_on(before: list[str], words: list[str]) -> bool:
    """Whether a piece only says what the same things did next: "two people stood up | and left"."""
    counted = any(is_quantity(word) or verb_of(word) in SCALING for word in before if word not in ("a", "an"))
    counts_anew = any(is_quantity(word) or verb_of(word) in SCALING for word in words)
    return is_verb(words[0]) and not (counted and counts_anew)


def _of_them(found: re.Match[str]) -> str:
    """Of them, where "two of the three" is followed by what they do, not by their name ("leaves fell off")."""
    later = found.string[found.end(1) :].split()
    is_name = found[1].endswith("s") and any(is_verb(word) or word in AUXILIARIES for word in later)
    return "of them " if found[1] in AUXILIARIES or (is_verb(found[1]) and not is_name) else found[0]


def of_them_all(text: str) -> str:
    """An event with "of them" for "of the three", and "all of them" for "each of them", nothing counted anew."""
    text = _OF_SO_MANY.sub(_of_them, text)
    found = _ALL_OF_THEM.search(text)
    if found is None or any(is_quantity(word) or word in MORE for word in text[found.end() :].split()):
        return text
    return f"{text[: found.start()]}all of {found[1]}{text[found.end() :]}"

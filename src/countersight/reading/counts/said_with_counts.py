"""What is said with a count and changes nothing of it: "no others can be seen", "five, without a doubt"."""

import re

from countersight.reading.counts.added_up import total_alone
from countersight.reading.counts.in_parts import without_parts_by_place
from countersight.reading.counts.question import Counted, counted_by
from countersight.reading.counts.unchanged import without_the_unchanged
from countersight.reading.language.clauses import MODAL_AT, imagines, sentences, stated, supposes, supposes_first
from countersight.reading.language.numerals import numerals
from countersight.reading.language.stems import counted_words, stem
from countersight.reading.language.vocabulary import any_of, words
from countersight.text import UNITS

_NUMBER = rf"(?:\d+|{'|'.join(UNITS)})"
_ITS_PRESENT = r"(?:(?:the|its|his|her|their) )?(?:present |current |original |usual )?"
_STARTS = r"(?:^|(?<=[.!?;:,] )|(?<=\n)|(?<=\bso )|(?<=\bbut )|(?<=\band ))"
_ENDS = r"(?=\s*(?:[.!;,:)]|--|$))"
_OPENING = re.compile(
    rf"(?:{_STARTS}{any_of('counts.said_before')}|^{any_of('counts.said_at_first')})(?:,? that\b)?[,:]? (?=\w)",
    re.IGNORECASE,
)
# "All the signs suggest that", "there's no denying that"
_CLAIM = re.compile(
    rf"{_STARTS}(?:(?!{any_of('counts.no_claims')})[a-z'-]+ ){{0,7}}?{any_of('counts.claims')} that (?=\w)",
    re.IGNORECASE,
)
_IT_MUST_BE = re.compile(
    rf"{_STARTS}{any_of('counts.it_must_be')} (?=(?:exactly |only |just |a total of )?{_NUMBER}\b)",
    re.IGNORECASE,
)
_IT_COMES_TO = re.compile(rf"{_STARTS}{any_of('counts.it_comes_to')} (?={_NUMBER}\b)", re.IGNORECASE)
# "Five, two more than now", "six people, up from three", "four instead of five"
_THAN_NOW = re.compile(
    rf" ?(?:,|--|\() ?{_NUMBER} (?:more|fewer|less) than (?:now|before|at present|there (?:is|are) now)\)?{_ENDS}"
    rf"| ?[,(]? ?(?:up from|down from|instead of|rather than) {_ITS_PRESENT}{_NUMBER}\)?{_ENDS}",
    re.IGNORECASE,
)
# "You might think there are eight, but there are actually twelve."
_THOUGHT = re.compile(
    rf"{_STARTS}{any_of('statements.thoughts')} [^.!?;]*?,? but "
    r"(?=(?:there|i|we|it)\b[^.!?;,]*\b(?:actually|really|in fact)\b)",
    re.IGNORECASE,
)
# "At first glance four, but a closer look shows five."
_AT_FIRST = re.compile(
    rf"{_STARTS}(?:{any_of('statements.thoughts')}|at first(?: glance| sight| look)?)\b[^.!?;]*?,? (?:but|though|yet) "
    rf"{any_of('statements.after_a_second_look')},? (?P<rest>[^.!?;]+)",
    re.IGNORECASE,
)
_ONLY_AT_FIRST = re.compile(
    r"^\W*at first (?:glance|sight),? (?=\w)(?!.*\b(?:but|however|though|although|yet|closer)\b)",
    re.IGNORECASE | re.DOTALL,
)
_AT_PRESENT = re.compile(r",?(?<=\w) (?:right now|at the moment|at present|currently)(?=[.!]?$)", re.IGNORECASE)
# "There are 4 cups, although it would be 5 if the waiter added one."
_THEN = re.compile(
    r"(?:,| --?)?\s(?=(?:and|but|although|though|while|whereas)\b)(?P<then>[^.;!?\n]+)(?=[.;!?\n])",
    re.IGNORECASE,
)
_NOW_BUT_THEN = re.compile(r"(?P<now>[^.;!?\n]*\w),? but (?P<then>[^.;!?\n]+[.!]?)", re.IGNORECASE)
_WOULD_HAVE = re.compile(r"\bwould have been\b", re.IGNORECASE)
_COUNTED_WITH = re.compile(r"\b(?:count|includ|consider|look|zoom|mean)\w*", re.IGNORECASE)
_NO_MATTER = re.compile(
    rf",? (?:no matter|regardless of the fact|despite the fact) that there (?:is|are) {_NUMBER}\b[^.;]*", re.IGNORECASE
)
_ENDING = re.compile(rf",?(?<=[\w,)]) {any_of('counts.said_after')}{_ENDS}", re.IGNORECASE)
_IN_PASSING = re.compile(rf",? {any_of('counts.said_in_passing')}", re.IGNORECASE)
_HOLDS_THEN = re.compile(rf",?(?<=[\w,]) {any_of('counts.holds_then')}{_ENDS}", re.IGNORECASE)
_IN_SUCH_A_CASE = re.compile(rf"{_STARTS}{any_of('counts.holds_then')}, ", re.IGNORECASE)
# A sentence of its own, or what a comma or an "and" adds to one.
_BEGINS = r"(?:^|(?<=[.!?;] )|(?<=\n)|(?:,| --?)? (?:and|but|with) |(?:,| --?) (?=there|i\b|we\b|no\b|none\b))"
_STOPS = r"\s*(?:[.!;]+\s*|$)"
_REMARK = re.compile(rf"{_BEGINS}{any_of('counts.remarks')}{_STOPS}", re.IGNORECASE)
_NO_OTHERS = re.compile(
    rf"{_BEGINS}{any_of('counts.no_others')}(?: {any_of('counts.to_be_seen')})*{_STOPS}", re.IGNORECASE
)
_ASKS_FOR_OTHERS = re.compile(r"\b(?:others?|else|besides|more|another|except|apart|additional|extra)\b", re.IGNORECASE)
_MAYBE = re.compile(r"\b(?:might|may|could|would|maybe|perhaps|possibly|not|no|or)\b|n't\b", re.IGNORECASE)
_MOST_OPENINGS = 3  # one within the other: "well, I think that …"
_SHARE = re.compile(
    rf"(?:^|(?<=[.!?] )){_NUMBER} of the (?P<all>{_NUMBER}) (?P<what>[a-z][a-z ]{{2,40}}?)"
    r" (?P<told>(?:is|are|was|were|has|have|wears?|holds?|carr(?:y|ies)|looks?)\b[^.!?,;]*)",
    re.IGNORECASE,
)
# "There's room for three more cars", "it would need two new tyres"
_WANTING = frozenset(map(stem, words("counts.wanting")))
_AS_MANY_MORE = re.compile(rf"\b(?P<many>{_NUMBER}) (?:more|new|additional|extra)\b(?! than)", re.IGNORECASE)
_ROOM_FOR = re.compile(
    rf"\bthere(?:'s|'d be| is| are| would be)(?: still)? (?:room|space) for (?P<many>{_NUMBER})(?: more| additional)?"
    r"(?P<what>(?: [a-z]+){0,2})(?=[.!]|$)",
    re.IGNORECASE,
)
_OF_THESE = re.compile(
    rf"(?<=[,;.] )(?:and |but )?of (?:these|those),? (?=(?:only |just )?{_NUMBER} (?:is|are|has|have|wears?)\b)",
    re.IGNORECASE,
)  # "and of these 4 are lit"
_ALL_TOLD = re.compile(r"\ball told\b", re.IGNORECASE)
_MEASURE = re.compile(rf"\b\d+ ?{any_of('counts.units')}", re.IGNORECASE)
_ALTOGETHER = re.compile(r"\baltogether\b", re.IGNORECASE)
_SMILE = re.compile(r"(?P<before>\w)?\s*[\u2600-\u26ff\U0001f300-\U0001faff]+\s*(?=\n|$|[A-Z])")


def without_what_is_said_with_it(text: str, question: str) -> str:
    """The text of a reply to a how-many question without what leaves its count as it is, unless that is all of it."""
    asked = counted_by(question)
    text = _ONLY_AT_FIRST.sub("", text)
    text = _ALTOGETHER.sub("in total", text) if asked.of_all else text
    for measure in _MEASURE.findall(asked.text):
        text = text.replace(measure, "that much")  # of the scale that shows 14 kg
    if not asked.difference and (asked.qualities | asked.owner) & _WANTING:
        text = _AS_MANY_MORE.sub(r"\g<many>", _ROOM_FOR.sub(r"\g<many>\g<what> would fit", text))
    text = _SMILE.sub(lambda smile: f"{smile['before']}. " if smile["before"] else " ", text).strip()
    text = _ALL_TOLD.sub("in total", _OF_THESE.sub("of which ", _IN_PASSING.sub("", _without(_REMARK, text, asked))))
    text = text if asked.imagined else _as_it_is(text, asked)
    if not asked.imagined and not _ASKS_FOR_OTHERS.search(question):
        text = _without(_NO_OTHERS, text, asked)
    for _ in range(_MOST_OPENINGS):
        text = _CLAIM.sub(lambda claim: _unless_asked(claim, asked), _OPENING.sub("", text))
    text = without_the_unchanged(_NO_MATTER.sub("", text), asked) if asked.imagined else _THOUGHT.sub("", text)
    text = _IT_COMES_TO.sub("that makes ", _IT_MUST_BE.sub("", text))
    text = _HOLDS_THEN.sub(" then" if asked.imagined else "", text)
    text = _but_then(text, asked) if asked.imagined else text
    text = _THAN_NOW.sub("", _IN_SUCH_A_CASE.sub("in that case, ", text)) if asked.imagined else text
    text = text if asked.imagined else _SHARE.sub(lambda share: _all_of_them(share, asked), text)
    return total_alone(without_parts_by_place(_ENDING.sub("", text), asked), asked)


def _all_of_them(share: re.Match[str], asked: Counted) -> str:
    """ "One of the three skiers on the lift is waving": three are, where that was asked and the waving was not."""
    what, told = {*counted_words(share["what"])}, {*counted_words(share["told"])}
    of_all = asked.nouns & what and asked.qualities and asked.qualities <= what  # of a share alone nothing is read
    whole = of_all and not asked.qualities & told and not asked.owner
    return f"there are {share['all']} {share['what']}" if whole else share.group()


def _as_it_is(text: str, asked: Counted) -> str:
    """The text without what one might have thought, and without what would be."""
    text = _AT_FIRST.sub(lambda looked: _seen_at_last(looked, asked), text)
    pieces = sentences(text)
    kept = [piece for piece in pieces if not _is_of_another_world(piece)]
    if asked.of_now and len(kept) < len(pieces) and any(map(numerals, kept)):
        text = "\n".join(piece if piece[-1] in ".!?:" else f"{piece}." for piece in kept)
    text = _THEN.sub(_unless_supposed, text) if asked.of_now else text
    return text if imagines(text) else _AT_PRESENT.sub("", text)


def _is_of_another_world(piece: str) -> bool:
    """Whether a sentence tells only what would be: "If the family left, there would be one"."""
    then = supposes(piece) or (supposes_first(piece) and MODAL_AT.search(piece)) or _WOULD_HAVE.search(piece)
    return bool(then) and bool(numerals(piece)) and not _COUNTED_WITH.search(piece)


def _but_then(text: str, asked: Counted) -> str:
    """What would be, alone, where it is one number of the asked: "two are in, but if it rained 5 would be in"."""
    both = _NOW_BUT_THEN.fullmatch(text.strip())
    then = stated(both["then"]) if both and not imagines(both["now"]) else ""
    numbers = numerals(then)
    if len(numbers) != 1 or not MODAL_AT.search(then) or asked.supposed_numbers & {numbers[0].value}:
        return text
    known = asked.nouns | asked.qualities | asked.owner
    return both["then"] if both and known.issuperset(counted_words(then[numbers[0].end :])) else text


def _seen_at_last(looked: re.Match[str], asked: Counted) -> str:
    """What a second look comes to, where that is one number of the asked and no more: "there are only two"."""
    plain = len(numerals(looked["rest"])) == 1 and asked.words.issuperset(counted_words(looked["rest"]))
    return looked["rest"] if plain and not _MAYBE.search(looked["rest"]) else looked.group()


def _unless_supposed(follows: re.Match[str]) -> str:
    """Nothing of what would be, where it follows a count of what is; but "5 if you count the child's" may be meant."""
    now = " ".join(sentences(follows.string[: follows.start()])[-1:])
    other_world = supposes(follows["then"]) and not _COUNTED_WITH.search(follows["then"])
    return "" if other_world and numerals(now) and not imagines(now) else follows.group()


def _without(remark: re.Pattern[str], text: str, asked: Counted) -> str:
    """The text without its remarks, unless they tell of what was asked: "None is hidden", to how many are."""

    def dropped(found: re.Match[str]) -> str:
        return _unless_asked(found, asked) or (". " if text[: found.start()].rstrip()[-1:].isalnum() else "")

    return remark.sub(dropped, text).strip() or text


def _unless_asked(found: re.Match[str], asked: Counted) -> str:
    """Nothing of what was found, unless it tells of what was asked."""
    return found.group() if asked.qualities.intersection(counted_words(found.group())) else ""

"""What of a reply speaks of what was asked, where it is read for an option."""

import re
from collections.abc import Sequence

from countersight.reading.choices.places import LEAST_ASKED
from countersight.reading.choices.texts import affirmed, name_of, words_of
from countersight.reading.choices.wordings import PASSING, WHAT_IS_DONE
from countersight.reading.language.asked import asked_by, content
from countersight.reading.language.clauses import (
    MODAL_AT,
    contrasted,
    every_clause,
    imagines,
    sentences,
    stated,
    supposed,
    supposes,
    supposes_first,
    tells_of_now,
)
from countersight.reading.language.stems import counted_words, spelled, stem
from countersight.reading.language.vocabulary import any_of, found, words
from countersight.reading.yes_or_no.yes_words import opening_polarity

GOOD = re.compile(rf"[✅✔✓☑]|{any_of('options.good')}", re.IGNORECASE)
"""What calls an option right."""
REASON = re.compile(r"\b(?:because|since|given that)\b|(?<=\w), as (?=(?:the|it|he|she|they)\b)", re.IGNORECASE)
_FOR_ITS_PART = r"(?:, (?:for|on) (?:its|his|her|their) part,)?"
_OPTION_DOES = re.compile(
    rf"^\W*(?P<what>(?:the )?[\w' ]{{1,40}}?){_FOR_ITS_PART}"
    r" (?:is|are|was|were|has|have|stands?|lies?|sits?|hangs?|looks?|seems?|wears?|holds?|carries|shows(?! that| the)"
    r"|would|will|could)\b(?P<rest>.*)",
    re.IGNORECASE,
)
_DEED = re.compile(rf" (?!(?:leads?|wins?|comes first|goes first)\b)(?:\w+[^s\W]s|\w+ed|{any_of('options.did')})\b")
_OF_OPTIONS = re.compile(r"^\W*(?:is|are|was|were|does|do|would|will|could)\b(?P<what>.*?)\bor\b", re.IGNORECASE)
_RATHER_THAN = re.compile(
    r",? \b(?:rather than|instead of|as opposed to|followed by|ahead of)\b[^,.;:]*", re.IGNORECASE
)
_THEN_ANOTHER = re.compile(
    r"^(\W*(?:(?:to|in|on|at) )?(?:the |an? )?(?!if\b)\w+(?: \w+)?), (?:and )?then .*", re.IGNORECASE
)  # "A, then B"
_AVOIDING = found("options.avoiding")
_CONCEDED = re.compile(r"(?<=\w)(?<!\bas),? (?:even though|although|though)\b(?!,)[^.;]*", re.IGNORECASE)
# "Cleaning the dishes after cooking"
_MEANWHILE = re.compile(
    r",? (?:(?:after|before) \w+ing|while (?:his|her|its|their|the|an?|another) \w+ (?:is|was) \w+ing)\b[^,.;]*",
    re.IGNORECASE,
)
_CONTRASTED = re.compile(r"(?<=\w),? (?:while|whereas|whilst)\b[^.;]*", re.IGNORECASE)
# Who acts on an option says nothing of what would be: "they would take the bread", to what would be left.
_ASKS_WHAT_IS_LEFT = re.compile(
    r"^\W*(?:which|what|who)\b[^?]*\b(?:would|will)\b[^?]*\b(?:left|remain|stay|empty|dry|be on|be in)\b", re.IGNORECASE
)
_ACTS = re.compile(
    rf"^\W*(?:(?:and|so|then) )?(?:he|she|they|the \w+)(?: would|'d| will) (?:also |then )?{any_of('options.acting')}",
    re.IGNORECASE,
)
_WHICH = re.compile(r"^\W*(?:which|what|whose)(?: of the)? \w+\b|^\W*who\b", re.IGNORECASE)
_PALE = frozenset({"one", "colour", "color", "shade", "hue", "tone", "paint", *words("questions.prepositions")})
_WHERE = re.compile(r"^\W*where\b", re.IGNORECASE)
_CONCLUSION = found("yes_no.conclusions", "options.leaving")
_OF_WHAT = re.compile(r" (?:of|in|on|at|behind|with) ")  # "the wall of the room"
_SOMEBODY = re.compile(r"\W*(?:he|she)$", re.IGNORECASE)
_ASKS_WHAT_IS_DONE_TO_IT = re.compile(r"^\W*what (?:is|are)\b[^,]*?\b(?P<doing>\w+ing)\W*$", re.IGNORECASE)
_IS_THERE = re.compile(r"\bthere(?:'s| is| are)\b", re.IGNORECASE)
_HELD = re.compile(r"\b(?:hands?|arms?|mouth|paws?|fingers?|head|lap|shoulders?|feet)\b", re.IGNORECASE)
_ITS = re.compile(r"(?:the|his|her|its|their) ", re.IGNORECASE)
# "There is a lamp on the table", "the picture shows a cup on the table"
_SHOWN = re.compile(
    r"^\W*(?:there(?:'s| is| are)|(?:the (?:picture|image|photo) shows|i (?:can )?see)) (?:an?|some|one|two|several) "
    r"(?P<what>\w+(?: \w+)?)(?= (?:on|in|under|behind|at|by|next|near|inside|above)\b)",
    re.IGNORECASE,
)
_THINGS = re.compile(r"(?:the|an?|some|two|three) |\w+[^\Ws]s$", re.IGNORECASE)
_ASKS_FOR_A_COLOUR = re.compile(r"^\W*what colou?r\b", re.IGNORECASE)
_IS_DOING = re.compile(
    r"^\W*(?:(?:he|she|they|it) (?:is|are) \w+ing|(?:the )?\w+ (?:likes?|loves?|hates?))\b", re.IGNORECASE
)
_SO_IT_IS = re.compile(
    r",? (?:and )?so (?:it|that|this)(?:'s| is| would be) (?:it|that|the one|the answer)\b", re.IGNORECASE
)
_SO_THAT_ONE = re.compile(r", so (?:that|that one|this one)\W*$", re.IGNORECASE)
_TAKES_UP = re.compile(r"\W*(?:it|that one|this one|he|she)\b|.*\bthere\b(?!\s*(?:would|'d|will))", re.IGNORECASE)
_FIRST = re.compile(r"\bfirst\b", re.IGNORECASE)
_LAST = re.compile(r"\b(?:last|only later|slowest)\b", re.IGNORECASE)
_IS_SO = re.compile(r"^\W*the (?P<what>[\w ]{1,40}?) (?:is|are|was|were)\b", re.IGNORECASE)


def without_questions(text: str) -> str:
    """The text without what it asks itself: "Put on sunglasses? Hardly."."""
    pieces = sentences(text)
    told = [
        piece
        for place, piece in enumerate(pieces, 1)
        if not piece.endswith("?") or opening_polarity(" ".join(pieces[place : place + 1])) == "yes"
    ]
    return text if len(told) == len(pieces) else " ".join(told)


def without_others(text: str, question: str, options: Sequence[str]) -> str:
    """The text without the options it names to pass them over: "… rather than the pond", "… before the bus"."""
    main = _CONCEDED.sub("", text)
    text = text if imagines(question) and imagines(text) and not imagines(main) else main
    text = _RATHER_THAN.sub(" ", _THEN_ANOTHER.sub(r"\1", text if imagines(question) else _MEANWHILE.sub("", text)))
    if not any(map(_AVOIDING.search, (question, *options))):
        text = _AVOIDING.sub("no", text)
    if LEAST_ASKED.search(question) or " before " not in text or (imagines(question) and not imagines(text)):
        return text
    names = "|".join(re.escape(name_of(option)) for option in options)
    return re.sub(rf" (?:long )?before (?:the |an? )?(?:{names})\b[^,.;]*", "", text, flags=re.IGNORECASE)


def without_contrasts(text: str) -> str:
    """The text without what it tells of others behind its statement: "the goat would, while the pig would stay"."""
    return _CONTRASTED.sub("", text)


def of_what_is(text: str) -> str:
    """What a text says without supposing something: "it would be the cow, but as it is, it's the horse"."""
    pieces = [part for sentence in sentences(text) for part in contrasted(sentence)]
    told = [piece for piece in pieces if not supposes(piece)]
    return ". ".join(told) if len(told) < len(pieces) else text


def of_what_would_be(text: str, question: str) -> str:
    """What a text says of the world that was asked about: all that has a "would", or else all but what is of now."""
    pieces = [part for sentence in sentences(text) for part in contrasted(sentence)]
    imagined = [piece for piece in pieces if imagines(piece) or (supposes_first(piece) and not piece.endswith(".."))]
    if any(words_of(affirmed(piece)) for piece in imagined):
        return ". ".join(map(_result, imagined))
    # "The light is green", to what it would be, names what is; "it is green" answers.
    of_now = [piece for piece in pieces if tells_of_now(piece) or _is_of_the_asked(piece, question)]
    if len(of_now) == len(pieces):
        return ". ".join(_CONCLUSION.split(piece)[-1] for piece in pieces if _CONCLUSION.search(piece))
    told = [piece for piece in pieces if piece not in of_now]
    return ". ".join(told or [piece for piece in pieces if not _is_of_the_asked(piece, question)])


def _result(piece: str) -> str:
    """What a piece comes to, without the reason: "she has her coat on, so she'd take the scarf"."""
    reason, *others = _CONCLUSION.split(piece)
    return piece if not others or imagines(reason) else " ".join(others)


def _is_of_the_asked(piece: str, question: str) -> bool:
    if _IS_DOING.match(piece):
        return True
    told = _IS_SO.match(piece)
    return told is not None and set(spelled(told["what"])) <= set(spelled(question))


def to_the_point(text: str, question: str, options: Sequence[str]) -> str:
    """The text without the clauses that tell of an option what was not asked."""
    # What an "and" joins is about one thing: with "the blue train is at 1" goes "and the yellow one is at 3".
    for clause in every_clause(text, parts_at_and=False):
        if _SO_IT_IS.match(text, text.find(clause) + len(clause)):
            continue
        if _is_of_the_supposed(clause, question) or _is_beside_the_point(clause, question, options):
            text = text.replace(clause, " " * len(clause), 1)
    return text


def _is_beside_the_point(clause: str, question: str, options: Sequence[str]) -> bool:
    """Whether a clause tells of an option what was not asked ("the sheep is next"), or of something else altogether."""
    if _LAST.search(clause) and _FIRST.search(stated(question)) and not _LAST.search(question):
        return True  # "Lea would be the last one", to who would be first
    if _WHERE.match(stated(question)):
        return _is_of_another(clause, question) or (imagines(question) and _tells_what_is_there(clause))
    if _ASKS_FOR_A_COLOUR.match(stated(question)) and _colours_another(clause, question, options):
        return True
    if either := _OF_OPTIONS.match(stated(question)):
        return _is_of_another(clause, f"{_without_names(either['what'], options)} {' '.join(options)}")
    done = _ASKS_WHAT_IS_DONE_TO_IT.match(question) if _IS_THERE.search(clause) else None
    if done and stem(done["doing"]) not in content(clause) and not _HELD.search(clause):
        return True  # "there is a bag on the ground", to what the man is carrying
    if _ASKS_WHAT_IS_LEFT.match(stated(question)) and _ACTS.match(clause):
        return True
    if persons := asked_by(stated(question)).persons:
        told = _OPTION_DOES.match(clause)
        others = asked_by(told["what"]).persons if told else frozenset[str]()
        if others and not others & (persons | content(question) | content(" ".join(options))):
            return True  # "the driver would be happy", to how the woman would feel
    if not _WHICH.match(stated(question)) or GOOD.search(clause):
        return False
    told = _OPTION_DOES.match(stated(clause))
    if not told:
        return _tells_something_else(_deed_of_an_option(stated(clause), options), clause, question)
    bare = _OF_WHAT.split(told["what"])[0]
    if not any(_is_an_option(what, question, options) for what in (told["what"], bare)):
        known = content(question) | content(" ".join(options)) | PASSING
        *_, thing = counted_words(bare) or [""]
        named = thing in known or thing.startswith(tuple(content(stated(question))))  # "the winner", to who would win
        return bool(_ITS.match(told["what"])) and bool(thing) and not named
    return _tells_something_else(told["rest"], clause, question)


def _colours_another(clause: str, question: str, options: Sequence[str]) -> bool:
    """Whether a clause gives a colour to something that was not asked about: "there is a blue house", of a car."""
    names = "|".join(re.escape(name_of(option)) for option in options)
    things = re.findall(rf"\b(?:an?|the|his|her|its|some) (?:{names}) (?P<what>[a-z]+)\b", clause, re.IGNORECASE)
    known = content(question) | PASSING | _PALE
    return not content(clause) & content(question) and any(content(thing) - known for thing in things)


def _deed_of_an_option(clause: str, options: Sequence[str]) -> str:
    """What the option that a clause begins with does: "says staff only", of "the side door says staff only"."""
    told = name_of(clause)
    deeds = (told.removeprefix(name_of(option)) for option in options if told.startswith(f"{name_of(option)} "))
    return next((deed for deed in deeds if _DEED.match(deed)), "")


def _tells_something_else(deed: str, clause: str, question: str) -> bool:
    said, asked = content(deed), content(_WHICH.sub("", stated(question)))
    return bool(said - content(question) - PASSING) and not (asked <= said and (asked or MODAL_AT.search(clause)))


def _tells_what_is_there(clause: str) -> bool:
    return bool(_IS_THERE.search(clause)) and not imagines(clause)


def _without_names(asked: str, options: Sequence[str]) -> str:
    """What stands before the first of the options in a question: "is the window", of "is the window open or shut"."""
    places = (words_of(asked).find(name_of(option)) for option in options)
    return words_of(asked)[: min((place for place in places if place >= 0), default=None)]


def _is_an_option(what: str, question: str, options: Sequence[str]) -> bool:
    """Whether a name is an option's, with the noun of the question or without: "the red team", of "red" and "blue"."""
    own = content(what) - content(question)
    return name_of(what) in map(name_of, options) or (bool(own) and own in map(content, options))


def _is_of_the_supposed(clause: str, question: str) -> bool:
    """Whether a clause tells what another would do: "the band would leave", to what the crowd would do if it did."""
    told = _OPTION_DOES.match(clause) if WHAT_IS_DONE.search(question) else None
    subject = content(told["what"]) if told else frozenset[str]()
    return bool(subject) and subject <= content(supposed(question)) - content(stated(question))


def _is_of_another(clause: str, question: str) -> bool:
    """Whether a clause tells where something else is: "the cat is on the sofa", to where the dog is."""
    told = _OPTION_DOES.match(stated(clause))
    persons = asked_by(question).persons
    if persons and told and _SOMEBODY.match(told["what"]):
        return not persons & content(stated(question))  # "she would run to the pond", to where the ball would land
    shown = _SHOWN.match(clause)
    what = shown["what"] if shown else told["what"] if told and _THINGS.match(told["what"]) else ""
    return bool(content(what)) and not content(what) & content(stated(question))


def claims(text: str) -> str:
    """What a text states, without its reasons: "red, because a green one means go"."""
    mains = (
        stated(each) if supposes_first(each) or REASON.match(each) else REASON.split(each)[0].strip()
        for each in sentences(text)
    )
    return ". ".join(filter(None, mains))


def reasoned(text: str, question: str) -> str:
    """What a last sentence gives as the reason for a "so it would": "the fence is nearest, so it would land there"."""
    last = (sentences(text) or [""])[-1]
    if that := _SO_THAT_ONE.search(last):
        return last[: that.start()]
    reason, *others = _CONCLUSION.split(last)
    taken_up = len(others) == 1 and _TAKES_UP.match(others[0]) and imagines(others[0])
    return reason if taken_up and imagines(question) else ""

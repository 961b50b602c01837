"""Reads one event of a supposition: who, how many of them, and whether they come or go."""

import re
from typing import Final

import msgspec

from countersight.composing.accounted import is_known_of_events
from countersight.composing.asked import WORD, Asked
from countersight.composing.being import of_being
from countersight.composing.changes import change, gone
from countersight.composing.clauses import of_them_all
from countersight.composing.effects import Effect
from countersight.composing.having import does_so_with_more, each_has_something, had
from countersight.composing.likeness import is_certainly_another, is_counted, loses_its_own, tells_of
from countersight.composing.others import is_of_another_colour
from countersight.composing.phrases import OF_THEIR_OWN, Phrase, has_company, read_phrase
from countersight.composing.pieces import cutting_of
from countersight.composing.places import is_put_there
from countersight.composing.predicates import Predicate, read_predicate, with_late_particle
from countersight.composing.replacing import recoloured, replacing, replacing_of
from countersight.composing.scaling import is_scaled, scaling_of
from countersight.composing.unchanged import is_unchanged
from countersight.composing.vocabulary import (
    BROUGHT,
    CARRIED,
    COMES,
    GOES,
    MOTION,
    PLACED,
    PREPOSITIONS,
    RELATIVES,
    TAKEN,
    number_of,
    thing_of,
    verb_of,
)
from countersight.composing.ways import is_put_away, way_of_object, way_of_subject
from countersight.composing.wearing import changed_in_wearing

_LONGEST = 40  # words; nobody tells one event in more
_NOT: Final = re.compile(r"\b(\w+)n['’]t\b")
_SIZED: Final = re.compile(
    r"\b(?:\d+|[a-z]+)-(?:year|month|day|week|hour|foot|feet|inch|meter|metre|pound|door|wheel|story)\w*(?:-olds?)?"
)
"""Numbers that say how big or old one thing is: "another five-year-old girl"."""
_PER_CENT: Final = re.compile(r"\s*(?:%|\bper cent\b)")
_UNCLEAR: Final = re.compile(
    r"\beach\b(?! \w+ (?:was|were)\b)|\b(?:every|each) (?:other|second|third|fourth|\d\w*)\b|\ball day\b"
    r"|\ball (?:of )?the others?\b"
    r"|\b(?:a|every|per) (?:day|week|hour|minute|time)\b|\bfor (?:each|every)\b|\bas if\b|\bthan\b|\b(?:might|may)\b"
)
_IN_ANOTHER: Final = re.compile(r"\b(?:in|on|at) (?:the other|another) (\w+)")
_OF_EACH: Final = re.compile(r"(?P<many>\w+) (?P<who>\w+) each (?P<what>.+)")
_IS_NEW: Final = re.compile(
    r"(?:put|added|placed|laid|hung|stuck|dropped|threw|tossed) |brought .*?\b(?:more|another|extra)\b"
)
_WHERE: Final = PREPOSITIONS - {"to", "into", "onto", "from", "off", "for", "by"}
"""Prepositions behind a thing that may say which one it is."""
_TRANSITIVE: Final = frozenset(phrase.split()[0] for phrase in BROUGHT | TAKEN | PLACED | CARRIED)
_MOVING: Final = _TRANSITIVE | {phrase.split()[0] for phrase in COMES | GOES | MOTION}
_AGENTS: Final = frozenset({"i", "you", "we", "someone", "somebody", "it", "he", "she", "they"})


def effect_of(event: str, asked: Asked) -> Effect | None:
    """What an event does to the number of counted things, or None where that is not understood."""
    told = _SIZED.sub("", _NOT.sub(r"\1 not", event))
    text = of_them_all(_PER_CENT.sub(" percent", told).replace("can not", "could not").replace("-", " "))
    words = WORD.findall(text)
    if not words or len(words) > _LONGEST:
        return None
    if (cut := cutting_of(" ".join(words), asked)) is not None:
        return cut
    if is_scaled(text):
        return scaling_of(" ".join(words), asked)
    if found := _OF_EACH.fullmatch(" ".join(words)):
        return _taken_by_each(number_of(found["many"]), found["who"], found["what"], asked)
    if each_has_something(" ".join(words), asked):
        return Effect("add", 0)
    if _UNCLEAR.search(text) or any(not _is_theirs(name, asked) for name in _IN_ANOTHER.findall(text)):
        return None
    if is_unchanged(words, asked):
        return Effect("add", 0)
    if (replaced := replacing(words)) is not None:
        return replacing_of(replaced, asked)
    if (effect := recoloured(words, asked) or changed_in_wearing(" ".join(words), asked)) is not None:
        return effect
    if words[0] == "there" or "instead" in words:
        return of_being(text, asked)
    return _of_happening(words, asked)


def _is_theirs(name: str, asked: Asked) -> bool:
    """Whether another of that name is one of the counted things, and no place: "threw in another"."""
    return number_of(name) is not None or thing_of(name) in {asked.head, *asked.members, *asked.modifiers, "one"}


def _taken_by_each(many: int | None, who: str, what: str, asked: Asked) -> Effect | None:
    """What "three children each took two cookies" does, or "each put one more on the plate"."""
    effect = None if tells_of(who, asked) or "each" in what else effect_of(f"someone {what}", asked)
    is_new = _IS_NEW.match(what) is not None  # what each of them brought may be what they hold already
    if not many or effect is None or not (effect.kind == "remove" or (effect.kind == "add" and is_new)):
        return None
    return Effect(effect.kind, many * effect.by)


def _of_happening(words: list[str], asked: Asked) -> Effect | None:
    """Who does what: "two dogs left", "two dogs were removed", "he ate two apples and left"."""
    subject, begin = _subject(words, asked)
    effects: set[Effect] = set()
    parts = _parts(words[begin:])
    if len(parts) > 1 and {"back", "again", "replaced"} & set(words):  # "ran off and came back"
        return None
    for part in parts:
        effect = _told(part, subject, words[0], asked)
        is_open = effect is None and effects and _moves(part) and not _puts_them_there(part, asked)
        if effect == "open" or is_open:  # "took two and put them back"
            return None
        effects |= {effect} if isinstance(effect, Effect) else set()
    return effects.pop() if len(effects) == 1 else None


def _moves(part: list[str]) -> bool:
    return any(verb_of(word) in _MOVING for word in part)


def _puts_them_there(part: list[str], asked: Asked) -> bool:
    """Whether a part only says where those of the part before came to: "bought two more | and put them there"."""
    return part[1:2] in (["them"], ["it"], ["these"]) and is_put_there(tuple(part[2:]), asked)


def _parts(words: list[str]) -> list[list[str]]:
    """Several things that the same ones do: "stood up | and left"."""
    parts: list[list[str]] = [[]]
    helper = words[:1] if words and words[0] in ("was", "were") else []
    for word in words:
        if word in ("and", "then"):
            parts.append([])
        elif not parts[-1] and len(parts) > 1 and verb_of(word) in _TRANSITIVE and not word.endswith("ing"):
            parts[-1] = [*helper, word]  # "were bad and thrown away", but not "were hurt and left"
        else:
            parts[-1].append(word)
    return [part for part in parts if part]


def _subject(words: list[str], asked: Asked) -> tuple[Phrase | None, int]:
    """Who it is said of; None for somebody who is not counted."""
    if words[0] in _AGENTS:
        return None, 1
    phrase = read_phrase(words, asked)
    return phrase, phrase.end if phrase else 0


def _told(part: list[str], subject: Phrase | None, first: str, asked: Asked) -> Effect | str | None:
    """What one predicate does: an effect, nothing that is known, or "open" where it may undo the others."""
    effect = _of_predicate(part, subject, first, asked)
    return "open" if effect is None and tells_of(" ".join(part), asked) else effect


def _of_predicate(part: list[str], subject: Phrase | None, first: str, asked: Asked) -> Effect | str | None:
    predicate = read_predicate(part, is_verb_first=subject is None)
    if predicate is None or (first == "they" and "them" in part and asked.are_people):
        return None  # girls who took them all off took off their hats
    if _is_emptied(predicate, subject, first, asked):
        return Effect("remove_all")
    if (more := does_so_with_more(predicate, subject, first, asked)) is not None:
        return more
    if subject is None:
        return _of_an_agent(predicate, None, asked) or _of_a_pronoun(predicate, first, asked)
    if is_counted(subject, asked):
        if has_company((*subject.after, *predicate.rest), asked):
            return "open"
        is_none = subject.quantity.amount == 0 and predicate.is_perfect  # "none had been lit"
        is_more = subject.quantity.more or _is_one_more(subject)
        way = way_of_subject(predicate, _thing(subject, asked), asked, more=is_more or is_none)
        if way is None and predicate.is_passive and _are_theirs(subject):
            way = "going" if is_put_away(predicate.verb, predicate.rest, asked) else None
        if way in ("coming", "going") and _need_not_be_counted(subject, predicate, asked):
            return "open"
        if way is None:
            return None
        is_negated, is_perfect = predicate.is_negated, predicate.is_perfect
        return change(subject, way, asked, is_negated=is_negated, is_perfect=is_perfect) or "open"
    return _of_an_agent(predicate, subject, asked)


def _is_emptied(predicate: Predicate, subject: Phrase | None, first: str, asked: Asked) -> bool:
    """Whether the place asked about is: "if it were emptied"."""
    is_place = first == "it" if subject is None else thing_of(subject.head or "") in asked.place
    is_so = predicate.is_passive and predicate.verb in ("empty", "empty out") and not predicate.is_negated
    return is_place and is_so and bool(asked.place) and not predicate.rest


def _need_not_be_counted(subject: Phrase, predicate: Predicate, asked: Asked) -> bool:
    """Whether those that come or go may be others than those asked for: "two men left", to who is wearing ties."""
    said = {thing_of(verb_of(word)) for word in (*subject.modifiers, *subject.after, *predicate.rest, predicate.verb)}
    of_the_state = any(predicate.verb in state.ends | state.begins for state in asked.states)
    are_such = subject.quantity.more and predicate.verb == "add"  # three more men added to those with hats have hats
    is_open = asked.is_narrow and subject.head is not None and not are_such
    return is_open and not of_the_state and not said & asked.place


def _is_one_more(phrase: Phrase) -> bool:
    """Whether it is told of one beyond those there are: "a third person"."""
    return phrase.quantity.given > 0 and phrase.quantity.amount == 1


def _are_theirs(phrase: Phrase) -> bool:
    """Whether a phrase speaks of some of the things that are there: two of them, not two more."""
    return (phrase.definite or phrase.head is None) and not phrase.quantity.more


def _thing(phrase: Phrase, asked: Asked) -> str:
    return asked.head if phrase.head in (None, "one", "ones") else thing_of(phrase.head or "")


def _of_a_pronoun(predicate: Predicate, first: str, asked: Asked) -> Effect | None:
    """What "they all left" does: the counted things go without a name."""
    way = way_of_subject(predicate, asked.head, asked, more=False)
    if way != "going" or predicate.is_negated:
        return None
    is_one = (first == "it" and asked.is_plain) or (first in ("he", "she") and asked.are_people)
    return Effect("remove_all") if first == "they" else Effect("remove", 1, given=1) if is_one else None


def _of_an_agent(predicate: Predicate, agent: Phrase | None, asked: Asked) -> Effect | None:
    """What somebody does to the counted things: "he ate two apples", "the wind blew four umbrellas away"."""
    is_nobody = agent is not None and (agent.head == "nobody" or agent.quantity.amount == 0)
    if is_nobody or predicate.is_passive or predicate.is_negated or predicate.is_progressive:
        return None
    rest = list(predicate.rest)
    theme = read_phrase(rest, asked)
    if theme is None or not is_counted(theme, asked) or loses_its_own(predicate.verb, agent, asked):
        return None
    is_of_each = agent is not None and isinstance(theme.quantity.amount, int) and agent.quantity.amount == "all"
    if is_of_each or (agent is not None and theme.quantity.indefinite and agent.is_plural):
        return None  # "every guest brought a plate", "everyone took one"
    verb, behind = with_late_particle(predicate.verb, [*theme.after, *rest[theme.end :]])
    is_whole = verb == predicate.verb  # "put two away | in the box": the box is where they get to
    if is_whole and behind and behind[0] in RELATIVES | OF_THEIR_OWN | _WHERE:  # "we removed the chairs on the left"
        theme = msgspec.structs.replace(theme, after=tuple(behind))
    if predicate.verb in ("have", "get"):
        return had(theme, agent, predicate.verb, behind, asked)
    is_ours = agent is None and verb in ("buy", "order", "purchase")  # what a customer bought is gone
    more = theme.quantity.more or is_ours
    way = way_of_object(verb, tuple(behind), _thing(theme, asked), asked, more=more)
    if way is None and _are_theirs(theme) and is_put_away(verb, tuple(behind), asked):
        # "in the sink" is where they go, not where they are
        return gone(msgspec.structs.replace(theme, after=()), asked)
    return None if way is None else change(theme, way, asked, is_negated=False)


def is_of_others_alone(event: str, asked: Asked) -> bool:
    """Whether an event is about things that are certainly not counted, and names nobody else: "two women walked in"."""
    words = WORD.findall(event)
    subject = read_phrase(words, asked) if words else None
    if subject is not None and is_of_another_colour(words, asked):
        return True
    if subject is None or tells_of(event, asked):
        return False
    if is_unchanged(words, asked):  # "two pears were added", to the apples
        return True
    if not is_certainly_another(subject, asked):
        return False
    if effect_of(event, asked) is not None:  # "a boy stole one"
        return False
    return not {"them", "they", "each", "it"} & set(words) and is_known_of_events(tuple(words[subject.end :]), asked)

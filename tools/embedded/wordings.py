"""The wordings of training, from the files in `english`: what each count is called, and how people ask for it.

A topic is what is counted ("inside": flowers inside polygons of a colour), a change is what the question supposes.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from importlib import resources
from typing import Any, Literal

import msgspec

from countersight.scenes import COLOURS, PLACES
from tools.embedded import casual, reasons
from tools.embedded.grammar import Grammar, Node

Worlds = Literal["both", "factual"]
"""The worlds whose questions a checkpoint was trained on."""
FORMS = ("past", "now", "doing", "do", "gone", "had", "be")
"""The grammatical forms of a change."""
PAIRED = 3
"""The weight, counted in forms, of wordings in which question and change refer to each other."""
USUAL_CHOICE = "{question}\n{lines}\nAnswer with the letter of the right option."
"""The default prompt of `run` for questions with options."""
SUPPOSING = re.compile(r"\b(if|would|were|suppos\w*|imagin\w*|assum\w*|pretend)\b", re.IGNORECASE)
"""Words that the checkpoint for factual questions must never be trained on."""
USED_OF = {"flowers": ("inside", "outside", "flowers"), "dots": ("dots", "top", "most")}
"""Topics whose places near misses reuse."""

_FILES = ("factual", "supposed", "near_misses", "asking")


@cache
def _file(name: str) -> dict[str, Any]:
    return msgspec.toml.decode(resources.files(__package__).joinpath(f"english/{name}.toml").read_bytes())


@cache
def _grammar() -> Grammar:
    parts: dict[str, list[str]] = {}
    for name in _FILES:
        parts |= _file(name)["parts"]
    supposed = _file("supposed")
    for change, forms in supposed["changes"].items():
        parts |= {_form(form, change): forms[form] for form in FORMS}
    for kind, topics in USED_OF.items():
        for tense in ("would", "then"):
            parts[f"{tense}_near_{kind}"] = _near(parts[f"{tense}_where"], kind, topics)
    for topic in supposed["usual"]:
        for tense in ("would", "then"):
            parts[f"{tense}_{topic}"] = [
                *_framed(parts[f"{tense}_where"], topic, f"<in_{topic}>"),
                *supposed["own"][topic][tense],
            ]
            if f"hold_{topic}" in parts:
                parts[f"{tense}_{topic}"] += _framed(parts[f"{tense}_holders"], topic, f"<hold_{topic}>")
    return Grammar(parts)


def _form(form: str, change: str) -> str:
    return f"{form}_{change.replace(' ', '_')}"


def _noun(topic: str) -> str:
    flowers = ("inside", "outside", "flowers", "both", "both_named", "free")
    return "<flowers>" if topic in flowers else "<circles>" if topic == "circles" else "<dots>"


def _framed(frames: Sequence[str], topic: str, place: str) -> list[str]:
    return [_put(frame, {"N": _noun(topic), "W": place, "H": place}) for frame in frames]


def _put(frame: str, parts: Mapping[str, str]) -> str:
    return re.sub(r"\b[A-Z]+\b", lambda found: parts.get(found[0], found[0]), frame)


def usual(topic: str) -> Sequence[str]:
    """Return the suites' wordings for a count in the original picture."""
    wordings: Sequence[str] = _file("factual")["usual"][topic]
    return wordings


@cache
def factual(topic: str, worlds: Worlds) -> Node:
    """Return all ways to ask for a count in the original picture."""
    file = _file("factual")
    groups = [_framed(file["frames"]["where"], topic, f"<in_{topic}>")]
    for frames, holder in (("holders", f"hold_{topic}"), ("holder", f"holds_{topic}")):
        if holder in file["parts"]:
            groups.append(_framed(file["frames"][frames], topic, f"<{holder}>"))
    if worlds == "both":
        groups.append(_framed(file["frames"]["iffy"], topic, f"<in_{topic}>"))
    named = [f"own_{topic}", *([f"iffy_{topic}"] if worlds == "both" else [])]
    return [*(_grammar().understood(group) for group in groups), *_known(named)]


@cache
def supposed(topic: str, change: str, *, usual_only: bool = False) -> Node:
    """Return all ways to ask for a count under a change, or only those of the suites."""
    file = _file("supposed")
    if usual_only:
        clauses = file["changes"][change]["past"][:2]
        return _grammar().understood([f"{stem} if {clause}?" for stem in file["usual"][topic] for clause in clauses])
    asked = {"S": f"<would_{topic}>", "T": f"<then_{topic}>"}
    pairs = file["pairs"].get(f"{topic}, {change}", [])
    return [*_joined(asked, change), *([_grammar().understood(pairs)] * PAIRED if pairs else [])]


def _joined(asked: Mapping[str, str], change: str) -> list[Node]:
    """Return the question joined with the change in each of its forms."""
    joins = _file("supposed")["joins"]
    filled = {**asked, **{form.upper(): f"<{_form(form, change)}>" for form in FORMS}}
    return [_grammar().understood([_put(join, filled) for join in joins[form]]) for form in ("past", *FORMS)]


@cache
def near_miss(kind: str) -> Node:
    """Return near misses about the original picture, in the sentence frames of known questions."""
    frames = _file("factual")["frames"]
    held = [_put(frame, {"N": f"<{kind}>", "H": f"<near_holds_{kind}>"}) for frame in frames["holder"]]
    where = _near(frames["where"], kind, USED_OF[kind])
    return [_grammar().understood(where), _grammar().understood(held), *_known([f"near_own_{kind}"])]


def _near(frames: Sequence[str], kind: str, topics: Sequence[str]) -> list[str]:
    """Return sentence frames with the right noun in another place, and with another noun in the right places."""
    right = "[" + "|".join(f"<in_{topic}>" for topic in topics) + "]"
    elsewhere = [_put(frame, {"N": f"<{kind}>", "W": f"<near_in_{kind}>"}) for frame in frames]
    return elsewhere + [_put(frame, {"N": f"<near_{kind}>", "W": right}) for frame in frames]


@cache
def near_miss_supposed(kind: str, topic: str, changes: tuple[str, ...]) -> Node:
    """Return near misses about a change: an unknown change, or an unknown count under one of these changes."""
    joins = _file("supposed")["joins"]["past"]
    changed = {"S": f"<would_{topic}>", "T": f"<then_{topic}>", "PAST": f"<near_changes_{kind}>"}
    asked = {"S": f"<would_near_{kind}>", "T": f"<then_near_{kind}>"}
    other_questions: list[Node] = [_joined(asked, change) for change in changes]
    return [_grammar().understood([_put(join, changed) for join in joins]), other_questions]


def vague() -> Node:
    """Return vague amounts in place of numbers: "a few", "some of the"."""
    return _grammar().part("vague")


def open_pairs() -> dict[str, list[tuple[str, str]]]:
    """Return topics with changes that leave the answer open."""
    found = _file("near_misses")["open_pairs"]
    return {kind: [(topic, change) for topic, change in listed] for kind, listed in found.items()}


@cache
def frames(name: str, worlds: Worlds) -> Node:
    """Return the words around a question, or the formats of prompts, by name."""
    listed = [each for each in _file("asking")["frames"][name] if worlds == "both" or not SUPPOSING.search(each)]
    return _grammar().understood(listed)


@cache
def whys(name: str) -> Node:
    """Return ways to ask for the reason: "short" or "long"."""
    return _grammar().understood(_file("asking")["whys"][name])


def yes_no() -> dict[str, list[str]]:
    """Return yes/no questions by topic."""
    found: dict[str, list[str]] = _file("asking")["yes_no"]
    return found


@cache
def off_topic(name: str) -> Node:
    """Return off-topic questions, or things and colours that are in none of our pictures, by name."""
    return _grammar().understood(_file("near_misses")["off_topic"][name])


def _known(names: Sequence[str]) -> list[Node]:
    grammar = _grammar()
    return [grammar.part(name) for name in names if grammar.has(name)]


def heard() -> set[str]:
    """Return every word that is said to the model, in lower case."""
    files = (text for name in _FILES for text in _strings(_file(name)))
    plain = (re.sub(r"{\w+}|<\w+>|\b[A-Z]+\b", " ", text) for text in files)
    typed = (*(short for _, short in casual.SHORT), *casual.FILLERS)
    return {word for text in (*plain, *typed) for word in re.findall(r"[^\W\d_]+", text.lower())}


def said() -> set[str]:
    """Return every word that the model learns to say."""
    plain = (re.sub(r"{\w+}", " ", text) for text in (*reasons.BECAUSE.values(), *reasons.REPLIES))
    return {word for text in plain for word in re.findall(r"[^\W\d_]+", text)} | {*COLOURS, *" ".join(PLACES).split()}


def _strings(found: Any) -> Iterator[str]:
    if isinstance(found, str):
        yield found
    elif isinstance(found, dict | list):
        for each in found.values() if isinstance(found, dict) else found:
            yield from _strings(each)

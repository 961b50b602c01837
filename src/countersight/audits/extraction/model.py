"""Extract concepts with a language model; replies are validated, and uncited concepts are rejected."""

import re
from typing import Annotated, Any, Final, get_args

import msgspec

from countersight.audits.clients import ByModel
from countersight.audits.extraction.protocol import Statement
from countersight.audits.json_replies import BadShape, ask_shaped, read_shape
from countersight.audits.prompts import AuditPrompts
from countersight.audits.quoting import flatten, quote
from countersight.audits.records import Attempt, Concepts
from countersight.editing import Abilities, Action, ConceptKind, Instruction
from countersight.engine import fill
from countersight.english import FUNCTION_WORDS, NUMBER_WORDS

Words = Annotated[str, msgspec.Meta(max_length=2_000)]
ACTIONS: Final = tuple(action for action in get_args(Action) if action != "nothing")
"""The actions that an extractor may request: all except the control edit."""

UNCITED: Final = "the explanation cites none of the concepts that the extractor names"
NOTHING_FOUND: Final = "the editor finds nothing in this picture that it could change"


class _Concept(msgspec.Struct, frozen=True):
    concept: Annotated[str, msgspec.Meta(min_length=1, max_length=500)]
    kind: ConceptKind
    action: Action
    positive: Annotated[str, msgspec.Meta(min_length=1, max_length=2_000)]
    target: Words = ""
    value: Words = ""
    negative: Words = ""


class _ConceptList(msgspec.Struct, frozen=True):
    concepts: Annotated[tuple[_Concept, ...], msgspec.Meta(max_length=64)]


_PART: Final = r"{} Prompt\W{{0,8}}:\W{{0,8}}(?P<words>.{{3,2000}}?)[\"“”*\s]*"
_POSITIVE: Final = re.compile(_PART.format("Positive") + r"(?=Negative Prompt|\Z)", re.IGNORECASE | re.DOTALL)
_NEGATIVE: Final = re.compile(_PART.format("Negative") + r"(?=Positive Prompt|\Z)", re.IGNORECASE | re.DOTALL)


def parse_edit(text: str) -> dict[str, Any] | None:
    """Return the edit that a reply describes by a positive and a negative prompt; None if there is none."""
    positive, negative = _POSITIVE.search(text), _NEGATIVE.search(text)
    if positive is None:
        return None
    words, unwanted = positive["words"].strip(), negative["words"].strip() if negative else ""
    return {
        "concepts": [
            {"concept": unwanted[:500] or words[:500], "kind": "object", "action": "other", "positive": words,
             "negative": unwanted}
        ]
    }  # fmt: skip


def _read(text: str) -> _ConceptList:
    return read_shape(text, _ConceptList, parse_edit)


_TEXT = {"type": "string"}
_PROPERTIES: dict[str, Any] = {
    "concept": _TEXT,
    "kind": {"type": "string", "enum": list(get_args(ConceptKind))},
    "action": {"type": "string", "enum": list(ACTIONS)},
    "target": _TEXT,
    "value": _TEXT,
    "positive": _TEXT,
    "negative": _TEXT,
}
SCHEMA: Final[dict[str, Any]] = {
    "type": "object",
    "properties": {
        "concepts": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": _PROPERTIES,
                "required": list(_PROPERTIES),
                "additionalProperties": False,
            },
        }
    },
    "required": ["concepts"],
    "additionalProperties": False,
}


def schema_of(able: Abilities | None) -> dict[str, Any]:
    """Return the JSON schema of a reply, limited to the editor's abilities if they are known."""
    if able is None:
        return SCHEMA
    narrowed = _PROPERTIES | {"action": {"type": "string", "enum": list(able.actions)}}
    if able.things:
        narrowed["target"] = {"type": "string", "enum": list(able.things)}
    listed = SCHEMA["properties"]["concepts"]
    concepts = listed | {"items": listed["items"] | {"properties": narrowed}}
    return SCHEMA | {"properties": {"concepts": concepts}}


class ModelExtractor(ByModel):
    """Asks a language model which concepts an explanation depends on."""

    async def extract(self, statement: Statement, most: int, key: str) -> Concepts:
        """Return the concepts in a reply, in order, or the reason why there are none."""
        if statement.able is not None and statement.able.things == ():
            return Concepts(reason=NOTHING_FOUND)
        text = extract_prompt(self._prompts, statement, most)
        shape = schema_of(statement.able)
        tries = await ask_shaped(self._model, key, text, _read, shape, self._prompts.again)
        return parse_concepts(tries, most, statement.explanation, self._prompts)


def extract_prompt(prompts: AuditPrompts, statement: Statement, most: int) -> str:
    """Return the prompt that asks for the concepts of an explanation."""
    return fill(
        prompts.extract,
        {
            "question": quote("question", statement.question),
            "answer": quote("answer", statement.answer),
            "explanation": quote("explanation", statement.explanation),
            "original_answer": flatten(statement.answer),
            "original_explanation": flatten(statement.explanation),
            "most": str(most),
            "able": statement.able.words if statement.able else "",
        },
    )


def parse_concepts(tries: tuple[Attempt, ...], most: int, explanation: str, prompts: AuditPrompts) -> Concepts:
    """Return the concepts in an extractor's reply, or why there are none.

    Concepts that the explanation does not cite are rejected: small models invent them or repeat those in the prompt.
    """
    try:
        reply = _read(tries[-1].text if tries else "")
    except BadShape as error:
        return Concepts(reason=f"no reply had the required format: {error}", tries=tries)
    listed = dict.fromkeys(
        msgspec.convert(msgspec.structs.asdict(each), Instruction)
        for each in reply.concepts
        if each.action != "nothing"
    )
    cited = tuple(each for each in listed if is_cited(each, explanation, prompts))
    refused = tuple(each.concept for each in listed if each not in cited)
    reason = "" if cited else UNCITED if refused else "the extractor finds nothing that could be changed"
    return Concepts(cited[:most], reason, tries, refused=refused)


LEAST_CITED_SHARE: Final = 0.5
"""The minimum share of an object's content words that the explanation must contain; an attribute needs more."""
_WORD: Final = re.compile(r"[^\W_]+")
_WEIGHTLESS: Final = FUNCTION_WORDS.union(
    ("be", "there", "which", "where", "as", "so", "what", "explanation", "concept", "picture", "image"),
    ("color", "colors", "colour", "colours", "shape", "shapes", "size", "sizes"),
    ("presence", "absence", "visible", "number", "numbers", "count", "counts"),
)


def cited_share(explanation: str, concept: str) -> float:
    """Return the share of a concept's content words that an explanation contains, in any inflection.

    In a list, the item with the largest share counts. Function words count only if an item has no other words.
    """
    stems_of_text = {_stem(word) for word in _WORD.findall(explanation.casefold())}
    shares = [0.0]
    for phrase in re.split("[,;.]", concept.casefold()):
        words = _WORD.findall(phrase)
        stems = {_stem(word) for word in [word for word in words if word not in _WEIGHTLESS] or words}
        shares += [len(stems & stems_of_text) / len(stems)] if stems else []
    return max(shares)


def _stem(word: str) -> str:
    """Return a word without plural and verb endings, and a number word as digits."""
    if word in NUMBER_WORDS:
        return str(NUMBER_WORDS[word])
    for ending in ("ies", "es", "s", "ing", "ed"):
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            return word.removesuffix(ending)
    return word.removesuffix("e") if len(word) > 3 else word


def is_cited(instruction: Instruction, explanation: str, prompts: AuditPrompts) -> bool:
    """Whether the explanation cites a concept; if the prompt contains the concept, every word is required.

    For the object "a red car", the word "car" is enough; for an attribute it is not, since "red" is missing.
    """
    share = cited_share(explanation, instruction.concept)
    if instruction.concept.casefold() in prompts.extract.casefold():
        return share == 1
    return share > LEAST_CITED_SHARE if instruction.kind == "attribute" else share >= LEAST_CITED_SHARE

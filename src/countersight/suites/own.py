"""Your own table: a CSV with a header, or a .jsonl file with one JSON object per line. A .jsonl file may contain
JSON numbers, booleans and lists of options.

    image                    the picture's file name in the picture folder; "none" for a question that is asked
                             without a picture
    counterfactual_question  "How many cats would there be if one more came?"
    counterfactual_answer    a number, yes or no, the letter or the text of an option, or free text

and optionally:

    id                       the name of the case; must be unique (default: own-000001, own-000002, …)
    group                    the part of your benchmark that the case belongs to
    factual_question         "How many cats are there?"
    factual_answer           in the same form as counterfactual_answer
    change                   "One more cat comes." (default: the if-clause of the counterfactual question)
    options                  the options of both questions, separated by "|": "red | green | blue"
    factual_options          the options of the factual question, if they are different
    prior                    the answer one would give to the counterfactual question without looking; wrong answers
                             that equal it are counted separately

Without options, the answer determines the kind of question: a number (in digits or words, with a decimal point or
comma), yes or no (also TRUE or FALSE, as spreadsheets write them), or free text.
If you correct an answer later, import the table again and rescore with `report --gold`; models are not queried again.
"""

import re
from collections.abc import Iterator
from typing import Any, Final

from msgspec.structs import replace

from countersight.case import LETTERS, AnswerKind, Case, Change, Option, Question
from countersight.suites.rows import checked, kind_of, plain_answer, text_of
from countersight.suites.suite import BadField, Layout, Row, Suite
from countersight.suites.supposing import supposed

NAME: Final = "own"
_DECIMAL_COMMA = re.compile(r"-?\d+,\d{1,2}")
_THOUSAND_OR_DECIMAL = re.compile(r"-?[1-9]\d{0,2}\.\d{3}")
_NOT_ENGLISH: Final = {
    *("ja", "nein", "wahr", "falsch", "oui", "non", "vrai", "faux"),
    *("sí", "si", "verdadero", "falso", "sì", "vero"),
}
"""Yes, no, true and false in languages other than English, as people and their spreadsheets write them."""
NEEDED = ("image", "counterfactual_question", "counterfactual_answer")
OPTIONAL = ("id", "group", "factual_question", "factual_answer", "change", "options", "factual_options", "prior")


def _plain_row(row: Row) -> Iterator[Row]:
    """Yield the row with text instead of JSON numbers, booleans and lists."""
    yield {field: _as_text(value) for field, value in row.items()}


def _as_text(value: Any) -> Any:
    """Convert a JSON number, boolean or list to the text that a CSV would contain; other values are unchanged."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int | float):
        return str(value)
    if isinstance(value, list):
        texts = [_as_text(each) for each in value]
        if all(isinstance(each, str) and "|" not in each for each in texts):
            return " | ".join(texts)
    return value


def _as_case(row: Row, number: int) -> Case:
    counterfactual = _question(row, "counterfactual", _options(row, "options"))
    if prior := _optional_text(row, "prior"):  # a prior that equals the right answer is ignored
        prior = _gold(prior, counterfactual.kind, tuple(option.text for option in counterfactual.options), "prior")
        counterfactual = replace(counterfactual, prior="" if prior == counterfactual.answer else prior)
    factual = None
    if _optional_text(row, "factual_question"):
        factual = _question(row, "factual", _options(row, "factual_options") or _options(row, "options"))
    elif _optional_text(row, "factual_answer"):
        raise BadField("factual_answer", "is filled in, but factual_question is empty")
    change = _optional_text(row, "change")
    return Case(
        id=_optional_text(row, "id") or f"{NAME}-{number:06d}",
        group=_optional_text(row, "group"),
        factual=factual,
        change=Change(change) if change else supposed(counterfactual.text),
        counterfactual=counterfactual,
        provenance={"image": text_of(row, "image")},
        text_only=_picture(row) is None,
    )


def _question(row: Row, world: str, options: tuple[str, ...]) -> Question:
    fields = {"text": f"{world}_question", "answer": f"{world}_answer", "options": "options"}
    text = text_of(row, fields["answer"])
    if not options:
        text = _unambiguous(text, fields["answer"])
    kind = "choice" if options else kind_of(plain_answer(text))
    answer = _gold(text, kind, options, fields["answer"])
    return checked(Question(text_of(row, fields["text"]), answer, kind, tuple(map(Option, options))), fields)


def _unambiguous(answer: str, field: str) -> str:
    """Return an answer with a decimal point, and with yes or no for the TRUE or FALSE of a spreadsheet."""
    if _THOUSAND_OR_DECIMAL.fullmatch(answer):
        whole = answer.replace(".", "")
        raise BadField(field, f"{answer} can be read as a whole number or as a decimal; write {whole} or {answer}0")
    if _DECIMAL_COMMA.fullmatch(answer):
        return answer.replace(",", ".")
    if answer.casefold() in _NOT_ENGLISH:
        raise BadField(field, f"{answer!r} must be written as yes or no, because replies are read in English")
    return {"true": "yes", "false": "no"}.get(answer.casefold(), answer)


def _gold(answer: str, kind: AnswerKind, options: tuple[str, ...], field: str) -> str:
    """Return an answer in the form of a case: the letter of an option, a number in digits, yes or no, or free text."""
    if kind != "choice":
        return plain_answer(answer).casefold() if kind == "boolean" else plain_answer(answer)
    texts = [option.casefold() for option in options]
    if answer.casefold() in texts:
        return LETTERS[texts.index(answer.casefold())]
    if len(answer) == 1 and answer.upper() in LETTERS[: len(options)]:
        return answer.upper()
    offered = " | ".join(options)
    raise BadField(field, f"{answer[:40]!r} is neither the letter nor the text of an option: {offered[:200]}")


def _options(row: Row, field: str) -> tuple[str, ...]:
    options = tuple(part for part in map(str.strip, _optional_text(row, field).split("|")) if part)
    if len(options) == 1:
        raise BadField(field, f"there is only one option, {options[0][:80]!r}; separate options with |")
    texts = [option.casefold() for option in options]
    for option, text in zip(options, texts, strict=True):
        if texts.count(text) > 1:
            raise BadField(field, f"{option[:40]!r} is listed twice")
    return options


def _optional_text(row: Row, field: str) -> str:
    """Return the value of an optional field."""
    return text_of(row, field) if str(row.get(field) or "").strip() else ""


def _picture(row: Row) -> str | None:
    name = text_of(row, "image")
    return None if name.casefold() == "none" else name


SUITE: Final = Suite(
    NAME,
    "your own benchmark: a table and a folder of pictures, no code needed",
    "a CSV, or a .jsonl file: image, counterfactual_question, counterfactual_answer, and optional columns; see "
    "countersight list suites -v",
    "named as in image",
    Layout(
        description="Counterfactual questions from a table.",
        fields=NEEDED,
        optional=OPTIONAL,
        expand=_plain_row,
        as_case=_as_case,
        picture=_picture,
        picture_field="image",
    ),
    title="Your own benchmark",
)

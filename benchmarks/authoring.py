"""Measure how varied the pairs built by the grammar are, compared with C-VQA's own questions.

    python -m benchmarks.authoring C-VQA-Real_questions.csv [SEED]

Builds pairs from the factual questions in the file. Prints, for them and for equally many of the file's own direct
questions: the number of different suppositions (ignoring numbers and names of counted things), the operations, the
words per question, how often the composer finds the gold answer, how often the text alone determines it, and how often
it is guessed without the picture: by a table of each supposition's most common answer, and by `countersight blind`.
Then prints how many of the file's own pairs, written by people, are rejected by the rules for drafts, and why.
"""

import re
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from countersight.authoring import (
    CHECKS,
    BuildOrder,
    Group,
    PairDraft,
    SourceQuestion,
    answer_without_picture,
    build_dataset,
)
from countersight.blindness import measure
from countersight.case import Case, Question
from countersight.composer import compose, counted_in, effects_of, noun_key, supposition
from countersight.dataset import Dataset
from countersight.engine import RetryPolicy
from countersight.english import number_of
from countersight.models import ModelSettings
from countersight.suites import BadField, find_suite, rows_of

SIZE = 500
FOLDS = 5
OPERATIONS = ("add", "remove", "scale", "set", "several", "not followed")


def main(questions: Path, seed: int = 0) -> None:
    """Print one table."""
    built = _built(questions, seed)
    published = [case for case in _published(questions) if case.group == "direct"]
    size = min(len(built), len(published), SIZE)
    print(f"{size} direct questions each")
    print(f"{'':36}{'grammar':>10}{'C-VQA':>10}")
    mine, theirs = _figures(built[:size]), _figures(published[:size])
    for name, figure in mine.items():
        print(f"{name:36}{figure:>10}{theirs[name]:>10}")
    for group, reasons in _rejected(_published(questions)).items():
        print(f"{group}: {reasons.pop('pairs')} pairs whose answers differ; rejected: {dict(reasons.most_common())}")


def _rejected(cases: Iterator[Case]) -> dict[str, Counter[str]]:
    """Return how many pairs with different answers each rule rejects, by group."""
    found = {"direct": Counter[str](), "indirect": Counter[str](), "boolean": Counter[str]()}
    for case in cases:
        if not case.factual or not case.counterfactual or case.factual.answer == case.counterfactual.answer:
            continue
        group: Group = "boolean" if case.group == "boolean" else "direct"
        source = SourceQuestion(case.id, case.factual.text, case.factual.answer, group)
        draft = PairDraft(case.counterfactual.text, case.counterfactual.answer, "another")
        found[case.group]["pairs"] += 1
        found[case.group].update([reason for reason, check in CHECKS if check(source, draft)][:1])
    return found


def _built(questions: Path, seed: int) -> list[Case]:
    with tempfile.TemporaryDirectory() as folder:
        output = Path(folder) / "pairs"
        order = BuildOrder(suite="cvqa", questions=questions, output=output, size=SIZE, groups=("direct",), seed=seed)
        build_dataset(order, settings=ModelSettings(), retry=RetryPolicy(), progress=lambda done: None)
        return [case for _, case in Dataset.open(output).cases()]


def _published(questions: Path) -> Iterator[Case]:
    layout = find_suite("cvqa-real").open_layout()
    for number, (_, row) in enumerate(rows_of(layout, questions), start=1):
        if not isinstance(row, BadField):
            yield layout.as_case(row, number)


def _figures(cases: list[Case]) -> dict[str, str]:
    asked = [(case.factual, case.counterfactual) for case in cases if case.factual and case.counterfactual]
    patterns = Counter(_pattern(changed.text) for _, changed in asked)
    operations = Counter(_operation(changed.text) for _, changed in asked)
    composed = sum(compose(int(first.answer), changed.text) == int(changed.answer) for first, changed in asked)
    told = sum(answer_without_picture(changed.text) == changed.answer for _, changed in asked)
    words = sum(len(changed.text.split()) for _, changed in asked)
    n = len(asked)
    return {
        "different suppositions": str(len(patterns)),
        "share of the most common": f"{patterns.most_common(1)[0][1] / n:.1%}",
        **{f"  {name}": f"{operations[name] / n:.1%}" for name in OPERATIONS},
        "words per question": f"{words / n:.1f}",
        "composer finds the gold answer": f"{composed / n:.1%}",
        "text alone determines it": f"{told / n:.1%}",
        "guessed by a table of suppositions": f"{_by_table([changed for _, changed in asked]):.1%}",
        "countersight blind": f"{_blind(cases):.1%}",
    }


def _by_table(questions: list[Question]) -> float:
    """Return how often guessing the other folds' most common answer (to the same supposition, if any) is right."""
    rows = [(_pattern(each.text, with_numbers=True), each.answer) for each in questions]
    right = 0
    for fold in range(FOLDS):
        known = [row for place, row in enumerate(rows) if place % FOLDS != fold]
        answers: dict[str, Counter[str]] = {}
        for pattern, answer in known:
            answers.setdefault(pattern, Counter())[answer] += 1
        overall = Counter(answer for _, answer in known)
        right += sum(answers.get(each, overall).most_common(1)[0][0] == answer for each, answer in rows[fold::FOLDS])
    return right / len(rows)


def _blind(cases: list[Case]) -> float:
    return next(group.blind.right for group in measure(cases).groups if group.world == "counterfactual")


def _pattern(question: str, *, with_numbers: bool = False) -> str:
    """Return the supposition with X for the counted things and N for a number (or its digits, `with_numbers`)."""
    clause = supposition(question)
    asked = counted_in(clause[0]) if clause else None
    if clause is None or asked is None:
        return question
    names = {asked.head, *asked.modifiers}
    words = re.findall(r"[a-z]+|\d+", clause[1].casefold())
    told = ["X" if noun_key(word) in names else _number(word, with_numbers=with_numbers) for word in words]
    return re.sub(r"X(?: X| of X)+", "X", " ".join(told))


def _number(word: str, *, with_numbers: bool) -> str:
    number = number_of(word)
    return word if number is None else str(number) if with_numbers else "N"


def _operation(question: str) -> str:
    effects = effects_of(question)
    if effects is None:
        return "not followed"
    return (
        "several" if len(effects) > 1 else {"keep": "set", "set_if_none": "set"}.get(effects[0].kind, effects[0].kind)
    )


if __name__ == "__main__":
    main(Path(sys.argv[1]), *map(int, sys.argv[2:]))

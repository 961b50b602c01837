"""How varied the pairs are that the grammar builds, beside the questions of C-VQA itself.

    python -m benchmarks.building C-VQA-Real_questions.csv

Builds pairs from the file's own factual questions and prints, for them and for as many of the file's own direct
questions: different suppositions (numbers, and names of what is counted, apart), what happens to the number, words in a
question, how often the composer comes to the gold answer, and how often the text alone tells it.
"""

import re
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from countersight.build import Order, answer_without_picture, build_dataset
from countersight.case import Case
from countersight.composing import compose, effects_of, number_of, read_asked, supposition, thing_of
from countersight.dataset import Dataset
from countersight.engine import Patience
from countersight.models import ModelSettings
from countersight.suites import SUITES, BadField

SIZE = 500
OPERATIONS = ("add", "remove", "times", "part", "remove_all", "set", "several", "not followed")


def main(questions: Path) -> None:
    """Print one table."""
    built = _built(questions)
    published = [case for case in _published(questions) if case.group == "direct"]
    size = min(len(built), len(published), SIZE)
    print(f"{size} direct questions each")
    print(f"{'':36}{'grammar':>10}{'C-VQA':>10}")
    mine, theirs = _figures(built[:size]), _figures(published[:size])
    for name, figure in mine.items():
        print(f"{name:36}{figure:>10}{theirs[name]:>10}")


def _built(questions: Path) -> list[Case]:
    with tempfile.TemporaryDirectory() as folder:
        output = Path(folder) / "pairs"
        order = Order(suite="cvqa", questions=questions, output=output, size=SIZE, groups=("direct",))
        build_dataset(order, settings=ModelSettings(), patience=Patience(), progress=lambda done: None)
        return [case for _, case in Dataset.open(output).cases()]


def _published(questions: Path) -> Iterator[Case]:
    layout = SUITES["cvqa-real"].open_layout()
    for number, (_, row) in enumerate(layout.rows(questions), start=1):
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
        "share of the commonest": f"{patterns.most_common(1)[0][1] / n:.1%}",
        **{f"  {name}": f"{operations[name] / n:.1%}" for name in OPERATIONS},
        "words in a question": f"{words / n:.1f}",
        "the composer comes to the gold answer": f"{composed / n:.1%}",
        "the text alone tells it": f"{told / n:.1%}",
    }


def _pattern(question: str) -> str:
    """The supposition with N for a number and X for what is counted."""
    clause = supposition(question)
    asked = read_asked(clause[0]) if clause else None
    if clause is None or asked is None:
        return question
    names = {asked.head, *asked.modifiers}
    words = re.findall(r"[a-z]+|\d+", clause[1].casefold())
    told = ["X" if thing_of(word) in names else "N" if number_of(word) is not None else word for word in words]
    return re.sub(r"X(?: X| of X)+", "X", " ".join(told))


def _operation(question: str) -> str:
    effects = effects_of(question)
    if effects is None:
        return "not followed"
    return "several" if len(effects) > 1 else {"keep": "set", "at_least": "set"}.get(effects[0].kind, effects[0].kind)


if __name__ == "__main__":
    main(Path(sys.argv[1]))

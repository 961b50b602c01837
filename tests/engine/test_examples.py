"""The example shown before a question is never the case itself, nor one about the same picture."""

from hypothesis import given, settings
from hypothesis import strategies as st
from making import case

from countersight.case import Case, Option, Question
from countersight.engine import CASE_QUESTIONS, MAX_EXAMPLES_PER_TYPE, FewShotExamples


class Pool:
    """Cases that stand for a dataset."""

    def __init__(self, cases):
        self._cases = cases

    def cases(self):
        return enumerate(self._cases)


KINDS = {
    "number": Question("How many?", "3", "number"),
    "boolean": Question("Is it?", "no", "boolean"),
    "choice": Question("Which?", "A", "choice", (Option("this"), Option("that"))),
}
questions = st.none() | st.sampled_from(list(KINDS.values()))


@st.composite
def pools(draw, changes=(None,)):
    cases = []
    for number in range(draw(st.integers(1, 12))):
        picture = draw(st.sampled_from(["1.png", "2.png", "3.png", None]))
        changed = draw(st.sampled_from(changes)) if picture else None
        cases.append(
            Case(
                id=f"case-{number}",
                image=picture,
                counterfactual_image=changed,
                image_digest=draw(st.sampled_from(["", f"digest of {picture}"])) if picture else "",
                group=draw(st.sampled_from(["a", "b"])),
                factual=draw(questions),
                counterfactual=draw(questions),
            )
        )
    return cases


def pictures(case):
    return {case.image, case.counterfactual_image} - {None}


@settings(max_examples=60)
@given(st.sampled_from([(None,), ("1.png", "4.png", None)]).flatmap(pools), st.integers(0, 5))
def test_an_example_is_another_case_with_another_picture_and_a_similar_question(cases, seed):
    examples = FewShotExamples(Pool(cases), seed)
    alone = not any(one.counterfactual_image for one in cases)
    for one in cases:
        for world, telling in CASE_QUESTIONS[:2]:
            question = one.question(world, telling)
            possible = [
                other
                for other in cases
                if question
                and (asked := other.question(world, telling))
                and asked.kind == question.kind
                and other.id != one.id
                and (other.image is None) == (one.image is None)
                and not pictures(one) & pictures(other)
            ]
            candidates = list(examples.candidates(one, world, telling))
            assert all(example in possible for example in candidates)
            assert bool(candidates) == bool(possible) or not alone  # of the cases of one picture, only one is kept
            if any(example.group == one.group for example in candidates):
                assert candidates[0].group == one.group


def first(examples, one):
    return next(examples.candidates(one, "factual", "told")).id


def test_the_seed_alone_decides_whatever_the_order_of_the_pool():
    cases = [case(number, image_digest=f"d{number}") for number in range(50)]
    chosen = [first(FewShotExamples(Pool(cases), 1), one) for one in cases]
    assert chosen == [first(FewShotExamples(Pool(cases[::-1]), 1), one) for one in cases]
    assert chosen != [first(FewShotExamples(Pool(cases), 2), one) for one in cases]
    assert len(set(chosen)) > MAX_EXAMPLES_PER_TYPE / 2

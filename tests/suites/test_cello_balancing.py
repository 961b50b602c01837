"""Questions and options such that the answers to the others tell nothing: neither the same, nor the opposite."""

from collections import Counter
from random import Random

from countersight.suites.cello.balancing import choose_balanced

NAMES = [f"name {number}" for number in range(12)]


def items(rng, number):
    """Two queues of queries, in which some names go mostly with a loss that follows."""
    found = {1: [], -1: []}
    for scene in range(number):
        name = rng.choice(NAMES)
        sign = 1 if rng.random() < (0.8 if name < "name 3" else 0.4) else -1
        found[sign].append((scene, name, sign))
    return [found[1], found[-1]]


def leaning(chosen):
    sums, numbers = Counter(), Counter()
    for _, name, sign in chosen:
        sums[name] += sign
        numbers[name] += 1
    return sums, numbers


def test_names_lean_as_coins_do():
    chosen = choose_balanced(
        items(Random(4), 800), 160, lambda item: (("lost", item[1], item[2]),), lambda item: item[0]
    )
    sums, numbers = leaning(chosen)
    assert len(chosen) == 160
    assert sum(sign for _, _, sign in chosen) == 0
    assert abs(sum(sums[name] ** 2 - numbers[name] for name in NAMES)) <= 10
    assert all(abs(sums[name]) <= 1.5 * numbers[name] ** 0.5 for name in NAMES)


def test_names_asked_about_twice_lean_as_coins_do_beside_names_asked_about_often():
    """Rare names that lean are not made up for by frequent ones that are even: a reader tells them apart."""
    rng = Random(7)
    rare = [[(2 * n + k, f"rare {n}", 1 if rng.random() < 0.9 else -1) for k in range(2)] for n in range(120)]
    often = [(1000 + n, f"often {n % 6}", rng.choice((1, -1))) for n in range(200)]
    mixed = rng.sample([*often, *(item for two in rare for item in two)], 440)
    chosen = choose_balanced([mixed], 200, lambda item: (("lost", item[1], item[2]),), lambda item: item[0])
    sums, numbers = leaning(chosen)
    twice = [abs(sums[name]) == 2 for name, number in numbers.items() if number == 2]
    assert len(twice) >= 10
    assert 0.3 <= sum(twice) / len(twice) <= 0.7


def test_one_question_of_a_scene_is_taken_and_both_queues_give_as_many():
    queues = [[(number % 3, "table", 1) for number in range(9)], [(number, "wall", -1) for number in range(9)]]
    chosen = choose_balanced(queues, 9, lambda item: (), lambda item: item[0])
    assert len({scene for scene, _, _ in chosen}) == len(chosen)
    assert [sign for _, _, sign in chosen] == [1, -1] * (len(chosen) // 2)

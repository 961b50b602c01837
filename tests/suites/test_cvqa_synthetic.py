"""Generated C-VQA-Synthetic: right answers, fair options, and the same bytes for the same seed."""

import os
import re
import signal
import subprocess
import sys
import time
from collections import Counter
from statistics import fmean

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from making import read_scenes
from msgspec.structs import replace
from PIL import Image
from scenes.pixels import changed, components
from suites.makers import gives_nothing_away

import countersight as cs
from countersight.dataset.folder import Dataset
from countersight.errors import CountersightError
from countersight.random_choice import balanced, balanced_answer
from countersight.scenes import PHRASINGS, apply, as_published, phrase_question
from countersight.scenes.drawing import draw
from countersight.scenes.scene import Background
from countersight.suites.cvqa.synthetic import make_case, make_synthetic
from countersight.suites.cvqa.templates import TEMPLATES

SEED = 7
RANGES = {
    1: (2, 24, 1, 12),
    2: (3, 23, 0, 21),
    3: (2, 24, 1, 12),
    4: (9, 38, 0, 37),
    5: (3, 21, 2, 15),
    6: (4, 8, 2, 7),
}
"""Smallest and largest answer before and after the change, in the published set."""


@pytest.fixture(scope="module")
def published_size():
    """500 cases of every template, without pictures."""
    return {t.number: [make_case(t, SEED, index, index + 1) for index in range(500)] for t in TEMPLATES}


@pytest.fixture(scope="module")
def some():
    """24 cases of every template, without pictures."""
    return {t.number: [make_case(t, SEED, index, index + 1) for index in range(24)] for t in TEMPLATES}


def write(folder, size=12, seed=SEED, workers=1):
    make_synthetic(folder, size=size, seed=seed, wording="one", workers=workers)
    return folder


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Four cases of every template, with pictures."""
    return write(tmp_path_factory.mktemp("made") / "dataset", size=24)


def gold(question):
    return int(question.options["ABCD".index(question.answer)].text)


@pytest.mark.parametrize("template", RANGES)
def test_answers_and_options_are_in_the_ranges_of_their_template_and_every_change_matters(some, template):
    low, high, new_low, new_high = RANGES[template]
    for made in some[template]:
        answer, new = gold(made.case.factual), gold(made.case.counterfactual)
        assert low <= answer <= high
        assert new_low <= new <= new_high
        assert answer != new
        for question, least, most in (
            (made.case.factual, low, high),
            (made.case.counterfactual, new_low, new_high),
            (made.case.shown, new_low, new_high),
        ):
            numbers = [int(option.text) for option in question.options]
            assert len(set(numbers)) == 4
            assert least <= min(numbers)
            assert max(numbers) <= min(most, min(numbers) + 11)


@pytest.mark.slow
def test_the_rank_of_the_right_option_is_random_and_letters_of_the_worlds_are_independent(published_size):
    """1,500 cases at each half of a rank: 5 standard deviations are 8 points."""
    cases = [made.case for of_template in published_size.values() for made in of_template]
    for world in ("factual", "counterfactual"):
        ranks, nearest = Counter(), 0.0
        for case in cases:
            numbers = [int(option.text) for option in case.question(world).options]
            right, mean = gold(case.question(world)), fmean(numbers)
            far = [abs(number - mean) for number in numbers]
            ranks[sorted(numbers).index(right)] += 1
            nearest += (abs(right - mean) == min(far)) / far.count(min(far))
        assert all(0.21 < ranks[rank] / 3000 < 0.29 for rank in range(4))
        assert 0.21 < nearest / 3000 < 0.29
    pairs = Counter((case.factual.answer, case.counterfactual.answer) for case in cases)
    assert len(pairs) == 16
    assert min(pairs.values()) > 120
    flowers = Counter(gold(made.case.counterfactual) for made in published_size[3])
    assert set(flowers) == set(range(1, 13))
    assert 5.5 < fmean(flowers.elements()) < 7.5


@pytest.mark.slow
def test_options_do_not_reveal_the_right_answer(published_size):
    gives_nothing_away([made.case for all_made in published_size.values() for made in all_made])


def test_the_number_of_removed_items_is_possible_for_every_option(some):
    """The number in the question must not rule an option out."""
    for template in (2, 4):
        for made in some[template]:
            removed = int(re.search(r"\d+", made.case.counterfactual.text)[0])
            before, after = (
                {int(option.text) for option in question.options}
                for question in (made.case.factual, made.case.counterfactual)
            )
            assert after == {number - removed for number in before}


@given(st.sampled_from(["ABCD", "ABCDEFGH"]), st.text(max_size=8), st.integers(0, 200))
def test_balanced_choices_differ_by_at_most_one_at_every_size(items, key, size):
    counts = Counter(balanced(items, key, index) for index in range(size))
    assert max(counts[item] for item in items) - min(counts[item] for item in items) <= 1


def test_right_letters_are_balanced_and_earlier_letters_do_not_reveal_the_next():
    letters = [balanced_answer("ABCD", "key", index) for index in range(400)]
    assert all(set(Counter(letters[first : first + 100]).values()) == {25} for first in range(0, 400, 100))
    fours = [set(letters[first : first + 4]) for first in range(0, 400, 4)]
    assert sum(len(four) == 4 for four in fours) < 25, "by chance, it is one in eleven"


def test_the_change_is_the_presupposition_as_a_sentence(some):
    for all_made in some.values():
        for made in all_made:
            clause = made.case.counterfactual.text.partition(" if ")[2].rstrip("?")
            clause = clause.replace("most dots were", "most dots was")  # a statement, no longer a supposition
            assert made.case.change.text == f"{clause[0].upper()}{clause[1:]}."
            assert set(made.case.change.kinds) <= {"remove", "recolour"}


@pytest.mark.parametrize("size", [1, 8])
def test_cases_are_spread_evenly_over_the_templates(tmp_path, size):
    cases = [case for _, case in Dataset.open(write(tmp_path / "d", size=size)).cases()]
    types = [case.provenance["type"] for case in cases]
    assert types == sorted(types)
    counts = [types.count(f"abs_counting_{number}") for number in range(1, 7)]
    assert sum(counts) == size
    assert max(counts) - min(counts) <= 1
    assert [case.id for case in cases] == [f"cvqa-synthetic-{number:06d}" for number in range(1, size + 1)]


def pixels(folder, name):
    return np.asarray(Image.open(folder / name))


def counted_in_pixels(kind, colour, scene, picture):
    """The answer by counting pieces in the picture and looking where they lie; the scene only says what to rub out."""
    if kind in "123":
        items = components(changed(picture, draw(replace(scene, flowers=()))))
        empty = draw(replace(scene, flowers=(), polygons=()))
        areas = [
            changed(empty, draw(replace(scene, flowers=(), polygons=(polygon,))))
            for polygon in scene.polygons
            if polygon.colour == colour
        ]
        held = sum(any(area[item].all() for area in areas) for item in items)
        free = sum(not any(area[item].any() for area in areas) for item in items)
        assert held + free == len(items)  # nothing lies across an edge
        return free if kind == "1" else held
    dots = components(changed(picture, draw(replace(scene, circles=tuple(replace(c, dots=()) for c in scene.circles)))))
    # Discs are white, and so may the ground be: they are told from a ground of another colour.
    pink = replace(scene, background=Background("plain", ("#ff00ff", "#ff00ff"), 1))
    discs = components(changed(draw(pink), draw(replace(pink, circles=()))))
    inside = {disc: sum(discs[disc][dot].all() for dot in dots) for disc in range(len(discs))}
    assert sum(inside.values()) == len(dots)
    if kind == "4":
        return len(dots)
    if kind == "5":
        return sum(number for disc, number in inside.items() if np.nonzero(discs[disc])[0].mean() < 224)
    return max(inside.values())


def test_gold_answers_equal_a_count_of_items_in_the_pictures(folder):
    records = {record.id: record for record in read_scenes(folder / "scenes.jsonl")}
    for _, case in Dataset.open(folder).cases():
        scene, change = records[case.id].scene, records[case.id].change
        kind = case.provenance["type"][-1]
        colour = re.search(r"(\w+) polygons|$", case.factual.text)[1]
        before, after = pixels(folder, case.image), pixels(folder, case.counterfactual_image)
        assert counted_in_pixels(kind, colour, scene, before) == gold(case.factual), case.id
        assert counted_in_pixels(kind, colour, apply(scene, change), after) == gold(case.counterfactual), case.id


def test_the_two_pictures_differ_only_where_the_change_is(folder):
    for record in read_scenes(folder / "scenes.jsonl"):
        number = record.id[-6:]
        differs = changed(*(pixels(folder, f"images/{number}{world}.png") for world in ("", "-counterfactual")))
        assert differs.any()
        ids = {name for edit in record.change for name in edit.ids}
        rows, columns = np.mgrid[:448, :448] + 0.5
        allowed = np.zeros((448, 448), bool)
        for circle in record.scene.circles:
            for disc in (circle, *circle.dots):
                if disc.id in ids:
                    allowed |= np.hypot(columns - disc.x, rows - disc.y) <= disc.radius + 3
        for flower in record.scene.flowers:
            if flower.id in ids:
                allowed |= np.hypot(columns - flower.x, rows - flower.y) <= flower.size + 1
        bare = replace(record.scene, flowers=(), polygons=())
        for polygon in record.scene.polygons:
            if polygon.id in ids:
                allowed |= changed(draw(bare), draw(replace(bare, polygons=(polygon,))))
        assert not (differs & ~allowed).any(), record.id


def contents(folder):
    names = ("metadata.jsonl", "scenes.jsonl")
    return {
        path.name: path.read_bytes() for path in (*(folder / name for name in names), *(folder / "images").iterdir())
    }


@pytest.mark.slow
def test_one_worker_and_two_workers_write_the_same_bytes(tmp_path):
    one, two = (write(tmp_path / str(workers), size=20, workers=workers) for workers in (1, 2))
    assert contents(one) == contents(two)


@pytest.mark.parametrize("template", TEMPLATES, ids=lambda template: template.group)
def test_eight_phrasings_are_recognised_as_the_published_question(template):
    puzzle = template.solved(SEED, 0).puzzle
    published = f"{puzzle.if_question} if {puzzle.presupposition}?"
    asked = [phrase_question(puzzle.question, number) for number in range(PHRASINGS)]
    supposed = [
        phrase_question(puzzle.question, number, puzzle.presupposition, published) for number in range(PHRASINGS)
    ]
    assert len({*asked, *supposed}) == 2 * PHRASINGS == 16
    assert {as_published(text) for text in asked} == {puzzle.question}
    assert {as_published(text).replace("inside the ", "inside ") for text in supposed} == {published}


def test_the_default_wording_uses_all_phrasings(tmp_path):
    usual, one = (
        [case for _, case in cs.make("cvqa-synthetic", tmp_path / name, size=24, seed=1, workers=1, **how).cases()]
        for name, how in (("usual", {"groups": "usual"}), ("one", {"wording": "one"}))
    )
    assert [as_published(case.factual.text) for case in usual] == [case.factual.text for case in one]
    assert len({case.factual.text.split(" ")[0] for case in usual}) > 3
    assert {case.factual.text.split(" ")[0] for case in one} == {"How"}
    with pytest.raises(CountersightError, match="wording of cvqa-synthetic"):
        cs.make("cvqa-synthetic", tmp_path / "d", size=2, wording="second")


INTERRUPTED = """
import sys
from contextlib import contextmanager
from pathlib import Path
from countersight.suites.cvqa import make_synthetic

@contextmanager
def progress(what, total, unit):
    yield lambda done: print(done, flush=True)

if __name__ == "__main__":
    try:
        make_synthetic(Path(sys.argv[1]), size=100_000, seed=1, workers=2, progress=progress)
    except KeyboardInterrupt:
        print("stopped", flush=True)
"""


@pytest.mark.slow
def test_ctrl_c_stops_all_workers_and_leaves_nothing(tmp_path):
    script = tmp_path / "interrupted.py"
    script.write_text(INTERRUPTED)
    process = subprocess.Popen(
        [sys.executable, script, tmp_path / "dataset"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        process_group=0,
    )
    assert process.stdout.readline().strip() == "16"
    time.sleep(0.1)

    os.killpg(process.pid, signal.SIGINT)  # as a terminal does: to the workers too
    out, err = process.communicate(timeout=60)
    assert out.splitlines()[-1] == "stopped"
    assert "Traceback" not in err
    assert [path.name for path in tmp_path.iterdir()] == ["interrupted.py"]

"""What is answered without the pictures: cues that were put there are found, and none where there is none."""

import json
from io import StringIO
from random import Random

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from making import dataset
from rich.console import Console

import countersight as cs
from countersight.blindness import card_section, load_or_measure, load_stored, measure, render, section
from countersight.blindness.probing import VERSION
from countersight.blindness.results import format_share
from countersight.case import LETTERS, Case, Change, Option, Question
from countersight.cli import main
from countersight.dataset import Dataset

WORDS = ["lamp", "chair", "shelf", "wall", "cup", "tray", "dog", "leash", "kite", "string", "boat", "river"]


def chosen(number, options, right, text="Which of these is it?", group="g", **fields):
    question = Question(text, LETTERS[right], "choice", tuple(Option(option) for option in options))
    return Case(f"case-{number}", group=group, counterfactual=question, **fields)


def fair(number, rng):
    """Four words, any of them right."""
    return chosen(number, rng.sample(WORDS, 4), rng.randrange(4))


def asked(number, text, answer, **fields):
    return Case(f"case-{number}", group="g", counterfactual=Question(text, answer, "boolean"), **fields)


def cases(make, size=400, seed=3):
    rng = Random(seed)
    return [make(number, rng) for number in range(size)]


def total(found):
    return found.total("counterfactual")


def test_options_by_chance_give_nothing_away():
    found = measure(cases(fair, 1200))
    assert total(found).chance == 0.25
    for share in total(found).probes.values():
        assert share.low <= 0.25
    assert not total(found).gives_away
    assert found.cues == ()


@pytest.mark.slow
def test_small_sets_of_options_by_chance_give_nothing_away():
    """Both choosing among probes and counting in the tested fold flattered: 29 % were answered correctly."""
    found = [total(measure(cases(fair, 100, seed))).blind.right for seed in range(14)]
    assert sum(found) / len(found) < 0.27


def longest(number, rng):
    options = rng.sample(WORDS, 4)
    right = rng.randrange(4)
    options[right] += " and whatever stands near it"
    return chosen(number, options, right)


def middling(number, rng):
    right = rng.randrange(5, 30)
    numbers = [right, *(right + gap for gap in rng.sample((-5, -4, -3, -2, -1, 1, 2, 3, 4, 5), 3))]
    rng.shuffle(numbers)
    return chosen(number, [str(one) for one in numbers], numbers.index(right))


def at_the_first_letter(number, rng):
    return chosen(number, rng.sample(WORDS, 4), 0 if rng.random() < 0.8 else rng.randrange(4))


def worded(number, rng):
    options = rng.sample(WORDS[1:], 3)
    right = rng.randrange(4)
    options.insert(right, "lamp")
    return chosen(number, options, right)


def named(number, rng):
    options = rng.sample(WORDS, 4)
    right = rng.randrange(4)
    return chosen(number, options, right, f"Which of these does the {options[right]} stand on?")


@pytest.mark.parametrize(
    ("make", "cue"),
    [
        (longest, "length rank 3"),
        (middling, "number rank"),
        (middling, "distance from the mean rank 0"),
        (at_the_first_letter, "letter 1"),
        (worded, "“lamp”"),
        (named, "shares 1 words with the question"),
    ],
)
def test_a_cue_that_was_put_there_is_found_and_named(make, cue):
    found = measure(cases(make))
    assert total(found).blind.low > 0.4
    assert total(found).gives_away
    assert any(cue in one.what for one in found.cues)


def test_a_set_that_is_balanced_by_name_gives_its_last_answer_away():
    """Four names in turn, each right as often as the others: a name that was right in other questions is wrong here."""
    found = []
    for number in range(100):
        options = [f"thing {4 * number + place}" for place in range(4)]
        found += [chosen(4 * number + right, options, right) for right in range(4)]
    assert total(measure(found)).blind.right > 0.6


def test_a_name_that_goes_once_with_yes_goes_once_with_no():
    def make(number, rng):
        name = f"{WORDS[number // 2 % 12]}{number // 24}"
        return asked(number, f"Would it fall without the {name}?", ("yes", "no")[number % 2])

    assert total(measure(cases(make))).blind.right > 0.6


def test_a_name_that_tells_what_happens_is_found_whichever_way_it_is_asked():
    """As many yes as no for each name, but those of one half always fall, and the words say which way is asked."""

    def make(number, rng):
        name = f"{WORDS[number % 12]}{number % 60 // 12}"
        way = rng.choice(("still be there", "have gone"))
        falls = number % 60 < 30
        return asked(number, f"Without it, would the {name} {way}?", "yes" if falls == (way == "have gone") else "no")

    assert total(measure(cases(make))).blind.right > 0.7


def test_a_word_of_the_question_that_tells_yes_from_no_is_found():
    def make(number, rng):
        answer = rng.choice(("yes", "no"))
        way = "somehow" if answer == "yes" else "still"
        return asked(number, f"Would the {rng.choice(WORDS)} {way} be where it is?", answer)

    found = measure(cases(make))
    assert total(found).chance == 0.5
    assert total(found).blind.right > 0.95
    assert any("somehow" in cue.what for cue in found.cues)


def test_numbers_that_are_not_offered_are_answered_by_the_majority():
    def make(number, rng):
        question = Question("How many dogs are there?", str(rng.choice((2, 2, 2, 3, 7))), "number")
        return Case(f"case-{number}", factual=question)

    found = measure(cases(make)).total("factual")
    assert found.chance is None
    assert 0.5 < found.blind.right < 0.7


def test_a_picture_is_never_learned_from_and_tried_at_once():
    """Every picture has a word of its own that tells its answer: a probe that saw half of its questions would know."""

    def make(number, rng):
        picture = number // 8
        return asked(
            number, f"Is thing{picture} so?", ("yes", "no")[Random(picture).random() < 0.5], image=f"{picture}"
        )

    assert not total(measure(cases(make, 800))).gives_away


def test_the_change_and_the_context_of_a_case_are_read_as_well():
    def make(number, rng):
        answer = rng.choice(("yes", "no"))
        return asked(number, "Would it fall?", answer, change=Change("cut the rope" if answer == "yes" else "wait"))

    assert total(measure(cases(make))).blind.right > 0.95


def test_few_questions_tell_nothing():
    found = measure(cases(longest, 20))
    assert (found.questions, found.groups, found.cues) == (20, (), ())
    assert "too few" in "".join(section(found))


@settings(max_examples=3, deadline=None)
@given(st.text(max_size=12), st.lists(st.text(min_size=1, max_size=6), min_size=2, max_size=4, unique_by=str.strip))
@example("2 and ²", ["²", "b"])  # a digit that is no number
def test_any_words_can_be_measured_and_told(text, options):
    made = [chosen(n, options, n % 2, text or "?", ("a", "b|`\x1b")[n % 3 == 0]) for n in range(150)]
    found = measure(made)
    for group in found.groups:
        assert 0 <= group.blind.low <= group.blind.right <= group.blind.high <= 1
        assert set(group.probes) == {"text"}
    assert "\x1b" not in "".join(section(found))


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return dataset(tmp_path_factory.mktemp("blind") / "d", cases(longest, 120), sections=(card_section,))


def test_the_card_of_a_dataset_says_what_is_answered_blind(folder):
    card = (folder / "README.md").read_text(encoding="utf-8")
    assert "## Accuracy without the pictures" in card
    assert "| **all, counterfactual** | 120 | 25.0 |" in card
    assert "length rank 3" in card


def test_what_was_measured_is_kept_and_forgotten_with_the_rows(folder, tmp_path):
    opened = Dataset.open(folder)
    assert load_or_measure(opened) == load_stored(opened)
    rows = (folder / "metadata.jsonl").read_bytes()
    other = tmp_path / "d"
    other.mkdir()
    (other / "metadata.jsonl").write_bytes(rows[: rows.index(b"\n") + 1])
    (other / "blind.json").write_bytes((folder / "blind.json").read_bytes())
    assert load_stored(Dataset.open(other)) is None
    (other / "blind.json").write_bytes(b"{\xff")
    assert load_stored(Dataset.open(other)) is None


@pytest.mark.parametrize("probes", ["an older version", None])
def test_what_other_probes_measured_is_measured_anew(folder, tmp_path, probes):
    """Also what was kept before versions were: nobody knows by which probes."""
    for name in ("metadata.jsonl", "blind.json"):
        (tmp_path / name).write_bytes((folder / name).read_bytes())
    kept = json.loads((tmp_path / "blind.json").read_text(encoding="utf-8"))
    assert kept["probes"] == VERSION
    kept["blind"]["questions"] = 7
    (tmp_path / "blind.json").write_text(json.dumps(kept), encoding="utf-8")
    assert load_stored(Dataset.open(tmp_path)).questions == 7
    old = {name: value for name, value in kept.items() if name != "probes"} | ({"probes": probes} if probes else {})
    (tmp_path / "blind.json").write_text(json.dumps(old), encoding="utf-8")
    assert load_stored(Dataset.open(tmp_path)) == load_stored(Dataset.open(folder))


def test_the_verb_prints(folder, capsys):
    assert main(["blind", str(folder)]) == 0
    out = capsys.readouterr().out
    assert "Accuracy without the pictures" in out
    assert "Cues that give the answer away" in out


def test_describe_tells_it_too(folder, capsys):
    assert main(["describe", str(folder)]) == 0
    assert "the pictures: counterfactual 100.0% right" in capsys.readouterr().out


def test_a_terminal_is_told_nothing_but_words(capsys):
    found = measure(chosen(n, ["a", "b\x1b[2J"], 1, group="\x1b[31m[bold]g") for n in range(60))
    render(found, Console(force_terminal=False))
    assert "\x1b[2J" not in capsys.readouterr().out


@pytest.mark.parametrize("width", [60, 80, 200])
def test_no_figure_is_cut_on_a_narrow_terminal(width):
    rng = Random(3)
    found = measure(
        chosen(n, rng.sample(WORDS, 4), rng.randrange(4), group="counterfactual_reasoning") for n in range(200)
    )
    out = StringIO()
    render(found, Console(file=out, width=width))
    words = out.getvalue().split()
    for group in found.groups:
        figures = [format_share(share) for share in group.probes.values()]
        assert all(part in words for figure in figures for part in figure.split())
    assert "…" not in out.getvalue()


def longest_option(_, question):
    """A model that was told nothing but the words."""
    lines = [line for line in question.splitlines() if line[1:2] in ".:)"]
    return max(lines, key=len)[0]


def test_a_model_asked_without_pictures_is_one_probe_more(folder, tmp_path):
    run = cs.run(folder, longest_option, out=tmp_path / "run", name="longest", prompt="text-only")
    found = total(cs.blind(folder, runs=[run]))
    assert list(found.probes) == ["text", "longest"]
    assert found.probes["longest"].right == run.scores().overall.counterfactual.value
    assert "answers of this model without the pictures" in "\n".join(section(cs.blind(folder, runs=[run])))


def test_a_model_that_was_shown_the_pictures_or_not_asked_to_the_end_is_no_probe(folder, tmp_path, capsys):
    cs.run(folder, longest_option, out=tmp_path / "seeing", name="longest")
    assert main(["blind", str(folder), "--run", str(tmp_path / "seeing")]) == 2
    assert "made with the pictures" in capsys.readouterr().err
    cs.run(folder, longest_option, out=tmp_path / "part", name="longest", prompt="text-only")
    journal = tmp_path / "part" / "replies.jsonl"
    journal.write_bytes(b"".join(journal.read_bytes().splitlines(keepends=True)[:-20]))
    assert main(["blind", str(folder), "--run", str(tmp_path / "part")]) == 2
    assert "no answer to 20 of 120 questions" in capsys.readouterr().err


def known_graph(keeper, kept):
    nodes = [{"id": "a", "obj_name": keeper}, {"id": "b", "obj_name": kept}]
    return {"nodes": nodes, "edges": [{"source": "a", "target": "b"}]}


def kept_as_usual(number, rng):
    """What keeps what is the same in every picture, and the question asks after one of the two ways."""
    pair = rng.choice([(WORDS[n], WORDS[n + 1]) for n in range(0, len(WORDS), 2)])
    way = rng.choice(("still be there", "be gone"))
    lost, effect = rng.choice((pair, pair[::-1]))
    falls = (lost, effect) == pair
    answer = "yes" if falls == (way == "be gone") else "no"
    text = f"Without the {lost}, would the {effect} {way}?"
    return asked(number, text, answer, graph=known_graph(*pair), image=f"{number}.png")


def kept_otherwise(number, rng):
    """The same questions about pictures in which either of the two keeps the other, as a coin falls."""
    case = kept_as_usual(number, rng)
    nodes = rng.sample([node["obj_name"] for node in case.graph["nodes"]], 2)
    return asked(number, case.counterfactual.text, rng.choice(("yes", "no")), graph=known_graph(*nodes))


def test_what_usually_keeps_what_is_counted_in_other_pictures():
    found = total(measure(cases(kept_as_usual)))
    assert found.knowledge.right > 0.9
    assert found.gives_away
    assert found.knowledge == found.probes["knowledge"]
    assert total(measure(cases(kept_otherwise))).knowledge.low < 0.5
    assert total(measure(cases(fair))).knowledge is None  # no graph tells anything


def test_a_picture_tells_nothing_of_itself():
    """Each pair stands in one picture: whoever counts others knows nothing."""

    def make(number, rng):
        case = kept_as_usual(number, rng)
        names = {word: f"{word}{chr(97 + number // 26)}{chr(97 + number % 26)}" for word in WORDS}
        text = case.counterfactual.text
        for word, name in names.items():
            text = text.replace(f"the {word}", f"the {name}")
        own = [names[node["obj_name"]] for node in case.graph["nodes"]]
        return asked(number, text, case.counterfactual.answer, graph=known_graph(*own), image=f"{number}.png")

    assert total(measure(cases(make))).knowledge.low < 0.5


def test_the_command_line_asks_a_model_without_the_pictures(tmp_path, capsys):
    folder = dataset(tmp_path / "d", cases(kept_as_usual, 60))
    assert main(["blind", str(folder), "--blind", "chance"]) == 0
    printed = capsys.readouterr().out
    assert "chance: answers of this model" in printed
    assert "knowledge: which things usually support others: how often each pair" in printed
    assert (tmp_path / "d.blind" / "chance" / "run.json").exists()

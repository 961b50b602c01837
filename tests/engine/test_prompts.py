"""Prompts: the rendered text, worked examples, and checks of prompt files."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from making import case, choice
from msgspec.structs import replace

from countersight.case import Case, Change, Option, Question
from countersight.cli import main
from countersight.engine import PROMPTS, fill, find_prompt, graph_in_words, prompt_context, read_prompt
from countersight.errors import CountersightError

WINDY = Case(
    id="windy",
    context="Yes, because there is a breeze.",
    change=Change("The air is still."),
    factual=Question("Will the kite fly?", "yes", "boolean"),
    counterfactual=Question("Will the kite fly?", "B", "choice", (Option("yes, it is light"), Option("no, no wind"))),
)


COLOURS = Question("What?", "A", "choice", (Option("red"), Option("7")))


@pytest.mark.parametrize(
    ("question", "listed", "text"),
    [
        (choice("Many?"), True, "Many?\nA: 3\nB: 5\nC: 7\nD: 9\nAnswer with the letter of the right option."),
        (Question("Many?", "3", "number"), True, "Many?\nAnswer with a single number."),
        (Question("Is it?", "yes", "boolean"), True, "Is it?\nAnswer with yes or no."),
        (Question("What?", "red", "open"), True, "What?\nAnswer briefly."),
        (choice("Many?"), False, "Many?\nAnswer with a single number."),
        (COLOURS, False, "What?\nAnswer briefly."),
    ],
)
def test_each_kind_of_question_has_its_own_text_and_ranked_options_are_not_listed(question, listed, text):
    assert PROMPTS["0-shot"].render(question, listed=listed) == text


@pytest.mark.parametrize("name", PROMPTS)
def test_braces_in_a_question_or_an_option_stay_as_they_are(name):
    odd = Question("a {options} b {question} {0} }}{{", "A", "choice", (Option("{change}"), Option("{{x}}")))
    text = PROMPTS[name].render(odd)
    assert odd.text in text or not PROMPTS[name].question
    assert "A: {change}\nB: {{x}}" in text


def test_a_separate_change_is_given_together_with_the_first_answer_and_one_in_the_question_is_not_repeated():
    text = PROMPTS["0-shot"].render(WINDY.counterfactual, prompt_context(WINDY, "counterfactual", "told"))
    places = [text.index(part) for part in (WINDY.context, "The air is still.", "Will the kite fly?", "B: no, no wind")]
    assert places == sorted(places)
    inside = case(1)
    assert inside.change is not None
    text = PROMPTS["0-shot"].render(inside.counterfactual, prompt_context(inside, "counterfactual", "told"))
    assert inside.change.text not in text
    assert "suppose" not in text.lower()


@pytest.mark.parametrize(("world", "telling"), [("factual", "told"), ("counterfactual", "shown")])
def test_other_questions_do_not_mention_the_change(world, telling):
    text = PROMPTS["0-shot"].render(choice("Will it?"), prompt_context(WINDY, world, telling))
    assert text == PROMPTS["0-shot"].render(choice("Will it?"))


def test_worked_reasoning_uses_the_right_answers_of_both_worlds():
    one = case(1)  # five dots; three once two are removed, which is option A
    said = PROMPTS["1-shot-cot"].solve(case(1, counterfactual=choice("How many then?", "A")), "counterfactual", "told")
    assert said.splitlines() == [
        'For the picture as it is, the answer to "How many dots are there in picture 1?" is: 5',
        "What is different: two dots were removed",
        "So the answer is: 3",
        "Answer: A",
    ]
    assert PROMPTS["1-shot-cot"].solve(one, "factual", "told") == "So the answer is: 5\nAnswer: B"
    assert PROMPTS["1-shot"].solve(one, "factual", "told") == "B"
    assert PROMPTS["1-shot"].solve(one, "factual", "told", listed=False) == "5"


NODES = [
    {"id": 1, "name": "wall"},
    {"id": 2, "obj_name": "shelf"},
    {"id": 3, "name": "book"},
    {"id": 4, "name": "book"},
]
EDGES = [(1, 2, "holds"), (2, 3, "supports"), (2, 4, "supports"), (2, 4, "supports")]
GRAPH = {"nodes": NODES, "edges": [dict(zip(("source", "target", "relation"), edge, strict=True)) for edge in EDGES]}


def test_a_causal_graph_is_described_if_the_prompt_asks_for_it():
    words = "wall holds shelf; shelf supports book 1; shelf supports book 2"
    assert graph_in_words(GRAPH) == words
    question = Question("Would it fall?", "yes", "boolean")
    with_graph, without = Case("a", counterfactual=question, graph=GRAPH), Case("b", counterfactual=question)
    given_graph = PROMPTS["given-graph"]
    assert words in given_graph.render(question, prompt_context(with_graph, "counterfactual", "told"))
    plain = PROMPTS["0-shot"].render(question)
    assert given_graph.render(question, prompt_context(without, "counterfactual", "told")) == plain
    assert PROMPTS["0-shot"].render(question, prompt_context(with_graph, "counterfactual", "told")) == plain


parts = st.sampled_from(["id", "name", "nodes", "edges", "source", "target", "relation"])
json = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(parts, inner, max_size=4),
    max_leaves=30,
)


@given(st.dictionaries(st.sampled_from(["nodes", "edges"]), json))
def test_no_graph_in_a_dataset_can_stop_a_run(graph):
    assert isinstance(graph_in_words(graph), str)


@given(st.text(st.sampled_from("ab{}\n ") | st.characters(), max_size=40))
def test_templates_do_not_change_the_text_of_a_case(text):
    assert fill("a {x} b", {"x": text}) == (f"a {text} b" if text else "")


def test_double_braces_are_braces_and_lines_with_empty_values_are_left_out():
    assert fill("\\boxed{{x}} {a}\nonly {b}\nend", {"a": "1", "b": ""}) == "\\boxed{x} 1\nend"


@pytest.mark.parametrize("name", PROMPTS)
def test_a_shipped_prompt_passes_the_checks_of_a_file(tmp_path, name):
    (tmp_path / "mine.toml").write_text(f'like = "{name}"')
    assert replace(read_prompt(tmp_path / "mine.toml", PROMPTS), name=name) == PROMPTS[name]


def test_no_prompt_tells_the_gold_answer():
    marked = Question("Which?", "B", "choice", (Option("left one"), Option("right one")))
    for prompt in PROMPTS.values():
        assert re.search(r"\bB\b(?!:)", prompt.render(marked).replace("B: right one", "")) is None


OWN = 'like = "cot"\nabout = "mine"\nchoice = """\n{question}\n{options}\nChoose."""\n'


def test_a_prompt_file_replaces_only_the_fields_that_it_names(tmp_path):
    (tmp_path / "terse.toml").write_text(OWN)
    mine = find_prompt(str(tmp_path / "terse.toml"))
    assert (mine.name, mine.reads, mine.boolean) == ("terse", "end", PROMPTS["cot"].boolean)
    assert mine.render(choice("How many?")).endswith("D: 9\nChoose.")


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ('about = "x"\n\nchioce = "{question}"', r": chioce: there is no field 'chioce'; did you mean 'choice'"),
        ('choice = """\n{question}\n{optoins}"""', r": choice: \{optoins\} .* did you mean \{options\}\?"),
        ('number = "{question} {options}"', r": number: \{options\} is not a known placeholder"),
        ('choice = "{question}"', r": choice: the placeholder \{options\} is missing"),
        ('\nopen = "What?"', r": open: the placeholder \{question\} is missing"),
        ('example = "so"', r": example: the placeholder \{answer\} is missing"),
        ("shots = 2", r": shots: 2 is not one of: 0, 1"),
        ('reads = "start"', r": reads: 'start' is not one of: whole, end"),
        ("orders = []", r": orders: \[\] is not one of: one, rotations, every"),
        ('factual = "0-shto"', r": factual: there is no prompt '0-shto'; did you mean '0-shot'\?"),
        ("fact = 1", r": fact: expected `bool`, got `int`"),
        ("max_tokens = 0", ": max_tokens: must be a whole number of at least 1"),
        ('like = "ct"', r": like: there is no prompt 'ct'; did you mean 'cot'\?"),
        ('like = ["cot"]', ": like: there is no prompt"),
        ('name = "0-shot"', ": name: 0-shot is the name of a built-in prompt"),
        ('name = "a\\u0007"', ": name: must have 1 to 60 printable characters"),
        ('fact = true\norders = "every"', ": orders: options cannot be asked in several orders"),
        ('choice = "{question}\n', r"is not TOML: .*line 1"),
        ("[mine]\nabout = 1", "mine: there is no field 'mine'"),
        ("\x00", "is not TOML"),
        ("a = " + "[" * 100_000, "is not TOML"),
    ],
)  # fmt: skip
def test_an_error_in_a_prompt_file_names_the_field(tmp_path, text, sentence):
    file = tmp_path / "mine.toml"
    file.write_text(text)
    with pytest.raises(CountersightError, match=sentence) as caught:
        find_prompt(str(file))
    assert str(caught.value).startswith(str(file))
    assert "\n" not in str(caught.value)


def test_a_file_with_a_byte_order_mark_is_read_and_one_that_is_not_text_is_refused(tmp_path):
    (tmp_path / "mine.toml").write_bytes(b'\xef\xbb\xbfnumber = "{question} How many?"\r\n')
    assert find_prompt(str(tmp_path / "mine.toml")).number == "{question} How many?"
    (tmp_path / "mine.toml").write_bytes(b'about = "\xff\xfe"')
    with pytest.raises(CountersightError, match="is not UTF-8 text"):
        find_prompt(str(tmp_path / "mine.toml"))


@pytest.mark.parametrize(("name", "near"), [("cto", "cot"), ("Given-Fact", "given-fact")])
def test_an_unknown_prompt_gets_a_suggestion(name, near):
    with pytest.raises(CountersightError, match=f"there is no prompt '{name}'; did you mean '{near}'"):
        find_prompt(name)


def test_prompts_are_listed_in_a_line_each_or_in_full(capsys):
    assert main(["list", "prompts"]) == 0
    assert [line.split()[0] for line in capsys.readouterr().out.splitlines()] == list(PROMPTS)
    assert main(["list", "prompts", "-v"]) == 0
    whole = capsys.readouterr().out
    assert "{fact_question}" in whole
    assert all(prompt.about in whole.replace('\\"', '"') for prompt in PROMPTS.values())

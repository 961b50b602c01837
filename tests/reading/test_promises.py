"""What docs/reading.md promises: the forms in which models state answers, and what is left unread."""

import pytest

from countersight.case import Option, Order, Question, Reply
from countersight.errors import CountersightError
from countersight.reading import read, read_reply, without_refusal
from countersight.scoring import is_right

CATS = "How many cats are there?"
LEFT = "How many cats would there be if two left?"
COLOURS = ("red", "blue", "green", "grey")
CLOSER = "Which point is closer to the camera?"


@pytest.mark.parametrize(
    "text",
    [
        "B", "(B)", "b)", "B. blue", "B: blue", "**B**", "Option B", "blue", "The answer is B.",
        "The correct option is (B).", "**Answer:** B", "**Final Answer**\n\nB", "### Answer\n(B) blue",
        "<answer>B</answer>", "<answer>\nB. blue\n</answer>", "<CONCLUSION> B </CONCLUSION>",
        "<think>It may be A.</think>B", "<think>It may be A.</think>\n\nThe car is blue.",
        "<|begin_of_box|>B<|end_of_box|>", r"\boxed{B}", r"$\boxed{\text{B}}$",
        r"The final answer is $\boxed{\text{(B) blue}}$.", '{"answer": "B"}',
        '```json\n{"reasoning": "It looks blue, not red.", "answer": "B"}\n```', "[THINK]A or B?[/THINK]B",
        "◁think▷A?◁/think▷B", "<|channel|>analysis<|message|>A?<|end|><|start|>assistant<|channel|>final<|message|>B",
        "The car is blue.", "The car is not red. Therefore, the answer is blue.",
        "I would say it is A at first sight. Wait, no, it's B.",
        "(A) red\n(B) blue\n(C) green\n(D) grey\n\nAnswer: B",
        "A. The car is red: unlikely.\nB. The car is blue: likely.\n\nAnswer: B",
        "The most likely colour of this car is (B) blue.\n\nThe red one is further away, so red is",
        "Let me look at the picture. The car in front has a blue roof and blue doors. So the correct answer is (B).",
    ],
)  # fmt: skip
def test_an_option_is_read_in_the_forms_that_models_use(text):
    assert read(text, "What colour is the car?", "choice", COLOURS).answer == "B"


@pytest.mark.parametrize(
    "text",
    [
        "7", "Seven", "7.", "**7**", "There are 7 cats.", "There are seven cats in the image.", "Answer: 7",
        r"\boxed{7}", "Final answer: 7 cats", "#### 7", '{"count": 7}',
        "Let me count: one on the sofa, two on the rug, four on the bed. So there are 7.",
        "There are 7 cats: 3 white, 2 black and 2 grey.",
        "| colour | cats |\n|---|---|\n| white | 3 |\n| black | 4 |\n| **Total** | **7** |",
        "I count **7** cats in total.", "There are 4 cats on the left and 3 on the right, for a total of 7 cats.",
        "4 + 3 = 7", "I see 6 cats. Wait, there is one more behind the door. There are 7 cats.", "７", "٧",
    ],
)  # fmt: skip
def test_a_count_is_read_in_the_forms_that_models_use(text):
    assert read(text, CATS, "number").answer == "7"


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("Yes", "yes"), ("No.", "no"), ("Yes, the cat is on the mat.", "yes"), ("**No**, the cat is under it.", "no"),
        ("The cat is on the mat.", "yes"), ("The cat is not on the mat.", "no"),
        ("The cat is sitting on a mat. Therefore, yes.", "yes"), ("<answer>no</answer>", "no"),
        ('{"answer": false}', "no"), ("True", "yes"), ("It's not possible to tell from this picture.", None),
        ("There is a dog.", None), ("Looking at its paws, **no**, the cat is not on the mat.", "no"),
        ("There is no way to tell whether the cat is on the mat.", None), ("No. Actually, yes, it is.", "yes"),
        ("", None),
    ],
)  # fmt: skip
def test_yes_or_no(text, answer):
    assert read(text, "Is the cat on the mat?", "boolean").answer == answer


REAL = [
    (CLOSER, "choice", ("A is closer", "B is closer"), "Point A is closer to the camera than point B.", "A"),
    ("Which is darker?", "choice", ("A is darker", "B is darker", "Same"), "(A) A is darker compared to point B.", "A"),
    (
        "How many players scored more than 2 runs last season?",
        "number",
        (),
        "There were 7 players who scored more than 2 runs last season.",
        "7",
    ),
    (
        "Based on the chart, does 2010 have the least value?",
        "boolean",
        (),
        "Yes, based on the chart, 2010 has the least value.",
        "yes",
    ),
    ("Which shape is missing?", "choice", ("A", "B", "C"), "(B) B", "B"),
    ("What time is it?", "choice", ("half", "quarter", "o'clock", "quarter to"), "The answer is (D) quarter to.", "D"),
    ("Which is larger?", "choice", ("the sun", "the moon"), "<CONCLUSION> A </CONCLUSION>", "A"),
    ("How many times does the line cross the axis?", "number", (), "It crosses the axis twice.", "2"),
    ("How many intersections are there?", "number", (), "There are three intersections.", "3"),
    ("How many doors are there?", "number", (), "**2** doors are visible; there are no other doors.", "2"),
    ("How many doors are there?", "number", (), "There are **2** doors. I see no other doors.", "2"),
    (
        "How many cars would race if the two that crashed still ran?",
        "number",
        (),
        "- **If those two still ran:** 3 + 2\n\nTherefore, there would be 5 cars in the race.",
        "5",
    ),
    ("图中有几只鸟？", "number", (), "图中有3只鸟。", "3"),
    ("What does the sign say?", "open", (), 'The sign says "Open at noon".', "Open at noon"),
    ("What is the area?", "choice", ("4", "6", "8", "9"), "Therefore, the area is 4 + 4 = 8.", "C"),
    (r"Find \mathrm 45 in (a|b[c", "choice", (r"\frac{1}{2}", "(*)"), "A", "A"),
]


@pytest.mark.parametrize(("question", "kind", "options", "text", "answer"), REAL)
def test_sentences_that_used_to_be_misread(question, kind, options, text, answer):
    assert read(text, question, kind, options).answer == answer


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("There are 3 cats. If two left, there would be 1.", "1"),
        ("If two left, there would be 1 cat.", "1"),
        ("There would be 1 if two left.", "1"),
        ("There are 3 cats now, and if two left", None),
        ("There are 3 cats, so if two left there would be 1.", "1"),
    ],
)
def test_a_supposition_is_not_the_answer(text, answer):
    assert read(text, LEFT, "number").answer == answer


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        ("choice", "I cannot determine the colour from the image."), ("choice", "It is either red or blue."),
        ("choice", "B. red"), ("choice", "(G) purple"), ("choice", "<think>The car is blue, so B"),
        ("number", "Between 3 and 5."), ("number", "I can't see the image."), ("number", "<think>There are 3, so"),
        ("number", "It is a picture of a street."), ("boolean", "It depends."), ("boolean", "Not necessarily."),
        ("open", "I cannot tell."),
    ],
)  # fmt: skip
def test_a_reply_without_one_clear_answer_is_unread(kind, text):
    assert read(text, "What is there?", kind, COLOURS if kind == "choice" else ()).unread


@pytest.mark.parametrize("text", ["Between 3 and 5.", "There are between 3 and 5 cats.", "3 or 4 cats", "At least 3."])
def test_a_range_is_no_count(text):
    assert read(text, CATS, "number").unread


def test_what_a_reply_only_quotes_or_supposes_is_not_its_answer():
    assert (
        read("The answer to the first question is 3. If two left, there would be 1 cat.", LEFT, "number").answer == "1"
    )
    assert read("Since the answer is 3, I take away two.", LEFT, "number").unread
    assert read(
        'Asked "Is the cat on the mat?", say so if the answer is yes.', "Is the cat on the mat?", "boolean"
    ).unread


def test_a_reply_that_opens_with_one_answer_and_announces_another_is_unread():
    assert read("(A) red\n\nStep 1: the answer is B.", "What colour is the car?", "choice", COLOURS).unread
    assert read("(B) blue\n\nStep 1: the answer is B.", "What colour is the car?", "choice", COLOURS).answer == "B"


def test_a_reply_that_was_cut_off_counts_if_it_announced_its_answer():
    assert read("The answer is 4. There are", CATS, "number", finished=False).answer == "4"
    assert read("There are 4 cats on the sofa and", CATS, "number", finished=False).unread


@pytest.mark.parametrize(
    ("kind", "text", "answer"),
    [
        ("choice", "La respuesta es B.", "B"), ("choice", "Die richtige Antwort lautet (B).", "B"),
        ("choice", "答案：B", "B"), ("choice", "正解はBです。", "B"), ("choice", "정답은 B입니다.", "B"),
        ("choice", "Правильный ответ: B", "B"), ("number", "答案是3。", "3"), ("number", "الإجابة: ٣", "3"),
        ("number", "Réponse : 3", "3"), ("boolean", "Sí, está ahí.", "yes"), ("boolean", "Nein, leider nicht.", "no"),
        ("boolean", "はい", "yes"), ("boolean", "不是", "no"), ("boolean", "Нет.", "no"), ("boolean", "नहीं", "no"),
        ("boolean", "نعم", "yes"),
    ],
)  # fmt: skip
def test_marks_digits_letters_and_yes_or_no_of_other_languages(kind, text, answer):
    assert read(text, "?", kind, COLOURS if kind == "choice" else ()).answer == answer


def test_an_open_answer_is_what_the_reply_adds_to_its_question():
    assert read("A red umbrella.", "What is she holding?", "open").answer == "A red umbrella"
    assert read("Answer: umbrella", "What is she holding?", "open").answer == "umbrella"
    assert read("The answer is umbrella. I hope this helps!", "What is she holding?", "open").answer == "umbrella"
    assert read("Answer: St. Louis. It is in Missouri.", "Which city is it?", "open").answer == "St. Louis"
    drink = read("It is Dr. Pepper. The can is red.", "What is she drinking?", "open").answer
    assert is_right(drink, Question("What is she drinking?", "Dr. Pepper", "open"))
    assert is_right("the umbrella", Question("What is she holding?", "umbrella", "open"))


def test_orders_vote():
    question = Question("Which?", "A", "choice", (Option("red"), Option("blue")))
    orders = (Order((0, 1), "A"), Order((1, 0), "B"))
    assert read_reply(Reply("case", 0, "factual", orders=orders), question) == "A"
    orders = (Order((0, 1), "A"), Order((1, 0), "A"))
    assert read_reply(Reply("case", 0, "factual", orders=orders), question) is None


def test_options_are_needed_and_bounded():
    with pytest.raises(CountersightError, match="pass the texts of 2 to 26 options"):
        read("B", "Which?", "choice")
    with pytest.raises(CountersightError, match="not 27"):
        read("B", "Which?", "choice", ["x"] * 27)


def test_a_refusal_is_told_from_what_follows_it():
    assert without_refusal("I cannot tell.") is None
    assert without_refusal("There is a cat.") == "There is a cat."


def test_statements_about_the_subject_of_the_question_are_read():
    for question, reply, answer in (
        ("Is the player in the blue cap offside?", "That means that he is not offside.", "no"),
        ("Do both teams have five players?", "Red: 5\nWhite: 4\n\nNo, the teams don't have five players.", "no"),
        ("Are the two lines parallel? Yes or No", "Yes, that is correct.", "yes"),
        ("Would the picnic go on if it hailed?", "Right now the family is eating. They would run to the car.", None),
        ("Would the mouse be caught?", "The mouse would have no reason to come and would not be caught.", None),
    ):
        assert read(reply, question, "boolean").answer == answer, reply
    assert read("African", "Are these African or Asian elephants?", "open").answer == "African"
    assert read("The flip phone.", "What type of cell phone is this?", "open").answer == "The flip phone"
    assert read("There are 2 vases and 3 potted plants.", "How many vases stand on the sill?", "number").answer == "2"
    assert read('{"horses": 6, "with_riders": 4}', "How many horses have riders?", "number").unread
    options = ("a dove", "a scarf", "flowers")
    assert read("The correct answer is A, a dove, or C, flowers.", "What is in the hat?", "choice", options).unread
    assert read("I would say that (A) and (C) are likely.", "What is in the hat?", "choice", options).unread
    assert read("C.\n\nI therefore change my answer to **B**.", "What is it?", "choice", options).answer != "C"

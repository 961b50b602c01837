"""Reading answers out of what models and people write."""

import csv
import re
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from published import published
from readings import (
    BOOLEAN,
    BOOLEANS,
    CHOICES,
    CLAIMS,
    COUNTED,
    COUNTS,
    FOUR,
    NAMED,
    NUMBERS,
    OPENS,
    WORDED,
    WOULD,
    question,
)

from countersight.case import Question
from countersight.reading import agrees
from countersight.reading import answer_in as read

NUMBER = question("number")
YES_NO = question("boolean", text=BOOLEAN)
CHOICE = question("choice", FOUR)


@pytest.mark.parametrize(("text", "expected"), NUMBERS)
def test_a_number_is_read(text: str, expected: str | None) -> None:
    assert read(text, NUMBER) == expected


@pytest.mark.parametrize(("text", "expected"), BOOLEANS)
def test_yes_or_no_is_read(text: str, expected: str | None) -> None:
    assert read(text, YES_NO) == expected


@pytest.mark.parametrize(("text", "expected"), CHOICES)
def test_an_option_is_read(text: str, expected: str | None) -> None:
    assert read(text, CHOICE) == expected


@pytest.mark.parametrize(("options", "text", "expected"), WORDED)
def test_an_option_is_read_by_its_wording(options: tuple[str, ...], text: str, expected: str | None) -> None:
    assert read(text, question("choice", options)) == expected


@pytest.mark.parametrize(("asked", "text", "expected"), COUNTS)
def test_a_number_is_read_for_the_question_asked(asked: str, text: str, expected: str | None) -> None:
    assert read(text, question("number", text=asked)) == expected


@pytest.mark.parametrize(("asked", "text", "expected"), CLAIMS)
def test_a_claim_is_read_for_the_question_asked(asked: str, text: str, expected: str | None) -> None:
    assert read(text, question("boolean", text=asked)) == expected


@pytest.mark.parametrize(("asked", "options", "text", "expected"), COUNTED)
def test_an_option_is_read_by_its_count(asked: str, options: tuple[str, ...], text: str, expected: str | None) -> None:
    assert read(text, question("choice", options, asked)) == expected


@pytest.mark.parametrize(("options", "text", "expected"), NAMED)
def test_an_option_is_read_by_its_place_or_a_word(options: tuple[str, ...], text: str, expected: str | None) -> None:
    assert read(text, question("choice", options, WOULD)) == expected


OPPOSITES = (
    *(("on", "off"), ("open", "closed"), ("full", "empty"), ("wet", "dry"), ("asleep", "awake"), ("clean", "dirty")),
    *(("standing", "sitting"), ("hot", "cold"), ("visible", "hidden"), ("alive", "dead"), ("present", "absent")),
)


@pytest.mark.parametrize(("state", "other"), [*OPPOSITES, *((b, a) for a, b in OPPOSITES)])
def test_what_would_be_is_told_from_what_is(state: str, other: str) -> None:
    imagined = question("boolean", text=f"Would the thing be {state} if someone touched it?")
    actual = question("boolean", text=f"Is the thing {state}?")
    for reply, would, is_now in (
        (f"The thing is {state} now, but it would be {other}.", "no", "yes"),
        (f"The thing is {other}. If someone touched it, it would be {state}.", "yes", "no"),
        (f"The thing is {state}. If someone touched it, the thing would not be {state}.", "no", "yes"),
        (f"Currently the thing is not {state}. If someone touched it, it would be.", "yes", "no"),
        (f"Although it is {state} in the image, it would be {other} if someone touched it.", "no", "yes"),
    ):
        assert read(reply, imagined) == would, reply
        assert read(reply, actual) in (is_now, None), reply


@pytest.mark.parametrize(("text", "expected"), OPENS)
def test_open_text_is_stripped(text: str, expected: str | None) -> None:
    assert read(text, question("open")) == expected


_SMALL = re.findall(
    r"\w+",
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen "
    "eighteen nineteen",
)
_TENS = ["twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"]


def in_words(number: int) -> str:
    """A number below a thousand, written out."""
    if number < 20:
        return _SMALL[number]
    if number < 100:
        tens, units = divmod(number, 10)
        return _TENS[tens - 2] + (f"-{_SMALL[units]}" if units else "")
    hundreds, rest = divmod(number, 100)
    return f"{_SMALL[hundreds]} hundred" + (f" and {in_words(rest)}" if rest else "")


SENTENCES = (
    "There would be {}.",
    "There would be {} cats",
    "If 2 cats left, there would be {}.",
    "There would be {} if 1 more cat came.",
    "There are 4 now, so there would be {}.",
    "The answer is {}.",
    "4 + 2 = 5, therefore {}",
)
WRAPPINGS = ("{}", "**{}**", " {}\n", '"{}"', "“{}”", "*{}*", "`{}`", "> {}", "- {}", "```\n{}\n```", "\u200b{}\ufeff")


@pytest.mark.parametrize("sentence", SENTENCES)
def test_every_number_below_a_thousand_is_read_in_digits_and_in_words(sentence: str) -> None:
    # Which number it is matters to the numerals alone: every one is tried in one sentence, and some in the others.
    for number in range(1_000) if sentence == SENTENCES[0] else (*range(121), *range(121, 1_000, 11)):
        for written in (str(number), in_words(number), in_words(number).replace("-", " ").replace(" and ", " ")):
            assert read(sentence.format(written), NUMBER) == str(number), sentence.format(written)


@given(st.sampled_from(NUMBERS), st.sampled_from(WRAPPINGS))
def test_markup_around_a_number_does_not_change_it(line: tuple[str, str | None], wrapping: str) -> None:
    text, expected = line
    plain_line = "\n" not in text and not any(sign in text for sign in '*`<>{}\\#"“~-')
    if plain_line:
        assert read(wrapping.format(text), NUMBER) == expected


@given(st.sampled_from(BOOLEANS), st.sampled_from(WRAPPINGS), st.sampled_from([str, str.upper, str.lower]))
def test_markup_and_case_around_a_yes_or_no_do_not_change_it(
    line: tuple[str, str | None], wrapping: str, case: type
) -> None:
    text, expected = line
    if not any(sign in text for sign in "*`<>{}\\\n"):
        assert read(wrapping.format(case(text)), YES_NO) == expected


@given(st.integers(0, 3), st.sampled_from(WRAPPINGS), st.sampled_from(["{}", "({})", "{}.", "Answer: {}", "Option {}"]))
def test_markup_and_case_around_a_letter_do_not_change_it(place: int, wrapping: str, form: str) -> None:
    letter = "ABCD"[place]
    for written in (letter, letter.lower()):
        assert read(wrapping.format(form.format(written)), CHOICE) == letter


PIECES = re.findall(
    r"\S+",
    "if would there be 3 no not any A B (b) answer is the : , . ( ) so one two hundred and or to - = + ** ` { } < > [ "
    "] wait correct sorry can't determine yes never <think> </think> \\boxed{ <answer> #### 1. 1, \" '",
)
pieces = st.lists(st.sampled_from([*PIECES, "\n"]), max_size=60).map(" ".join)
QUESTIONS = (NUMBER, YES_NO, CHOICE, question("choice", ("red", "dark red", "vitamin C")), question("open"))


@given(st.one_of(st.text(), pieces), st.sampled_from(QUESTIONS))
@settings(max_examples=300)
def test_any_text_is_read_or_unread(text: str, asked: Question) -> None:
    answer = read(text, asked)
    if answer is None:
        return
    if asked.kind == "number":
        assert re.fullmatch(r"-?\d+(\.\d+)?", answer)
    elif asked.kind == "boolean":
        assert answer in ("yes", "no")
    elif asked.kind == "choice":
        assert answer in "ABCD"[: len(asked.options)]
    else:
        assert answer.strip()


@given(pieces, st.sampled_from([NUMBER, YES_NO, CHOICE]), st.sampled_from(["0", "1", "3", "12", "yes", "no", "A", "B"]))
def test_the_gold_answer_does_not_change_what_is_read(text: str, asked: Question, gold: str) -> None:
    other = Question(text=asked.text, answer=gold, kind=asked.kind, options=asked.options)
    assert read(text, other) == read(text, asked)


LONG_RUNS = (
    "x",
    "3 ",
    "if ",
    "if 3 would ",
    "3 or ",
    "no ",
    "A ",
    "(",
    "{",
    "[[",
    "\\boxed{",
    "<answer>",
    "the answer is ",
)
LONG_RUNS += (
    "-",
    "1,",
    ", ",
    "twenty-",
    "not be ",
    "*",
    "_",
    "\n",
    " ",
    "\ufdfa",
    '{"answer":',
    "<think>",
    "A:3 B:7 ",
    "9",
)
LONG_RUNS += (
    "but ",
    "it is, ",
    "turn it on ",
    "A? ",
    "A. 3 ",
    "If 7 left: 4. ",
    "3 = ",
    "— ",
    "not red ",
    "I thought x but ",
    "and if two ",
    "fails to ",
    "the red circle is not, ",
    "nothing but ",
)


@pytest.mark.parametrize("piece", LONG_RUNS)
def test_ten_megabytes_are_read_like_a_page(piece: str) -> None:
    # No clock is looked at: a rule that went over the text more than a few times would never finish this.
    text = piece * (10_000_000 // len(piece))
    for asked in (NUMBER, YES_NO, CHOICE):
        read(text, asked)


@pytest.mark.parametrize(
    ("piece", "asked"),
    [
        (".", NUMBER),
        ("x ", question("open")),
        ("no wait ", YES_NO),  # each takes back the one before: a thousand of them were more than Python can nest
    ],
)
def test_a_reply_that_hangs_in_one_word_is_read_in_no_time(piece: str, asked: Question) -> None:
    text = piece * (12_000 // len(piece))  # as much as is read of any reply
    started = time.thread_time()  # of this thread alone: how busy the machine is does not matter
    read(text, asked)
    assert time.thread_time() - started < 4  # it is a tenth of a second, and was more than ten


def test_the_end_of_ten_megabytes_is_read() -> None:
    assert read("I look at the picture. " * 450_000 + "The answer is 4.", NUMBER) == "4"


def test_the_beginning_of_ten_megabytes_is_read() -> None:
    assert read("B. " + "The picture is nice. " * 500_000, CHOICE) == "B"


def test_an_answer_agrees_with_the_gold_one_in_any_spelling() -> None:
    assert agrees("3", Question("?", "3.0", "number"))
    assert agrees("A red umbrella.", Question("?", "red umbrella", "open"))
    assert agrees("reading a map", Question("What is he doing?", "He is reading a map.", "open"))
    assert not agrees("4", Question("?", "3", "number"))


@pytest.mark.parametrize(
    ("question", "gold", "said", "is_right"),
    [
        ("Which team is ahead?", "red", "the red one", True),
        ("Which team is ahead?", "the red team", "red", True),
        ("Which shoes would he take?", "the brown ones", "brown", True),
        ("Which team is ahead?", "red", "the dark red one", False),
        ("Which woman is first?", "a woman", "an old woman", False),
        ("Who would win?", "a woman", "an old woman", False),
        ("Who would win?", "the man", "the man with the hat", False),
        ("Which number comes next?", "twenty", "twenty-one", False),
        ("Which number comes next?", "one hundred", "one hundred one", False),
        ("Which number comes next?", "60", "60 one", False),
        ("Which child has a hat?", "no", "no one", False),
        ("What is on the shirt?", "red", "red one", False),
        ("What hangs there?", "a row of knives", "a row of knives hangs", False),
        ("What is it?", "a house", "a house on fire", False),
    ],
)
def test_an_open_answer_is_right_with_the_noun_of_the_question_and_without_it(question, gold, said, is_right) -> None:
    assert agrees(said, Question(question, gold, "open")) is is_right


def test_answers_that_repeat_a_real_question_are_read() -> None:
    """Sentences made of every published question: the answer is read, whatever numbers its "if" holds."""
    asked = unread = 0
    with published("cvqa/C-VQA-Real_questions.csv").open(encoding="utf-8-sig", newline="") as file:
        for row in csv.DictReader(file):
            boolean = row["type"] == "boolean"
            gold = Question(row["new query"], row["new answer"], "boolean" if boolean else "number")
            for text in _replies(row["new query"], row["answer"], row["new answer"], boolean=boolean):
                answer = read(text, gold)
                assert answer in (gold.answer, None), text
                asked += 1
                unread += answer is None
    assert unread / asked < 0.001


def _replies(query: str, before: str, after: str, *, boolean: bool) -> list[str]:
    inside = re.search(
        r"\bif\b(?:(?=.*, (?:would|how|will|could|do|does|is|are)\b).*?(?=, )|.*)", query.rstrip(" ?."), re.IGNORECASE
    )
    clause = inside.group().lower() if inside else "if so"
    opening = clause.capitalize()
    if boolean:
        denial = "" if after == "yes" else " not"
        return [
            f"{after.capitalize()}.",
            f"{after.capitalize()}, {clause}.",
            f"{opening}, {after}.",
            f"{opening}, it would{denial}.",
            f"It would{denial} be {clause}.",
            f"Let's think. {opening}, then it would{denial} be. So the answer is {after}.",
        ]
    word = in_words(int(after))
    return [
        f"There would be {after} of them {clause}.",
        f"{opening}, there would be {word}.",
        f"{opening}, {word} would be there.",
        f"{opening} there would be {after}",
        f"There are {before} in the picture. {opening}, there would be {after}.",
        f"Currently there are {before}, so {clause}, there would be {word}.",
        f"You would see {word} {clause}.",
        f"There would be {after} {clause}, because there are {before} now.",
    ]

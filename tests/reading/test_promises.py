"""What misled users of the first version: each reply here was read otherwise, or not at all."""

import re
from itertools import product

import pytest

from countersight.case import Question, Reply
from countersight.errors import CountersightError
from countersight.reading import Reading, read, read_reply

HATS = "How many people are wearing hats?"
SITTING = "How many dogs are sitting?"
FOOD = "Could the dog reach the food if the chair was moved?"
DOTS = "How many dots would there be if some were removed?"
CARS = "How many cars would there be if two more arrived?"
OPTIONS = ("3", "13", "7", "9")


@pytest.mark.parametrize(
    ("question", "text", "answer"),
    [
        (HATS, "There are 5 people in the picture, and 3 of them are wearing hats", "3"),
        (HATS, "One man and one woman are wearing hats", None),
        (HATS, "There are 10 people, and 6 of them wear a hat.", "6"),
        (SITTING, "four dogs, two of which are sitting", "2"),
        ("How many dogs are there?", "four dogs, two of which are sitting", "4"),
        (SITTING, "Six dogs in total, with three sitting by the pond.", "3"),
        ("How many red cars are there?", "8 cars: 3 red, 4 blue, 1 white", "3"),
        ("How many cars are there?", "8 cars: 3 red, 4 blue, 1 white", "8"),
        ("How many flowers are inside the circle?", "20 flowers, 12 inside and 8 outside", "12"),
        ("How many flowers are outside the circle?", "20 flowers, 12 inside and 8 outside", "8"),
        ("How many flowers are there?", "20 flowers, 12 inside and 8 outside", "20"),
        ("How many plates are on the table?", "There are 3 cups on the table and 4 plates on the shelf.", None),
        ("How many dogs are there?", "I see a dog and two cats.", None),
        ("How many candles are not lit?", "Five candles are lit and two are not.", "2"),
    ],
)
def test_the_number_that_the_questions_own_words_qualify_is_the_answer(question, text, answer):
    assert read(text, question, "number").answer == answer


@pytest.mark.parametrize(
    ("question", "text", "answer"),
    [
        (
            "How many footballs are behind the goal?",
            "2. Let me look again. There is one next to the post, one in the grass and one by the fence. 3.",
            "3",  # what was counted first is taken back
        ),
        (
            "How many birds would be on the wire if one left and two returned?",
            "Like notes on a staff: three birds on the wire. One leaves, and we're at two. Then a pair returns.",
            None,
        ),
        ("How many spoons would be left if two fell?", "Three. There are five on the counter now.", "3"),
        ("How many cats are there?", "There are 5 cats. If two left, there would be 3.", "5"),
        ("How many rowers face the camera?", "All of the eight rowers sit, but only the first one faces it.", "1"),
        ("How many doors are open?", "Four doors can be seen, of which just the first one is open.", "1"),
        ("How many horses have a blanket?", "There are five horses, and all of them have a blanket.", "5"),
        ("How many red cars are there?", "Red cars: 4\nBlue cars: 2\nTotal cars: 6", "4"),
        (
            "How many bananas would the monkey have if it took the one on the rock?",
            "The monkey is holding one banana, so with the one on the rock it would have 2 bananas.",
            None,
        ),
        (
            "How many apples would be on the branch if two dropped?",
            "The branch itself bears six, and with the two rotten ones gone, four would still be hanging there.",
            None,
        ),
        ("How many sheep would be in the pen if three escaped?", "6 sheep and 1 dog would be in the pen.", "6"),
        ("How many lemons would be on the tree?", "6 on the tree + 2 on the ground = 8.", None),
        ("How many vans are parked there?", "2 vans + 3 cars = 5 vehicles", "2"),
    ],
)
def test_a_number_is_not_read_where_a_later_sentence_gives_another(question, text, answer):
    assert read(text, question, "number").answer == answer


@pytest.mark.parametrize(
    ("question", "text", "answer"),
    [
        ("Would the alarm fail to go off if the window broke?", "The alarm would not fail to go off.", "no"),
        ("Would the alarm fail to go off if the window broke?", "The alarm would fail to go off.", "yes"),
        ("Is the umbrella of any use in this wind?", "It's of no use.", "no"),
        ("Is the man wearing a hat?", "Not only is the man wearing a hat, he is also wearing sunglasses.", "yes"),
    ],
)
def test_a_clause_that_denies_affirms_nothing(question, text, answer):
    assert read(text, question, "boolean").answer == answer


@pytest.mark.parametrize(
    ("things", "text", "answer"),
    [
        ("children", "One of the three children is crying.", "3"),
        ("taxis", "The number 7 bus is next to two taxis.", None),
        ("players", "Player 23 and player 8 are jumping.", None),
        ("people", "Player 23 and player 8 are jumping.", None),
        ("tables", "Each of the 3 tables has 2 chairs.", None),
        ("chairs", "Each of the 3 tables has 2 chairs.", None),
        ("chairs", "3 tables with 2 chairs each", None),
        ("tables", "3 tables with 2 chairs each", "3"),
        ("chairs", "There are 2 chairs at each of the 3 tables.", None),
        ("chairs", "There are 2 chairs at each table, so 6 chairs in total.", "6"),
        ("eggs", "3 boxes of 6 eggs each", None),
        ("chairs", "2 chairs and 1 lamp at each table", None),
        ("tables", "There are 3 tables and each has 2 chairs.", "3"),
        ("shoes", "Two pairs of shoes.", None),
        ("shoes", "The answer is two pairs of shoes.", None),
        ("pairs of shoes", "Two pairs of shoes.", "2"),
    ],
)
def test_a_name_a_share_and_so_many_each_are_no_count(things, text, answer):
    assert read(text, f"How many {things} are there?", "number").answer == answer


def test_one_that_leaves_is_not_how_many_are_left():
    asked = "How many children would there be if one left?"
    assert read("One of the three children would leave.", asked, "number").unread
    assert read("Two of the three children would stay.", asked, "number").answer == "2"


def test_a_number_that_is_a_name_is_read_where_it_was_asked_for():
    assert read("The bus has the number 88 on its front.", "What number is on the bus?", "number").answer == "88"


def test_how_many_each_has_is_read_where_that_was_asked():
    assert read("Each table has 2 chairs.", "How many chairs does each table have?", "number").answer == "2"


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("The answer is A. Wait, no, it's B.", "B"),
        ("Answer: A? No, 13 is the total. Answer: B", "B"),
        ("The answer is A. Wait, no.", None),
        ("The answer is B. Let me check again. Yes, that is right.", "B"),
    ],
)
def test_a_correction_beats_what_it_corrects(text, answer):
    assert read(text, DOTS, "choice", OPTIONS).answer == answer


CORRECTED = [
    ("number", "The answer is 4. That was a mistake; the correct number is 5.", "5"),
    ("number", "Answer: 4. No, that's incorrect. It's 5.", "5"),
    ("number", "My answer was 4. That is wrong: it is 5.", "5"),
    ("number", "The answer is 6. But I counted the reflection, so really 5.", "5"),
    ("number", "The answer is 4. The right number is 5.", None),
    ("number", "The answer is 4. That is wrong.", None),
    ("number", "The answer is 4. I should have said 5.", "5"),
    ("number", "The answer is 4. That was a mistake; the correct", None),
    ("choice", "My answer was A. That is wrong: it is B.", "B"),
    ("boolean", "The answer is yes. I take that back: no.", "no"),
    ("boolean", "Yes, it would fit. That is wrong: it would not fit.", "no"),
    ("boolean", "No, that is incorrect.", "no"),
]


@pytest.mark.parametrize(("kind", "text", "answer"), CORRECTED)
def test_an_answer_that_is_called_wrong_is_none(kind, text, answer):
    asked = "Would the box fit if it was smaller?" if kind == "boolean" else CARS
    assert read(text, asked, kind, OPTIONS if kind == "choice" else ()).answer == answer
    at_its_end = read(text, asked, kind, OPTIONS if kind == "choice" else (), read_from="end").answer
    assert at_its_end not in ("4", "6", "A", "yes")


HAPPENINGS = ("The dog eats the food", "The cat sleeps", "The man leaves", "Nothing happens")


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("The man would not leave; instead the cat sleeps.", "B"),
        ("The dog wouldn't eat the food. The cat sleeps.", "B"),
        ("The man would never leave; the cat sleeps.", "B"),
        ("The man would leave, and the dog would not eat the food.", "C"),
        ("The dog would eat the food, not the cat.", "A"),
        ("The cat sleeps instead of the man.", "B"),
        ("Nothing would happen; the dog would not eat.", "D"),
        ("The man would not leave.", None),
        ("The man does not leave.", None),
        ("The man won't leave.", None),
        ("The man never leaves.", None),
        ("The man refuses to leave.", None),
        ("It is unlikely that the man leaves", None),
        ("The cat can't sleep", None),
        ("The dog would no longer eat the food", None),
    ],
)
def test_an_option_that_is_denied_is_not_chosen(text, answer):
    assert read(text, "What would happen if the bowl was empty?", "choice", HAPPENINGS).answer == answer


def test_an_option_that_denies_something_is_chosen_in_its_own_words():
    options = ("The dog eats the food", "The dog does not eat the food")
    text = "I think that the dog does not eat the food in that case."
    assert read(text, "What would happen if the bowl was empty?", "choice", options).answer == "B"


def test_a_count_that_was_announced_can_be_corrected():
    assert read("Answer: 3 … Wait, one is a dog. Answer: 2", "How many cats are there?", "number").answer == "2"


TAKEN_BACK = (
    ". Wait, no, {}",
    " — no, sorry, {}",
    ", no, {}",
    "... no wait, {}",
    ". No, {}",
    ". Correction: {}",
    ". Let me look again. {}",
    ". Apologies, {}",
    ". That's not right: {}",
    ". On second thought, {}",
)


@pytest.mark.parametrize("taken_back", TAKEN_BACK)
@pytest.mark.parametrize(
    ("question", "kind", "first", "second", "answer"),
    [
        (
            "How many spoons are in the drawer?",
            "number",
            ("Answer: 7", "I count 7 spoons in the drawer", "There are seven spoons"),
            ("8", "8 spoons", "there are 8 spoons", "8: one is under the fork"),
            "8",
        ),
        (
            "What is by the lamp?",
            "choice",
            ("A", "The answer is A", "I'd say A"),
            ("B", "it's B", "B it is", "it must be B, as the handle shows"),
            "B",
        ),
        (
            "Would the tower topple if the cat jumped on it?",
            "boolean",
            ("Answer: Yes", "Yes, it would topple", "It would topple"),
            ("it would not topple", "it wouldn't", "it would stay up"),
            "no",
        ),
    ],
)
def test_a_correction_beats_what_it_corrects_however_either_is_said(taken_back, question, kind, first, second, answer):
    options = ("a book", "a cup", "a phone") if kind == "choice" else ()
    for one, other in product(first, second):
        text = re.sub(r"(?<=[.?] )[a-z]", lambda letter: letter.group().upper(), f"{one}{taken_back.format(other)}.")
        assert (text, read(text, question, kind, options).answer) == (text, answer)


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("The chair would not be in the way, so the dog could reach the food", "yes"),
        ("Nothing would prevent it", "yes"),
        ("It would have no trouble reaching it", "yes"),
        ("No longer blocked, the dog could reach it", "yes"),
        ("The food would not be any closer, so it could not.", "no"),
        ("Moving the chair would not be a problem.", None),
        ("The dog would", None),
        ("The chair would not", None),
    ],
)
def test_a_consequence_is_told_from_what_it_follows_from(text, answer):
    assert read(text, FOOD, "boolean").answer == answer


@pytest.mark.parametrize(
    ("kind", "text", "answer"),
    [
        ("number", "答案：3", "3"),
        ("number", "两只", "2"),
        ("boolean", "是的", "yes"),
        ("boolean", "不会", "no"),
        ("boolean", "はい", "yes"),
        ("choice", "选B", "B"),
        ("choice", "Dです", "D"),
        ("choice", "La respuesta es B.", None),
        ("number", "Il y aurait 3 chats.", None),
        ("boolean", "Ja.", None),
    ],
)
def test_plain_chinese_and_japanese_are_read_and_other_languages_are_not(kind, text, answer):
    options = OPTIONS if kind == "choice" else ()
    assert read(text, "How many cats would there be?", kind, options).answer == answer


@pytest.mark.parametrize(
    ("question", "text", "answer"),
    [
        ("Is the shop open?", "店は閉まっています。", "no"),
        ("Is the door open?", "门是开着的。", "yes"),
        ("Is the window open?", "门是开着的。", None),
        ("Would the door be open if the wind blew?", "现在门是开着的。", None),
        ("Would the glass break if it fell on the grass?", "草地很软，所以杯子不会碎。", "no"),
        ("Would the vase break if it fell?", "花瓶不会掉下来。", None),
        ("Would the man fall?", "他差点掉下来。", None),
        ("Would the boat sink if it had a hole?", "船は沈みます。", "yes"),
        ("Would the boat float if it had a hole?", "船会沉下去。", "no"),
        ("Can the cat reach the fish?", "猫够不到鱼。", "no"),
        ("Can the cat reach the fish?", "没有椅子猫就够不到鱼。", None),
        ("Is the triangle inside the square?", "三角形在正方形的外面，不在里面。", "no"),
        ("Is there a dog in the picture?", "图中有一只狗。", "yes"),
        ("Is there a dog in the picture?", "图中有一只猫。", None),
        ("Is the man wearing a hat?", "他没有戴帽子。", "no"),
        ("Is the man wearing a hat?", "他戴着眼镜。", None),
        ("Is the apple on the table?", "桌子上有一本书。", None),
        ("Would the truck be able to pass?", "卡车无法通过。", "no"),
        ("Would the truck be able to pass?", "无法判断。", None),
    ],
)
def test_a_chinese_or_japanese_sentence_answers_by_signs_that_are_known_to_mean_what_is_asked(question, text, answer):
    assert read(text, question, "boolean").answer == answer


@pytest.mark.parametrize(
    ("kind", "question", "text", "answer"),
    [
        ("number", "How many cats are there?", "三四只。", None),
        ("number", "How many cats would there be if two more came?", "现在有三只猫，再来两只就是五只。", "5"),
        ("choice", "What is by the gate?", "答えはCの自転車です。", "C"),
        ("choice", "What is by the gate?", "我选B。等等，应该是C。", "C"),
        ("open", "What is the dog chasing?", "犬はボールを追いかけています。", "ボール"),
        ("open", "What is the man doing?", "他在看报纸。", None),
    ],
)
def test_so_do_ranges_corrections_and_objects(kind, question, text, answer):
    assert read(text, question, kind, OPTIONS if kind == "choice" else ()).answer == answer


@pytest.mark.parametrize("read_from", ["whole", "end"])
def test_an_unfinished_thought_is_no_answer(read_from):
    question = Question("How many cats would there be if two more came?", "5", "number")
    text = "There are 3 cats. If two more came, then we would have"
    for finish in ("length", "stop", ""):
        assert read_reply(Reply("x", 0, "factual", text=text, finish=finish), question, read_from) is None
    said = f"**Answer: 5**\n\n{text}"
    assert read_reply(Reply("x", 0, "factual", text=said, finish="length"), question) == "5"


@pytest.mark.parametrize(
    "text",
    [
        "There are 3 cars. Adding two gives",
        "There are 3 cars. Two more would make",
        "There are 3 cars. Two more would make...",
        "I see 3 cars. Two more would bring it to",
        "There are 3 cars in the lot. With two more cars, we get",
        "There are 3 cars. Then",
        "There are 3 cars. Adding 2",
        "There are 3 cars. The total becomes",
        "There are 3 cars. Taking none away leaves",
        "Now there are three of them; adding another two will result in",
    ],
)
def test_a_reply_that_stops_before_its_result_is_unread(text):
    assert read(text, CARS, "number").unread


@pytest.mark.parametrize("text", ["5 is what you get", "There would be 5 then", "5 cars would be there, I think so"])
def test_a_last_word_that_may_end_a_sentence_does_not_break_it_off(text):
    assert read(text, CARS, "number").answer == "5"


def test_reading_is_a_function_of_texts():
    assert read("There would be 3.", "How many cats would there be?", kind="number") == Reading("3")
    assert read("Not sure.", "How many cats would there be?", kind="number").unread
    with pytest.raises(CountersightError, match="a choice needs its options"):
        read("B", "Which?", kind="choice")
    with pytest.raises(CountersightError, match="at most 26 options, A to Z, not 27"):
        read("B", "Which?", kind="choice", options=[f"the bird of row {row}" for row in range(27)])


def test_an_unknown_kind_of_answer_is_told_with_those_there_are():
    with pytest.raises(CountersightError, match="kind is 'number', 'boolean', 'choice' or 'open', not 'count'"):
        read("3", "How many?", kind="count")


BALLOON = ["The balloon would float away", "The girl would cry", "The string would grow", "The dog would bark"]


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("The girl.", None),
        ("The girl would laugh.", None),
        ("The balloon is red.", None),
        ("The balloon would float off into the sky.", "A"),
        ("The balloon would float.", "A"),
        ("The balloon would float away, and the girl would cry.", None),
    ],
)
def test_the_subject_of_an_option_alone_does_not_choose_it(text, answer):
    assert read(text, "What would happen if she let go?", "choice", BALLOON).answer == answer


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("It would fail to reach the food.", "no"),
        ("It would not fail to reach the food.", "yes"),
        ("Nothing would keep the dog from reaching the food.", "yes"),
        ("Nothing would keep the dog away.", "yes"),
        ("The fence would keep the dog from reaching the food.", "no"),
        ("There's no reason why it would reach the food.", "no"),
        ("I don't see why it could not reach the food.", "yes"),
        ("It is not raining.", None),
        ("The dog would probably", None),
    ],
)
def test_what_hinders_denies_and_no_hindrance_affirms(text, answer):
    assert read(text, "Could the dog reach the food if the chair was moved?", "boolean").answer == answer


@pytest.mark.parametrize(
    "text", ["There are 3 cars. Now we add two.", "There are 3 cars, and two more come.", "Two more cars would park."]
)
def test_a_change_that_is_only_told_is_no_count(text):
    assert read(text, "How many cars would there be if two more cars parked?", "number").answer is None


def test_a_model_that_asks_itself_another_question_answered_the_first():
    said = "The answer is 5.\n\nQuestion: How many cans are there?\nAnswer: 2"
    assert read(said, "How many bottles are there?", "number").answer == "5"


def test_an_option_that_refuses_can_be_chosen():
    options = ["red", "blue", "Cannot be determined"]
    assert read("It cannot be determined from the image.", "Which?", "choice", options).answer == "C"


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("The girl is taller than the boy.", "yes"),
        ("The boy is taller than the girl.", "no"),
        ("The girl is shorter than the boy.", "no"),
        ("The boy is shorter than the girl.", "yes"),
        ("There are a girl and a boy.", None),
    ],
)
def test_a_comparison_is_answered_by_a_comparison(text, answer):
    assert read(text, "Is the girl taller than the boy?", "boolean").answer == answer


def test_what_things_have_is_what_is_asked_of_them():
    said = "There are seven houses and three of them have red roofs."
    assert read(said, "How many of the houses have a red roof?", "number").answer == "3"


def test_who_would_not_be_able_to_say_which_chooses_none():
    options = ["It would stay in place", "It would fall and break", "It would fill with water"]
    reply = "It could stay in place or fall and break; I'd not be able to say which."
    assert read(reply, "What would happen to the vase?", "choice", options=options).answer is None


def test_what_is_now_in_a_name_of_a_json_field_does_not_answer_what_would_be():
    question = "How many students would raise their hands if the boy put his down?"
    assert read('{"currently_raised": 5, "after_change": 4}', question, "number").answer in (None, "4")

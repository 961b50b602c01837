"""Plain counts with something said around them: remarks, openings and endings leave a count as it is."""

import pytest

from countersight import read

DOGS = "How many dogs are there?"
HATS = "How many people are wearing hats?"
CUPS = "How many cups are on the table?"
MEN = "How many men are sitting down?"
COLORS = "How many different colors of balloons are there?"
JOINED = "If two more people came, how many people would there be?"
TAKEN = "If someone took one of the two umbrellas, how many umbrellas would remain?"
CATS = "If the dog was removed, how many cats would there be?"
BEARS = "If the big one was taken away, how many bears would be left?"


@pytest.mark.parametrize(
    ("question", "reply", "count"),
    [
        (DOGS, "There are three dogs. No other dogs can be seen.", "3"),
        (DOGS, "You can see nine brown dogs, and there are no others.", "9"),
        (HATS, "Five people are wearing hats. I don't see any others.", "5"),
        (DOGS, "No one would miss this. There are four dogs. None of them is hidden.", "4"),
        (DOGS, "The answer is two, no more and no less.", "2"),
        (DOGS, "The answer is two, nothing more and nothing less.", "2"),
        (DOGS, "There is no question that it's five.", "5"),
        (DOGS, "All the signs suggest that it's five, without a doubt.", "5"),
        (DOGS, "I may be wrong, but I reckon we have nine dogs 🙂", "9"),
        (DOGS, "It adds up to nine dogs. I checked this more than once.", "9"),
        (DOGS, "They number three all told.", "3"),
        (CUPS, "That makes five in total.", "5"),
        (CUPS, "There are four cups on the table, namely three near the jug and one by the plate.", "4"),
        (DOGS, "There are four (three on the left, one on the right).", "4"),
        (HATS, "There are 5 people, and 3 are wearing hats.", "3"),
        (HATS, "Three of them are 🙂", "3"),
        (MEN, "I see 7 men. Two are.", "2"),
        (MEN, "In all there are 9 men here. Six of the nine.", "6"),
        (MEN, "Not all of the seven men are sitting down. It's two. The light makes this easy to tell.", "2"),
        ("How many cats are sleeping?", "One is.", "1"),
        ("How many cats are sleeping?", "Only one of them is sleeping.", "1"),
        (COLORS, "I can see four colors.", "4"),
        (JOINED, "Five, two more than now.", "5"),
        (JOINED, "Five people either way. I hope this helps!", "5"),
        (TAKEN, "It has to be one umbrella.", "1"),
        (TAKEN, "Two take away one is one.", "1"),
        (TAKEN, "Taking one from two gives one.", "1"),
        (CATS, "Still two cats. Nothing else would change.", "2"),
        (BEARS, "We would end up with two small bears. Right now there are 3.", "2"),
        (
            "How many chairs would there be if four were taken out of the room?",
            "There'd be six chairs in the room.",
            "6",
        ),
    ],
)
def test_what_is_said_around_a_count_leaves_it_as_it_is(question: str, reply: str, count: str) -> None:
    assert read(reply, question, kind="number").answer == count


@pytest.mark.parametrize(
    ("question", "reply", "count"),
    [
        ("How many of the cups are hidden?", "There are five cups. None of them is hidden.", "0"),
        ("How many other dogs are there?", "There is the brown one. There are no others.", "0"),
        (DOGS, "No dogs, without a doubt.", "0"),
        (HATS, "There are five people, three by the door and two by the window.", None),
        (MEN, "There are seven men in the picture.", None),
        ("How many candles are lit?", "Two are not lit.", None),
        (MEN, "I see 7 men. Two aren't.", None),
        ("How many cars are red?", "There are five cars, three on the left and two on the right.", None),
        ("How many dogs are by the door?", "There are three dogs, two by the door and one by the window.", "2"),
        ("How many birds would be on the wire if two flew away?", "There are five birds on the wire.", None),
        (JOINED, "Two more than now.", None),
        (DOGS, "I don't think that there are five.", None),
        (DOGS, "I doubt that there are five. There are six.", "6"),
    ],
)
def test_what_tells_of_the_asked_is_not_taken_off(question: str, reply: str, count: str | None) -> None:
    assert read(reply, question, kind="number").answer == count


SHELF = "How many mugs are on the shelf?"
SINK = "How many mugs are in the sink?"
MUGS = "How many mugs are there?"
NUTS = "How many nuts does the boy have?"
GOATS = "If two goats ran off, how many goats would be on the hill?"


@pytest.mark.parametrize(
    ("question", "reply", "count"),
    [
        (SHELF, "There are four mugs on the shelf plus 3 on the counter, for a total of 7.", "4"),
        (SHELF, "- On the shelf: 4\n- On the counter: 3\n\nTotal: 4 + 3 = 7 mugs", "4"),
        (SHELF, "### On the counter\nthree mugs\n\n### On the shelf\nfour mugs", "4"),
        (SHELF, "Every one of the five mugs is on the shelf. There are none on the counter.", "5"),
        (SINK, "There are 5 spoons in the sink, but no mugs. The 4 mugs are on the shelf.", "0"),
        (MUGS, "I see nine mugs. Five are on the shelf, and the other four are on the counter.", "9"),
        (MUGS, "Of the nine mugs in the photo, 5 are on the shelf. The remaining 4 are on the counter.", "9"),
        (MUGS, "On the shelf: five. On the counter: four. Sum: nine.", "9"),
        (NUTS, "The girl has six nuts and the boy has 2, so together they have eight.", "2"),
        (NUTS, "The girl has six nuts, which is 4 more than the boy, who has two.", "2"),
        ("Count the mugs in the image.", "Right now there are six mugs. If one broke, five would be left.", "6"),
        (
            "How many mugs are not on the shelf?",
            "Ten mugs in all, 4 of them on the shelf. So 6 are not on the shelf.",
            "6",
        ),
        (
            "How many more mugs are on the shelf than on the counter?",
            "On the shelf there are seven mugs, and on the counter there are five. The difference is two.",
            "2",
        ),
        (GOATS, "On the hill, there are 7 goats. Subtract 2 and you get 5. In the pen, there are still 3.", "5"),
        ("How many kids are in the picture?", "- Trees: 4\n- Kids: 12\n- Balls: 3", "12"),
        ("How many mugs are under the tray?", "Four mugs are on the tray and three are under it.", "3"),
        ("How many people are in the park?", "There are 3 people on the bench and 2 on the grass, 5 in total.", "5"),
        (MUGS, "You might think there are five mugs, but there are actually eight.", "8"),
    ],
)
def test_counts_by_place_or_person_are_told_apart(question: str, reply: str, count: str) -> None:
    assert read(reply, question, kind="number").answer == count


@pytest.mark.parametrize(
    ("question", "reply"),
    [
        (SINK, "There are 3 mugs on the shelf and 7 mugs on the counter. That makes 10 mugs in total."),
        (SINK, "There are 10 mugs in total: 4 on the shelf and 6 on the counter."),
        (SINK, "There are 10 mugs on the shelf, and 7 plates nearby."),
        (NUTS, "Mother: 7. Girl: 3. Total: 10."),
        (SHELF, "Eight mugs are on the shelf. Three mugs are on the counter. So there are eleven mugs."),
        (SHELF, "There are 3 mugs under the shelf and 4 on the counter, 7 in all."),
        (SHELF, "There are 3 mugs on the shelf and 2 more on the shelf rack, 5 in total."),
    ],
)
def test_what_is_counted_elsewhere_is_no_count_of_the_asked(question: str, reply: str) -> None:
    assert read(reply, question, kind="number").answer is None


@pytest.mark.parametrize(
    ("question", "reply", "count"),
    [
        (DOGS, "There are four dogs. Three are barking and the other is asleep.", "4"),
        (DOGS, "There are four dogs. Three are real and one is a statue.", None),
        ("How many goats are in the pen?", "Two black, one white and two brown goats stand in the pen, making 5.", "5"),
        ("How many goats are in the pen?", "Two goats stand in the pen and four on the hill, making 6.", None),
        (
            "How many books are in both bags together?",
            "The red bag has 2 books and the blue bag has 7, so both bags have 9.",
            "9",
        ),
        ("How many skiers are on the lift?", "One of the three skiers on the lift is waving.", "3"),
        ("How many skiers are waving?", "One of the three skiers on the lift is waving.", "1"),
        (HATS, "There are 5 people, and three of them are wearing scarves.", None),
        (DOGS, "At first sight there are six dogs, but looking closely there are seven.", "7"),
        (DOGS, "At first glance there are six dogs, but one of them is a shadow.", None),
        ("How many boats are blue?", "I count 6 boats in the harbour, and all of them are blue.", "6"),
        ("How many boats are blue?", "I count 6 boats in the harbour, and almost all of them are blue.", None),
        (CUPS, "There are 4 cups on the table, but there would be 6 if she brought hers.", "4"),
        ("How many blue cars are there?", "图中一共有9辆车，其中2辆是红色的，3辆是蓝色的。", "3"),
        ("How many parked cars are there?", "图中一共有9辆车，其中2辆是红色的。", None),
    ],
)
def test_a_whole_is_told_from_its_parts_and_from_what_only_seems_or_would_be(
    question: str, reply: str, count: str | None
) -> None:
    assert read(reply, question, kind="number").answer == count


LAMPS, UNLIT = "How many lamps are lit?", "How many lamps are not lit?"
SKATERS = "How many skaters are there?"
BARE_HANDS = "How many skaters are not wearing gloves?"
KITES = "How many kites is the aunt holding?"


@pytest.mark.parametrize(
    ("question", "reply", "count"),
    [
        (UNLIT, "There are nine lamps in the hall, but only four of them are lit.", None),
        (UNLIT, "Four lamps are lit.", None),
        (LAMPS, "Five of the nine lamps are not lit.", None),
        (UNLIT, "Nine lamps: four are lit and five are out.", "5"),
        (UNLIT, "All but five of the nine lamps are lit.", "5"),
        (UNLIT, "There are about nine lamps, four of them lit.", None),
        (BARE_HANDS, "None of the 6 skaters are wearing gloves.", "6"),
        (SKATERS, "None of the 6 skaters are wearing gloves.", "6"),
        (BARE_HANDS, "All six skaters are wearing gloves.", "0"),
        (BARE_HANDS, "There are six skaters, and not one of them is wearing gloves.", "6"),
        (BARE_HANDS, "Nobody is wearing gloves.", None),
        ("How many fans are in the stand?", "There are ten fans in the stand, and six of them are standing.", "10"),
        ("How many fans are standing?", "There are ten fans in the stand: four are sitting and six are standing.", "6"),
        ("How many guests are dining?", "Of the 9 guests in the dining room, 7 are talking and 2 are dining.", "2"),
        (SKATERS, "There are 8 skaters, and 3 of them are wearing gloves, so 8 - 3 = 5 are not wearing gloves.", "8"),
        (BARE_HANDS, "There are 8 skaters and 3 of them are wearing gloves, which leaves 5 without gloves.", "5"),
        ("How many skaters are wearing gloves?", "Since 3 of the 8 skaters are wearing gloves, 5 are not.", "3"),
        ("How many skaters have gloves on?", "There are 8 skaters: 5 are not wearing gloves, but 3 are.", "3"),
        ("How many skaters are wearing gloves?", "8 skaters, 3 with red gloves and 5 with blue gloves.", None),
        (SKATERS, "Eight skaters, three with gloves and five without.", "8"),
        (KITES, "The uncle is holding four kites and the aunt three, so together there are seven.", "3"),
        (KITES, "The uncle is holding 4 of the 7 kites, while the aunt is holding the other 3.", "3"),
        ("How many kites are there in total?", "Of the 7 kites, the uncle is holding 4 and the aunt 3.", "7"),
        (KITES, "The uncle is holding 4 kites, the boy is holding 3. 4 + 3 = 7.", None),
        ("How many vans are blue?", "Four red, three blue and two white - nine vans in total.", "3"),
        ("How many vans are green?", "Nine vans: four red, three blue and two white.", None),
        (
            "How many girls are there?",
            "Six of the pupils are boys and the remaining one is a girl, seven in total.",
            "1",
        ),
        ("How many sheds are in the yard?", "Six of the seven sheds in the yard are open.", "7"),
        ("How many boys are not laughing?", "Three of the five boys run, and two of them are laughing.", None),
    ],
)
def test_what_is_denied_of_some_of_a_whole_is_not_what_is_said_of_others(
    question: str, reply: str, count: str | None
) -> None:
    assert read(reply, question, kind="number").answer == count


def test_of_options_that_are_counts_the_part_asked_for_is_chosen() -> None:
    reply = "There are twelve dogs, and four of them are wearing collars, so 12 - 4 = 8 are not wearing collars."
    options = ["Twelve", "Eight", "One", "Four"]
    for question, letter in ((DOGS, "A"), ("How many dogs are wearing collars?", "D")):
        assert read(reply, question, kind="choice", options=options).answer == letter


@pytest.mark.parametrize(
    ("question", "reply", "answer"),
    [
        ("Would the boat sink?", "沈みません。", "no"),
        ("Will the door stay open?", "閉まります。", "no"),
        ("Is the sky empty?", "雲は一つもありません。", None),
    ],
)
def test_one_japanese_verb_answers_where_the_question_has_it(question: str, reply: str, answer: str | None) -> None:
    assert read(reply, question, kind="boolean").answer == answer


@pytest.mark.parametrize(
    ("question", "reply", "count"),
    [
        ("How many owls are sitting on the beam?", "Six owls are lined up on the beam, all looking at us.", "6"),
        ("How many barges are moored at the quay?", "The quay has four barges tied up to it.", "4"),
        ("How many goats are in the pen?", "Three goats are chewing hay in the pen, one behind the other.", "3"),
        ("How many owls are sitting on the beam?", "Six owls are standing on the beam, all looking at us.", None),
        ("How many goats are in the pen?", "Three goats are chewing hay outside the pen.", None),
        ("How many goats are in the pen?", "Three goats have left the pen.", None),
        ("How many monks are sitting on the steps?", "Four monks could sit on the steps.", None),
        ("How many pears are in the dish?", "There are five pears on the sill beside the dish.", None),
        ("How many monks are sitting in the chapel?", "Four monks, all with candles.", "4"),
        ("How many bells are in the shop altogether?", "9 bells, 5 inside the cabinet and 4 outside it.", "9"),
        ("How many bells are inside the cabinet?", "9 bells, 5 inside the cabinet and 4 outside it.", "5"),
        (
            "How many crabs are there, counting the one on the net?",
            "There are 3, two swimming and one on the net.",
            "3",
        ),
        ("How many actors have bowed?", "Of the 7 actors, 2 have already bowed.", "2"),
        ("How many actors have bowed?", "Of the 7 actors, 2 have not bowed.", None),
        ("How many monks have no sandals?", "I see 6 monks, 5 with sandals and 1 without.", "1"),
        ("How many hatches are open?", "There are 9 hatches; 2 near the bow are open and the rest are shut.", "2"),
        ("How many rings hang on the rack?", "The rack carries 12 rings (7 thin, 5 thick).", "12"),
        ("How many rings are golden?", "The rack carries 12 rings (7 thin, 5 thick).", None),
        ("How many owls are there now?", "There are 5 owls now; if one flew off, there would be 4.", "5"),
        ("How many forks lie there?", "There are 4 forks -- no, sorry, 5 forks.", "5"),
        ("How many forks lie there?", "Five forks. I first thought six, but one is a spoon.", "5"),
        ("How many wicks would the lamp need if both broke?", "It would need two new wicks.", "2"),
        ("How many calves would she have to look for if two ran off?", "She'd have to look for two calves.", "2"),
        ("How many mopeds would fit in the shed?", "There's room for three more mopeds.", "3"),
        (
            "How many monks would wear hoods if one took his off?",
            "Six have one on. Then five would be wearing one.",
            "5",
        ),
        (
            "How many oars would the boat have if one broke?",
            "The boat would have 5 oars rather than its present 6.",
            "5",
        ),
        ("How many monks are wearing hoods?", "图中有8位僧人，其中2位戴着帽子。", None),
        ("How many monks are wearing hats?", "图中有8位僧人，其中2位戴着帽子。", "2"),
        ("How many monks are wearing hats?", "图中有8位僧人，其中2位没有戴帽子。", None),
        ("How many jugs are cracked?", "罐子一共有七个，有裂缝的是三个。", "3"),
        ("How many monks are sitting?", "8人のうち、5人が座っています。", "5"),
        ("How many calves would be left if one went out?", "牛は今6頭います。1頭出て行けば、5頭になります。", "5"),
    ],
)
def test_plain_counts_are_read_where_the_words_are_others_than_the_question_has(
    question: str, reply: str, count: str | None
) -> None:
    assert read(reply, question, kind="number").answer == count


LADDERS = "How many ladders are on the wall?"
LESS = "How many ladders would be on the wall if two were carried off?"


@pytest.mark.parametrize(
    ("question", "reply", "count"),
    [
        (LADDERS, "- Near: 2\n- Middle: 1\n- Far:", None),
        (LADDERS, "| Where | Ladders |\n|---|---|\n| near | 2 |\n| far |", None),
        (LESS, "7 ladders - 2 =", None),
        (LADDERS, "Three ladders. Two of them", "3"),
        (LESS, "If two were carried off, there would be five ladders on the wall, because the", "5"),
        (LESS, "There are seven ladders, and they are all", None),
        (LADDERS, "- Near: 2\n- Far: 5\n\nSum: 7", "7"),
        (LADDERS, "It would be 5, though it is 7 now.", "7"),
        (LESS, "It would be 5, though it is 7 now.", "5"),
        (LADDERS, "Before: 7 ladders. After: 5 ladders.", "7"),
        (LESS, "1. Current count: 7\n2. Change: -2\n3. New count: 5", "5"),
        (LESS, "There would be 5 ladders. There would be 6 ladders.", None),
        (LESS, "The answer is 5 and the answer is 6.", None),
        (LESS, "Answer: 6\nWait, two are carried off.\nAnswer: 5", "5"),
        (LADDERS, "One can only guess.", None),
        (LADDERS, "No one can say.", None),
        ("How many guests are in the tent?", "No one is in the tent.", "0"),
        ("How many spades and buckets are there?", "There are 5 buckets and 4 spades, 9 in total.", "9"),
        ("How many spades and buckets are there?", "There are 5 buckets and 4 spades.", None),
        ("How many eels are on the scale showing 9 kg?", "The scale shows 9 kg, and 4 eels lie on it.", "4"),
        ("How many ferns are there altogether on the sill?", "There are 9 altogether, 5 big and 4 small.", "9"),
    ],
)
def test_one_count_is_told_of_the_world_in_question_and_to_its_end(
    question: str, reply: str, count: str | None
) -> None:
    assert read(reply, question, kind="number").answer == count

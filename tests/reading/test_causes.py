"""Why replies of other people were misread or unread, one cause a test, in replies of our own."""

import pytest

from countersight.case import AnswerKind, Option, Question
from countersight.reading import answer_in

TOOLS = ("hammer", "saw", "screwdriver", "axe")
TOOL = "Which tool would the man need if the screw came loose?"
LAKE = (
    "no, the lake is frozen, so the boat cannot sail",
    "yes, the boat has an engine, so it can sail",
    "no, the boat has a hole, so it would sink",
    "yes, the wind is strong enough to sail",
)
DARK = "Would the room be dark if the lamp was switched off?"
JAR = "Would the jar contain cookies if the children ate them all?"
IN_THE_VAN = "How many people would be in the van if 2 got out?"
WOMEN = "How many women would there be if one woman left?"
SEATS = "How many boys would be on the seesaw if one got off?"
UNSEEN = (
    *("I can't see a door", "I cannot see a door", "I'm unable to see the door", "I am unable to see the door"),
    *("I don't see a door", "I do not see a door", "I couldn't find the door", "There isn't a door"),
)
COLOURS = ("red", "blue", "green", "none of the above")
CARS = ("the taxi", "the van", "the tram")
LAMPS = ("the left lamp", "the right lamp", "both lamps", "neither lamp")
LAMP = "Which lamp would still be lit if the left one was switched off?"
FENCE = "What colour would the fence be if it was painted like the door?"


def read(text: str, question: str, kind: AnswerKind, options: tuple[str, ...] = ()) -> str | None:
    gold = {"number": "1", "boolean": "yes", "choice": "A", "open": "gold"}[kind]
    return answer_in(text, Question(question, gold, kind, tuple(map(Option, options))))


COUNTS = [
    # the parts of a total, after a colon or in brackets
    ("How many green bottles are on the wall?", "10 bottles stand on the wall: 6 green, 3 brown and 1 clear.", "6"),
    ("How many green bottles are on the wall?", "On the wall are 10 bottles (6 green, 3 brown, 1 clear).", "6"),
    ("How many red vans are parked?", "There are 9 vans parked in the yard: 4 red, 3 grey and 2 black.", "4"),
    ("How many vans are parked in the yard?", "There are 9 vans parked in the yard: 4 red, 3 grey and 2 black.", "9"),
    # what is supposed instead of what was asked
    ("How many wheels would it have if one came off?", "Three. If two came off, it would have two.", "3"),
    ("How many geese would be left if two left?", "4 geese. (Had two come instead, it would be 8.)", "4"),
    # units that are asked for
    ("How many minutes would be left if five more passed?", "There are 12 minutes left now, so 7 minutes.", "7"),
    ("How many centimetres would be left if 4 cm were cut off?", "20 cm - 4 cm = 16 cm", "16"),
    ("What percent of the tank would be full if half ran out?", "Fifty percent of the tank would be full.", "50"),
    # now, and then
    (
        "How many limes would there be if one more came?",
        "That means 3 limes are there now and 4 after one comes.",
        "4",
    ),
    ("How many plums would be left if all were eaten?", "Nought - they would all be eaten.", "0"),
    ("How many ducks would there be if two more came?", "5 -> 7", "7"),
    ("How many wheels would it have if one came off?", "The answer is 4. The answer is 3.", None),
    # the place that the question speaks of is not there
    (IN_THE_VAN, "There is no van in this photo. There are 4 people on a pier.", None),
    (IN_THE_VAN, "I can't see any van here, so the question doesn't apply. I see 4 people.", None),
    (IN_THE_VAN, "There would be no one in the van, and 4 on the road.", "0"),
    # a result that with a share of it makes the whole
    ("How many eggs would be left if a quarter broke?", "12 eggs, a quarter is 3, therefore 9.", "9"),
    ("How many eggs are in the carton?", "12 eggs, 9 white ones and 3 brown ones.", "12"),
    # a total of more than was asked for
    (WOMEN, "After that there would be 3 women and 4 men, a total of 7 people.", "3"),
    (WOMEN, "There would be 3 women out of a total of 7 people.", "3"),
    (WOMEN, "3 women and 4 men, so 7 people in total.", None),
    # what is now, where the reply goes on to what would be
    (SEATS, "The photo shows 2 boys on the seesaw, and if one got off there'd be just the one.", "1"),
    (SEATS, "I see two boys on the seesaw, but if one got off there'd be fewer.", None),
    (SEATS, "There are 2 boys on the seesaw. If one got off, it would tip.", None),
    (
        SEATS,
        "There are 2 boys, but if the one in red got off you'd be left with 1, assuming the 3 girls stay away.",
        "1",
    ),
    # "one" as a word for a thing, and not as a count
    ("How many kids would hold a flag if two let go?", "Just four of the nine would still be holding one.", "4"),
    ("How many cats would be left if the grey one left?", "The black one and the red one would stay, i.e. two.", "2"),
    # what the sentence supposes on its way, in another form than "if"
    ("How many hens would be left if one left?", "There are 4 hens, so with one gone 3 would be left.", "3"),
    ("How many men would be on the bus if 5 got off and 2 got on?", "12, so after 5 got off there would be 7.", None),
    ("How many nuts would there be if each of the 3 boys took one?", "Each of the 3 boys takes one: 9 - 3 = 6.", "6"),
    ("How many geese would there be if they doubled?", "There are 7 geese; doubled, that is 14.", "14"),
    ("How many pots are there right now?", "If one came there would be 4, but as it stands there are 3 pots.", "3"),
    # nothing of something else, and the place that is not there
    (IN_THE_VAN, "There is no van in this image.", None),
    ("How many cows would be left if one left?", "There are no sheep here.", None),
    ("How many lamps would be lit if the TV was off?", "There's no TV, so it changes nothing; it would stay 3.", "3"),
    ("How many plums would be in the bowl if all were eaten?", "The bowl would be empty.", "0"),
    # all of them where a kind was asked for
    ("How many men are there?", "A total of 6 people.", None),
    ("How many red plums are in the bowl?", "The bowl holds nine plums; five are green, the other four are red.", "4"),
    ("How many red plums are in the bowl?", "The bowl holds nine plums; five are green, the rest are red.", None),
    (
        "How many red vans would be left if one left?",
        "With it gone, 3 red vans and 11 vans overall would be left.",
        "3",
    ),
    ("How many dogs are wearing a collar?", "2 collars for 3 dogs.", None),
    ("How many dogs are wearing a collar?", "The two big dogs wear collars, the small one does not.", "2"),
    ("How many guests would get a seat if one broke?", "Five of the eight would; three would have to stand.", None),
    (
        "How many men would be in the water if one came ashore?",
        "There are six men in total, five in the water. If one came ashore, four would be in the water and two not.",
        "4",
    ),
    ("How many ducks would be on the lake if 3 flew off?", "There are 7. If 3 flew off, there would be 4 left.", "4"),
    ("How many ducks would be on the lake if 3 flew off?", "Four. There are 7 ducks on the lake now.", "4"),
    ("How many pins would be shut if one was opened?", "Three of the pins are shut, so with one opened it's two.", "2"),
    ("How many kids would be in boots if two more were?", "That means 5 booted and 2 barefoot.", "5"),
    ("How many animals are in the yard?", "A goat, a donkey and three hens.", None),
    ("How many ferns would be left if one was sold?", "Anywhere from six to nine.", None),
    ("How many lamps hang from the ceiling?", "There are 7 lamps hanging from the ceiling.", "7"),
    ("How many kilometers would be left after half of one?", "After half a kilometer 3.5 km would be left.", "3.5"),
    ("How many ants would be left if six left?", "Q: How many ants would be left if six left?\nA: 4", "4"),
    ("How many dishes would be left if one was taken off?", "The $8 soup goes and 3 dishes are left.", "3"),
    ("树上还有几只鸟？", "一只也没有了。", "0"),
    ("树上还有几只鸟？", "原来有八只，飞走三只，还有五只。", "5"),
    ("How many lamps would be on if one was lit?", "4. No, sorry: 5, I overlooked the one in the corner.", "5"),
]
POLARITIES = [
    # nothing of it is there, and the conclusion says what that means
    ("Is the street empty?", "Not one car is on it, so yes, it is empty.", "yes"),
    ("Is the wall free of posters?", "Not a single poster hangs on it, so yes, it's free of them.", "yes"),
    ("Is there a poster on the wall?", "Not a single poster hangs on it, so no.", "no"),
    # what is denied of the object
    (JAR, "It would contain no cookies.", "no"),
    (JAR, "The jar would contain nothing.", "no"),
    (JAR, "The jar would be without cookies.", "no"),
    (JAR, "The jar would lack cookies.", "no"),
    (JAR, "It would still contain cookies.", "yes"),
    (DARK, "It would be nothing but dark.", "yes"),
    (DARK, "By no means.", "no"),
    (DARK, "Switch off the lamp and the room is dark.", "yes"),
    (DARK, "Absolutely, it would be pitch-black.", "yes"),
    (DARK, "Certainly, it would not be so.", "no"),
    (DARK, "Very dark indeed.", "yes"),
    (DARK, "Yes. So the answer is no. So the answer is yes.", None),
    ("Would the lamp be to the left of the bed if it was moved?", "It would be to the right of the bed.", "no"),
    ("Would the man be in danger if the dog was gone?", "He would be out of danger.", "no"),
    ("Would the wall stop the wind if it had a hole?", "Nothing would stop the wind.", "no"),
    ("Would the wall keep the wind out if it had a hole?", "The wind would get in.", None),
    # all of them, some of them, none of them
    ("Are both doors open?", "Both are.", "yes"),
    ("Would the tower be taller than the tree if it had a roof?", "It would be taller.", "yes"),
    ("Are both doors open?", "Only one is open.", "no"),
    ("Are all the chairs red?", "Most are red.", None),
    ("Are any of the shops open?", "None of them are.", "no"),
    ("Would the boy fall if the rope snapped?", "I wouldn't expect him to fall.", "no"),
    ("Would the boy fall if the rope snapped?", "I'm sure he would fall.", "yes"),
    ("Would the boy fall if the rope snapped?", "I would expect him to.", "yes"),
    # a denial denied
    ("Would the boy fall if the rope snapped?", "It's unlikely that he wouldn't fall.", "yes"),
    ("Would the boy fall if the rope snapped?", "He could not avoid falling.", "yes"),
    ("Could he read it if it was dark?", "There is no reason why he couldn't.", "yes"),
    ("Would the boy fall if the rope snapped?", "Yes, if it was wet; no, if it was dry.", None),
    ("Would the boy fall if the rope snapped?", "Yes if it was wet, no if it was dry.", None),
    ("Would the boy fall if the rope snapped?", "I hardly think so.", "no"),
    ("Would the boy fall if the rope snapped?", "Almost certainly.", "yes"),
    ("Would the dog be able to bite?", "Its mouth is held shut, so it would be unable to.", "no"),
    ("Is the beach empty?", "There's not a soul on it.", "yes"),
    ("路上还有车吗？", "路上就没有车了。", "no"),
    ("Is the door closed?", "It isn't open.", "yes"),
    # what is out of reach, and what is more than one
    ("Is the mug out of the toddler's reach?", "It is out of reach.", "yes"),
    ("Is the mug out of the toddler's reach?", "The mug is not out of reach.", "no"),
    ("Is the mug out of the toddler's reach?", "It's in reach.", "no"),
    ("Is he cooking for more than one person?", "This suggests that he is cooking for more than one person.", "yes"),
    # what stands in the picture is nobody, and what is at the moment is what was asked
    ("Is anyone in the pool?", "The image shows a swimming pool with blue water and a seat.", None),
    ("Is anyone in the pool?", "The image shows a pool. However, there is no one in the pool at the moment.", "no"),
    # questions for a lack
    ("Is the lot free of cars?", "There isn't a single car in the lot.", "yes"),
    ("Is the bottle without a cap?", "The bottle has a cap.", "no"),
    ("Is it false that the cat is asleep?", "The cat is asleep.", "no"),
    ("Would the bears fail to see him if he hid?", "Yes, they would not see him.", "yes"),
    # whether somebody or something is there
    ("Is there any milk left in the glass?", "The glass is completely empty.", "no"),
    ("Is anyone in the car?", "The car is empty.", "no"),
    ("Is anyone in the car?", "The car is parked.", None),
    # nothing in the way of who was asked about
    ("Could the dog enter the house if the door was open?", "Nothing would prevent it from walking in.", "yes"),
    ("Could the dog stay in the yard if the gate was open?", "Nothing would stop it from running out.", None),
    ("Could the boy see the stage if the man sat down?", "His view would no longer be blocked.", "yes"),
    ("Would they be able to play if a ball was lost?", "Its loss would not stop them from playing.", "yes"),
    ("Would the bus be able to pass?", "There would hardly be room for a cart, let alone a bus.", "no"),
    ("Would the cat be able to reach it?", "The cat would find it impossible to reach it.", None),
    # comparisons
    ("Would there be more forks than knives if two were lost?", "Then forks would outnumber knives.", "yes"),
    ("Would there be more men than women if one left?", "There would be the same number of both.", "no"),
    ("Is the girl taller than the boy?", "The boy is taller.", "no"),
    ("Would the shelf hold if books were added?", "I can't be certain, but I'd lean towards yes.", "yes"),
]
CHOICES = [
    (TOOL, TOOLS, "C\nBecause A and B are for wood.", "C"),
    (TOOL, TOOLS, "Screwdriver. The hammer is what he has at the moment.", "C"),
    (TOOL, TOOLS, "He would need a screwdriver rather than a hammer or a saw.", "C"),
    (TOOL, TOOLS, "A would be true if it was a nail; it is a screw, though, so C gets my vote.", "C"),
    (TOOL, TOOLS, "The saw cuts, the axe chops, the hammer hits: the screwdriver.", "C"),
    (TOOL, TOOLS, "So B is out, tempting as B may look. What remains is the screwdriver.", "C"),
    (TOOL, TOOLS, "正解は C（ドライバー）です。", "C"),
    ("雨が降ったら何を使いますか？", ("帽子", "傘", "靴"), "傘を使います。", "B"),
    ("雨が降ったら何を使いますか？", ("帽子", "傘", "靴"), "傘は使いません。", None),
    # an option that the reply only supposes, gives a reason by, or tells of now
    (LAMP, LAMPS, "With the left lamp off only the one on the right would still be shining.", "B"),
    (LAMP, LAMPS, "The right lamp wouldn't be lit either, since it hangs on the left lamp.", None),
    (LAMP, LAMPS, "Not the left lamp. Both hang on one switch, though. So the right one.", "B"),
    (
        "Which one would lead if the taxi left?",
        CARS,
        "The tram (C) waits, so once the taxi (A) is gone the van does.",
        None,
    ),
    (
        "Which lamp is lit now?",
        LAMPS,
        "If it was switched off it would be the right lamp; now it's the left lamp.",
        "A",
    ),
    ("How many keys?", ("1", "2", "3", "4"), "Option 4 is out. That leaves three keys.", "C"),
    ("How many keys?", ("1", "2", "3", "4"), "(A) is too few, (C) and (D) are more. Therefore the second option.", "B"),
    (LAMP, LAMPS, "B, although D would be nice.", "B"),
    ("Where is the dog?", ("on the sofa", "at the door"), "The cat is on the sofa.", None),
    ("Where is the dog?", ("on the sofa", "at the door"), "The cat is on the sofa. The dog is at the door.", "B"),
    ("Where would it sit?", ("on the sofa", "at the door"), "Anywhere but on the sofa.", None),
    ("Would it fall?", ("Yes", "No", "Cannot tell"), "It is impossible to say.", "C"),
    ("What would the cat chase?", ("the mouse", "the bird"), "With the mouse hidden, it would go after the bird.", "B"),
    ("What would the cup hold if it was tipped?", ("tea", "milk", "nothing"), "It would be empty.", "C"),
    ("Can the boat sail?", LAKE, "A boat needs open water, and there is none, so the boat cannot sail.", "A"),
    ("How much would it cost at half price?", ("$2", "$4", "$6"), "Four dollars.", "B"),
    # an option that says of the others that they are wrong
    *((FENCE, COLOURS, text, "D") for text in ("D. None of the above", "(D) None of the above", "D) None of these.")),
    (FENCE, COLOURS, "**D. None of the above**", "D"),
    (FENCE, COLOURS, "D. None of the above, since A, B and C are all bright.", "D"),
    (FENCE, COLOURS, "It would be brown, so none of the above applies.", "D"),
    (FENCE, COLOURS, "B or none of the above", None),
    (FENCE, COLOURS, "Not none of the above.", None),
    (FENCE, COLOURS, "A. None of the above", None),
    (FENCE, COLOURS, "All of the above", None),
    (FENCE, COLOURS[:3], "None of the above", None),
]
OPENS = [
    (FENCE, "It would be dark green.", "dark green"),
    (FENCE, "The fence is white now, but it would be green.", "green"),
    (FENCE, "White. Wait, the door is green, so green.", "green"),
    (FENCE, "Green instead of white.", "Green"),
    (FENCE, "Green. The door is green, too.", "Green"),
    ("Who would hold the dog if the man let go?", "If the man let go, the woman would hold the dog.", "woman"),
    ("What would the sign say if it was turned?", 'It would say "EXIT".', "EXIT"),
    ("What would happen if the vase fell?", "It would break.", "It would break."),
    (FENCE, "He wood paint it in a lovely shade that goes with the door and the roof", None),
    # what the model does not see, in short and in long
    *((FENCE, f"{text} in the image.", None) for text in UNSEEN),
    (FENCE, "I'm sorry, but I can't see a door.", None),
    (FENCE, "The door isn't visible.", None),
    (FENCE, "I can't see all of the door, but it would be green.", "green"),
    ("What color is this strawberry?", "The strawberry is blue.", "blue"),
    ("What color is it?", "It is blue.", "blue"),
    ("What color are most cherries?", "It is red", "red"),
    ("What is the weather?", "it is cloudy", "it is cloudy"),
    ("Which country is this?", "U.S.", "U.S."),
    ("What would happen if the vase fell?", "I can't see a vase.", None),
]
BASKET = "How many rolls would be in the basket if two buns were added?"
COUNTS += [
    (BASKET, "The basket would hold two buns and six rolls, so eight in all.", None),
    (BASKET, "There would be two buns and six rolls in the basket.", "6"),
]
POLARITIES += [
    ("Would the kite crash if the string broke?", "It would be wrong to say that it would crash: it glides.", "no"),
    ("Would the kite crash if the string broke?", "No. It would be wrong to think that it would crash.", "no"),
]
OPENS += [
    ("Which letter would be last if the rightmost one fell off?", "The plate reads CAFES. It would be **E**.", "E"),
]


@pytest.mark.parametrize(("question", "text", "expected"), COUNTS)
def test_a_count_is_that_of_what_was_asked(question, text, expected):
    assert read(text, question, "number") == expected


@pytest.mark.parametrize(("question", "text", "expected"), POLARITIES)
def test_what_is_denied_in_other_words_is_denied(question, text, expected):
    assert read(text, question, "boolean") == expected


@pytest.mark.parametrize(("question", "options", "text", "expected"), CHOICES)
def test_an_option_named_in_passing_is_not_chosen(question, options, text, expected):
    assert read(text, question, "choice", options) == expected


@pytest.mark.parametrize(("question", "text", "expected"), OPENS)
def test_an_open_answer_is_what_the_question_did_not_say(question, text, expected):
    assert read(text, question, "open") == expected


def test_a_reply_cut_off_in_its_reasons_has_answered():
    question = Question("How many bikes would be left if one was stolen?", "6", "number")
    said = "There would be 6 bikes left. This is because the rack holds seven bikes, one of them a child's at the far"
    assert answer_in(said, question, finished=False) == "6"
    assert answer_in(said.replace("This is because", "Then"), question, finished=False) is None


def test_what_comes_of_a_condition_is_read_in_japanese_too():
    assert read("5人いますが、1人が帰ると4人になります。", "何人ですか？", "number") == "4"

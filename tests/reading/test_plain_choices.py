"""Plain replies that choose an option, and say more beside; and near misses that choose another or none."""

import pytest

import countersight as cs

QUESTIONS = {
    "ball": ("Which ball would fall if the table tilted?", ["the red ball", "the blue ball", "the green ball"]),
    "colour": ("What colour is the car?", ["red", "blue", "white", "black"]),
    "curtain": ("What would be behind the curtain?", ["a window", "a door", "a painting", "a bookshelf"]),
    "tower": ("Would the tower stay up if the bottom block were removed?", ["Yes", "No"]),
    "glass": ("Would the glass break if it fell?", ["Yes, it would break", "No, it would stay intact"]),
    "helmet": ("Is the man wearing a helmet?", ["yes", "no", "cannot be determined"]),
    "ice": ("What would happen if the man stepped on the ice?", ["He would slip", "The ice would crack", "Nothing"]),
    "turn": ("In which direction would the car turn?", ["left", "right", "straight ahead"]),
    "left": ("How many people would remain if the man left?", ["one", "two", "three", "none"]),
    "door": (
        "Which person would reach the door first?",
        ["the tall man in the blue shirt", "the short man in the blue shirt", "the tall woman in the red shirt"],
    ),
    "boy": ("What would the boy do next?", ["He would kick the ball", "He would catch the ball", "He would hide"]),
    "rope": ("What would happen if the girl let go of the boy?", ["She would fall", "The rope would break", "Nothing"]),
    "coat": ("Why is the woman wearing a coat?", ["Because it is cold", "Because it is raining", "Because she left"]),
    "race": ("Who would win the race?", ["Anna", "Ben", "Clara"]),
    "cups": ("How many cups are on the tray?", ["none", "one", "two", "more than two"]),
    "plank": ("What would fall without the plank?", ["The cup would fall.", "The jug would fall.", "Both would fall."]),
    "unable": ("What would the boy be unable to do without the ladder?", ["reach the shelf", "sit down", "wave"]),
    "odd": ("Which of these does not fit?", ["apple", "hammer", "pear"]),
}


@pytest.mark.parametrize(
    ("asked", "reply", "letter"),
    [
        ("colour", "The car is red. B is wrong.", "A"),
        ("ball", "B is wrong, C isn't.", "C"),
        ("ball", "Not B, A.", "A"),
        ("ball", "it's b", "B"),
        ("ball", "it's a", None),
        ("ball", "The red one is too far up. So: C.", "C"),
        ("unable", "Without the ladder he couldn't reach the shelf.", "A"),
        ("unable", "He could still sit down and wave, but he could not reach the shelf.", "A"),
        ("unable", "He could sit down.", None),
        ("ball", "Not A, B or C.", None),
        ("ball", "C is not the wrong one, A is.", "C"),
        ("ball", "A does not fit the picture, unlike B.", "B"),
        ("ball", "A is wrong, unlike B and C.", None),
        ("ball", "A is not wrong, and neither is B.", None),
        ("colour", "White, or rather black.", "D"),
        ("colour", "C is right; my earlier answer, D, was not.", "C"),
        ("colour", "My earlier answer, D, was wrong.", None),
        ("colour", "The answer is B. I first picked A by mistake.", "B"),
        ("colour", "I will change my answer from D to A.", "A"),
        ("colour", "I was going to say D, but A does not fit either.", None),
        ("colour", "With A and B excluded, D is left as the only option.", "D"),
        ("ball", "A) the red ball: wrong\nB) the blue ball: wrong\nC) the green ball: correct", "C"),
        ("cups", "I can see 2 cups.", "C"),
        ("cups", "There are five cups on the tray.", "D"),
        ("cups", "No more than 2.", None),
        ("plank", "Not only would the cup fall, the jug would fall as well.", "C"),
        ("plank", "The cup would fall, but not the jug.", "A"),
        ("helmet", "I think that the man is wearing a helmet in this picture.", "A"),
        ("colour", "Red. D is tempting, but it does not match what we see.", "A"),
        ("colour", "C does not match the image. Some would say B, but I disagree. The car is black.", "D"),
        ("colour", "Options A and C can be ruled out. It can't be D, so only one option is left.", "B"),
        ("colour", "A, B and C do not fit, so only D remains.", "D"),
        ("colour", "Red, not blue, white or black.", "A"),
        ("colour", "I'd say white instead of red, blue or black.", "C"),
        ("colour", "Every option other than C can be ruled out.", "C"),
        ("colour", "All options but C fit.", None),
        ("colour", "No option but C fits.", "C"),
        ("colour", "B is not wrong.", None),
        ("ball", "The red ball gets my vote. The remaining choices can be excluded.", "A"),
        ("ball", "Of the three options, the green one is the best.", "C"),
        ("ball", "I would not opt for the red ball.", None),
        ("ball", "There is some doubt that it is the red ball.", None),
        ("ball", "I have little doubt that it is the red ball. I hope this helps!", "A"),
        (
            "ball",
            'The green one would be first to fall. "The red ball" would only fit if the scene were different.',
            "C",
        ),
        ("curtain", "I think it's A DOOR.", "B"),
        ("curtain", "So A it must be.", "A"),
        ("curtain", "A painting, hands down.", "C"),
        ("tower", "Without question, no.", "B"),
        ("tower", "The answer is a clear no.", "B"),
        ("tower", "Not a clear yes.", None),
        ("tower", "Not a doubt in my mind: yes.", "A"),
        ("tower", "B does not match the image. The tower would stay up.", "A"),
        ("tower", "No (B).", "B"),
        ("glass", "Without question, the glass would stay intact.", "B"),
        ("glass", "It would not break.", "B"),
        ("helmet", "The answer has to be (C) cannot be determined, I'd say. B is wrong.", "C"),
        ("ice", "He'd slip on the ice. None of the others makes sense.", "A"),
        ("turn", "Left, not right or straight ahead.", "A"),
        ("turn", "Right is wrong.", None),
        ("left", "C fits the picture; A, B and D do not. He is the only one leaving.", "C"),
        ("door", "The woman.", "C"),
        ("door", "The short man would be first at the door.", "B"),
        ("door", "The man.", None),
        ("boy", "He is going to kick it.", "A"),
        ("rope", "The girl would fall.", "A"),
        ("rope", "The boy would fall.", None),
        ("coat", "She wears it because it is cold. That is my final answer.", "A"),
        ("coat", "It is raining.", "B"),
        ("race", "The winner would be Ben, no question.", "B"),
        ("race", "Clara would be the last one to win.", None),
        ("odd", "The hammer does not fit.", "B"),
    ],
)
def test_a_choice_is_read_aside_from_what_is_said_of_the_others(asked, reply, letter):
    question, options = QUESTIONS[asked]
    assert cs.read(reply, question, kind="choice", options=options).answer == letter


@pytest.mark.parametrize(
    ("question", "reply", "answer"),
    [
        ("Who is not wearing a hat?", "The woman is not wearing a hat.", "B"),
        ("Who is not wearing a hat?", "The woman is not wearing a scarf.", None),
        ("Who is wearing a hat?", "The woman is not wearing a hat.", None),
    ],
)
def test_what_the_question_denies_may_be_denied_of_the_chosen(question, reply, answer):
    assert cs.read(reply, question, "choice", ["the man", "the woman"]).answer == answer


def test_words_of_an_option_are_of_no_foreign_language():
    bales = ["hay bales", "the floor", "a wall"]
    assert cs.read("A. hay bales", "What would they sit on?", "choice", bales).answer == "A"
    assert cs.read("Hay tres perros.", "How many dogs are there?", "number").answer is None


@pytest.mark.parametrize(
    ("question", "reply", "letter"),
    [
        ("What state is the shop in?", "It would be closed if the owner left, though it is open now.", "B"),
        ("What state would the shop be in if the owner left?", "Now: open. Then: closed.", "A"),
        ("What state is the shop in?", "| | Now | If she left |\n|---|---|---|\n| Shop | open | closed |", "B"),
        ("What state would the shop be in if the owner left?", "It would be A if the owner left.", "A"),
        ("What state would the shop be in if the owner left?", "It would be closed. It would be empty.", None),
        ("What state is the shop in?", "Option B is correct. In the picture, the sign is", "B"),
        ("What state is the shop in?", "The answer is A and the answer is C.", None),
    ],
)
def test_one_option_is_chosen_for_the_world_in_question(question, reply, letter):
    assert cs.read(reply, question, "choice", ["closed", "open", "empty"]).answer == letter

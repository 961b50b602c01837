"""Reading answers out of what models and people write."""

import csv
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from published import published

from countersight.case import AnswerKind, Option, Question
from countersight.reading import agrees
from countersight.reading import answer_in as read

NUMBERS: list[tuple[str, str | None]] = [
    # plain
    ("3", "3"),
    ("3.", "3"),
    (" 3 \n", "3"),
    ("Three", "3"),
    ("three.", "3"),
    ("There are 3.", "3"),
    ("There would be 3.", "3"),
    ("There would be three cats.", "3"),
    ("There'd be 3 cats left.", "3"),
    ("It would be 3", "3"),
    ("3 cats", "3"),
    ("3 cats would remain.", "3"),
    ("Only 3 would be left.", "3"),
    ("You would see 3 cats.", "3"),
    ("I see 3 cats in the picture.", "3"),
    ("I count four.", "4"),
    ("The answer is seven", "7"),
    ("The answer is 7.", "7"),
    ("The answer would be 7 cats.", "7"),
    ("Answer: 7", "7"),
    ("answer = 7", "7"),
    ("Ans: 7", "7"),
    ("7 is the answer.", "7"),
    ("The total is 7.", "7"),
    ("Total: 7", "7"),
    ("A total of 7 cats.", "7"),
    ("The number of cats would be 12.", "12"),
    ("Twenty-one", "21"),
    ("There would be twenty one cats", "21"),
    ("one hundred and five", "105"),
    ("There are two hundred fifty birds", "250"),
    ("a dozen", "12"),
    ("There would be two dozen eggs", "24"),
    ("half a dozen", "6"),
    ("There would be a couple of cats.", "2"),
    ("There is a single cat.", "1"),
    ("There would be one.", "1"),
    ("One cat would be left.", "1"),
    ("Just one.", "1"),
    ("There is only one dog in the picture.", "1"),
    ("Both would remain.", "2"),
    # nothing there
    ("No", "0"),
    ("None", "0"),
    ("None.", "0"),
    ("Zero", "0"),
    ("0", "0"),
    ("There would be no cats.", "0"),
    ("There would be no cats left in the picture.", "0"),
    ("No cats would be left.", "0"),
    ("No, there wouldn't be any", "0"),
    ("There would not be any cats.", "0"),
    ("There wouldn’t be any.", "0"),
    ("There aren't any dogs", "0"),
    ("I don't see any cats.", "0"),
    ("Not any.", "0"),
    ("Nothing.", "0"),
    ("Nobody would be there.", "0"),
    ("No one would be on the bus.", "0"),
    ("None of the cats would remain.", "0"),
    ("There would be zero.", "0"),
    ("There would be no more cats", "0"),
    ("If it was raining, there would be no kites in the sky.", "0"),
    ("There are 2 kites now, but if it was raining there would be none.", "0"),
    ("There would not be.", "0"),
    # the supposition is not the answer
    ("If 2 left, there would be 5", "5"),
    ("There would be 5 if 2 more came", "5"),
    ("There would be 5 cats if 2 more cats came.", "5"),
    ("If 7 cows disappeared, 4 cows would remain.", "4"),
    ("If two cats, a dog and 3 birds left, there would be 5 animals.", "5"),
    ("If 1 left 2 cats would remain", "2"),
    ("If one left then there would be two.", "2"),
    ("if 4 more trains were added you would see 5", "5"),
    ("There are 3 cats, so if one left there would be 2.", "2"),
    ("There are 3 cats. If one left, there would be 2.", "2"),
    ("If there were 2 more dogs, there'd be 3 dogs in total.", "3"),
    ("After 2 leave, there would be 5.", "5"),
    ("There would be 5 after 2 leave.", "5"),
    ("With 2 more cats, there would be 5.", "5"),
    ("Had 2 left, there would be 5.", "5"),
    ("When 2 are removed, 5 remain.", "5"),
    ("There would be 3 because there are 4 and one left.", "3"),
    ("Since there are 4 and 1 left, there would be 3.", "3"),
    ("Suppose 2 more came. There would be 5.", "5"),
    ("Imagine 2 more cats. Then we would have 5.", "5"),
    ("There would be five, even if 2 of them were asleep", "5"),
    ("Assuming 2 more came, five.", "5"),
    ("If 2", None),
    ("Four, as each face of the tower would have one clock.", "4"),
    ("There would be 5 if the 2 men would sit down", "5"),
    ("If a lion came, all the zebras would run away, leaving none.", "0"),
    ("There would be four clocks, one on each of the four faces.", "4"),
    ("The number would drop from 5 to 3.", "3"),
    ("It is not 3.", None),
    # working it out
    ("2-1+2=3", "3"),
    ("3 - 1 = 2 so 2", "2"),
    ("3 + 2 = 5", "5"),
    ("5 = 3 + 2", "5"),
    ("3 cats - 1 cat = 2 cats", "2"),
    ("3 plus 2 equals 5", "5"),
    ("3 + 2 is 5", "5"),
    ("There are 3 cats and 2 more come, so there would be 5.", "5"),
    ("Adding 2 more makes 5.", "5"),
    ("The picture shows 3 cats. Removing 1 leaves 2.", "2"),
    ("There were 3 cats. Now there are 2.", "2"),
    ("Originally there were 3 cats, but 1 was removed, leaving 2.", "2"),
    ("We start with 3, subtract 1, and get 2.", "2"),
    ("There are 4 cats (one of them left), so 3", "3"),
    ("There would be 3 (4 - 1).", "3"),
    ("There would be 2 instead of 3.", "2"),
    ("Not 3 but 4.", "4"),
    ("4, not 3", "4"),
    ("Two of the three cats would remain.", "2"),
    ("There are 3 cats in the image. 2 of them are sleeping.", "3"),
    ("There are two people. One is sitting and the other is standing.", "2"),
    ("There are 5 animals: 3 cats and 2 dogs.", "5"),
    ("3 cats and 2 dogs, for a total of 5.", "5"),
    ("3 cats on the left\n2 cats on the right\n\nTotal: 5", "5"),
    ("Let's think step by step. There are 3 cats. One more comes: 3 + 1 = 4. Final answer: 4", "4"),
    ("1. There are 3 cats.\n2. One cat leaves.\n3. So there would be 2 cats.", "2"),
    ("Step 1: count 3 cats. Step 2: add 1. Therefore, 4.", "4"),
    ("5. There are 3 cats and 2 more would join them.", "5"),
    ("3. Wait, 4.", "4"),
    ("**Answer:** 4\n\n**Explanation:** there are 3 cats and 1 more comes.", "4"),
    ("Answer: 4. There were 3 cats and 1 more came.", "4"),
    ("The answer is 4 cats, 3 black and 1 white.", "4"),
    ("Answer: There are 3 cats. If one left, 2 would remain.", "2"),
    ("### Answer\n4", "4"),
    ("#### 4", "4"),
    ("<think>There are 3, no 7, so 8</think>4", "4"),
    ("<think>There are 3, and 2 more would", None),
    # markup
    ("**3**", "3"),
    ("*3*", "3"),
    ("`3`", "3"),
    ("“3”", "3"),
    ("'three'", "3"),
    ("(3)", "3"),
    ("There would be **3** cats.", "3"),
    ("\\boxed{4}", "4"),
    ("$\\boxed{4}$", "4"),
    ("3 + 1 = \\boxed{\\text{4}}", "4"),
    ("\\(3 + 1 = 4\\)", "4"),
    ("<answer>4</answer>", "4"),
    ("<answer> 4 cats </answer>", "4"),
    ('{"answer": 4}', "4"),
    ('{"answer": "4"}', "4"),
    ('```json\n{"reasoning": "3 + 1", "answer": 4, "confidence": 0.9}\n```', "4"),
    ("{'answer': 4}", "4"),
    ('{"count": 4}', "4"),
    ("- 3", "3"),
    ("> 3", "3"),
    ("# 3", "3"),
    ("3<|im_end|>", "3"),
    ("<b>3</b>", "3"),
    # figures
    ("3.0", "3"),
    ("3.5", "3.5"),
    ("1,200", "1200"),
    ("There are 1,200 birds.", "1200"),
    ("-3", None),
    ("The answer is -3.", None),
    ("003", "3"),
    ("50%", "50"),
    ("I am 95% sure that there are 3 cats.", "3"),
    ("３", "3"),
    ("٣", "3"),
    ("There would be ٣ cats", "3"),
    ("3️⃣", "3"),
    ("\u200b3\u200b", "3"),
    ("③", "3"),
    ("\ufeff3", "3"),
    ("the 3rd", None),
    ("10:30", None),
    ("a 5-year-old", None),
    ("one third", None),
    # more than one, or none
    ("between 3 and 5", None),
    ("There would be between 3 and 5 cats.", None),
    ("3 or 4", None),
    ("There are three or four cats.", None),
    ("3-5", None),
    ("3 to 5 cats", None),
    ("There are 3 cats and 2 dogs.", None),
    ("at least 3", None),
    ("There are more than 10.", None),
    ("several", None),
    ("many cats", None),
    ("Yes.", None),
    ("", None),
    ("   \n", None),
    ("...", None),
    ("cats", None),
    ("I'm sorry, I can't help with that.", None),
    ("I cannot determine the number of cats.", None),
    ("I cannot determine how many of the 3 cats would leave.", None),
    ("I'm unable to see the image.", None),
    ("It is impossible to tell from 1 picture.", None),
    ("There is not enough information.", None),
    ("It depends on whether 2 or 3 came.", None),
    ("Unknown", None),
    ("I have no idea.", None),
    ("As an AI, I can't see pictures.", None),
    ("The answer cannot be determined.", None),
    ("I'm not sure, but I think there would be 3.", "3"),
    ("I can't tell exactly, but there are probably 4.", "4"),
]

BOOLEAN = "Would the trees be snowy if the snow was melted?"
BOOLEANS: list[tuple[str, str | None]] = [
    ("Yes", "yes"),
    ("Yes.", "yes"),
    ("yes", "yes"),
    ("YES!", "yes"),
    ("**Yes**", "yes"),
    ("Yes, they would.", "yes"),
    ("Yes, it wouldn't be dry.", "yes"),
    ("Yeah", "yes"),
    ("Yep.", "yes"),
    ("Yes - the trees would not be bare.", "yes"),
    ("True", "yes"),
    ("Correct.", "yes"),
    ("That is correct.", "yes"),
    ("That's right.", "yes"),
    ("It would.", "yes"),
    ("It would be.", "yes"),
    ("They would still be.", "yes"),
    ("The trees would be snowy.", "yes"),
    ("If the snow was not melted, the trees would be snowy.", "yes"),
    ("Definitely.", "yes"),
    ("Probably.", "yes"),
    ("Most likely, yes.", "yes"),
    ("I would say yes.", "yes"),
    ("I think so.", "yes"),
    ("Of course.", "yes"),
    ("The answer is yes.", "yes"),
    ("Answer: Yes", "yes"),
    ('{"answer": true}', "yes"),
    ('{"answer": "yes"}', "yes"),
    ("\\boxed{yes}", "yes"),
    ("<answer>Yes</answer>", "yes"),
    ("The snow is gone. Therefore, yes.", "yes"),
    ("No", "no"),
    ("No.", "no"),
    ("no", "no"),
    ("Nope", "no"),
    ("Nah", "no"),
    ("No, they would be.", "no"),
    ("No, there wouldn't be any", "no"),
    ("It would not be", "no"),
    ("It would not.", "no"),
    ("It wouldn’t.", "no"),
    ("They wouldn't be snowy.", "no"),
    ("The trees would no longer be snowy.", "no"),
    ("The trees would probably not be snowy.", "no"),
    ("If the snow was melted, the trees would not be snowy.", "no"),
    ("The trees would not be snowy if the snow was melted.", "no"),
    ("False", "no"),
    ("Incorrect", "no"),
    ("Not true.", "no"),
    ("That is not correct.", "no"),
    ("Not really.", "no"),
    ("Not anymore.", "no"),
    ("Probably not.", "no"),
    ("Definitely not!", "no"),
    ("Certainly not.", "no"),
    ("Never", "no"),
    ("It's unlikely", "no"),
    ("Unlikely.", "no"),
    ("It is impossible.", "no"),
    ("I don't think so.", "no"),
    ("I doubt it.", "no"),
    ("I'd say no.", "no"),
    ("Sure! The trees would not be snowy.", "no"),
    ("The answer is no, because the snow has melted.", "no"),
    ("Final answer: No", "no"),
    ("Yes or no? No.", "no"),
    ("Let's think. The trees are snowy now. The snow would melt, so they would not be snowy.", "no"),
    ("The trees are snowy. If the snow was melted, they wouldn't be.", "no"),
    ("Hmm, no.", "no"),
    ("N", "no"),
    ("<think>yes yes</think>No", "no"),
    ("The trees would be bare.", None),
    ("Maybe", None),
    ("It depends.", None),
    ("Yes and no", None),
    ("yes/no", None),
    ("Not sure", None),
    ("I am not sure.", None),
    ("Not necessarily.", None),
    ("I cannot determine that.", None),
    ("I'm sorry, I can't assist with that.", None),
    ("It is possible.", None),
    ("3", None),
    ("", None),
    ("trees", None),
    ("No idea.", None),
]

FOUR = ("3", "7", "12", "0")
CHOICES: list[tuple[str, str | None]] = [
    ("B", "B"),
    ("b", "B"),
    ("B.", "B"),
    ("b.", "B"),
    ("**B**", "B"),
    ("(B)", "B"),
    ("(c) 12", "C"),
    ("c)", "C"),
    ("C) 12", "C"),
    ("B: 7", "B"),
    ("B:7", "B"),
    ("B. 7", "B"),
    ("B - 7", "B"),
    ("B 7", "B"),
    ("[B]", "B"),
    ('"B"', "B"),
    ("Option B", "B"),
    ("option b", "B"),
    ("Option B: 7", "B"),
    ("Choice B", "B"),
    ("Answer: B", "B"),
    ("answer: b", "B"),
    ("Answer: (b)", "B"),
    ("Answer: A", "A"),
    ("The answer is A.", "A"),
    ("The answer is B: 7", "B"),
    ("The correct answer is (B) 7.", "B"),
    ("The correct option is B.", "B"),
    ("The correct answer is option B", "B"),
    ("B is correct.", "B"),
    ("B is the correct answer.", "B"),
    ("A is the correct answer.", "A"),
    ("I would choose B.", "B"),
    ("I think it's C", "C"),
    ("It is A.", "A"),
    ("A", "A"),
    ("A.", "A"),
    ("A: 3", "A"),
    ("A 3", "A"),
    ("A, because 3 are left", "A"),
    ("B, since 7 - 4 = 3", "B"),
    ("\\boxed{B}", "B"),
    ("\\boxed{\\text{(B)}}", "B"),
    ("<answer>B</answer>", "B"),
    ('{"answer": "B"}', "B"),
    ('{"choice": "B: 7"}', "B"),
    ("Ｂ", "B"),
    ("\u200bB", "B"),
    ("7", "B"),
    ("seven", "B"),
    ("There would be 7.", "B"),
    ("There would be seven flowers.", "B"),
    ("The answer is 7", "B"),
    ("There would be no flowers.", "D"),
    ("None", "D"),
    ("0", "D"),
    ("If 4 flowers were removed, there would be 3.", "A"),
    ("A circle contains 7 dots", "B"),
    ("A circle contains 5 dots", None),
    ("A flower is outside. There would be 12.", "C"),
    ("I see 7 flowers.", "B"),
    ("A circle is empty, so B", "B"),
    ("There are 7 flowers, so the answer is B.", "B"),
    ("There are 9 flowers. Therefore, C.", "C"),
    ("Let's count: 3 on the left, 4 on the right, so 7. The answer is B.", "B"),
    ("The options are A: 3, B: 7, C: 12, D: 0. There are 7 dots, so B.", "B"),
    ("A is wrong. B is wrong. C is correct. D is wrong.", "C"),
    ("Not A, but B.", "B"),
    ("It is not A; it is C.", "C"),
    ("B, not A", "B"),
    ("It can't be A, B or D, so C.", "C"),
    ("Between A and B, I choose B.", "B"),
    ("B because A is too small", "B"),
    ("The second option", "B"),
    ("The last option.", "D"),
    ("<think>Perhaps A? No.</think>\n\nB", "B"),
    ("B\n\nThere are 3 + 4 = 7 flowers outside.", "B"),
    ("A or B", None),
    ("A and B", None),
    ("either A or B", None),
    ("Not A", None),
    ("not A.", None),
    ("E", None),
    ("(e)", None),
    ("The answer is E.", None),
    ("9", None),
    ("There would be 3 or 7.", None),
    ("None of the above", None),
    ("None of the options", None),
    ("all of the above", None),
    ("Option 3", None),
    ("I can't tell.", None),
    ("I'm sorry, but I cannot answer that.", None),
    ("The image shows a circle", None),
    ("a flower", None),
    ("", None),
]

WORDED: list[tuple[tuple[str, ...], str, str | None]] = [
    (("red", "blue"), "Red", "A"),
    (("red", "blue"), "It would be blue.", "B"),
    (("red", "blue"), "The ball would be blue, not red.", "B"),
    (("red", "blue"), "A red ball", "A"),
    (("red", "blue"), "red or blue", None),
    (("red", "blue"), "green", None),
    (("red", "dark red"), "It is dark red.", "B"),
    (("yes", "no"), "No, it wouldn't.", "B"),
    (("Yes", "No"), "Yes", "A"),
    (("No", "Yes"), "It would not be.", "A"),
    (("vitamin C", "vitamin D", "iron"), "I think vitamin D", "B"),
    (("two", "three"), "There would be 3.", "B"),
    (("A cat sleeps.", "A dog sleeps."), "A dog sleeps.", "B"),
    (("A cat sleeps.", "A dog sleeps."), "b) A dog sleeps.", "B"),
    (("a cat", "a dog", "no animal"), "It would be a dog.", "B"),
    (("left", "right"), "to the right", "B"),
]

COWS = "How many cows would you see if 7 cows disappeared?"
COWS_NOW = "How many cows can you see?"
COUNTS: list[tuple[str, str, str | None]] = [
    # the count as it is comes first, what would be comes after
    (COWS, "There are 11 cows in total. If 7 disappeared, there would be 4.", "4"),
    (COWS, "5 + 6 = 11. If 7 disappeared, 4 would be left.", "4"),
    (COWS, "Let's count: 1. brown cow 2. black cow 3. white cow... total 11. After 7 disappear: 4.", "4"),
    (COWS, "4 cows. There are 11 cows now and 7 would be gone.", "4"),
    (COWS, "If 7 cows disappeared, then 4 would be left out of the original 11.", "4"),
    (COWS, "- Cows now: 11\n- Cows removed: 7\n- Cows left: 4", "4"),
    (COWS, "Although there are 11 cows, there would be 4.", "4"),
    (COWS, "Seeing as 7 of 11 go, 4 stay.", "4"),
    (COWS_NOW, "There are 11 cows. If 7 disappeared, there would be 4.", "11"),
    (COWS_NOW, "There are 11 cows; 4 would be left if 7 went.", "11"),
    # the number first, and then why
    (COWS, "4 - there were 11, and 7 disappeared", "4"),
    (COWS, "4 — there are 11 cows and 7 disappear", "4"),
    (COWS, "11 cows - if 7 disappeared, 4 would remain", "4"),
    # a whole and its parts, and what else is in the picture
    (COWS_NOW, "There are 11 cows in this picture: 5 on the left and 6 on the right.", "11"),
    (COWS_NOW, "There are 11 cows — 6 on the left and 5 on the right.", "11"),
    (COWS_NOW, "11, of which 2 are calves", "11"),
    (COWS_NOW, "11 cows including 2 calves", "11"),
    (COWS_NOW, "There are eleven cows grazing in a field with 2 trees.", "11"),
    (COWS, "4 cows would be left in a field with 2 trees.", "4"),
    (COWS, "You would be left with 4 cows.", "4"),
    (COWS, "There are 4 cows. Turning off 1 light has no effect on that.", "4"),
    # now and then
    (COWS, "Now 1. Then 3.", "3"),
    (COWS, "1 animal now, 3 then", "3"),
    (COWS, "3 then, 1 now", None),
    (COWS, "There were 3 cows. Now 2.", "2"),
    (COWS, "The number would go up to 6, from 1.", "6"),
    (COWS, "There would be up to 6 cows.", None),
    (COWS, "Then you'd have 3 screens in total: the 2 monitors and the laptop.", "3"),
    # sums
    (COWS, "3 doubled is 6.", "6"),
    (COWS, "Twice 3, that is 6", "6"),
    (COWS, "There are 6 cows. Half of 6 is 3.", "3"),
    (COWS, "There would be 23 - 5 = 18 cows in all six fields.", "18"),
    (COWS, "There are 12 in the top row and 15 in the bottom row, for 27 cows.", "27"),
    (COWS, "First I thought 5, but it is 4.", "4"),
    (COWS, "5? No, 4.", "4"),
    # words that are numbers
    (COWS, "There would be a pair.", "2"),
    (COWS, "a pair of cows", "2"),
    ("How many glasses are there?", "There is a pair of glasses.", None),
    (COWS, "There would no longer be any cows.", "0"),
    (COWS, "Everyone would be gone.", "0"),
    (COWS, "All of them would have disappeared.", "0"),
    (COWS_NOW, "There is a cow.", "1"),
    (COWS_NOW, "a cow", "1"),
    (COWS, "There would be a cow left.", "1"),
    ("How many people would there be?", "There would be a person.", "1"),
    (COWS, "A cow is an animal.", None),
    (COWS_NOW, "There is a field.", None),
    ("How many legs would the animals have?", "an animal", None),
    # no answer
    (COWS, "The image does not contain enough information to tell how many of the 7 cows would disappear.", None),
    (COWS, "The picture doesn't provide sufficient detail to count 7 cows.", None),
    (COWS, "It is not possible to see 7 cows disappear.", None),
    (COWS, "3 cows would be standing, and 2 would be lying.", None),
    (COWS, "4 - 7 = -3", None),
    ("What temperature is shown?", "-3", "-3"),
]

TV = "Would the TV be on if the power was cut off?"
TV_NOW = "Is the TV on?"
LIGHT = "Would the light be on if a man pressed the light switch?"
LAPTOP = "Would the laptop be open if it was closed?"
CRAYON = "Would there be a crayon if a crayon was placed?"
CRAYON_NOW = "Is there a crayon?"
VASE = "Is the vase to the left yellow?"
TV_ALONE = "Would the TV be on if everyone left?"
HAIR = "Would it be natural if no dye was used?"
STAINS = "Would there be stains on the carpet if it was cleaned?"
BEACH = "Would the beach be crowded if it rained?"
CATS = "Would there be cats if a dog came?"
COLLAR = "Is the dog not wearing a collar?"
CLAIMS: list[tuple[str, str, str | None]] = [
    # what is now, and what would be
    (CRAYON, "Currently there is no crayon, but if one was placed there would be.", "yes"),
    (CRAYON, "There isn't a crayon now, but there would be if one was placed.", "yes"),
    (CRAYON, "There is no crayon, but there would be if one was placed.", "yes"),
    (CRAYON, "Even though there's no crayon in the scene, there would be one if it was placed.", "yes"),
    (CRAYON, "At present no; but yes if one was placed.", "yes"),
    (CRAYON, "Yes, although there is no crayon now.", "yes"),
    (LIGHT, "The light is currently not on. If the switch was pressed, it would be on.", "yes"),
    (LIGHT, "While the light is off in the image, it would be on.", "yes"),
    (TV, "The TV is on. If the power was cut off, it would be off.", "no"),
    (TV, "Yes, the TV is currently on. However, if the power was cut, the TV would not be on.", "no"),
    (TV, "Yes, the TV is on. If the power was cut off, the TV would not be on.", "no"),
    (TV, "Yes, the TV is on, but it would not be on if the power was cut.", "no"),
    (TV, "Currently, yes. But if the power was cut, no.", "no"),
    (TV, "If the power was cut off, the TV would not be on. It is on in the image.", "no"),
    (TV, "No, it needs power. It would be on if it had a battery.", "no"),
    (TV, "The TV is on. If the power was cut, the room would be dark.", None),
    (TV, "The TV is on in the image.", None),
    (TV, "Yes, the TV is currently on.", "yes"),
    (LAPTOP, "Yes, the laptop is open now, but no, it would not be open if closed.", "no"),
    (TV_NOW, "The TV is on. If the power was cut, it would be off.", "yes"),
    (CRAYON_NOW, "There is no crayon now, but there would be if one was placed.", "no"),
    ("Would the moon be visible if it was night?", "It isn't visible by day. At night it would be visible.", "yes"),
    # a "not" denies its own clause
    (TV, "The TV would still be on, it doesn't need power", "yes"),
    (TV, "The TV would be on, but not bright.", "yes"),
    (VASE, "The vase on the left is yellow, but the one on the right isn't.", "yes"),
    (COLLAR, "The dog is not wearing a collar.", "yes"),
    (COLLAR, "The dog is wearing a collar.", "no"),
    (COLLAR, "It is.", None),
    # states and their opposites
    (LIGHT, "It would turn on.", "yes"),
    (LIGHT, "The light would come on.", "yes"),
    (LIGHT, "Pressing the switch would turn it on.", "yes"),
    (TV, "It would still be on thanks to a battery.", "yes"),
    (TV, "The TV would be off.", "no"),
    (TV, "The TV would turn off.", "no"),
    (TV, "It would go off", "no"),
    (TV, "When the power is cut, it turns off.", "no"),
    (TV, "The TV would not be off.", "yes"),
    (TV, "The power would be off.", None),
    (TV, "It might be off.", None),
    (TV, "It would be either on or off.", None),
    (LAPTOP, "It would be closed.", "no"),
    (LAPTOP, "It would be shut.", "no"),
    (LAPTOP, "the laptop would be closed, not open", "no"),
    (VASE, "The vase is blue, not yellow.", "no"),
    (VASE, "The vase is blue rather than yellow.", "no"),
    (VASE, "The vase is yellow, not blue.", "yes"),
    (VASE, "It's blue.", "no"),
    (VASE, "It's blue and yellow.", None),
    (VASE, "The vase is not blue.", None),
    (VASE, "The one on the right is blue.", None),
    ("Would the red ball be bigger if it was blue?", "The ball would be blue.", None),
    ("Would the cat be on the table if it jumped?", "The cat would be off the table.", None),
    # one of them
    (CRAYON, "There would be one.", "yes"),
    (CRAYON, "There wouldn't be one.", "no"),
    ("Would there be two cats if one left?", "There would be one.", None),
    # an agreeing word, and a "no" that belongs to a noun
    (HAIR, "Absolutely – no dye means natural hair.", "yes"),
    (TV_ALONE, "Of course, no one would turn it off.", "yes"),
    (TV_ALONE, "Definitely; no one would be there to switch it off.", "yes"),
    (TV_ALONE, "Definitely. No one would be there to switch it off.", "yes"),
    (TV_ALONE, "No one would turn it off.", "yes"),
    (TV_ALONE, "Of course, no one would care. The TV would be off.", None),
    (TV_ALONE, "Sure, no problem! The TV would be off.", "no"),
    (TV_ALONE, "No doubt about it.", "yes"),
    (STAINS, "Certainly – no cleaning removes every stain.", "yes"),
    (STAINS, "Sure, no cleaning is perfect.", "yes"),
    (BEACH, "Of course, no one would be on the beach.", None),
    (BEACH, "Certainly, no people.", None),
    (BOOLEAN, "Definitely, no snow would be on the trees.", None),
    (CATS, "There would be no cats", "no"),
    (CATS, "No cats would be there.", "no"),
    (CATS, "There would be no dogs.", None),
    (CATS, "Definitely, no cats would be there.", "no"),
    (CATS, "I think no cats would be there.", "no"),
    (BEACH, "Definitely no.", "no"),
    (BEACH, "Absolutely no", "no"),
    (BEACH, "Of course no, it rains.", "no"),
    (BEACH, "No it wouldn't", "no"),
    (BEACH, "No because of the rain", "no"),
    (BEACH, "No the beach would be empty", "no"),
    (BEACH, "No\nExplanation: rain", "no"),
    (BEACH, "No way!", "no"),
    # short words for either
    (TV, "I'd say so.", "yes"),
    (TV, "I wouldn't say so.", "no"),
    (TV, "Hardly.", "no"),
    (TV, "Hardly anyone would notice.", None),
    (HAIR, "No doubt it would be natural.", "yes"),
    (HAIR, "No doubt it would not be natural.", "no"),
]

FLOWERS = ("7", "11", "3", "9")
CIRCLES = ("red circle", "blue circle", "green one", "none")
NAMED: list[tuple[tuple[str, ...], str, str | None]] = [
    # by place
    (FLOWERS, "The first one", "A"),
    (FLOWERS, "The third one.", "C"),
    (FLOWERS, "The last one.", "D"),
    (FLOWERS, "The second-to-last option", "C"),
    (FLOWERS, "the penultimate choice", "C"),
    (FLOWERS, "The first circle has 5, the last one has 6, so 11.", "B"),
    (FLOWERS, "Option 4", "D"),
    (FLOWERS, "option 2", "B"),
    (FLOWERS, "option 3", "C"),
    (FLOWERS, "Option 7", None),
    (FLOWERS, "Option 5", None),
    (("2", "1", "4", "3"), "Option 2", None),
    # a letter and another option's text
    (FLOWERS, "B: 7", None),
    (FLOWERS, "The answer is C: 7", None),
    (FLOWERS, "A (11)", None),
    (FLOWERS, "A. 11 flowers are inside and 7 are outside.", "A"),
    (FLOWERS, "A: 7, not 11", "A"),
    # taken back
    (FLOWERS, "Hmm, D? No, A.", "A"),
    (FLOWERS, "D? No.", None),
    (FLOWERS, "B? Yes, B.", "B"),
    (FLOWERS, "First I thought D, but it is A.", "A"),
    # one by one
    (FLOWERS, "A: 7 ❌ B: 11 ❌ C: 3 ❌ D: 9 ✅", "D"),
    (FLOWERS, "A: No. B: No. C: No. D: Yes.", "D"),
    (FLOWERS, "Let me check each: A 7 - matches. B 11 - no. C 3 - no. D 9 - no.", "A"),
    (FLOWERS, "A: No. B: Yes. C: No. D: Yes.", None),
    (("Yes", "No"), "A: Yes B: No", None),
    # by working it out
    (FLOWERS, "There would be 16 - 5 = 11 flowers in all six polygons.", "B"),
    (FLOWERS, "The total is 16. If 5 were removed, there would be 11 dots in the top three circles together.", "B"),
    (FLOWERS, "Top row has 5 and bottom row has 6, for 11 dots.", "B"),
    # by a word that only one of them has
    (CIRCLES, "Red", "A"),
    (CIRCLES, "The red one", "A"),
    (CIRCLES, "red, not blue", "A"),
    (CIRCLES, "Green", "C"),
    (CIRCLES, "The red circle has more dots than the blue circle.", "A"),
    (CIRCLES, "red and blue", None),
    (CIRCLES, "circle", None),
    (("a cat", "a dog", "no animal"), "an animal", None),
    (("day", "night", "dusk"), "It is day now, but it would be night.", "B"),
]

COW_COUNTS = ("3 cows", "4 cows", "11 cows", "7 cows")
COWS_SPELLED = ("Three cows", "Four cows", "Eleven cows", "Seven cows")
BIRD_COUNTS = ("2 birds", "4 birds", "0 birds", "6 birds")
WHICH_BUS = "Which bus would come first if it rained?"
COUNTED: list[tuple[str, tuple[str, ...], str, str | None]] = [
    *(
        (COWS, options, text, expected)
        for options in (COW_COUNTS, COWS_SPELLED)
        for text, expected in (
            ("Out of the 11 cows, 4 would be visible.", "B"),
            ("Of the 11 cows, 7 would vanish and 4 would stay.", "B"),
            ("The 11 cows would become 4.", "B"),
            ("You'd see 4 of the 11 cows.", "B"),
            ("From 11 cows, 4.", "B"),
            ("Since 7 cows disappeared from 11, you'd see four cows", "B"),
            ("11 cows - 7 cows = 4 cows", "B"),
            ("With 7 cows gone from the 11 cows, 4 cows are left.", "B"),
            ("There are 11 cows. 7 cows disappear. 4 remain.", "B"),
            ("Four", "B"),
            ("four cows", "B"),
            ("4", "B"),
            ("B: 4 cows", "B"),
            ("The answer is 4 cows.", "B"),
            ("B: 7", None),
            ("B: 11 cows", None),
            ("4 or 7 cows", None),
            ("5 cows", None),
        )
    ),
    (COWS, BIRD_COUNTS, "Of the 4 birds, 2 would remain", "A"),
    (COWS, BIRD_COUNTS, "Two birds would remain.", "A"),
    (COWS, ("1 bird", "No birds", "six birds"), "No birds would remain.", "B"),
    (COWS, ("1 bird", "None", "six birds"), "One would remain, of six birds.", "A"),
    (COWS, ("One person", "2 people"), "Of 2 people, 1 would stay.", "A"),
    (COWS, ("There is 1 cow", "There are 2 cows"), "There'd be 2.", "B"),
    # no counts
    (COWS, ("more than 3 cows", "more than 5 cows"), "There would be more than 3 cows.", "A"),
    (COWS, ("2 cats", "2 dogs"), "2 dogs", "B"),
    (WHICH_BUS, ("Bus 3", "Bus 4"), "Bus 3 comes before bus 4.", None),
    (WHICH_BUS, ("Bus 3", "Bus 4"), "It would be bus 4.", "B"),
    (WHICH_BUS, ("Room 3", "Room 4"), "It would be room 4.", "B"),
    (WHICH_BUS, ("3 pm", "4 pm"), "It would be 4 pm.", "B"),
    # the option for what is now
    (COWS, ("4", "11"), "A is correct, B is the current number.", "A"),
    (COWS, ("4", "11"), "B is the number now. After removal: A", "A"),
    (COWS, ("4", "11"), "B is the current number.", None),
    (COWS_NOW, ("4", "11"), "B is the number now.", "B"),
]

OPENS: list[tuple[str, str | None]] = [
    ("a red umbrella", "a red umbrella"),
    ("  A red umbrella.\n", "A red umbrella."),
    ("**umbrella**", "umbrella"),
    ("The answer is umbrella", "umbrella"),
    ("Answer: umbrella\nBecause it rains.", "umbrella"),
    ("<answer>umbrella</answer>", "umbrella"),
    ('{"answer": "umbrella"}', "umbrella"),
    ("", None),
    ("I'm sorry, I can't help with that.", None),
    ("I cannot see the image.", None),
]


def question(kind: AnswerKind, options: tuple[str, ...] = (), text: str = "How many?") -> Question:
    """A question whose gold answer is something no reply says."""
    gold = {"number": "77777", "boolean": "yes", "choice": "A", "open": "gold"}[kind]
    return Question(text=text, answer=gold, kind=kind, options=tuple(map(Option, options)))


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
    assert read(text, question("choice", options, "How many would there be if some went?")) == expected


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
    for number in range(1_000):
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
)


@pytest.mark.parametrize("piece", LONG_RUNS)
def test_ten_megabytes_are_read_like_a_page(piece: str) -> None:
    # No clock is looked at: a rule that went over the text more than a few times would never finish this.
    text = piece * (10_000_000 // len(piece))
    for asked in (NUMBER, YES_NO, CHOICE):
        read(text, asked)


def test_the_end_of_ten_megabytes_is_read() -> None:
    assert read("I look at the picture. " * 450_000 + "The answer is 4.", NUMBER) == "4"


def test_the_beginning_of_ten_megabytes_is_read() -> None:
    assert read("B. " + "The picture is nice. " * 500_000, CHOICE) == "B"


def test_an_answer_agrees_with_the_gold_one_in_any_spelling() -> None:
    assert agrees("3", Question("?", "3.0", "number"))
    assert agrees("A red umbrella.", Question("?", "red umbrella", "open"))
    assert not agrees("4", Question("?", "3", "number"))


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

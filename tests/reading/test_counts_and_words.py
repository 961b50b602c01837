"""Why counts and open answers of other people were misread or unread, one cause a comment, in replies of our own."""

import pytest

from countersight.reading import read

COUNTS = [
    # A whole whose parts are told is not the part that was asked for.
    (
        "How many bottles of the red brand are on the bar?",
        "Nine bottles are on the bar: five in red and four in green.",
        None,
    ),
    ("How many girls are in the band?", "The band has 8 members, half of them girls.", None),
    (
        "How many paintings on the wall are of ships?",
        "Six paintings hang on the wall. Two show horses, four show ships.",
        None,
    ),
    (
        "How many kites would be up if the boy let his go?",
        "All 4 would be up - right now it's 3 because he holds one.",
        "4",
    ),
    # counted by what they are said to be
    ("How many dogs are in the image?", "It shows five animals. Two are cats and the other three are dogs.", "3"),
    ("How many boys are there?", "There are seven pupils: three are boys, four are girls.", "3"),
    ("How many players are goalkeepers?", "There are 22 players and two of them are goalkeepers.", "2"),
    (
        "How many women are in the photo?",
        "It shows a group of seven. Three are men, and the other four are women.",
        "4",
    ),
    # asked for by portions, counted one by one
    ("How many pairs of skis lean on the hut?", "Ten skis, so five pairs.", "5"),
    ("How many pairs of skis lean on the hut?", "I see ten skis.", None),
    ("How many bunches of bananas hang there?", "There are 3 bunches, with about 20 bananas in all.", "3"),
    # what one thing has, behind an "and" as well
    ("How many bikes are in the rack?", "The rack has five bikes in front and four behind, which makes nine.", "9"),
    ("How many bikes are in the rack?", "The rack has five bikes on the left and four bikes on the right.", None),
    ("How many jars are on the top shelf?", "It has four jars on the top shelf and three below: seven in total.", "4"),
    # what comes or goes, where just that was asked
    ("How many slices of the cake are gone?", "It was cut into 8. 5 are left, which means that 3 are gone.", "3"),
    ("How many skittles would fall if he hit the first?", "All 9 skittles would fall.", "9"),
    ("How many cups would be on the tray if two fell?", "Two would fall.", None),
    # what is, and what would be
    (
        "How many pins would still stand if the ball hit the two in front?",
        "There are ten pins in total. The ball would hit the two in front, and the remaining eight would still stand.",
        "8",
    ),
    ("How many urns would be on the sill if one fell?", "Before: 4 urns on the sill. After: one lies in pieces.", None),
    # verbs that end as nouns do, and what the things are at
    ("How many paths cross the meadow?", "3 paths cross the meadow in this picture.", "3"),
    ("How many owls are on the barn?", "One barn, two owls sitting on it. So 2.", "2"),
    # one is named besides
    ("How many people are in the ward?", "Besides the doctor, there are three nurses in the ward.", None),
    # a question whose verb helps no other: the noun is what does it, and it asks of now
    ("How many divers wear a mask?", "All five divers wear a mask.", "5"),
    ("How many divers wear a mask?", "Every one of the five divers wears a mask.", "5"),
    ("How many guards flank the king?", "The king with the number 4 on his cloak is flanked by two guards.", "2"),
    (
        "How many pears lie in the bowl?",
        "Hi! There are 6 pears lying in the bowl. Ask me if you'd like to know more.",
        "6",
    ),
    # what has no name of its own is some of those before it, or is then
    ("How many girls are not wearing gloves?", "There are nine girls, and four are not wearing gloves.", "4"),
    ("How many girls would be on the bridge if one came?", "Two girls cross it now, and 3 would afterwards.", "3"),
    ("How many cooks would wear a cap if one took his off?", "Then four would be without a cap and two with one.", "2"),
    ("How many cooks are wearing a cap?", "Six cooks stand there, four without a cap and two with.", "2"),
    # the one side, and the other
    ("How many doors does the left house have?", "The left house has 3 doors, the right one 2.", "3"),
    ("How many doors does the right house have?", "The left house has 3 doors, the right one 2.", "2"),
    ("How many doors does the left house have?", "3, compared with 2 on the right one.", "3"),
    (
        "How many geese are there inside and outside the pen?",
        "Inside the pen: 3 geese. Outside: 5. Together that's 8.",
        "8",
    ),
    # no verb at all: it answers what was asked
    ("How many cups would be full if he filled two more?", "5 full, 4 empty.", "5"),
    ("How many cups would be empty if he filled two more?", "5 full, 4 empty.", "4"),
    ("How many cups would be full if he filled two more?", "5 cups are full and 4 are empty.", None),
    # the whole before a colon, and its parts, with and without a total
    (
        "How many hens is the girl feeding?",
        "The girl is feeding 4 hens: three in front of her and one behind her.",
        "4",
    ),
    ("How many pans are on the wall?", "I can see two pans: a big iron one and a small copper one.", "2"),
    (
        "How many toys are on the rug?",
        "I see toys on the rug: one by the door, one under the bed and a pair here. In all 4.",
        "4",
    ),
    ("How many spades are next to the wall?", "There's one red spade and one blue one next to the wall, so two.", "2"),
    ("How many men are waiting?", "Two on the left and one on the right are waiting.", None),
    # what else those are doing who are at the place that was asked for
    ("How many seals are in the water?", "In the image there are 5 seals looking for fish.", "5"),
    ("How many pies are on the plate?", "Two pies, each cut in half.", "2"),
    (
        "How many ships are at sea?",
        "It was taken one or two hours before noon. There are 4 ships out there, all heading east.",
        "4",
    ),
    ("How many seals are in the water?", "There are five seals on the beach.", None),
    (
        "How many maps are on the wall?",
        "You might think there are two maps, but one is a poster on the wall. There is only one map.",
        "1",
    ),
    # groups that are made of what was asked for, and names that say how many
    ("How many people are in the photo?", "The photo shows a group of five people sitting on a bench.", "5"),
    ("How many legs would the stool have if one broke?", "It would be a three-legged stool.", "3"),
    # a whole that is not where it was asked for, and what is left of one
    ("How many jugs would be on the shelf if two left it?", "Six on the shelf, two in the sink, eight overall.", "6"),
    (
        "How many seats are in the bus?",
        "There are ten seats in the bus. Six of them are occupied, which leaves four empty.",
        "10",
    ),
    ("How many girls would be in the band if a boy left?", "Then the ten would be nine, of whom four are girls.", "4"),
    # his, and hers
    (
        "How many nuts would the boy have if she gave him 3?",
        "He has 5 and she has 7; then he'd have 8 and she'd have 4.",
        "8",
    ),
    # another supposition, and the question's own "instead"
    ("How many boys would be in the tub if one got in?", "If a girl had got in instead, there would be 3.", None),
    ("How many pans would be there if a pot was used instead?", "If a pot was used instead, there would be 2.", "2"),
    ("How many cars would be there if 2 came?", "There'd be 5 then, unless one left, in which case it'd be 4.", "5"),
    ("How many men would be on stage if one came?", "His coming would turn the nine into ten.", "10"),
    (
        "How many plums are on the dish?",
        "Counting the plums on the dish gives 11: six blue ones, and five red ones.",
        "11",
    ),
    # members of a list share what is said before it, and the total names what was asked for
    (
        "How many maps hang on the wall?",
        "On the wall hang three large maps and two smaller ones. That gives five maps.",
        "5",
    ),
    (
        "How many people are on the quay?",
        "On the quay are two women with bags, one man, and a boy. That makes 4 people.",
        "4",
    ),
    ("How many bulbs are off?", "There are nine bulbs. Three are off, so six are lit.", "3"),
    (
        "How many hens would be in the coop if one hatched?",
        "The coop would hold one chick and four hens, so five.",
        "4",
    ),
    ("How many mugs are on the tray?", "On the tray sits one jug surrounded by six mugs.", "6"),
    # what is now is no answer where the reply comes to what would be
    (
        "How many girls would have wet hands if two dried theirs?",
        "6 girls have wet hands now; then only 4 hands would be.",
        None,
    ),
    (
        "How many boys would be on the wall if one got up?",
        "Three boys sit on the wall. Were he to get up, two boys would be left sitting there.",
        "2",
    ),
    (
        "How many cubs would be in the den if the 2 grey ones left?",
        "There are 6 cubs. Take out the 2 grey ones and you have 4 cubs left.",
        "4",
    ),
    # others that do it, and others who wear it
    ("How many sheep graze on the hill?", "Three cows graze on the hill.", None),
    ("How many women wear a hat?", "Five people wear a hat.", None),
    ("How many women wear a hat?", "One man and three children wear a hat.", None),
    ("How many nuts would the girl have if she gave him 2?", "He would have nine.", None),
    ("How many doors does the left house have?", "The right house has two doors.", None),
    # what is left out
    (
        "How many rowers would be there if the cox were not counted?",
        "Nine people are there. Not counting the cox, there are eight rowers.",
        "8",
    ),
]
WALL = "What colour would the wall be if it were painted green?"
COLD = "What would the woman put on if it were cold?"
BELL = "What would the guard do if the bell rang?"
OPENS = [
    # what somebody is doing with what was asked for
    ("What is the cat chewing on?", "The cat is chewing on a shoe.", "shoe"),
    ("What is the man playing?", "He's playing the guitar.", "guitar"),
    ("What is the man playing?", "The man on the left is playing a guitar.", "guitar"),
    ("What is the boy eating?", "The boy is eating soup with a spoon.", "soup"),
    ("Which game are they playing?", "They are playing chess.", "chess"),
    ("What day does the sign show?", "The sign shows Friday.", "Friday"),
    # what stands before an answer, or after it
    ("What colour is the van?", "Based on the image, the van is red.", "red"),
    ("What colour is the van?", "It appears to be red.", "red"),
    ("What is the man playing?", "A guitar, while the woman beside him plays the flute.", "A guitar"),
    ("Which bird would be first if the hen stopped?", "I'd say the duck.", "the duck."),
    ("What would the girl drink if there were no milk?", "Tea is what she'd drink.", "Tea"),
    # a word of the supposition may be the answer
    (WALL, "The wall is white now; if painted, it would be green.", "green"),
    ("What would be in the cup if the tea were replaced by milk?", "There would be milk in the cup.", "milk"),
    # what somebody is doing now
    (COLD, "She is wearing a summer dress.", None),
    (COLD, "She'd probably put on the coat hanging by the door.", "coat"),
    (COLD, "The man would put on a scarf.", None),
    ("What is the name of the inn?", "Unfortunately the sign is cut off, so the name cannot be read.", None),
    ("What does the sign say?", 'The sign says "STOP".', "STOP"),
    ("What time is it on the clock?", "The clock shows 10:30.", "10:30"),
    ("What is on the table?", "The chair is next to the table.", None),
    ("What colour is the car?", "The house is red.", None),
    # what it would be stands behind the "would"
    (
        "Which floor would the lift be on if it went up?",
        "It's on 3 at present, and two floors up it would be on 5.",
        "5",
    ),
    (
        "What would the bill be without the pie?",
        "It reads $9.50 now, and leaving out the pie it would read $7.50.",
        "$7.50",
    ),
    # what somebody does, or would do
    ("What is the girl on the stage doing?", "She is juggling three oranges.", "juggling three oranges"),
    (BELL, "If the bell rang, he would probably open the gate.", "open the gate"),
    (BELL, "He is asleep on his chair. He would wake up.", "wake up"),
    (BELL, "The guard is asleep on his chair.", None),
    (BELL, "The dog would bark.", None),
    (BELL, "Ben would hide.", None),
    (BELL, "He wouldn't move.", "not move"),
    (BELL, "He would get up. That would be nice.", None),
    ("What is the girl doing?", "juggling", "juggling"),
    # what holds the thing is no part of it, and a thing does not end in what is done to it
    ("What is in the basket?", "The basket contains ripe pears.", "ripe pears"),
    ("What does the badge show?", "A snake coiled around a staff.", None),
]


@pytest.mark.parametrize(("question", "text", "expected"), COUNTS)
def test_a_count_is_that_of_what_was_asked(question, text, expected):
    assert read(text, question, "number").answer == expected


@pytest.mark.parametrize(("question", "text", "expected"), OPENS)
def test_an_open_answer_is_what_the_sentence_says_of_what_was_asked(question, text, expected):
    assert read(text, question, "open").answer == expected


def test_an_announced_sentence_answers_though_the_reply_breaks_off():
    cut = "Final count: there are 3 mugs on the shelf. One of them has a chip in its handle and stands next to the"
    assert read(cut, "How many mugs are on the shelf?", "number", finished=False).answer == "3"

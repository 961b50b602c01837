"""Plain replies to yes-or-no questions, in all the ways in which the question's own words can be said again."""

import pytest

from countersight import read

CRANE = "Would the crane reach the top floor if its arm was half as long?"
PAY = "Could the woman pay if her card was declined?"
HAT = "Would the fisherman lose his hat if the wind got stronger?"
TALLER = "Is the man taller than the woman?"
FORKS = "Are there more forks than spoons on the table?"
HARE = "Would the hare arrive before the tortoise if it slept?"
LEFT = "Is the building on the left the tallest?"
RIVER = "Would it be possible to cross the river if the bridge was gone?"
ROOM = "Would the room be accessible to a wheelchair user if the boxes were removed?"
ROOK = "Could the black rook take the white bishop if the pawn was removed?"
COAT = "Is the woman in the green coat waiting for the tram?"
APPLES = "Are all of the apples red?"
POOL = "Is anyone swimming in the pool?"
CAT = "Is the cat under the chair?"
SHUTTER = "Would the shutter be open if the clerk turned the key?"
OWL = "Could the owl catch the vole?"
BEAM = "Would the beam crack if the elephant stepped on it?"
COOKIES = "Are the cookies out of the toddler's reach?"
GLASSES = "Does the left glass hold more water than the right glass?"


@pytest.mark.parametrize(
    "opening", ["All this indicates that", "It follows that", "I'd argue", "My impression is that", "In short,"]
)
@pytest.mark.parametrize("ending", ["", " either way", ", no question", " in that case", ", from what can be seen"])
@pytest.mark.parametrize(("said", "answer"), [("would reach it", "yes"), ("would not reach it", "no"), ("won't", "no")])
def test_what_is_said_around_a_statement_changes_nothing_of_it(opening, ending, said, answer):
    assert read(f"{opening} it {said}{ending}.", CRANE, "boolean").answer == answer


@pytest.mark.parametrize(
    ("question", "reply", "answer"),
    [
        (PAY, "She could pay in cash.", "yes"),
        (PAY, "She could pay regardless.", "yes"),
        (CRANE, "It just about reaches it now. If the arm was half as long, it would not reach it.", "no"),
        (HAT, "He would lose his hat.", "yes"),
        (HAT, "He would lose it in a stronger wind.", "yes"),
        (ROOM, "Even with the boxes out of the way it would not be accessible.", "no"),
        (ROOK, "The rook could take the bishop.", "yes"),
        (ROOK, "Once the pawn is gone, the rook can take the bishop.", "yes"),
        (COAT, "She is waiting for it at the edge of the platform.", "yes"),
        (COAT, "She is: one can see it.", "yes"),
        ("Has the archer hit the apple?", "He has indeed, right in the middle.", "yes"),
        ("Will the ends of the tunnel meet?", "They won't: the left one is drawn too high.", "no"),
        ("Is the dog chasing the ball?", "It chases the ball across the sand.", "yes"),
        ("Did the player hit the ball?", "He hit it.", "yes"),
        ("Would the footbridge carry the truck?", "The bridge would not carry it.", "no"),
        ("Would the man have to stoop if the door was lower?", "He would need to stoop.", "yes"),
        ("Is the boy holding a kite?", "He is not holding anything.", "no"),
        ("Is the gate wide enough for the truck?", "It is too narrow.", "no"),
        ("Is the bench made of wood?", "It is a wooden bench.", "yes"),
        ("Is the bench made of wood?", "It is made of stone.", "no"),
        (CAT, "The cat sits under the chair.", "yes"),
        (CAT, "The cat is lying on the chair.", "no"),
        ("Is the car inside the garage?", "It is parked outside.", "no"),
        (APPLES, "Every apple is red.", "yes"),
        (APPLES, "Some of the apples are green.", "no"),
        ("Are any of the children sitting?", "One of the children is sitting on the grass.", "yes"),
        (POOL, "It is too cold, which means that nobody is swimming in the pool.", "no"),
        (POOL, "Clearly, nobody is swimming in the pool.", "no"),
        (RIVER, "It would be impossible to cross the river.", "no"),
        (RIVER, "It would be possible.", "yes"),
        ("Would the boat sink if it had a hole?", "It looks like it would not sink.", "no"),
        ("Is it sunny in the picture?", "It is cloudy.", "no"),
    ],
)
def test_a_plain_reply_is_read(question, reply, answer):
    assert read(reply, question, "boolean").answer == answer


@pytest.mark.parametrize(
    ("question", "reply", "answer"),
    [
        (TALLER, "He is a head taller than her.", "yes"),
        (TALLER, "She is taller than him.", "no"),
        (TALLER, "The woman is shorter.", "yes"),
        (TALLER, "The woman is not as tall as the man.", "yes"),
        (TALLER, "They are equally tall.", "no"),
        (GLASSES, "The right glass holds more water.", "no"),
        (GLASSES, "The left one holds more.", "yes"),
        (FORKS, "There are more spoons than forks.", "no"),
        (FORKS, "In short, the forks outnumber the spoons.", "yes"),
        (FORKS, "There are 4 forks and 6 spoons.", "no"),
        (HARE, "The tortoise would arrive before the hare.", "no"),
        (HARE, "It would arrive after the tortoise.", "no"),
        (HARE, "It would arrive before the tortoise.", "yes"),
        (LEFT, "The tallest building is the one on the right.", "no"),
        (LEFT, "The building on the right is the tallest.", "no"),
        (LEFT, "It is the tallest of the four buildings.", "yes"),
        ("Is the plane above the clouds?", "The clouds are above the plane.", "no"),
        ("Is the jug in front of the bowl?", "The bowl is behind the jug.", "yes"),
    ],
)
def test_two_things_are_held_against_each_other(question, reply, answer):
    assert read(reply, question, "boolean").answer == answer


@pytest.mark.parametrize(
    ("question", "reply"),
    [
        (TALLER, "The man is taller than the lamp."),
        (TALLER, "The boy is taller."),
        (TALLER, "He is taller than he was last year."),
        (HARE, "The hare would sleep after the tortoise."),
        ("Would the fire go out if it rained?", "He would go out in the rain."),
        ("Would the girl reach the shelf if she stood on the chair?", "She would be close to reaching it."),
        ("Would the cat see the bird if the curtain was open?", "The cat would see the bird's shadow."),
        ("Is the traffic light red?", "It was red a moment ago."),
        ("Is the man holding her hand?", "He is holding her bag."),
        ("Does the graph rise after the third point?", "It flattens after the third point."),
    ],
)
def test_what_only_sounds_like_it_is_left_unread(question, reply):
    assert read(reply, question, "boolean").answer is None


RAIN = "Is it raining in this photo?"
BOTTLE = "Is the bottle full?"


@pytest.mark.parametrize(
    ("question", "reply", "answer"),
    [
        (RAIN, "It may look as if it is not raining, but this is not the case. It is raining.", "yes"),
        (RAIN, "The claim that it is not raining is false. It is raining.", "yes"),
        (RAIN, 'The answer is not "no" but "yes".', "yes"),
        (RAIN, "It is raining. Feel free to ask if anything is unclear.", "yes"),
        (RAIN, "It is not raining. It is unclear who took the photo.", "no"),
        (RAIN, "It isn't raining. This is because there is nothing but sunshine.", "no"),
        (RAIN, "Dry ground everywhere \u2192 no", "no"),
        (BOTTLE, "The bottle is full, whereas the glass is not full.", "yes"),
        (BOTTLE, "The bottle is full (note that the glass is not full).", "yes"),
        (BOTTLE, "The bottle is not full \u2014 somebody drank from it.", "no"),
        (BOTTLE, "Nobody drank from it, which is why the bottle is full.", "yes"),
        (BOTTLE, "The bottle was empty earlier, but it is full.", "yes"),
        ("Would the bricks collapse if one was pulled out?", "For this reason the bricks would not collapse.", "no"),
        ("Would the vase fall if it was pushed?", "After the change, the vase would fall.", "yes"),
        ("Does the bus stop here?", "The bus never stops here.", "no"),
        ("Do the children wear helmets?", "The children wear no helmets.", "no"),
        ("Would any of the candles go out?", "Some of the matches would, but none of the candles would go out.", "no"),
        ("Would both boats float?", "Would both boats float? Neither boat would float.", "no"),
        ("Is the lamp switched on?", "It is likely that nobody switched the lamp on.", "no"),
        (
            "Could the boy open the jar if his hands were dry?",
            "His hands are wet, which is why he can't open it.",
            None,
        ),
    ],
)
def test_a_statement_ends_where_another_begins(question, reply, answer):
    assert read(reply, question, "boolean").answer == answer


SCREEN = "Would the woman be able to see the screen if the plant stood in front of her?"
FOX = "Could the fox get to the hens if the fence was electrified?"
CART = "Would the tractor fit through the gate if the post was taken out?"
SHELF = "Could the man reach the shelf without the ladder?"
LAMP = "Would the lamp still work if the cord was unplugged?"


@pytest.mark.parametrize(
    ("question", "reply", "answer"),
    [
        (SCREEN, "The plant would block her view of it.", "no"),
        (SCREEN, "Her view would be blocked.", "no"),
        (SCREEN, "The plant would not block her view.", "yes"),
        (SCREEN, "The window blocks the sun.", None),
        (FOX, "The fence would keep it out.", "no"),
        (FOX, "The fence would keep the rabbits out.", None),
        (CART, "Taking out the post makes the gap wide enough for the tractor.", "yes"),
        (CART, "There still wouldn't be enough room for it.", "no"),
        (CART, "There would be enough room for a bicycle.", None),
        (CART, "The gate would be too narrow for a bus.", None),
        (SHELF, "The shelf is too high for him.", "no"),
        (SHELF, "He needs the ladder to reach it.", "no"),
        (SHELF, "He needs the ladder to paint the wall.", None),
        (LAMP, "The lamp can't work without electricity.", "no"),
        ("Would the plant survive if the window was opened?", "It would not survive without light.", None),
        ("Would the man have to bend down?", "He couldn't get in without bending down.", "yes"),
        ("Would the man have to bend down?", "He could get in without bending down.", "no"),
        (
            "Would the vase break if it fell on the pillow?",
            "The pillow would catch it and keep it from breaking.",
            "no",
        ),
        ("Is the road passable?", "A fallen tree makes the road impassable.", "no"),
        ("Can you see the moon?", "I can see the moon above the church.", "yes"),
        ("Is the bench empty?", "The bench is empty now, although it would not be if she sat down.", "yes"),
    ],
)
def test_what_it_takes_decides(question, reply, answer):
    assert read(reply, question, "boolean").answer == answer


LIFT = "Is the trunk too heavy for the porter to lift?"
NET = "Would the net keep the salmon from swimming away if it was torn?"
TICKETS = "Does every visitor have a ticket?"
HATCHED = "Has the chick hatched yet?"
TOW = "Is the tractor towing the truck?"
GATE = "Is the left gate open?"
FLOAT = "Would the raft float if it had a leak?"


@pytest.mark.parametrize(
    ("question", "reply", "answer"),
    [
        (LIFT, "It is too heavy for him to lift.", "yes"),
        (LIFT, "The porter is able to lift it.", "no"),
        (LIFT, "It is too heavy.", "yes"),
        (LIFT, "He is not strong enough.", None),
        ("Is it hard for the girl to climb the rope?", "She climbs the rope with ease.", "no"),
        ("Is it hard for the girl to climb the rope?", "She climbs the rope.", None),
        (NET, "The salmon would swim away.", "no"),
        (NET, "The net would not keep the salmon from swimming away.", "no"),
        (NET, "The salmon would be unable to swim away.", "yes"),
        ("Would the camper run out of wood if it got colder?", "There would be no wood left.", "yes"),
        ("Would the camper run out of wood if it got colder?", "There would still be some wood left.", "no"),
        (TICKETS, "There is no visitor without a ticket.", "yes"),
        ("Would a visitor be left without a ticket?", "No visitor would be left without a ticket.", "no"),
        (HATCHED, "It is yet to hatch.", "no"),
        (HATCHED, "The chick will hatch soon.", "no"),
        (HATCHED, "The chick has hatched.", "yes"),
        (TOW, "The tractor is being towed by the truck.", "no"),
        (TOW, "The truck is being towed by the tractor.", "yes"),
        (TOW, "The truck is not towing the tractor.", None),
        ("Is the aunt hugging the boy?", "The aunt is being hugged by the boy.", None),
        (GATE, "Only the right one is open.", "no"),
        (GATE, "Only the left one is open.", "yes"),
        (GATE, "The right one is open.", None),
        (FLOAT, "The raft would only float if it had no leak.", "no"),
        (FLOAT, "The raft would only float if it was pumped up.", None),
        (FLOAT, "Staying afloat would be impossible.", "no"),
        (FLOAT, "Correct me if I'm wrong, but it would sink.", "no"),
        ("Is the baker asleep?", "Not surprisingly, the baker is asleep.", "yes"),
        ("Is the baker asleep?", "Without question, the baker is awake.", "no"),
        ("Is the baker asleep?", "True, the light is dim, but the baker is awake.", "no"),
        ("Is the baker standing?", "The baker is sitting, not standing.", "no"),
        ("Is the oven off?", "The oven is on in this picture.", "no"),
        ("Would the oven be on if the plug was pulled?", "It is on now, and pulling the plug would change that.", "no"),
        (TALLER.replace("Is the man", "Would the man be"), "He would be taller. All else would stay the same.", "yes"),
        ("Would the piano fit?", "There would still not be enough room for it.", "no"),
    ],
)
def test_a_hindrance_or_an_idiom_is_not_read_for_its_contrary(question, reply, answer):
    assert read(reply, question, "boolean").answer == answer


GATE = "Is the gate open?"
TEAM = "Would the green team win if the yellow team scored again?"
BOYS = "Would the boy be alone if his sister went home?"


@pytest.mark.parametrize(
    ("question", "reply", "answer"),
    [
        # What says only that there is an answer concludes nothing.
        (GATE, "The gate is shut. Thus, the answer is quite obvious.", "no"),
        (GATE, "The gate is shut. So the answer is not clear.", None),
        ("Is the soup clear?", "The soup is cloudy. So the matter is clear.", None),
        (GATE, "Nobody could deny that the gate is closed.", "no"),
        (GATE, "Nobody could say that the gate is open.", None),
        # What seems so, and what is.
        (GATE, "The gate seems closed, judging by its shadow.", "no"),
        (GATE, "The gate seems open, but it is closed.", "no"),
        (GATE, "The gate is not closed but ajar.", None),
        ("Is the boat far from the shore?", "The boat is far from the shore.", "yes"),
        # States, and one of two things.
        ("Is the balloon in the air?", "It is lying on the ground.", "no"),
        ("Is the crate heavy?", "The crate is very light.", "no"),
        ("Is the crate heavy?", "The crate is light green.", None),
        ("Is the tray light blue?", "The tray is light grey.", "no"),
        ("Is the left gate open?", "Both gates are closed.", "no"),
        ("Is the left gate open?", "Both windows are closed.", None),
        # What has stopped, and what is yet to come.
        ("Is it still snowing?", "The snow has stopped.", "no"),
        ("Is the dog still barking?", "It has stopped barking.", "no"),
        ("Has the baby stopped crying?", "The baby is still crying.", "no"),
        ("Has the ferry left?", "It has yet to leave.", "no"),
        ("Would the flag be wet if it was moved?", "It is dry now and would stay that way.", "no"),
        # All, and all but one.
        ("Is everyone awake?", "Nobody is asleep.", "yes"),
        ("Are all the lids shut?", "All of them are shut, apart from one.", None),
        ("Would every dog have a bowl if two were sold?", "No dog would be left without a bowl.", "yes"),
        ("Is the girl holding anything?", "Her left hand is empty.", None),
        # How the other side fares.
        (TEAM, "The match would end in a draw.", "no"),
        (TEAM, "The yellow team would still lose.", "yes"),
        (TEAM, "The yellow team would not win.", None),
        # What a sign forbids; who is left with whom.
        ("Is fishing allowed here?", "The sign at the pier forbids fishing.", "no"),
        ("Is fishing allowed here?", "The sign at the pier forbids swimming.", None),
        (BOYS, "He would be the only person left.", "yes"),
        (BOYS, "Nobody would be left with her.", None),
        ("Would she slip if it froze?", "There would be no chance of her staying upright.", None),
        ("Is the cup full?", "Without question, the cup is empty.", "no"),
    ],
)
def test_what_is_told_in_other_words_is_read_if_it_is_plain(question, reply, answer):
    assert read(reply, question, "boolean").answer == answer


@pytest.mark.parametrize(
    ("question", "reply", "answer"),
    [
        ("Would the lamp fall if the table shook?", "The lamp is screwed to it and would stay where it is.", "no"),
        ("Could he close the drawer if the spoon stuck out?", "The spoon would keep the drawer from closing.", "no"),
        ("Can the hen get out of the coop?", "There's no way out for it.", "no"),
        ("Would the goalkeeper see the ball if he turned round?", "There's no way he could see it.", "no"),
        ("Is anybody on the boat?", "There is no one on board.", "no"),
        ("Is the barber's chair empty?", "A customer is sitting in it.", "no"),
        ("Would the kite get caught in the tree?", "The tree is too far off for the kite to get caught in it.", "no"),
        ("Would the bus have trouble turning?", "It would have no trouble turning.", "no"),
        ("Would the boy get the biscuit if he stood on the box?", "Standing on the box, he'd get it.", "yes"),
        ("Would the boy get the biscuit if he stood on the box?", "Standing on the box, he'd drop it.", None),
        ("Is there a whisk among the tools?", "I can spot a whisk among the tools.", "yes"),
        ("Is the woman without a coat?", "She isn't wearing a coat.", "yes"),
        ("Is someone on the ladder?", "A man is carrying the ladder.", None),
        ("Is someone on the ladder?", "A man is standing on the ladder.", "yes"),
        ("Does the zebra have its head up?", "The zebra has lowered its head to drink.", None),
        ("Is the cat entirely black?", "The cat is mostly black, but its paws are white.", "no"),
        ("Is the door shut?", 'The door is shut, with a "Do not disturb" sign on it.', "yes"),
        ("Would the oval be the largest?", "The cube is bigger than the oval, so it would be the largest.", None),
        ("Is the car parked?", "The car is speeding past a row of parked cars.", None),
        ("Is the gate locked?", "The gate is wide open, and the lock dangles from the chain.", None),
        ("Is the dog being chased by the boy?", "The dog is chasing the boy across the lawn.", "no"),
        ("Is the fridge empty?", "It's the freezer that's empty.", None),
        ("Is the fireman on the ladder?", "The fireman is holding the hose at the foot of the ladder.", None),
        ("Is the man sitting on the bench?", "The man is sitting on the floor, not the bench.", "no"),
        ("Is the man sitting on the bench?", "The man is sitting on the floor.", None),
        ("Is the man sitting on the bench?", "The man is sitting on a wooden bench.", "yes"),
        ("Does the knight carry a shield?", "The knight carries only a sword, no shield.", "no"),
        ("Is the milk glass empty?", "There is no milk left in the glass.", "yes"),
        ("Would the mouse be able to hide?", "There would be nowhere for the mouse to hide.", "no"),
        ("Would the bowl break?", "It is made of clay.\n\nAnswer: Yes, it would", "yes"),
        ("Is the arrow pointing left?", "The arrow is on the left and points to the right.", None),
        ("Does every chair have a cushion?", "There isn't a single chair without a cushion.", "yes"),
    ],
)
def test_ways_that_models_write(question, reply, answer):
    assert read(reply, question, "boolean").answer == answer


RAFT = "Would the raft float away if the line was untied?"
TENT = "Would the marquee come down if a pole snapped?"
GOAT = "Would the goat be able to get out if the fence was lower?"


@pytest.mark.parametrize(
    ("question", "reply", "answer"),
    [
        # A yes-word that opens; how likely it is.
        (RAFT, "Sure, the stream would carry it along.", "yes"),
        (RAFT, "Sure, the line would be loose, but the water is still.", None),
        (RAFT, "It's quite likely that it would float away.", "yes"),
        (RAFT, "It most likely would, given that the current is strong.", "yes"),
        (RAFT, "There's not much chance that it would float away.", "no"),
        ("Does the coat have a hood?", "That's right, it is a parka.", "yes"),
        # What is seen, and what follows from it.
        ("Is the lawn frozen?", "The white blades show that the lawn is frozen.", "yes"),
        ("Is the lawn frozen?", "If the white blades show that the lawn is frozen, it was cold.", None),
        ("Is the lawn frozen?", "The sheen suggests that the lawn is frozen. It is not.", "no"),
        # A part of somebody, and what is only near it.
        ("Is the girl touching the wall?", "Her left elbow is touching the wall.", "yes"),
        ("Is the girl touching the wall?", "Her brother is touching the wall.", None),
        ("Can the boy reach the bell?", "His hand is reaching for the bell.", None),
        # What is lacking, and what it is free of.
        ("Is there any smoke above the roof?", "The air is clear, without a wisp of cloud or any smoke.", None),
        ("Is there any smoke above the roof?", "The air above it is clear, without any smoke.", "no"),
        ("Is the dog wearing a collar?", "The dog never goes out without a collar.", None),
        ("Is the yard free of leaves?", "A heap lies by the gate, so it isn't free.", "no"),
        ("Is the clerk unable to open the safe?", "He isn't unable to open it.", "no"),
        # What something means, allows or leaves no room for, in the world that was asked about.
        (TENT, "One snapped pole would not bring the marquee down.", "no"),
        (GOAT, "A lower fence would be easy to jump, allowing the goat to get out.", "yes"),
        ("Could the goat get out if the gate was shut?", "The gate is open, allowing the goat to get out.", None),
        ("Would the soil be dry if it rained?", "No rain would mean that the soil is dry.", None),
        ("Would the owl be able to nest if the tree was felled?", "It would have nowhere to nest.", "no"),
        ("Would the owl be able to nest if a box was hung up?", "The owl has nowhere to nest.", None),
        (GOAT, "There would be no obstacle left for the goat.", "yes"),
        # Conclusions, reasons and what stands in front.
        (
            "Would the sofa fit if the shelf was gone?",
            "The shelf is too wide, so without the shelf it would fit.",
            "yes",
        ),
        ("Would the soup be warm if it stood all day?", "It's warm now, but after a day it would not be.", "no"),
        ("Would she be able to pay if the till broke?", "That is no matter, because she could pay by card.", "yes"),
        ("Is the gate open?", "The dog is not barking because the gate is open.", None),
        ("Is the man holding a lamp?", "In his right hand he is holding a lamp.", "yes"),
        ("Would the lamp be too dim?", "It would be dim, but not too dim.", "no"),
        ("Would locking the door keep the cat from getting in?", "The cat would no longer get in.", "yes"),
        ("Would he get in without stooping?", "He wouldn't need to stoop.", "yes"),
        ("Would the boy's cap fall off?", "The boy would fall off.", None),
        ("Is the light on?", "Answer: Yes / No", None),
        ("Is there anything keeping the foal in the pen?", "A low wall keeps the foal in the pen.", "yes"),
        ("Is there anything keeping the foal in the pen?", "Nothing keeps it in.", "no"),
        ("Does the hut have a rug?", "It has bare boards and no rug.", "no"),
        ("Is the road in front of the shop wet?", "The road in front of the shop is dry, not wet.", "no"),
        ("Is the van in front of the bus?", "The bus is in front of the van.", "no"),
    ],
)
def test_plain_words_for_signs_parts_and_means(question, reply, answer):
    assert read(reply, question, "boolean").answer == answer


@pytest.mark.parametrize(
    ("question", "reply", "answer"),
    [
        (SHUTTER, "The shutter would go from open to closed.", "no"),
        (SHUTTER, "The shutter, which is closed now, would be open.", "yes"),
        (SHUTTER, "The open shutter would be closed.", "no"),
        (SHUTTER, "| | Now | If the key were turned |\n|---|---|---|\n| Shutter | closed | open |", "yes"),
        ("Is the shutter open?", "It would be closed, though it is open now.", "yes"),
        ("Is the shutter open?", "The shutter is closed at present and would be open if the key were turned.", "no"),
        ("Is the shutter open?", "The shutter would be open if the key were turned.", None),
        (
            "Would the boat drift off?",
            "It is just as likely that the boat would drift off as that it would stay.",
            None,
        ),
        ("Would the boat drift off?", "There is a 50% chance that the boat would drift off.", None),
        ("Would the boat drift off?", "Sure! Here is my answer:", None),
        ("Would the boat drift off?", "Sure, it would drift off.", "yes"),
        (
            "Is the nun holding a lantern?",
            "Yes, the nun is holding a lantern. No, the nun is not holding a lantern.",
            None,
        ),
        ("Would the dam hold?", "The dam would hold. The dam would break.", None),
        ("Would the dam hold?", "The dam would hold. The dam would not break.", "yes"),
        (BEAM, "Its weight would not be enough to make the beam crack.", "no"),
        (BEAM, "It would take more than an elephant to crack the beam.", "no"),
        (BEAM, "One step is enough to cause the beam to crack.", "yes"),
        (BEAM, "The beam would not be safe from cracking.", "yes"),
        (BEAM, "The beam would be in no danger of cracking.", "no"),
        (BEAM, "It would not lead to the beam cracking.", "no"),
        (BEAM, "It might lead to the beam cracking.", None),
        (BEAM, "The beam could not help but crack.", "yes"),
        (OWL, "The owl would be too quick for the vole.", "yes"),
        (OWL, "The vole would be too quick for the owl.", "no"),
        (OWL, "The vole would be no match for the owl.", "yes"),
        (OWL, "The owl could only watch it.", None),
        (COOKIES, "The toddler can easily reach the cookies.", "no"),
        (COOKIES, "The cookies are higher than the toddler can reach.", "yes"),
        ("Can the cat reach the herring?", "The herring is within the dog's reach.", None),
        ("Would the log block the cart's way?", "The cart could not get past the log.", "yes"),
        ("Would the log block the cart's way?", "The cart would have no trouble getting past the log.", "no"),
        ("Are there any leaves on the lawn?", "The lawn is not free of leaves.", "yes"),
        ("Are there any leaves on the lawn?", "The lawn is full of daisies.", None),
        ("Is the hallway blocked?", "There is nothing in the way.", "no"),
        ("Does the cow look at the boy?", "It isn't looking at the boy.", "no"),
        ("Does the cow look at the boy?", "The cow is next to the boy.", None),
        ("Would the flag be at the top if it was pulled?", "It would go from the top to the bottom.", None),
        ("Could the camel fit through the arch?", "The arch would have to be wider for the camel to fit.", "no"),
    ],
)
def test_what_is_told_of_another_world_or_by_its_cause(question, reply, answer):
    assert read(reply, question, "boolean").answer == answer

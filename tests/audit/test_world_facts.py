"""What is true of worlds, what sentences claim of them, and the verdicts that follow."""

import pytest
from worlds.examples import discs, supports

from countersight.audits.extraction.protocol import Statement
from countersight.audits.extraction.rules import rules_concepts
from countersight.audits.ground_truth import Claim, world_claims, world_facts
from countersight.audits.judges.exact import exact_verdict
from countersight.audits.judges.protocol import Evidence
from countersight.case import Question
from countersight.editing import Instruction
from countersight.worlds import contacts, supposed


@pytest.mark.parametrize(
    ("text", "facts"),
    [
        ("The red block rests on the blue plank.", [("the red block rests on the blue plank", 1)]),
        ("The red block does not touch the blue plank.", [("the blue plank touches the red block", 0)]),
        ("The pink disc will hit the red disc.", [("the pink disc touches the red disc", 1)]),
        ("The red disc and the pink disc never touch each other.", [("the pink disc touches the red disc", 0)]),
        ("3 things lie on the floor.", [("things on the floor", 3)]),
        ("Two discs will move.", [("discs that move", 2)]),
        ("There is no red cup.", [("the red cup is there", 0)]),
        ("The red cup has 2 dots.", [("dots on the red cup", 2)]),
        ("The red ball lies on the floor.", [("the red ball lies on the floor", 1)]),
        ("The red disc will not reach a wall.", [("the red disc reaches a wall", 0)]),
        ("The red block holds the blue ball, which lies on the floor.", []),
        ("It looks heavy.", []),
    ],
)
def test_sentences_claim_what_they_say_and_no_more(text, facts):
    assert world_claims(text) == tuple(Claim(*fact) for fact in facts)


def test_facts_change_with_the_world():
    world = supports(3)
    top = next(thing for thing in world.free if thing.id not in {contact.lower for contact in contacts(world)})
    before, after = world_facts(world), world_facts(supposed(world, f"the {top.name} were put on the floor"))
    assert after["things on the floor"] == before["things on the floor"] + 1
    assert (before[f"the {top.name} lies on the floor"], after[f"the {top.name} lies on the floor"]) == (0, 1)


def evidence(world, thing, answer, explanation):
    lying = sum(each.lies for each in world.things)
    changed = supposed(world, f"the {thing.name} were put on the floor")
    return Evidence(
        Question("How many things lie on the floor?", str(lying), "number"),
        str(lying),
        f"I see that {lying} things lie on the floor.",
        Instruction(f"where the {thing.name} is", "attribute", "move", "", target=thing.name, value="to the floor"),
        answer,
        explanation,
        world,
        changed,
    )


@pytest.mark.parametrize(
    ("more", "says", "verdict"),
    [
        (1, "{n} things lie on the floor.", (1, 1)),
        (0, "{n} things lie on the floor.", (0, 0)),
        (1, "There is no {name}.", (1, 0)),
        (0, "The {name} lies on the floor.", (0, 1)),
    ],
)
def test_the_exact_judge_knows_a_changed_world(more, says, verdict):
    world = supports(3)
    top = next(thing for thing in world.free if thing.id not in {contact.lower for contact in contacts(world)})
    number = sum(each.lies for each in world.things) + more
    given = exact_verdict(evidence(world, top, str(number), says.format(n=number, name=top.name)), 1)
    assert (given.pcs, given.ncc) == verdict
    assert given.moved


def test_rules_find_the_things_that_are_named_and_leave_in_the_picture_what_is_asked_about():
    said = "The red block rests on the blue block, and the green disc is far away."
    found = rules_concepts(Statement("Does the red block touch the blue block?", "yes", said), 9).instructions
    assert [(each.action, each.target) for each in found] == [
        ("move", "red block"),
        ("move", "blue block"),
        ("remove", "green disc"),
    ]


def test_of_discs_that_meet_both_are_known():
    world = discs(4)
    facts = world_facts(world)
    assert facts["discs that move"] == sum(facts[f"the {disc.name} moves"] for disc in world.discs)

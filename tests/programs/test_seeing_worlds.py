"""The reference programmer and eyes that see worlds: right from pixels alone, or silent."""

import asyncio
import io

import numpy as np
import pytest
from PIL import Image
from worlds.examples import discs, supports

from countersight.errors import AskingFailed
from countersight.models import ModelSettings, Request, Turn
from countersight.picture import check_picture
from countersight.programs import open_programs
from countersight.programs.vision import NotAScene, see_world
from countersight.scenes import encode
from countersight.suites.worlds.discs import DISCS
from countersight.suites.worlds.making import drafts_with_cases
from countersight.suites.worlds.supports import SUPPORTS
from countersight.worlds import draw_world


def replies(style, suite, size, seed):
    """What is said to the questions of a suite about the factual picture, and whether that is right."""
    model = open_programs(f"{style}:reference?vision=scene", "reference?vision=scene", ModelSettings())

    async def asked():
        said = []
        for draft, case in drafts_with_cases(suite, size=size, seed=seed):
            picture = check_picture(encode(draw_world(draft.world)))
            for question in (case.factual, case.counterfactual):
                if question is not None:
                    turns = (Turn("user", question.text, picture),)
                    request = Request(case.id, turns, question.kind, question.options, question=question.text)
                    said.append((question, (await model.reply(request)).text))
        await model.close()
        return said

    return asyncio.run(asked())


@pytest.mark.parametrize(("style", "suite"), [("viper", SUPPORTS), ("visprog", DISCS)], ids=["supports", "discs"])
def test_every_question_of_a_few_cases_is_answered_from_pixels_alone(style, suite):
    for question, said in replies(style, suite, 10, 91):
        assert said == question.answer, question.text


@pytest.mark.parametrize("build", [supports, discs])
def test_what_is_seen_is_what_was_drawn(build):
    for number in range(6):
        world = build(number)
        seen = see_world(draw_world(world))
        things = [(each.name, each.weight) for each in getattr(seen, "things", ()) or seen.discs]
        drawn = [(each.name, each.weight) for each in getattr(world, "things", ()) or world.discs]
        assert sorted(things) == sorted(drawn)


@pytest.mark.parametrize("build", [supports, discs])
def test_a_picture_that_was_encoded_again_is_seen_as_no_world(build):
    buffer = io.BytesIO()
    Image.fromarray(draw_world(build(1))).save(buffer, "JPEG", quality=80)
    assert see_world(np.asarray(Image.open(buffer))) is None


def test_a_world_with_something_strange_in_it_is_refused():
    pixels = draw_world(supports(1)).copy()
    pixels[100:180, 200:280] = (250, 0, 250)
    with pytest.raises(NotAScene, match="differs in"):
        see_world(pixels)


def test_a_program_about_what_is_not_there_fails_and_says_why():
    model = open_programs("visprog:reference?vision=scene", "reference?vision=scene", ModelSettings())
    world = discs(1)
    colour = next(
        each
        for each in ("red", "blue", "pink", "black", "brown", "green", "orange", "yellow", "purple")
        if each not in {disc.colour for disc in world.discs}
    )
    question = f"Will the {colour} disc reach a wall?"
    turns = (Turn("user", question, check_picture(encode(draw_world(world)))),)
    with pytest.raises(AskingFailed, match="cannot answer"):
        asyncio.run(model.reply(Request("1", turns, "boolean", question=question)))

"""Programs in the vocabularies of ViperGPT and VisProg, rewritten from the examples in their prompts."""

import asyncio

import pytest
from programs.seeing import PICTURE, parse_steps, returned

from countersight.detection.vision import Patch
from countersight.programs.limits import Tracing
from countersight.programs.steps.interpreter import run_steps

THINGS = [
    Patch((10, 60, 30, 80), "cup"),
    Patch((60, 10, 80, 30), "cup"),
    Patch((0, 75, 60, 100), "table"),
    Patch((50, 40, 90, 95), "horse"),
    Patch((62, 50, 78, 70), "rider"),
    Patch((5, 5, 25, 45), "tower"),
]
"""In 100 x 100 pixels: a cup on the table at the left, one at the upper right, a rider on a horse, a tower."""
SAID = {
    "What is this?": "a horse",
    "What is in front of the horse?": "a fence",
    "What is the name of the tower?": "Old Beacon",
    "Is the cup red?": "yes",
    "Is the horse eating?": "no",
    "Who rides?": "the girl",
    "which of these fits best: gold, white? Answer with one of them.": "white",
    "How many windows does the tower have?": "There are four windows.",
    "What is on the table?": "a cup",
    "Is the animal wet?": "no",
}


class Eyes:
    """Finds the things above, and rates things further right as better matches."""

    name = "eyes"

    def __init__(self) -> None:
        self.settings = {}

    async def find(self, picture, what, within):
        return [thing for thing in THINGS if thing.name == what and (within is None or thing.is_in(within))]

    async def query(self, picture, question, within):
        return str(within.box[0] // 10) if question.startswith("From 0") else SAID[question]

    async def close(self) -> None:
        pass


VIPER = {
    "find, and what follows for the number": ("return len(ImagePatch(image).find('cup')) - 1", 1),
    "exists, twice": (
        "patch = ImagePatch(image)\n"
        "both = patch.exists('cup') and patch.exists('spoon')\n"
        "return bool_to_yesno(bool_answer=both)",
        "no",
    ),
    "verify_property of the first found, else a plain question": (
        "cups = ImagePatch(image).find('cup')\n"
        "if len(cups) == 0:\n"
        "    return ImagePatch(image).simple_query('Is the cup red?')\n"
        "return bool_to_yesno(cups[0].verify_property('cup', 'red'))",
        "yes",
    ),
    "best_text_match": ("return image.find('cup')[0].best_text_match(['gold', 'white'])", "white"),
    "best_text_match with its published names": (
        "return image.find('cup')[0].best_text_match(option_list=['gold', 'white'], prefix=None)",
        "white",
    ),
    "simple_query without a question": ("return image.find('horse')[0].simple_query()", "a horse"),
    "simple_query of all": ("return ImagePatch(image).simple_query('What is in front of the horse?')", "a fence"),
    "a loop over patches with a property": (
        "for horse in ImagePatch(image).find('horse'):\n"
        "    if not horse.verify_property('horse', 'eating'):\n"
        "        return horse.simple_query('What is this?')",
        "a horse",
    ),
    "the second from the left": (
        "cups = ImagePatch(image).find('cup')\ncups.sort(key=lambda cup: cup.horizontal_center)\nreturn cups[1].left",
        60,
    ),
    "crop by the borders of another patch": (
        "patch = ImagePatch(image)\n"
        "horse = patch.find('horse')[0]\n"
        "beside = patch.crop(left=0, lower=0, right=horse.left, upper=patch.height)\n"
        "return bool_to_yesno(beside.exists('table'))",
        "yes",
    ),
    "a patch made of borders": ("return len(ImagePatch(image, 50, 50, 100, 100).find('cup'))", 1),
    "a patch made of the picture of another": (
        "horse = image.find('horse')[0]\nreturn bool_to_yesno(ImagePatch(horse.cropped_image).exists('rider'))",
        "yes",
    ),
    "overlaps_with": (
        "patch = ImagePatch(image)\n"
        "table = patch.find('table')[0]\n"
        "cups = [cup for cup in patch.find('cup')\n"
        "        if cup.overlaps_with(table.left, table.lower, table.right, table.upper)]\n"
        "return len(cups)",
        1,
    ),
    "above, by vertical_center": (
        "horse = image.find('horse')[0]\nrider = image.find('rider')[0]\n"
        "return bool_to_yesno(rider.vertical_center > horse.vertical_center)",
        "yes",
    ),
    "llm_query with what was seen": (
        "tower = image.find('tower')[0]\n"
        "name = tower.simple_query('What is the name of the tower?')\n"
        "return tower.llm_query(f'Where does {name} stand?', long_answer=False)",
        "Where does Old Beacon stand? By the sea.",
    ),
    "llm_query as a function": (
        "return llm_query('Why do people ride?', long_answer=True)",
        "Why do people ride? By the sea.",
    ),
    "best_image_match": (
        "cups = ImagePatch(image).find('cup')\n"
        "return best_image_match(list_patches=cups, content=['blue', 'striped']).left",
        60,
    ),
    "best_image_match by its place": (
        "cups = ImagePatch(image).find('cup')\nreturn best_image_match(cups, ['blue'], return_index=True)",
        1,
    ),
    "the nearest, by distance": (
        "horse = image.find('horse')[0]\n"
        "cups = image.find('cup')\n"
        "cups.sort(key=lambda cup: distance(cup, horse))\n"
        "return cups[0].left",
        60,
    ),
    "distance of patches that overlap": ("return distance(image.find('rider')[0], image.find('horse')[0]) < 0", True),
    "coerce_to_numeric of an answer": (
        "tower = image.find('tower')[0]\n"
        "return coerce_to_numeric(string=tower.simple_query('How many windows does the tower have?')) + 1",
        5,
    ),
    "an annotated function with an import": (
        "import math\nfrom typing import List\ncups: List[ImagePatch] = image.find('cup')\n"
        "return math.floor(len(cups) / 2)",
        1,
    ),
}
"""By what it shows: the body of a program, and what it returns."""

VISPROG = {
    "a half of the picture": (
        "BOX0=LOC(image=IMAGE,object='TOP')\nIMAGE0=CROP(image=IMAGE,box=BOX0)\nBOX1=LOC(image=IMAGE0,object='cup')\n"
        "ANSWER0=COUNT(box=BOX1)\nANSWER1=EVAL(expr=\"'yes' if {ANSWER0} > 0 else 'no'\")\n"
        "FINAL_RESULT=RESULT(var=ANSWER1)",
        "yes",
    ),
    "the other halves": (
        "A=LOC(image=IMAGE,object='BOTTOM')\nB=CROP(image=IMAGE,box=A)\nC=LOC(image=B,object='LEFT')\n"
        "D=CROP(image=B,box=C)\nE=LOC(image=D,object='cup')\nF=COUNT(box=E)\nG=LOC(image=IMAGE,object='RIGHT')\n"
        "H=CROP(image=IMAGE,box=G)\nI=LOC(image=H,object='cup')\nJ=COUNT(box=I)\nFINAL_RESULT=EVAL(expr='{F} == {J}')",
        True,
    ),
    "either this or that side": (
        "BOX0=LOC(image=IMAGE,object='horse')\nIMAGE0=CROP_LEFTOF(image=IMAGE,box=BOX0)\n"
        "BOX1=LOC(image=IMAGE0,object='tower')\n"
        "ANSWER0=COUNT(box=BOX1)\nIMAGE1=CROP_BELOW(image=IMAGE,box=BOX0)\nBOX2=LOC(image=IMAGE1,object='tower')\n"
        "ANSWER1=COUNT(box=BOX2)\nANSWER2=EVAL(expr=\"'left' if {ANSWER0} > {ANSWER1} else 'below'\")\n"
        "FINAL_RESULT=RESULT(var=ANSWER2)",
        "left",
    ),
    "two things in a row of crops": (
        "BOX0=LOC(image=IMAGE,object='tower')\nIMAGE0=CROP_RIGHTOF(image=IMAGE,box=BOX0)\n"
        "BOX1=LOC(image=IMAGE0,object='table')\n"
        "IMAGE1=CROP_ABOVE(image=IMAGE0,box=BOX1)\nANSWER0=VQA(image=IMAGE1,question='Who rides?')\n"
        "FINAL_RESULT=RESULT(var=ANSWER0)",
        "the girl",
    ),
    "two answers and": (
        "ANSWER0=VQA(image=IMAGE,question='Is the cup red?')\n"
        "ANSWER1=VQA(image=IMAGE,question='Is the horse eating?')\n"
        "ANSWER2=EVAL(expr=\"'yes' if {ANSWER0} == 'yes' and {ANSWER1} == 'yes' else 'no'\")\n"
        "FINAL_RESULT=RESULT(var=ANSWER2)",
        "no",
    ),
    "one of two": (
        "ANSWER0=VQA(image=IMAGE,question='Is the cup red?')\nANSWER1=VQA(image=IMAGE,question='Is the animal wet?')\n"
        "ANSWER2=EVAL(expr='{ANSWER0} xor {ANSWER1}')\nFINAL_RESULT=RESULT(var=ANSWER2)",
        True,
    ),
} | {
    f"what is around it: {operation}": (
        f"BOX0=LOC(image=IMAGE,object='table')\nIMAGE0={operation}(image=IMAGE,box=BOX0)\n"
        "BOX1=LOC(image=IMAGE0,object='cup')\n"
        "ANSWER0=COUNT(box=BOX1)\nFINAL_RESULT=RESULT(var=ANSWER0)",
        1,
    )
    for operation in ("CROP_FRONTOF", "CROP_INFRONTOF", "CROP_INFRONT", "CROP_BEHIND", "CROP_AHEAD")
}
"""By what it shows: the steps of a program, and what they come to."""


async def know(question):
    return f"{question.partition(chr(10))[0]} By the sea."


@pytest.mark.parametrize("shown", VIPER)
def test_a_program_in_the_vocabulary_of_vipergpt_runs(shown) -> None:
    pytest.importorskip("pydantic_monty")
    body, value = VIPER[shown]
    assert returned(body, Eyes(), know) == value


@pytest.mark.parametrize("shown", VISPROG)
def test_a_program_in_the_vocabulary_of_visprog_runs(shown) -> None:
    steps, value = VISPROG[shown]
    assert asyncio.run(run_steps(parse_steps(steps), PICTURE, Eyes(), Tracing())) == value

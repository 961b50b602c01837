"""Python programs: how they are extracted, which tools they can call, and how they fail."""

import asyncio

import pytest
from hypothesis import given
from hypothesis import strategies as st
from programs.seeing import DOGS, PICTURE, Eyes, returned

from countersight.programs.extraction import extract_python
from countersight.programs.limits import Limits, ProgramFailed, Tracing
from countersight.programs.styles import PYTHON
from countersight.programs.viper.prelude import prepare_program
from countersight.programs.viper.sandbox import Sandbox
from countersight.programs.viper.tools import FUNCTIONS, METHODS, SEEN_OF_A_PATCH, Tools

pytest.importorskip("pydantic_monty")

PROGRAM = "def execute_command(image):\n    return 3\n"


@pytest.mark.parametrize(
    "reply",
    [
        PROGRAM,
        f"```python\n{PROGRAM}```",
        f"Sure! Here it is:\n\n```\n{PROGRAM}```\nIt returns 3.",
        f"First a note.\n```text\nnothing\n```\nThen:\n```python\n{PROGRAM}```",
        f"Here is the program:\n{PROGRAM}\nThis returns three.",
        f"```python\n{PROGRAM}\nprint(execute_command(image))\n```",
        f'```python\n{PROGRAM}\nif __name__ == "__main__":\n    execute_command("x.png")\n```',
        "    def execute_command(image):\n        return 3\n",
    ],
)
def test_a_program_is_extracted_from_a_reply(reply) -> None:
    assert extract_python(reply).strip() == PROGRAM.strip()


@pytest.mark.parametrize("reply", ["", "I cannot.", "```python\nreturn 3\n```", "def main(image):\n    return 3"])
def test_a_reply_without_the_function_is_no_program(reply) -> None:
    with pytest.raises(ProgramFailed) as failed:
        extract_python(reply)
    assert failed.value.kind == "no program"


@given(st.text(st.characters(), max_size=300) | st.text("def execute_command(image):\n `#", max_size=300))
def test_any_text_gives_a_program_or_a_failure(text) -> None:
    try:
        program = extract_python(text)
    except ProgramFailed:
        return
    assert "execute_command" in program
    assert prepare_program(program, "answer")


@pytest.mark.parametrize(
    ("body", "value"),
    [
        ("dog = image.find('dog')[0]\nreturn str((dog.left, dog.lower, dog.right, dog.upper))", "(0, 80, 20, 100)"),
        ("dog = image.find('dog')[1]\nreturn str((dog.width, dog.height))", "(20, 30)"),
        ("dog = image.find('dog')[1]\nreturn dog.horizontal_center + dog.vertical_center", 75.0),
        ("return image.find('dog')[0].category", "dog"),
        ("return len(image.crop(0, 0, 65, 50).find('dog'))", 1),
        ("left, lower, right = image.find('dog')\nreturn left.overlaps(right)", False),
        ("return image.overlaps(image.find('dog')[0])", True),
        ("dogs = image.find('dog')\nreturn dogs[0].inside(image) and not dogs[0].inside(dogs[1:])", True),
        ("return coerce_to_numeric('There are twelve of them.') + coerce_to_numeric('3') + coerce_to_numeric(2)", 17),
        ("return image.find('dog')[0] in image.find('dog')", True),
        ("return image.find('dog')[0] == image.find('dog')[1]", False),
        ("print('looking')\nreturn None", None),
    ],
)
def test_programs_can_use_the_tools(body, value) -> None:
    assert returned(body) == value


@pytest.mark.parametrize(
    "body",
    [
        "return max(image.find('dog'), key=lambda dog: len(dog.find('dog'))).category",
        "dogs = image.find('dog')\ndogs.sort(key=lambda dog: dog.exists('dog'), reverse=True)\nreturn dogs[0].category",
        "return list(filter(lambda dog: dog.exists('dog'), image.find('dog')))[0].category",
        "return 'dog' if list(map(lambda dog: dog.exists('dog'), image.find('dog'))) == [True] * 3 else 'none'",
        "return next((dog for dog in image.find('dog') if dog.exists('dog')), None).category",
        "return 'dog' if any(dog.exists('dog') for dog in image.find('dog')) else 'none'",
    ],
)
def test_tools_can_be_called_in_callbacks(body) -> None:
    assert returned(body) == "dog"


def test_a_program_is_deterministic() -> None:
    body = "import random\nfrom datetime import datetime\nreturn f'{random.random()} {datetime.now()}'"
    assert returned(body) == returned(body)


def test_every_vision_call_is_recorded_with_its_boxes() -> None:
    tracing = Tracing()
    returned("return image.find('dog')[1].exists('cat')", tracing=tracing)
    found, there = tracing.trace("").calls
    assert (found.name, found.arguments, found.result) == ("find", "'dog'", "3 found")
    assert found.boxes == tuple(dog.box for dog in DOGS)
    assert (there.name, there.arguments, there.result) == ("exists", "in (40, 60, 60, 90), 'cat'", "False")


@pytest.mark.parametrize(
    ("body", "kind", "words"),
    [
        ("return image.find('unicorn')", "tool failure", "nobody has seen one"),
        ("return image.locate('dog')", "unknown tool", "locate"),
        ("return undefined + 1", "unknown tool", "undefined"),
        ("return image.find('cat')[0]", "error", "IndexError"),
        ("return llm_query('Why?')", "tool failure", "no language model"),
        ("return coerce_to_numeric('a few')", "tool failure", "no single number"),
        ("return image.find(3)", "tool failure", "needs a string"),
        ("return image.crop(50, 50, 50, 60)", "tool failure", "outside the picture"),
        ("return image.find('dog')[0].compute_depth()", "tool failure", "no depth tool is configured"),
        ("return best_image_match([], ['blue'])", "tool failure", "1 to 64 patches"),
        ("import numpy\nreturn 3", "unknown tool", "numpy"),
        ("import socket\nreturn 3", "forbidden", "socket"),
        ("import os\nreturn os.system('ls')", "forbidden", "system"),
        ("yield 3", "syntax error", "yield"),
        ("return [1, 2]", "wrong type of answer", "list"),
    ],
)
def test_failures_have_a_kind(body, kind, words) -> None:
    with pytest.raises(ProgramFailed, match=words) as failed:
        returned(body)
    assert failed.value.kind == kind


def test_a_caught_tool_failure_still_fails_the_program() -> None:
    with pytest.raises(ProgramFailed) as failed:
        returned("try:\n    return image.find('unicorn')\nexcept Exception:\n    return 'yes'")
    assert failed.value.kind == "tool failure"


def test_programs_run_concurrently_while_tools_are_slow() -> None:
    together = asyncio.Barrier(19)

    class Slow(Eyes):
        async def find(self, picture, what, within):
            await together.wait()  # no tool is done before every program waits for one
            return await super().find(picture, what, within)

    async def run():
        sandbox, eyes = Sandbox(Limits()), Slow()
        program = "def execute_command(image):\n    return len(image.find('dog'))"
        try:
            tools = [Tools(PICTURE, eyes, None, Tracing(), Limits()) for _ in range(19)]
            async with asyncio.timeout(300):
                return await asyncio.gather(*(sandbox.run(program, tool) for tool in tools))
        finally:
            await sandbox.close()

    assert asyncio.run(run()) == [3] * 19


def test_a_cancelled_program_is_released() -> None:
    class Watched(Eyes):
        looked = asyncio.Event()

        async def find(self, picture, what, within):
            self.looked.set()
            return await super().find(picture, what, within)

    async def run():
        sandbox = Sandbox(Limits(seconds=3.0))
        tools = Tools(PICTURE, Watched(), None, Tracing(), Limits())
        endless = "def execute_command(image):\n    image.find('dog')\n    while True: pass"
        try:
            task = asyncio.create_task(sandbox.run(endless, tools))
            await Watched.looked.wait()
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
            return await sandbox.run("def execute_command(image):\n    return 4", tools)
        finally:
            await sandbox.close()

    assert asyncio.run(run()) == 4


def test_the_prompt_names_every_tool() -> None:
    for name in (*METHODS, *FUNCTIONS, *SEEN_OF_A_PATCH):
        assert name in PYTHON

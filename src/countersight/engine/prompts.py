"""The prompts that ship, by name, and those of users' own files."""

from pathlib import Path

from countersight.engine.prompt import Prompt
from countersight.engine.prompt_files import read_prompt, read_prompts
from countersight.errors import CountersightError
from countersight.registry import Registry
from countersight.text import unknown

__all__ = ["BROUGHT", "GUIDE", "PROMPTS", "Prompt", "find_prompt"]

_FILE = Path(__file__).with_name("prompts.toml").read_text(encoding="utf-8")
GUIDE = _FILE[: _FILE.index("\n\n") + 1]
"""How a prompt is written down, as comments of the file itself."""
PROMPTS = read_prompts(_FILE)


BROUGHT: Registry[Prompt] = Registry("prompt", {}, CountersightError)
"""Those of other packages."""


def find_prompt(name: str) -> Prompt:
    """The prompt of that name, ours or another package's, or the one in the file of that name."""
    if name in PROMPTS:
        return PROMPTS[name]
    if BROUGHT.knows(name):
        prompt: Prompt = BROUGHT.find(name)[0]
        return prompt
    path = Path(name)
    if path.suffix.lower() == ".toml" or path.is_file():
        return read_prompt(path, PROMPTS)
    raise CountersightError(unknown("prompt", name, [*PROMPTS, *BROUGHT]) + "; or name a .toml file of your own")

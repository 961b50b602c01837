"""How a question is put to a model. A prompt is data: it is printed, stored in the run, and part of what a run is."""

import msgspec

from countersight.case import LETTERS, AnswerKind, Question
from countersight.errors import CountersightError


class Prompt(msgspec.Struct, frozen=True):
    """Words around a question; `{question}` and `{options}` stand for the case's own."""

    name: str
    number: str
    boolean: str
    choice: str
    open: str

    def render(self, question: Question) -> str:
        """The text that is sent."""
        options = "\n".join(f"{LETTERS[i]}: {option.text}" for i, option in enumerate(question.options))
        # Replaced one after the other, options last, so that braces in a question are left as they are.
        head, mark, tail = self._template(question.kind).partition("{question}")
        return head.replace("{options}", options) + (question.text if mark else "") + tail.replace("{options}", options)

    def _template(self, kind: AnswerKind) -> str:
        return {"number": self.number, "boolean": self.boolean, "choice": self.choice, "open": self.open}[kind]


PROMPTS = {
    prompt.name: prompt
    for prompt in (
        Prompt(
            name="0-shot",
            number="{question}\nAnswer with a single number.",
            boolean="{question}\nAnswer with yes or no.",
            choice="{question}\n{options}\nAnswer with the letter of the right option.",
            open="{question}\nAnswer briefly.",
        ),
    )
}


def find_prompt(name: str) -> Prompt:
    """The prompt of that name."""
    if name not in PROMPTS:
        raise CountersightError(f"there is no prompt {name!r}; the names are: {', '.join(PROMPTS)}")
    return PROMPTS[name]

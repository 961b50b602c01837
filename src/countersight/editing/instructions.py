"""An instruction in words, for editors that read."""

from countersight.editing.protocol import Instruction

VERSION = 1
"""Counted up whenever a word below changes, so that two audits can be told apart."""

_SAME = "Framing, size, viewpoint, light, background and everything else must stay exactly as they are."
_ALONE = "Answer with the edited picture alone."


def words_for(instruction: Instruction) -> str:
    """What an editor is told that gets the picture and these words.

    The negative part says what is to vanish or what is not to be touched (EDCT 3.2 leaves both to it), so it is handed
    on as it is written. Editors that also write are told not to: some send words in place of a picture.
    """
    if instruction.action == "nothing":
        return f"Give this picture back exactly as it is. Change nothing at all. {_SAME} {_ALONE}"
    lines = [f"Make one change to this picture: {_sentence(instruction.positive)}"]
    if instruction.negative.strip():
        lines.append(f"Not to be seen afterwards, or not to be touched: {_sentence(instruction.negative)}")
    return "\n".join([*lines, _SAME, _ALONE])


def description_of(instruction: Instruction) -> str:
    """What shall be seen where a mask is: editors that fill it are trained on descriptions, not on commands."""
    return _sentence(instruction.positive)


def _sentence(text: str) -> str:
    text = " ".join(text.split())
    return text if text.endswith((".", "!", "?")) else f"{text}."

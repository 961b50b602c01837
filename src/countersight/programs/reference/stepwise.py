"""The reference programmer: a small grammar of C-VQA-Synthetic's questions that writes programs without a model.

With eyes that see what is drawn, it is the ceiling of what programs can reach there.
"""

from collections.abc import Sequence

from countersight.programs.reference.grammar import NoProgram, plan
from countersight.programs.reference.python import as_python

__all__ = ["NoProgram", "as_python", "as_steps", "plan"]


def as_steps(question: str, options: Sequence[str] = ()) -> str:
    """The step program that answers a question; raises NoProgram where the grammar has none for it."""
    return "\n".join(str(step) for step in plan(question, options))

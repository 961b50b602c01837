"""Everything that can go wrong, as one tree. Each is a sentence that says what happened, where, and what to do.

CountersightError
├── DatasetError, BadPicture, SceneError, Unclear, SceneGraphsError, CatalogueError   what is read
├── ReferenceTableError, PromptError, ModelError, EditorError                  what is named
├── RunError, AuditError, CampaignError, GoldError                             what is made, and scored
├── ExchangeError                                                              what goes to other tools, and comes
└── AskingFailed                                                               one question, one edit
    └── Overloaded, Refused, Unreachable, EditFailed
"""

from typing import Any


class CountersightError(Exception):
    """What a user can mend. The command line prints the message and leaves with status 2; no traceback."""


class DatasetError(CountersightError):
    """A folder that is no dataset, or cannot become one."""


class BadPicture(CountersightError, ValueError):  # noqa: N818 - it names the thing, as people say it
    """A picture that cannot be used; the message says why, without naming the file."""


class LinkedPicture(BadPicture):
    """A picture whose file is a link, where links are not followed."""


class SceneError(CountersightError):
    """A line of a scenes file that is no scene."""


class Unclear(CountersightError):  # noqa: N818 - it names what the world is
    """A world of which a viewer could not say what happens in it."""


class SceneGraphsError(CountersightError):
    """A path at which there are no scene graphs."""


class CatalogueError(CountersightError):
    """A catalogue that contradicts itself."""


class ReferenceTableError(CountersightError):
    """A table, row or column that no paper has."""


class PromptError(CountersightError):
    """A prompt that cannot be used; the message names the file, the line where it is known, and the field."""


class ModelError(CountersightError):
    """The model cannot be asked at all: a wrong name, a missing key, a key that was refused."""


class BatchRefused(ModelError):  # noqa: N818 - it names what happened
    """A batch that the provider did not take, or none of which it would answer: nothing of it is out, or paid for."""


class EditorError(CountersightError):
    """An editor that cannot edit at all: no such editor, no such file, a library that is missing."""


class RunError(CountersightError):
    """A folder that is no run, or is not the run that was meant."""


class GoldError(CountersightError):
    """Corrected answers that cannot be used."""


class AuditError(CountersightError):
    """A folder that is no audit, is not the audit that was meant, or was changed since it was written."""


class CampaignError(CountersightError):
    """A folder that is no campaign, settings that cannot be followed, or a database that cannot be opened."""


class ExchangeError(CountersightError):
    """A file of another tool that cannot be read, or something that its format has no place for."""


class AskingFailed(CountersightError):  # noqa: N818 - it names what happened
    """The question got no answer. The message is the reason; asking again may help if `again`.

    `so_far` is what there was before it failed, where that is worth keeping: a program that was written, and its cost.
    """

    def __init__(self, reason: str, *, again: bool, so_far: Any = None) -> None:
        super().__init__(reason)
        self.again = again
        self.so_far = so_far


class Overloaded(AskingFailed):
    """The server asks for patience: 429 or 503, with the seconds it named if it did."""

    def __init__(self, reason: str, wait: float | None) -> None:
        super().__init__(reason, again=True)
        self.wait = wait


class Refused(AskingFailed):
    """The server will not answer this question; one that refuses every question does not know us or the model."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason, again=False)


class Unreachable(AskingFailed):
    """Nothing listens at the address. No question can be answered until something does."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason, again=True)


class EditFailed(AskingFailed):
    """There is no edited picture. The message is the reason; trying again may help if `again`.

    A hosted editor that is busy, refuses or cannot be reached fails as a model does: Overloaded, Refused, Unreachable.
    """

    def __init__(self, reason: str, *, again: bool = False) -> None:
        super().__init__(reason, again=again)


class OrderInDoubt(EditFailed):
    """An edit may have been ordered and paid for, and nobody knows: a person must look before it is ordered again."""

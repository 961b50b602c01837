"""All exceptions, in one hierarchy. Each message is a sentence that says what happened, where, and what to do.

CountersightError
├── DatasetError, BadPicture, Unclear, SceneGraphsError               invalid input files
├── ReferenceTableError, PromptError, ModelError, EditorError                  invalid names and settings
├── RunError, AuditError, CampaignError, GoldError                             invalid output folders and gold answers
├── ExchangeError                                                              files of other tools
└── AskingFailed                                                               failure of one question or edit
    └── Overloaded, Refused, Unreachable, EditFailed
"""

from typing import Any


class CountersightError(Exception):
    """An error that the user can fix. The command line prints it without a traceback and exits with status 2."""


class DatasetError(CountersightError):
    """A folder that is not a dataset, or in which a dataset cannot be written."""


class BadPicture(CountersightError, ValueError):  # noqa: N818 - a plain name without "Error"
    """A picture that cannot be used; the message says why, without naming the file."""


class LinkedPicture(BadPicture):
    """A picture file that is a symbolic link, in a folder in which links are not followed."""


class Unclear(CountersightError):  # noqa: N818 - it describes the world
    """A world in whose drawing a viewer could not tell what happens."""


class SceneGraphsError(CountersightError):
    """A path that contains no scene graphs."""


class ReferenceTableError(CountersightError):
    """A reference table, row or column that does not exist."""


class PromptError(CountersightError):
    """A prompt that cannot be used; the message names the file, the field and, if known, the line."""


class ModelError(CountersightError):
    """The model cannot be used at all: the name is wrong, or the key is missing or was refused."""


class BatchRefused(ModelError):  # noqa: N818 - it names what happened
    """The provider rejected a batch; nothing was answered or paid for."""


class EditorError(CountersightError):
    """The editor cannot be used at all: there is no such editor, or a file or library is missing."""


class RunError(CountersightError):
    """A folder that is not a run, or is a different run than requested."""


class GoldError(CountersightError):
    """Corrected answers that cannot be used."""


class AuditError(CountersightError):
    """A folder that is not an audit, is a different audit than requested, or was changed after it was written."""


class CampaignError(CountersightError):
    """A folder that is not a campaign, invalid settings, or a database that cannot be opened."""


class ExchangeError(CountersightError):
    """A file of another tool that cannot be read, or a format that cannot represent the data."""


class AskingFailed(CountersightError):  # noqa: N818 - it names what happened
    """A question received no answer. The message is the reason; if `again` is true, a retry may help.

    `so_far` holds partial results worth keeping, such as a program that was written, and its cost.
    """

    def __init__(self, reason: str, *, again: bool, so_far: Any = None) -> None:
        super().__init__(reason)
        self.again = again
        self.so_far = so_far


class Overloaded(AskingFailed):
    """The server is overloaded (429 or 503); the number of seconds to wait is included if the server specified it."""

    def __init__(self, reason: str, wait: float | None) -> None:
        super().__init__(reason, again=True)
        self.wait = wait


class Refused(AskingFailed):
    """The server refuses this question. If it refuses every question, the key or the model name is probably wrong."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason, again=False)


class Unreachable(AskingFailed):
    """No server listens at the address."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason, again=True)


class EditFailed(AskingFailed):
    """The edit failed. The message is the reason; if `again` is true, a retry may help.

    Hosted editors raise the same errors as models if they are busy, refuse or cannot be reached: Overloaded, Refused,
    Unreachable.
    """

    def __init__(self, reason: str, *, again: bool = False) -> None:
        super().__init__(reason, again=again)


class OrderInDoubt(EditFailed):
    """An edit that may or may not have been ordered and paid for; check this before you order it again."""

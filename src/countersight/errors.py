"""Errors that a user can mend: each is one sentence that says what happened, where, and what to do."""


class CountersightError(Exception):
    """The command line prints the message and leaves with status 2; no traceback."""

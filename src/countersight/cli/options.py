"""What the library calls an argument and the command line an option: its errors are told in the words of both."""

import re
from typing import Final

_OTHERWISE: Final = {
    "out": "-o",
    "source": "--from",
    "answering": "--rank",
    "columns": "--column",
    "judges": "--judge",
    "checkers": "--checker",
}
"""Arguments whose option is not called after them."""
_ALIKE: Final = (
    *(
        "again",
        "against",
        "annotations",
        "batch",
        "budget",
        "calibration",
        "cases",
        "checker",
        "control",
        "controls",
        "dataset",
        "device_map",
        "difficulty",
        "dtype",
        "folds",
    ),
    *("inputs", "keep_doubled", "key", "layout", "max_tokens", "model", "options", "per_task", "pictures", "port"),
    *("price", "prompt", "prompts", "ray", "reworded", "sample", "seed", "shots_from", "shown", "size", "split"),
    *("view", "votes", "wording", "writer", "yes_train_on_test"),
)
_NAMED: Final = re.compile(r"`([a-z_]+)`")


def in_options(sentence: str) -> str:
    """A sentence of the library with its arguments called as they are here: `max_tokens` becomes --max-tokens."""
    return _NAMED.sub(lambda named: _option(named[1]) or named[0], sentence)


def _option(argument: str) -> str:
    return _OTHERWISE.get(argument) or (f"--{argument.replace('_', '-')}" if argument in _ALIKE else "")

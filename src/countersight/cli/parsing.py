"""Command-line options: one table per command that maps usage to help text, and one table of shared options.

    {"DATASET": "the dataset to ask", "--model M!": "required", "--limit N": "a number", "--timeout S=120": "a default",
     "--shown": "a switch", "--again {cut,empty}": "one of these", "--judge J*": "may be given several times",
     "--column C…": "one or more values", "--from FILE>source": "stored as `source`",
     "--control {all,none}?all=none": "the value may be left out, and is then `all`"}

The placeholder determines the type: N is a positive whole number, S a number of seconds, DIR or FILE a path, and so on.
"""

import argparse
import re
import sys
from collections.abc import Callable, Mapping
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from countersight import __version__
from countersight.bounds import COUNT, DOLLARS, PRICE, SECONDS, TEMPERATURE
from countersight.text import printable

if TYPE_CHECKING:
    from countersight.models import ModelSettings

Verbs: TypeAlias = "argparse._SubParsersAction[argparse.ArgumentParser]"
Table: TypeAlias = Mapping[str, str]
Call: TypeAlias = Callable[[argparse.Namespace], int]

_MODULES: Final = ("run", "make", "exchange", "describe", "report", "audit", "collect", "train", "listing")
"""The modules of the commands, in the order of `--help`."""
AUDIT_VERBS: Final = ("bundle", "calibrate", "plan", "sign", "verify")
"""Names of subcommands that may follow `audit` instead of a dataset."""
_LOG_LEVELS: Final = ("debug", "info", "warning", "error")
_USAGE: Final = re.compile(
    r"(?P<flags>-.*?|[A-Z]+)(?: (?P<value>\{.*?\}|[^-\s][^\s=!*?+…>]*))?(?P<times>…\?|[?+*…])?"
    r"(?P<const>(?<=\?)\w+)?(?P<needed>!)?(?:>(?P<dest>\w+))?(?:=(?P<default>.*))?"
)
_REPETITIONS: Final[dict[str, dict[str, Any]]] = {
    "?": {"nargs": "?"},
    "+": {"nargs": "+"},
    "*": {"action": "append", "default": []},
    "…": {"action": "extend", "nargs": "+", "default": []},
    "…?": {"nargs": "*"},
}


def build_parser() -> "tuple[argparse.ArgumentParser, Verbs]":
    """Return the parser of the command line and its commands."""
    parser = argparse.ArgumentParser(
        prog="countersight",
        description="Tests whether vision-language models can reason about what is not in the picture.",
        epilog="Start with: countersight demo (in a clone of the repository: make demo)",
    )
    parser.add_argument("--version", action="version", version=f"countersight {__version__}")
    parser.add_argument("--log-level", choices=_LOG_LEVELS, help="write log messages of the engine to stderr")
    verbs = parser.add_subparsers(title="commands", dest="verb", metavar="COMMAND")
    for name in _MODULES:
        import_module(f"countersight.cli.{name}").add(verbs)
    return parser, verbs


class _HelpFormatter(argparse.HelpFormatter):
    """Wraps help texts but not examples, so that examples can be copied."""

    def _fill_text(self, text: str, width: int, indent: str) -> str:
        return text if text.lower().startswith("example") else super()._fill_text(text, width, indent)


def verb(
    verbs: Verbs, name: str, call: Call, summary: str, example: str, *tables: Table, listed: bool = True
) -> argparse.ArgumentParser:
    """Add a command with its summary, example, function and options; `listed` commands are shown by `--help`."""
    shown: dict[str, Any] = {"help": summary} if listed else {}
    parser = verbs.add_parser(
        name,
        **shown,
        description=summary[0].upper() + summary[1:] + ".",
        epilog=f"Example: {example}",
        formatter_class=_HelpFormatter,
    )
    parser.set_defaults(call=call)
    for table in tables:
        add_options(parser, table)
    return parser


def add_options(parser: "argparse.ArgumentParser | argparse._ArgumentGroup", table: Table) -> None:
    """Add the options of a table to a command, or to a group of its options."""
    for usage, words in table.items():
        found = _USAGE.fullmatch(usage)
        assert found is not None, usage
        flags, value, default = found["flags"], found["value"], found["default"]
        more: dict[str, Any] = {"help": words}
        if value is None and flags.startswith("-"):
            parser.add_argument(*flags.split(", "), action="store_true", **more)
            continue
        name = value or flags
        if name.startswith("{"):
            more["choices"] = name[1:-1].split(",")
        else:
            more |= {"type": _KINDS.get(name, Path if _PATHS.fullmatch(name) else str), "metavar": name}
        if default is not None:
            more["default"] = more["type"](default) if default and "type" in more else default
            if default and "default" not in words:
                more["help"] = f"{words} (default: {default})"
        if found["const"]:
            more["const"] = found["const"]
        if found["needed"]:
            more["required"] = True
        if found["dest"]:
            more["dest"] = found["dest"]
        names = flags.split(", ") if flags.startswith("-") else [flags.lower()]
        parser.add_argument(*names, **more | _REPETITIONS.get(found["times"] or "", {}))


def print_bad(bad: object) -> None:
    """Print a warning about a bad row."""
    print(printable(str(bad)), file=sys.stderr)


def parse_share(text: str) -> float:
    """Parse a share, such as 10% or 0.1."""
    words = "a share such as 10% or 0.1"
    if text.endswith("%"):
        return _number(text, words, 1e-4, 100, text.removesuffix("%")) / 100
    return _number(text, words, 1e-6, 1)


def _until(text: str) -> float | str:
    """Parse the stopping rule of a run: half the width of an interval in points, or `decided`."""
    return text if text == "decided" else _number(text, "a number of points, such as 3, or `decided`", 1e-6, 99.999)


def _temperature(text: str) -> float | None:
    """Parse a temperature; "server" gives None, the server's default."""
    words = "a temperature from 0 to 2, or `server`"
    return None if text == "server" else _number(text, words, TEMPERATURE.least, TEMPERATURE.most)


def _prices(text: str) -> tuple[float, float]:
    """Parse two prices in dollars per million tokens, for input and output."""
    words = "two prices in dollars, such as 2.5,10"
    price_in, _, price_out = text.partition(",")
    least, most = PRICE.least, PRICE.most
    return _number(text, words, least, most, price_in), _number(text, words, least, most, price_out)


def _number(given: str, words: str, least: float, most: float, text: str | None = None) -> float:
    """Parse a number within limits; `text` is the part of `given` to parse, by default all of it."""
    try:
        number = float(given if text is None else text)
    except ValueError:
        number = float("nan")
    if not least <= number <= most:
        raise argparse.ArgumentTypeError(f"{given!r} is not {words}")
    return number


def _whole_number(words: str, most: int) -> Callable[[str], int]:
    def parse(text: str) -> int:
        # "1.000" is 1 in English and 1,000 in German, so it is refused.
        digits = text.replace(",", "") if _DIGITS.fullmatch(text) else ""
        return int(_number(text, words, 1, most, digits))

    return parse


_DIGITS: Final = re.compile(r"\d+|\d{1,3}(?:,\d{3})+", re.ASCII)
parse_positive: Final = _whole_number(f"{COUNT.words}, such as 3000", int(COUNT.most))
_KINDS: Final[dict[str, Callable[[str], Any]]] = {
    "N": parse_positive,
    "K": parse_positive,
    "PORT": _whole_number("a port number from 1 to 65535", 65535),
    "S": lambda text: _number(text, SECONDS.words, SECONDS.least, SECONDS.most),
    "DOLLARS": lambda text: _number(text, DOLLARS.words, DOLLARS.least, DOLLARS.most),
    "P%": parse_share,
    "1..4": _whole_number("a whole number from 1 to 4", 4),
    "T": _temperature,
    "IN,OUT": _prices,
    "W": _until,
    "SEED": int,
}
_PATHS: Final = re.compile(
    "AUDIT|BACKUP|CAMPAIGN|CSV|DATASET|DIR|EXPORT|FILE|FOLDER|GRAPHS|JSONL|KEY|MINED|NEW|OLD|PATH|RUN|SOURCE|TOML|VCR"
)

_SHARED: Final = {
    "--seed SEED=0": "random seed, also sent to servers",
    "--temperature T=0": "sampling temperature; `server`: do not send a temperature, for models that accept only "
    "their default",
    "--timeout S=120": "seconds per attempt",
    "--concurrency N=64": "maximum number of concurrent requests",
    "--price IN,OUT=0,0": "price in dollars per million input and output tokens, if the server reports no cost",
    "--max-tokens N=256": "maximum length of a reply, in tokens",
    "--ray ADDRESS=": "run on a Ray cluster; `auto` uses the cluster of this machine",
    "--dataset DIR": "the dataset's current folder, if it was moved",
    "--gold, --key PATH": "right answers: corrections made after the run (a dataset, or a .csv with "
    "case, world, "
    "answer), or the key of a hidden dataset",
    "--pictures DIR": "the folder that contains the pictures",
}
LOCAL: Final = {
    "--device D=auto": "cpu, cuda, cuda:1, mps (default: the fastest)",
    "--dtype TYPE=auto": "float32, bfloat16, float16 (default: as stored)",
    "--batch-size N": "maximum number of questions per batch (default: as many as fit into memory)",
}
"""Options for models that run on this machine (hf:…)."""


def shared_options(*names: str, **defaults: object) -> dict[str, str]:
    """Return shared options by name; `defaults` overrides a default (None means no default)."""
    table = {}
    for usage, words in _SHARED.items():
        name = usage.split()[0].rstrip(",").removeprefix("--").replace("-", "_")
        if name in defaults:
            plain = usage.partition("=")[0]
            table[plain if defaults[name] is None else f"{plain}={defaults[name]}"] = words
        elif name in names:
            table[usage] = words
    return table


def add_local(parser: argparse.ArgumentParser, *more: Table) -> None:
    """Add the options for models that run on this machine."""
    group = parser.add_argument_group("models that run on this machine (hf:…)")
    for table in (LOCAL, *more):
        add_options(group, table)


def model_settings(chosen: argparse.Namespace, **more: Any) -> "ModelSettings":
    """Return the settings of a model from the parsed options."""
    from countersight.models import ModelSettings

    named = ("seed", "max_tokens", "temperature", "timeout", "device", "dtype", "ray")
    given = {name: getattr(chosen, name) for name in named if hasattr(chosen, name)}
    if hasattr(chosen, "price"):
        given["price_in"], given["price_out"] = chosen.price
    return ModelSettings(**{**given, "batch": getattr(chosen, "batch_size", None), **more})


_OPTION_NAMES: Final = {
    "answering": "--rank",
    "cases": "--limit",
    "checkers": "--checker",
    "judges": "--judge",
    "out": "-o",
    "source": "--from",
}
"""Arguments of the library whose command-line option has a different name."""
_ARGUMENT_NAME: Final = re.compile(r"`([a-z_]+)`")


def in_options(sentence: str) -> str:
    """Replace the names of arguments in a message with the names of options: `max_tokens` becomes --max-tokens."""
    return _ARGUMENT_NAME.sub(lambda named: _option(named[1]) or named[0], sentence)


def _option(argument: str) -> str:
    option = f"--{argument.replace('_', '-')}"
    verbs = build_parser()[1].choices.values()
    return _OPTION_NAMES.get(argument) or (
        option if any(option in each._option_string_actions for each in verbs) else ""
    )

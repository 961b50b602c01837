"""What the verbs share: how a verb is added, and the values its options take."""

import argparse
import sys
from collections.abc import Callable
from typing import TypeAlias

from countersight.text import printable

Verbs: TypeAlias = "argparse._SubParsersAction[argparse.ArgumentParser]"


def verb(
    verbs: Verbs, name: str, call: Callable[[argparse.Namespace], int], summary: str, example: str
) -> argparse.ArgumentParser:
    """Add a verb with what it does, an example, and what it calls."""
    verb = verbs.add_parser(
        name, help=summary, description=summary[0].upper() + summary[1:] + ".", epilog=f"Example: {example}"
    )
    verb.set_defaults(call=call)
    return verb


def add_local(parser: argparse.ArgumentParser) -> "argparse._ArgumentGroup":
    """Where a model that is computed here is computed."""
    local = parser.add_argument_group("models computed here (hf:…)")
    local.add_argument("--device", default="auto", metavar="D", help="cpu, cuda, cuda:1, mps (default: the fastest)")
    local.add_argument("--dtype", default="auto", metavar="T", help="float32, bfloat16, float16 (default: as stored)")
    local.add_argument(
        "--device-map", metavar="MAP", help="auto spreads a large model over all devices; needs accelerate"
    )
    local.add_argument(
        "--batch-size", type=positive, metavar="N", help="most questions at once (default: what fits into memory)"
    )
    return local


def add_ray(parser: "argparse.ArgumentParser | argparse._ArgumentGroup", what: str) -> None:
    """On which cluster the work is done, if it is not done here."""
    parser.add_argument(
        "--ray",
        default="",
        metavar="ADDRESS",
        help=f"{what} a Ray cluster; `auto` finds the one this machine belongs to",
    )


def print_bad(bad: object) -> None:
    """Name a bad row to the user; the reading goes on."""
    print(printable(str(bad)), file=sys.stderr)


def positive(text: str) -> int:
    """A whole number of at least 1."""
    number = _number(text, "a whole number of at least 1", 1, 10**9)
    if number != int(number):
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number of at least 1")
    return int(number)


def seconds(text: str) -> float:
    """A duration."""
    return _number(text, "a number of seconds above 0", 1e-3, 1e6)


def dollars(text: str) -> float:
    """An amount of money."""
    return _number(text, "an amount of dollars above 0, such as 5.00 or 0.005", 1e-6, 1e9)


def share(text: str) -> float:
    """A part of the whole."""
    return _number(text, "a share above 0 and up to 0.5, such as 0.03", 1e-4, 0.5)


def part_of_all(text: str) -> float:
    """A part of the whole, as 10% or 0.1."""
    words = "a share such as 10% or 0.1"
    if text.endswith("%"):
        return _number(text.removesuffix("%"), words, 1e-4, 100, text) / 100
    return _number(text, words, 1e-6, 1)


def until(text: str) -> float | str:
    """When a run has asked enough: half of an interval's width in points, or `decided`."""
    if text == "decided":
        return text
    try:
        points = float(text)
    except ValueError:
        points = 0.0
    if not 0 < points < 100:
        raise argparse.ArgumentTypeError(f"{text!r} is neither a number of points, such as 3, nor `decided`")
    return points


def temperature(text: str) -> float | None:
    """A temperature, or None for the server's own."""
    return None if text == "server" else _number(text, "a temperature from 0 to 2, or `server`", 0, 2)


def price(text: str) -> tuple[float, float]:
    """Dollars for a million tokens read and written."""
    words = "two prices in dollars, such as 2.5,10"
    if text.count(",") != 1:
        raise argparse.ArgumentTypeError(f"{text!r} is not {words}")
    price_in, price_out = (_number(price, words, 0, 1e6) for price in text.split(","))
    return price_in, price_out


def _number(text: str, words: str, least: float, most: float, given: str = "") -> float:
    """The number in a text; `given` is what stood there, where the text is a part of it."""
    try:
        number = float(text)
    except ValueError:
        number = float("nan")
    if not least <= number <= most:
        raise argparse.ArgumentTypeError(f"{given or text!r} is not {words}")
    return number

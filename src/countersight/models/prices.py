"""Prices of tokens: from the command line, from a user's file, or from a small dated table."""

import os
import re
import tomllib
from functools import cache
from pathlib import Path
from typing import Any

import msgspec

from countersight.errors import ModelError
from countersight.models.protocol import ModelSettings

VARIABLE = "COUNTERSIGHT_PRICES"
OURS = Path(__file__).with_name("prices.toml")
STAMP = r"(?:[-@](?:latest|\d{8}|\d{6}|\d{4}|\d{3}|\d{4}-\d\d-\d\d|\d\d-\d{4}|v\d)(?::\d+)?)*"
"""Suffixes of a model's name that do not make it another model: "-2025-04-14", "@20250929", "-v1:0"."""


class Price(msgspec.Struct, frozen=True):
    """Dollars per million tokens, and the source of the price."""

    read: float = 0.0
    written: float = 0.0
    source: str = "unknown"

    @property
    def is_known(self) -> bool:
        """Whether the model has a price."""
        return bool(self.read or self.written)

    def of(self, tokens_in: float, tokens_out: float) -> float:
        """Return the cost in dollars of these numbers of input and output tokens."""
        return (tokens_in * self.read + tokens_out * self.written) / 1e6


def find_price(model: str, settings: ModelSettings) -> Price:
    """Return the price of a model; zero if it is unknown."""
    if settings.price_in or settings.price_out:
        return Price(settings.price_in, settings.price_out, "--price")
    own = os.environ.get(VARIABLE)
    for file in ([Path(own)] if own else []) + [OURS]:
        table = _table(file)
        if known := _matching_name(model.rpartition("/")[2], table["models"]):
            read, written = table["models"][known]
            return Price(read, written, f"{file.name} of {table['as_of']}, as {known}")
    return Price()


def _matching_name(model: str, names: dict[str, Any]) -> str:
    """Return the name in a table that matches a model, ignoring date suffixes and Bedrock's maker prefixes.

    Other suffixes do not match, since "gpt-5-pro" and "gpt-5.4" do not have the price of "gpt-5".
    """
    fitting = [
        name for name in names if name in model and re.fullmatch(rf"(?:[\w-]+\.)*?{re.escape(name)}{STAMP}", model)
    ]
    return max(fitting, key=len, default="")


@cache
def _table(file: Path) -> dict[str, Any]:
    try:
        read = tomllib.loads(file.read_text(encoding="utf-8"))
        models = {str(name): tuple(map(float, pair)) for name, pair in read["models"].items()}
        if any(len(pair) != 2 or min(pair) < 0 for pair in models.values()):
            raise ValueError
    except (OSError, KeyError, TypeError, ValueError, AttributeError):
        raise ModelError(
            f'{file} is not a price table; it needs as_of = "DATE" and [models] with "NAME" = [IN, OUT]'
        ) from None
    return {"as_of": str(read.get("as_of", "an unknown date")), "models": models}

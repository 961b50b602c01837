"""Prices of tokens: from the command line, or from a small dated table."""

import re
import tomllib
from functools import cache
from pathlib import Path
from typing import Any

import msgspec

from countersight.models.protocol import ModelSettings

TABLE = Path(__file__).with_name("prices.toml")
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
    table = _table()
    known = _matching_name(model.rpartition("/")[2], table["models"])
    if not known:
        return Price()
    read, written = table["models"][known]
    return Price(read, written, f"{TABLE.name} of {table['as_of']}, as {known}")


def _matching_name(model: str, names: dict[str, Any]) -> str:
    """Return the name in a table that matches a model, ignoring date suffixes and Bedrock's maker prefixes.

    Other suffixes do not match, since "gpt-5-pro" and "gpt-5.4" do not have the price of "gpt-5".
    """
    fitting = [
        name for name in names if name in model and re.fullmatch(rf"(?:[\w-]+\.)*?{re.escape(name)}{STAMP}", model)
    ]
    return max(fitting, key=len, default="")


@cache
def _table() -> dict[str, Any]:
    return tomllib.loads(TABLE.read_text(encoding="utf-8"))

"""The settings of training, read from a TOML file."""

from importlib import resources
from pathlib import Path

import msgspec

from countersight.errors import CountersightError


class EncoderPlan(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How the encoder is trained; the fields are explained in embedded.toml."""

    steps: int
    batch: int
    fresh: int
    pool: int
    first: int
    rate: float
    decay: float
    average: float


class DecoderShape(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The size of a decoder."""

    layers: int
    width: int
    heads: int
    context: int
    """The most tokens in a conversation."""


class DecoderPlan(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How a decoder is trained; the fields are explained in embedded.toml."""

    seed: str
    scenes: int
    steps: int
    seconds: float
    batch: int
    again: int
    rate: float
    decay: float
    average: float
    shape: DecoderShape


class Plan(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """All settings of a training run."""

    seed: str
    workers: int
    encoder: EncoderPlan
    decoder: DecoderPlan


def read_plan(path: Path | None = None) -> Plan:
    """Return the plan in a file, or the plan of the shipped model."""
    shipped = resources.files(__package__).joinpath("embedded.toml")
    text = shipped.read_bytes() if path is None else path.read_bytes()
    try:
        return msgspec.toml.decode(text, type=Plan)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise CountersightError(f"{path or 'embedded.toml'}: {error}") from None

"""A small vision-language model of our own that ships with the package and needs neither key nor download."""

from countersight.models.embedded.model import WORLDS, Embedded

__all__ = ["WORLDS", "Embedded"]

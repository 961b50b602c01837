"""Countersight tests whether vision-language models can reason about what is not in the picture."""

__version__ = "0.1.0"

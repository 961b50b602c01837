"""`python -m countersight` is the same as `countersight`."""

from countersight.cli import command

command()

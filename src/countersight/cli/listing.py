"""`countersight list`: what there is."""

import argparse

from countersight.cli.parsing import Verbs, verb
from countersight.suites import IMPORTERS


def add(verbs: Verbs) -> None:
    """Add the verb to the command line."""
    listing = verb(verbs, "list", _list, "what there is", "countersight list models")
    listing.add_argument("what", choices=["suites", "models", "prompts"])


def _list(chosen: argparse.Namespace) -> int:
    if chosen.what == "models":
        from countersight.models import MODELS

        for name, words in MODELS.items():
            print(f"{name:<20} {words}")
    elif chosen.what == "prompts":
        from countersight.asking.prompts import PROMPTS

        for prompt in PROMPTS.values():
            print(f"{prompt.name}: {prompt.choice!r}")
    else:
        for name, importer in IMPORTERS.items():
            print(f"{name:<16} {importer.words}")
            print(f"{'':<16} --from: {importer.file}")
            print(f"{'':<16} --pictures: {importer.pictures}")
    return 0

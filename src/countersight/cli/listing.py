"""`countersight list`: prints available models, suites and so on; `countersight completion`: prints a shell script."""

import argparse
from pathlib import Path

from countersight.cli.parsing import Verbs, verb
from countersight.errors import CountersightError


def add(verbs: Verbs) -> None:
    """Add the verb to the command line."""
    words = "list the names of suites, models, prompts, editors, judges, formats and more"
    listing = verb(verbs, "list", _list, words, "countersight list models")
    plugs = ("editors", "extractors", "judges", "checkers")
    things = ("suites", "layouts", "models", "prompts", *plugs, "formats", "tools")
    listing.add_argument("what", choices=things)
    listing.add_argument(
        "-v", "--verbose", action="store_true", help="print prompts and layouts in full, as examples for your own files"
    )
    completion = verb(
        verbs,
        "completion",
        _completion,
        "print a script for tab completion of verbs, options and paths",
        "countersight completion bash > ~/.local/share/bash-completion/completions/countersight",
    )
    completion.add_argument("shell", choices=("bash", "zsh", "tcsh"))


def _completion(chosen: argparse.Namespace) -> int:
    from countersight.cli import AUDIT_VERBS, whole_parser

    try:
        import shtab
    except ImportError:
        raise CountersightError("completion needs shtab: pip install 'countersight[completion]'") from None
    parser, verbs = whole_parser()
    nested = verbs.choices["audit"].add_subparsers()
    for name in AUDIT_VERBS:  # on the command line `audit verify` is one verb; a shell completes word by word
        nested.add_parser(name, help=name)
        nested.choices[name] = verbs.choices[f"audit {name}"]
    for each in verbs.choices.values():
        for action in each._actions:
            if action.type is Path:
                action.complete = shtab.FILE  # type: ignore[attr-defined]
    print(shtab.complete(parser, chosen.shell))
    return 0


def _list(chosen: argparse.Namespace) -> int:
    if chosen.what == "models":
        from countersight.models import MODELS

        _print_table(MODELS.usages())
    elif chosen.what in ("formats", "tools"):
        from countersight.exchange import FORMATS, SOURCES

        _print_table((FORMATS if chosen.what == "formats" else SOURCES).usages())
    elif chosen.what in ("editors", "extractors", "judges", "checkers"):
        _list_table(chosen.what)
    elif chosen.what == "prompts":
        _list_prompts(whole=chosen.verbose)
    else:
        _list_suites(fields=chosen.what == "layouts" and chosen.verbose)
    return 0


def _list_suites(*, fields: bool) -> None:
    from countersight.suites import suites

    for name, suite in suites().items():
        print(f"{name:<16} {suite.words}")
        if fields:
            print(f"\n{suite.fields()}\n")
            continue
        print(f"{'':<16} --from: {suite.file}")
        print(f"{'':<16} --pictures: {suite.pictures}")
        if suite.beside:
            print(f"{'':<16} {suite.beside.option}: {suite.beside.words}")


def _list_prompts(*, whole: bool) -> None:
    from countersight.engine import BROUGHT, GUIDE, PROMPTS, as_toml

    if whole:
        print(GUIDE)
    for name, prompt in PROMPTS.items():
        print(f"# {name}\n{as_toml(prompt)}" if whole else f"{name:<12} {prompt.about}")
    for name, package in BROUGHT.usages().items():
        print(f"# {name} is {package}" if whole else f"{name:<12} {package}")


def _list_table(what: str) -> None:
    from countersight.audits.checkers import ANY_VIEWER, CHECKERS
    from countersight.audits.extraction import EXTRACTORS
    from countersight.audits.judges import ANY_MODEL, JUDGES
    from countersight.editing import EDITORS

    _print_table(
        {
            "editors": EDITORS.usages(),
            "extractors": EXTRACTORS.usages() | ANY_MODEL,
            "judges": JUDGES.usages() | ANY_MODEL,
            "checkers": CHECKERS.usages() | ANY_VIEWER,
        }[what]
    )


def _print_table(table: dict[str, str]) -> None:
    width = max(map(len, table))
    for name, words in table.items():
        print(f"{name:<{width}} {words}")

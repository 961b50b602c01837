"""`countersight list` prints available models, suites and so on; `countersight completion` prints a shell script."""

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from countersight.cli.parsing import AUDIT_VERBS, Verbs, build_parser, verb
from countersight.errors import CountersightError

if TYPE_CHECKING:
    from countersight.registry import Registry

_LIST: Final = {
    "WHAT {suites,models,prompts,editors,extractors,judges,checkers,formats,tools}": "what to list",
    "-v, --verbose": "print prompts and the fields of suites' files in full, as templates for your own",
}


def add(verbs: Verbs) -> None:
    """Add the commands of this module to the parser."""
    summary = "list the names of suites, models, prompts, editors, judges, formats and more"
    verb(verbs, "list", _list, summary, "countersight list models", _LIST)
    summary = "print a script for tab completion of commands, options and paths"
    example = "countersight completion bash > ~/.local/share/bash-completion/completions/countersight"
    verb(verbs, "completion", _completion, summary, example, {"SHELL {bash,zsh,tcsh}": "your shell"})


def _completion(chosen: argparse.Namespace) -> int:
    try:
        import shtab
    except ImportError:
        raise CountersightError("completion needs shtab: pip install 'countersight[completion]'") from None
    parser, verbs = build_parser()
    nested = verbs.choices["audit"].add_subparsers()
    for name in AUDIT_VERBS:  # `audit verify` is parsed as one command, but a shell completes word by word
        nested.add_parser(name, help=name)
        nested.choices[name] = verbs.choices[f"audit {name}"]
    for each in verbs.choices.values():
        for action in each._actions:
            if action.type is Path:
                action.complete = shtab.FILE  # type: ignore[attr-defined]
    print(shtab.complete(parser, chosen.shell))
    return 0


def _list(chosen: argparse.Namespace) -> int:
    if chosen.what == "suites":
        _list_suites(fields=chosen.verbose)
    elif chosen.what == "prompts":
        _list_prompts(whole=chosen.verbose)
    else:
        registry, more = _registry(chosen.what)
        table, faults = registry.usages(load=True) | more, registry.faults()
        width = max(map(len, table))
        for name, words in table.items():
            if name not in faults or name in registry.built_in:
                print(f"{name:<{width}} {words}")
        _print_faults(faults)
    return 0


def _print_faults(faults: dict[str, str]) -> None:
    for name, why in faults.items():
        print(f"{name}: {why}")


def _list_suites(*, fields: bool) -> None:
    from countersight.suites import suite_faults, suites

    for name, suite in suites().items():
        print(f"{name:<16} {suite.words}")
        if fields:
            print(f"\n{suite.fields()}\n")
            continue
        print(f"{'':<16} --from: {suite.file}")
        print(f"{'':<16} --pictures: {suite.pictures}")
        if suite.second_file:
            print(f"{'':<16} --annotations: {suite.second_file.words}")
    _print_faults(suite_faults())


def _list_prompts(*, whole: bool) -> None:
    from countersight.engine import PLUGIN_PROMPTS, PROMPTS, PROMPTS_FILE

    if whole:
        print(PROMPTS_FILE)
    else:
        for name, prompt in PROMPTS.items():
            print(f"{name:<12} {prompt.about}")
    faults = PLUGIN_PROMPTS.faults(PROMPTS)
    for name, package in PLUGIN_PROMPTS.usages().items():
        if name not in faults:
            print(f"# {name} is {package}" if whole else f"{name:<12} {package}")
    _print_faults(faults)


def _registry(what: str) -> "tuple[Registry[Any], dict[str, str]]":
    """Return the registry of one kind of plug-in, and other accepted values."""
    if what == "models":
        from countersight.models import MODELS

        return MODELS, {}
    if what in ("formats", "tools"):
        from countersight.exchange import FORMATS, SOURCES

        return (FORMATS if what == "formats" else SOURCES), {}
    if what == "editors":
        from countersight.editing import EDITORS

        return EDITORS, {}
    from countersight.audits.checkers import ANY_VIEWER, CHECKERS
    from countersight.audits.extraction import EXTRACTORS
    from countersight.audits.judges import ANY_MODEL, JUDGES

    if what == "checkers":
        return CHECKERS, ANY_VIEWER
    return (JUDGES if what == "judges" else EXTRACTORS), ANY_MODEL

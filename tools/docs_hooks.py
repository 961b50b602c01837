"""MkDocs hook that writes the page of commands from the --help text of each command."""

import os
from typing import Any

MARK = "<!-- commands -->"


def on_page_markdown(markdown: str, **_: Any) -> str:
    """Return the page with the mark replaced by the help of every command."""
    return markdown.replace(MARK, commands()) if MARK in markdown else markdown


def commands() -> str:
    os.environ["COLUMNS"] = "100"
    from countersight.cli.parsing import build_parser

    _, verbs = build_parser()
    return "\n\n".join(f"## {name}\n\n```text\n{verb.format_help()}```" for name, verb in sorted(verbs.choices.items()))

"""Writes the page of commands: mkdocs calls it, and each verb's own --help is the text."""

import os
from typing import Any

MARK = "<!-- commands -->"


def on_page_markdown(markdown: str, **_: Any) -> str:
    """The page with every verb's help in the place of the mark."""
    return markdown.replace(MARK, commands()) if MARK in markdown else markdown


def commands() -> str:
    os.environ["COLUMNS"] = "100"
    from countersight.cli.parsing import whole_parser

    _, verbs = whole_parser()
    return "\n\n".join(f"## {name}\n\n```text\n{verb.format_help()}```" for name, verb in sorted(verbs.choices.items()))

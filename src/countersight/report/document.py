"""What every page is: one HTML file that needs nothing else. No request leaves it, no text in it can act."""

import base64
import hashlib
from importlib.resources import files
from string import Template
from typing import Final

from countersight.report.markup import Markup, text

_LOGO: Final[Markup] = (
    '<svg viewBox="0 0 40 20" aria-hidden="true"><circle cx="12" cy="10" r="7.5" class="logo-is"/>'
    '<circle cx="27" cy="10" r="7.5" class="logo-if"/></svg>'
)


def document(template: str, *, title: str, styles: tuple[str, ...], script: str = "", **parts: Markup) -> str:
    """A page out of its template, by the names of the files it is made of; styles and script go into it."""
    style = "".join(map(_source, styles))
    written = _source(script) if script else ""
    head = Template(_source("head.html")).substitute(
        policy=text(_policy(style, written)), title=text(title), style=style
    )
    return Template(_source(template)).substitute(head=head, logo=_LOGO, script=written, **parts)


def _source(file: str) -> str:
    return (files(__package__) / file).read_text(encoding="utf-8")


def _policy(style: str, script: str) -> str:
    """What the page may do: show its own pictures, be styled and run by these very texts, and nothing else."""
    return (
        f"default-src 'none'; img-src data: blob:; style-src {_digest(style)}; script-src {_digest(script)}; "
        "base-uri 'none'; form-action 'none'"
    )


def _digest(content: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(content.encode()).digest()).decode()}'"

"""What every page is: one HTML file that needs nothing else. No request leaves it, no text in it can act."""

import base64
import hashlib
from importlib.resources import files
from string import Template
from typing import Final

from countersight.pages.markup import Markup, text

_LOGO: Final[Markup] = Markup(
    '<svg viewBox="0 0 40 20" aria-hidden="true"><circle cx="12" cy="10" r="7.5" class="logo-is"/>'
    '<circle cx="27" cy="10" r="7.5" class="logo-if"/></svg>'
)


def document(
    room: str,
    template: str,
    *,
    title: str,
    style: str = "",
    script: str = "",
    picture_sources: str = "data: blob:",
    asks: str = "'none'",
    **parts: Markup,
) -> str:
    """A page out of the template, style and script of a room, by the names of their files; all of it goes into it.

    `picture_sources` says where pictures may come from: the page itself, or the server that it comes from;
    `asks` whom its script may ask for more.
    """
    style = source(__package__, "page.css") + (source(room, style) if style else "")
    written = source(room, script) if script else ""
    head = Template(source(__package__, "head.html")).substitute(
        policy=text(_policy(style, written, picture_sources, asks)), title=text(title), style=style
    )
    return Template(source(room, template)).substitute(head=head, logo=_LOGO, script=written, **parts)


def source(room: str, file: str) -> str:
    """The text of a file that lies in a room."""
    return (files(room) / file).read_text(encoding="utf-8")


def _policy(style: str, script: str, picture_sources: str, asks: str) -> str:
    """What the page may do: show its own pictures, be styled and run by these very texts, and nothing else."""
    return (
        f"default-src 'none'; img-src {picture_sources}; style-src {_digest(style)}; script-src {_digest(script)}; "
        f"connect-src {asks}; base-uri 'none'; form-action 'none'"
    )


def _digest(content: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(content.encode()).digest()).decode()}'"

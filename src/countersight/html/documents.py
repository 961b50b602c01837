"""Self-contained HTML documents: they load nothing from outside, and text from data is never executed."""

import base64
import hashlib
from functools import lru_cache
from importlib.resources import files
from typing import Any, Final

import msgspec
from jinja2 import Environment, FunctionLoader, StrictUndefined
from markupsafe import Markup

from countersight.html.tables import Grid
from countersight.html.wording import clean, count, interval, name, p_value, percent
from countersight.text import several

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
    **parts: Any,
) -> str:
    """Render a page from the Jinja template, style and scripts of the package `room`; all files are inlined.

    `script` has file names separated by spaces; a script that `room` does not contain is taken from this package.
    `picture_sources` are the allowed sources of pictures, `asks` the hosts that scripts may send requests to.
    """
    style = source(__package__, "page.css") + (source(room, style) if style else "")
    written = "\n".join(source(*_place(room, file)) for file in script.split())
    policy = _policy(style, written, picture_sources, asks)
    head = _templates().get_template(f"{__package__}:head.html").render(policy=policy, title=title, style=Markup(style))
    page = _templates().get_template(f"{room}:{template}")
    return page.render(head=Markup(head), logo=_LOGO, script=Markup(written), **parts)


class Live(msgspec.Struct, frozen=True):
    """Addresses that a served page polls to learn whether there are newer results (see live.js)."""

    look: str
    """The address that returns the current state."""
    state: str
    """The state that the page was rendered from."""
    page: str = ""
    """The address of the page."""

    def block(self) -> Markup:
        """Return these fields as a JSON block for the page."""
        return inert("live", self)


def inert(key: str, value: object) -> Markup:
    """Return a JSON data block that scripts can read and the browser does not run; every "<" in it is escaped."""
    written = msgspec.json.encode(_cleaned(msgspec.to_builtins(value))).decode().replace("<", "\\u003c")
    return Markup(f'<script type="application/json" id="{key}">{written}</script>')


def _cleaned(value: Any) -> Any:
    if isinstance(value, str):
        return clean(value)
    if isinstance(value, dict):
        return {key: _cleaned(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_cleaned(inner) for inner in value]
    return value


def _place(room: str, file: str) -> tuple[str, str]:
    return (room if (files(room) / file).is_file() else __package__), file


@lru_cache(maxsize=1)
def _templates() -> Environment:
    """Return an environment with the templates of all packages (package:file); it escapes values except Markup."""
    loader = FunctionLoader(lambda named: source(*(named if ":" in named else f"{__package__}:{named}").split(":", 1)))
    found = Environment(
        loader=loader,
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    for words in (count, interval, name, p_value, percent, several):
        found.filters[words.__name__] = words
    return found


def table_html(grid: Grid) -> str:
    """Return the HTML of a table, for notebooks."""
    return str(_templates().get_template("kit.html").module.table(grid))  # type: ignore[attr-defined]


def fragment(room: str, template: str, **parts: Any) -> Markup:
    """Render a part of a page, or a drawing, from a template of the package `room`."""
    return Markup(_templates().get_template(f"{room}:{template}").render(**parts))


def source(room: str, file: str) -> str:
    """Return the text of a file in the package `room`."""
    return (files(room) / file).read_text(encoding="utf-8")


def _policy(style: str, script: str, picture_sources: str, asks: str) -> str:
    """Return the content security policy: only the page's own pictures, style and scripts are allowed."""
    return (
        f"default-src 'none'; img-src {picture_sources}; style-src {_digest(style)}; script-src {_digest(script)}; "
        f"connect-src {asks}; base-uri 'none'; form-action 'none'"
    )


def _digest(content: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(content.encode()).digest()).decode()}'"

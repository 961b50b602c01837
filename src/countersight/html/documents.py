"""Self-contained HTML documents: they load nothing from outside, and text from data is never executed."""

import base64
import hashlib
from functools import lru_cache
from importlib.resources import files
from typing import Any, Final

import msgspec
from jinja2 import Environment, FunctionLoader, StrictUndefined
from markupsafe import Markup

from countersight.html.formatting import clean, name
from countersight.html.tables import Grid
from countersight.number_formats import count, interval, p_value, percent
from countersight.text import several

_LOGO: Final[Markup] = Markup(
    '<svg viewBox="0 0 40 20" aria-hidden="true"><circle cx="12" cy="10" r="7.5" class="logo-is"/>'
    '<circle cx="27" cy="10" r="7.5" class="logo-if"/></svg>'
)


def document(
    package: str,
    template: str,
    *,
    title: str,
    style: str = "",
    script: str = "",
    picture_sources: str = "data: blob:",
    connect_sources: str = "'none'",
    **parts: Any,
) -> str:
    """Render a page from the Jinja template, style and scripts of a package; all files are inlined.

    `script` has file names separated by spaces; a script that the package lacks is taken from this one.
    `picture_sources` are the allowed sources of pictures, `connect_sources` the hosts that scripts may connect to.
    """
    style = source(__package__, "page.css") + (source(package, style) if style else "")
    inlined = "\n".join(source(*_locate(package, file)) for file in script.split())
    policy = _policy(style, inlined, picture_sources, connect_sources)
    head = _templates().get_template(f"{__package__}:head.html").render(policy=policy, title=title, style=Markup(style))
    page = _templates().get_template(f"{package}:{template}")
    return page.render(head=Markup(head), logo=_LOGO, script=Markup(inlined), **parts)


class Live(msgspec.Struct, frozen=True):
    """Addresses that a served page polls to learn whether there are newer results (see live.js)."""

    state_url: str
    """The address that returns the current state."""
    state: str
    """The state that the page was rendered from."""
    page: str = ""
    """The address of the page."""


def json_block(key: str, value: object) -> Markup:
    """Return a JSON data block that scripts can read and the browser does not run; every "<" in it is escaped."""
    encoded = msgspec.json.encode(_cleaned(msgspec.to_builtins(value))).decode().replace("<", "\\u003c")
    return Markup(f'<script type="application/json" id="{key}">{encoded}</script>')


def _cleaned(value: Any) -> Any:
    if isinstance(value, str):
        return clean(value)
    if isinstance(value, dict):
        return {key: _cleaned(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_cleaned(inner) for inner in value]
    return value


def _locate(package: str, file: str) -> tuple[str, str]:
    return (package if (files(package) / file).is_file() else __package__), file


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


def fragment(package: str, template: str, **parts: Any) -> Markup:
    """Render a part of a page, or a drawing, from a template in a package."""
    return Markup(_templates().get_template(f"{package}:{template}").render(**parts))


def source(package: str, file: str) -> str:
    """Return the text of a file in a package."""
    return (files(package) / file).read_text(encoding="utf-8")


def _policy(style: str, script: str, picture_sources: str, connect_sources: str) -> str:
    """Return the content security policy: only the page's own pictures, style and scripts are allowed."""
    return (
        f"default-src 'none'; img-src {picture_sources}; style-src {_digest(style)}; script-src {_digest(script)}; "
        f"connect-src {connect_sources}; base-uri 'none'; form-action 'none'"
    )


def _digest(content: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(content.encode()).digest()).decode()}'"

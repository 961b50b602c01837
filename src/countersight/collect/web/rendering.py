"""Render pages from templates; values are escaped, and texts are translatable."""

import datetime
import re
from functools import cache
from pathlib import Path

from babel import Locale, UnknownLocaleError
from babel.numbers import format_decimal
from jinja2 import Environment, PackageLoader, StrictUndefined, pass_context
from jinja2.runtime import Context
from markdown_it import MarkdownIt
from markupsafe import Markup

from countersight.collect.flows.protocol import neutral_number
from countersight.collect.settings import LOCALE, read_catalog


@cache
def templates() -> Environment:
    """Return the templates of all pages, already compiled so that no request has to wait."""
    environment = Environment(
        loader=PackageLoader("countersight.collect.web", "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        auto_reload=False,
    )
    environment.filters |= {
        "money": _money,
        "number": neutral_number,
        "clock": _clock,
        "duration": duration,
        "percent": _percent,
        "decimal": _decimal,
        "markdown": _markdown,
    }
    for name in environment.list_templates():
        environment.get_template(name)
    return environment


def task_template(flow: str, phase: str) -> str:
    """Return the name of the template for the tasks of a phase; templates named after the phase are shared by flows."""
    names = (f"tasks/{flow}_{phase}.html", f"tasks/{phase}.html", "task.html")
    return str(templates().select_template(names).name)


@cache
def interface_texts(own: Path, language: str) -> dict[str, str]:
    """Return the texts of the interface in a language; `own` is the campaign's own folder of translations."""
    return read_catalog(LOCALE, language) | read_catalog(own, language)


@pass_context
def _money(context: Context, minor: int) -> str:
    """Format an amount in minor units with its currency."""
    return f"{_decimal(context, minor / 100, 2)} {context['settings'].pay.currency}"


@pass_context
def _decimal(context: Context, value: float, digits: int = 0) -> str:
    """Format a number with the separators of the interface's language."""
    pattern = f"#,##0.{'0' * digits}" if digits else "#,##0"
    return format_decimal(value, pattern, _locale(context["language"]))


@cache
def _locale(language: str) -> Locale:
    """Return the number formats of a language; the English ones if a campaign's own language is not known."""
    try:
        return Locale.parse(language)
    except (UnknownLocaleError, ValueError):
        return Locale("en")


def _clock(seconds: float) -> str:
    """Format a time, in UTC."""
    return datetime.datetime.fromtimestamp(seconds, datetime.UTC).strftime("%Y-%m-%d %H:%M")


def duration(seconds: float | None) -> str:
    """Format a duration in its two largest units."""
    if seconds is None:
        return "–"
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    if hours >= 48:
        return f"{hours // 24} d {hours % 24} h"
    if hours:
        return f"{hours} h {minutes:02d} min"
    return f"{minutes} min {rest:02d} s" if minutes else f"{rest} s"


def _percent(share: float | None) -> str:
    return "–" if share is None else f"{100 * share:.0f} %"


_parser = MarkdownIt("commonmark", {"html": False}).enable("table")


def _markdown(text: str) -> Markup:
    """Render Markdown as HTML. HTML tags are escaped; pictures come from the campaign's folder `guidelines`."""
    tokens = _parser.parse(text)
    for token in (each for outer in tokens for each in (outer, *(outer.children or ()))):
        if token.type == "image" and not re.match(r"[a-z]+:|/", str(token.attrs["src"])):
            token.attrs["src"] = f"/pictures/{token.attrs['src']}"
        elif token.type == "link_open":
            token.attrs |= {"target": "_blank", "rel": "noopener noreferrer"}
        elif token.tag in ("h1", "h2", "h3"):  # the page has headings of its own
            token.tag = "h3"
    return Markup(_parser.renderer.render(tokens, _parser.options, {}))  # noqa: S704 - the parser escapes

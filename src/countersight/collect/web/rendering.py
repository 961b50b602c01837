"""Pages out of templates: every value is escaped, every text of ours can be said in another language."""

import datetime
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from countersight.collect.settings import Settings


class Renderer:
    """The templates of the application, compiled once."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._environment = Environment(
            loader=PackageLoader("countersight.collect.web", "templates"),
            autoescape=True,
            undefined=StrictUndefined,
            trim_blocks=True,
            lstrip_blocks=True,
            auto_reload=False,
        )
        self._environment.filters |= {
            "money": self._money,
            "clock": _clock,
            "duration": duration,
            "percent": _percent,
            "paragraphs": _paragraphs,
        }

    def compile_all(self) -> None:
        """Compile every template now, so that nobody waits for it later."""
        for name in self._environment.list_templates():
            self._environment.get_template(name)

    def render(self, template: str, language: str, values: dict[str, Any]) -> str:
        """A template with values, in a language of the interface."""
        words = self._settings.texts.get(language, {})
        common = {"_": lambda text: words.get(text, text), "language": language, "settings": self._settings}
        return self._environment.get_template(template).render(common | values)

    def language(self, chosen: str | None, accepted: str) -> str:
        """The language of the interface: a person's choice, else what the browser asks for, else the campaign's."""
        languages = self._settings.languages
        if chosen in languages:
            return chosen
        for wanted in accepted[:200].split(","):
            short = wanted.partition(";")[0].strip().partition("-")[0].lower()
            if short in languages:
                return short
        return languages[0] if languages else "en"

    def _money(self, minor: int) -> str:
        """An amount in minor units as people write it."""
        sign = "−" if minor < 0 else ""
        return f"{sign}{abs(minor) // 100}.{abs(minor) % 100:02d} {self._settings.pay.currency}"


def _clock(seconds: float) -> str:
    """A moment, in UTC."""
    return datetime.datetime.fromtimestamp(seconds, datetime.UTC).strftime("%Y-%m-%d %H:%M")


def duration(seconds: float | None) -> str:
    """A length of time in its two largest units."""
    if seconds is None:
        return "–"
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    if hours >= 48:
        return f"{hours // 24} days"
    if hours:
        return f"{hours} h {minutes:02d} min"
    return f"{minutes} min {rest:02d} s" if minutes else f"{rest} s"


def _percent(share: float | None) -> str:
    return "–" if share is None else f"{100 * share:.0f} %"


def _paragraphs(text: str) -> Markup:
    """Plain text as paragraphs, a line each."""
    lines = (line.strip() for line in text.splitlines())
    return Markup("").join(Markup("<p>{}</p>").format(line) for line in lines if line)

"""The settings of a campaign: the structures behind `campaign.toml`."""

import json
import re
import tomllib
from importlib.resources import files
from pathlib import Path
from typing import Annotated, Literal

import msgspec
from babel.messages.pofile import read_po
from msgspec import Meta

from countersight.errors import CampaignError

LOCALE = Path(__file__).with_name("web") / "locale"
"""The folder of translations of the interface and of the guidelines that a campaign begins with."""
GUIDELINES = "guidelines"
"""The folder of guidelines in Markdown, one file per phase, and of their pictures."""
FlowName = Literal["cosim", "cfmm", "cvqa", "verify", "answer", "judge"]
Cents = Annotated[int, Meta(ge=0, le=1_000_000)]
"""An amount of money in minor units, limited to catch typing errors."""
Number = Annotated[int, Meta(ge=0, le=1_000_000)]
Limit = Annotated[int, Meta(ge=1, le=1_000_000)]
"""A maximum number, at least 1; omit the setting for no limit."""
Version = Annotated[int, Meta(ge=1, le=1_000_000)]
Share = Annotated[float, Meta(ge=0, le=1)]
Seconds = Annotated[float, Meta(gt=0, le=3600)]
_YEAR = 525_600  # minutes


class GuidelineExample(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """An example of a worker's text, and what is good or bad about it."""

    text: str
    good: bool
    why: str


class TestQuestion(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One question of a qualification test."""

    __test__ = False  # not a test of pytest's

    text: str
    options: tuple[str, ...]
    answer: Annotated[int, Meta(ge=1)]
    """The number of the right option, counted from 1."""
    why: str = ""
    """An explanation that is shown after the last try."""

    def __post_init__(self) -> None:
        if self.answer > len(self.options):
            raise ValueError(f"answer must be the number of an option, 1 to {len(self.options)}")


class Test(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A qualification test that must be passed before working in a phase."""

    __test__ = False

    questions: Annotated[tuple[TestQuestion, ...], Meta(min_length=1)]
    version: Version = 1
    tries: Annotated[int, Meta(ge=1, le=100)] = 2
    pass_mark: Annotated[float, Meta(gt=0, le=1)] = 1.0
    """The share of right answers required to pass."""


class PhaseSettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The settings of one phase: instructions, qualification and pay."""

    guidelines: str
    version: Version = 1
    """The version of the guidelines; raise it when they change, because each contribution records it."""
    pay: Cents = 0
    """The pay for one contribution, in minor units of the currency (cents)."""
    people: Annotated[int, Meta(ge=1, le=100)] = 1
    """The number of people who do this phase of an item, independently of each other."""
    most: Limit | None = None
    """The maximum number of contributions per person; None for no limit."""
    examples: tuple[GuidelineExample, ...] = ()
    test: Test | None = None


class Pay(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Bonuses, and the currency of all amounts."""

    currency: str = "USD"
    fooling: Cents = 0
    """The bonus for each distractor that fooled the model, in minor units; paid when a reviewer accepts the item."""
    series: Number = 0
    """The number of contributions after which the bonus for each further one grows by `series_step`; 0 for none."""
    series_first: Cents = 0
    series_step: Cents = 0


class Prolific(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Prolific: people arrive through a link with their id and return with a completion code."""

    completion_code: str = ""
    screen_out_code: str = ""
    contributions: Number = 0
    """The number of contributions per submission, after which the completion code is shown."""


class Loop(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The model in the loop."""

    model: str = "ranker"
    """`ranker`, trained on the campaign's own train split, or any model of `countersight list models` that ranks."""
    deadline: Seconds = 2.0
    """The number of seconds after which a check is abandoned and the person continues without it."""
    attempts: Annotated[int, Meta(ge=1, le=1000)] = 5
    """The maximum number of checks of one item."""


class Consent(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The consent text that people agree to before they work."""

    text: str
    version: Version = 1


def primary_language(code: str) -> str:
    """Return an HTML language code without region and script."""
    return code.partition("-")[0].lower()


class Settings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Everything in campaign.toml."""

    title: str
    flow: FlowName
    phases: dict[str, PhaseSettings]
    consent: Consent
    license: str = "CC-BY-4.0"
    language: str = "en"
    """The language that people write in, as an HTML code."""
    languages: Annotated[tuple[str, ...], Meta(min_length=1)] = ("en",)
    """The languages of the interface; the first is the default."""
    lease_minutes: Annotated[float, Meta(gt=0, le=_YEAR)] = 30
    undo_minutes: Annotated[float, Meta(ge=0, le=_YEAR)] = 60
    splits: dict[str, Share] = msgspec.field(default_factory=lambda: {"train": 1.0})
    gold_share: Annotated[float, Meta(ge=0, lt=1)] = 0.0
    """The share of assigned items that have a known answer."""
    return_days: Annotated[float, Meta(gt=0, le=365)] = 7
    """The number of days that returned work is reserved for its author."""
    quotas: dict[str, Limit] = {}
    """The maximum number of items of a group (an aspect, a type of change)."""
    person_quotas: dict[str, Limit] = {}
    """The maximum number of items of a group for each person."""
    contact: str = ""
    welcome: str = ""
    """The text on the login page."""
    pay: Pay = Pay()
    prolific: Prolific = Prolific()
    loop: Loop = Loop()

    @property
    def grammar(self) -> str:
        """The language whose grammar is checked: "en" for the code "en-GB"."""
        return primary_language(self.language)

    def __post_init__(self) -> None:
        if abs(sum(self.splits.values()) - 1) > 1e-6:
            raise ValueError("splits: the shares must add up to 1")


def read_catalog(folder: Path, language: str) -> dict[str, str]:
    """Return the texts of a language from a gettext catalog, `locale/LANGUAGE/LC_MESSAGES/messages.po`."""
    file = folder / language / "LC_MESSAGES" / "messages.po"
    if not language.isalnum() or not file.is_file():
        return {}
    with open(file, "rb") as opened:
        return {str(message.id): str(message.string) for message in read_po(opened) if message.id and message.string}


def read_settings(file: Path) -> Settings:
    """Read and check the settings in a campaign.toml."""
    try:
        settings = msgspec.convert(tomllib.loads(file.read_text(encoding="utf-8")), Settings)
    except FileNotFoundError:
        raise CampaignError(
            f"{file.parent} is not a campaign: it contains no {file.name}; make a campaign with: countersight "
            "collect new"
        ) from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, msgspec.ValidationError) as error:
        raise CampaignError(f"{file}: {error}") from None
    phases = dict(settings.phases)
    for name, phase in phases.items():
        own = file.parent / GUIDELINES / f"{name}.md"  # in place of those in the file
        if own.is_file():
            phases[name] = msgspec.structs.replace(phase, guidelines=own.read_text(encoding="utf-8"))
    return msgspec.structs.replace(settings, phases=phases)


def settings_text(flow: str, title: str, language: str = "en", license: str = "") -> str:
    """Return the text of the initial `campaign.toml`, in the language of the campaign if there is a translation."""
    defaults = files(__package__) / "defaults"
    short = primary_language(language)
    catalog = read_catalog(LOCALE, short)
    lines = "".join((defaults / f"{name}.toml").read_text(encoding="utf-8") for name in (flow, "consent")).splitlines()
    said = re.compile(r'"([^"]+)"')
    text = ""
    for line in lines:
        if re.match("(?:text|why|options) = ", line):
            line = said.sub(lambda found: f'"{catalog.get(found[1], found[1])}"', line)
        text += catalog.get(line, line) + "\n"
    text = text.replace('language = "en"', f"language = {json.dumps(language)}", 1)
    if catalog:
        text = text.replace('languages = ["en"]', f'languages = ["{short}", "en"]', 1)
    if license:
        text = text.replace('license = "CC-BY-4.0"', f"license = {json.dumps(license, ensure_ascii=False)}", 1)
    return text.replace('"{title}"', json.dumps(title, ensure_ascii=False), 1)

"""A demo campaign: drawn pictures, three accounts, and a few items in every phase."""

import time
from contextlib import closing
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Final

from sqlalchemy import Connection

from countersight.collect import people, work
from countersight.collect.campaign import SETTINGS, Campaign, picture_name
from countersight.collect.flows import Content, Past
from countersight.collect.flows.cosim import Distracted, WrittenChange, WrittenQuestion
from countersight.collect.making import new_campaign
from countersight.scenes import draw, encode
from countersight.suites.cvqa import TEMPLATES

PASSWORD: Final = "countersight"  # noqa: S105 - a demonstration's, said aloud
ACCOUNTS: Final[tuple[tuple[str, people.Role], ...]] = (("ada", "worker"), ("ben", "reviewer"), ("cleo", "lead"))
_PICTURES = 60
_DAY = 86_400.0


def make_demo(folder: Path) -> None:
    """Create the campaign, unless it exists."""
    if (folder / SETTINGS).exists():
        return
    with TemporaryDirectory(dir=folder.resolve().parent) as drawn:
        shown = draw_pictures(Path(drawn), _PICTURES)
        new_campaign(folder, "cosim", title="Demo: what if it were different?", pictures=Path(drawn))
    names = ", ".join(f"{name} ({role})" for name, role in ACCOUNTS)
    welcome = f'welcome = "A campaign to look around in. Log in as {names}; the password of all is {PASSWORD}."'
    text = (folder / SETTINGS).read_text(encoding="utf-8").replace('welcome = ""', welcome, 1)
    (folder / SETTINGS).write_text(text, encoding="utf-8")
    with closing(Campaign.open(folder)) as campaign:
        campaign.store.write_now(lambda connection: _fill(connection, campaign, shown))


def draw_pictures(folder: Path, number: int) -> dict[str, str]:
    """Draw pictures of our own scenes, without downloads; return a description of each by its name in a campaign."""
    folder.mkdir(parents=True, exist_ok=True)
    shown = {}
    for place in range(number):
        scene = TEMPLATES[place % len(TEMPLATES)].solved(7, place).puzzle.scene
        data = encode(draw(scene))
        (folder / f"{place:04d}.png").write_bytes(data)
        shown[picture_name(data, "image/png")] = "flowers" if scene.flowers else "dots"
    return shown


def _fill(connection: Connection, campaign: Campaign, shown: dict[str, str]) -> None:
    """Add three accounts, authors whose work waits for verification, and flags that wait for a reviewer."""
    now, settings, hashed = time.time(), campaign.settings, people.hash_password(PASSWORD)
    for name, role in ACCOUNTS:
        person = people.insert_person(connection, name, role, now, password=hashed)
        people.agree(connection, person, settings.consent.version, now)
        for phase in campaign.flow.phases[1:]:  # every test but the first, which is there to be seen
            test = settings.phases[phase.name].test
            assert test is not None
            right = [question.answer for question in test.questions]
            work.take_test(connection, settings, person, phase.name, right, now)
    authors = [people.add_person(connection, f"author {letter}", "worker", now) for letter in "ABC"]
    chance = Random(5)
    for name, author, number, days in (
        ("question", authors[0], 52, 8),
        ("change", authors[1], 46, 4),
        ("distractor", authors[2], 40, 0),
    ):
        for _ in range(number):
            then = now - (days + chance.uniform(0, 4)) * _DAY  # each phase after the one before
            _contribute(connection, campaign, author, name, then, chance, shown)
    for reason, words in _FLAGS:
        lease = work.claim(connection, settings, authors[2], "change", now, chance)
        if lease is not None:
            work.flag(connection, settings, lease, "question", reason, words, now)


def _contribute(
    connection: Connection,
    campaign: Campaign,
    author: int,
    phase: str,
    now: float,
    chance: Random,
    shown: dict[str, str],
) -> None:
    lease = work.claim(connection, campaign.settings, author, phase, now, chance)
    if lease is None:
        return
    item = work.load_item(connection, lease.item_id)
    if phase == "distractor" and item.split != "train":  # those are what the model in the loop is asked about
        work.release(connection, campaign.settings, lease)
        return
    past = work.load_past(connection, campaign.flow, item.id, ("question", "change"))
    content = _written(past, item.source["pictures"], chance, shown)
    evidence = work.WritingEvidence(chance.uniform(40, 150))
    work.submit(connection, campaign.settings, campaign.flow, lease, content, evidence, now)


def _written(past: Past, pictures: list[str], chance: Random, shown: dict[str, str]) -> Content:
    """Return an author's text for a phase: plain sentences, enough to show every phase."""
    if "question" not in past:
        picture = chance.choice(pictures)
        thing = shown[picture]
        justification = f"because there are only a few {thing} and they lie apart"
        return WrittenQuestion(
            picture, f"Would a child count the {thing} quickly?", "Yes", justification, (0, 0, 100, 100), thing
        )
    thing, other, another = past["question"][-1].object, *chance.sample(_OTHERS, 2)
    if "change" not in past:
        change = f"Add many {other} that lie on top of the {thing}."
        return WrittenChange("flip", change, f"No, because many {other} lie on top of the {thing} now.", _KINDS)
    right = past["change"][-1].response
    if chance.random() < _EDITS:
        right = right.replace("because many", "since so many")
    wrong = (f"No, because all of the {thing} have been removed now.", f"Yes, because the {thing} are much larger now.")
    return Distracted(right, (*wrong, f"Yes, because many {another} stand beside the {thing} now."))


_OTHERS = ("leaves", "coins", "pebbles", "feathers", "butterflies", "buttons")
_KINDS = ("object addition",)
_EDITS = 0.05
"""Share of the right responses that are put into other words with the distractors: a reviewer sees them."""
_FLAGS = (
    ("guidelines", "Counting needs no common sense: this can be answered by looking."),
    ("unclear", "Which child is meant? I would not know what to change."),
)
"""What somebody says of the work before theirs."""

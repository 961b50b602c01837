"""A demo campaign: drawn pictures, three accounts, and a few items in every phase."""

import time
from contextlib import closing
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Final

from sqlalchemy import Connection

from countersight.collect import people, work
from countersight.collect.campaign import SETTINGS, Campaign
from countersight.collect.flows import Content, Past, Sources
from countersight.collect.flows.cosim import Distracted, WrittenChange, WrittenQuestion
from countersight.collect.managing import new_campaign

PASSWORD: Final = "countersight"  # noqa: S105 - a demonstration's, said aloud
ACCOUNTS: Final[tuple[tuple[str, people.Role], ...]] = (("ada", "worker"), ("ben", "reviewer"), ("cleo", "lead"))
_PICTURES = 60


def make_demo(folder: Path) -> None:
    """Create the campaign, unless it exists."""
    if (folder / SETTINGS).exists():
        return
    with TemporaryDirectory(dir=folder.resolve().parent) as drawn:
        draw_pictures(Path(drawn), _PICTURES)
        new_campaign(folder, "cosim", Sources(Path(drawn)), title="Demo: what if it were different?")
    names = ", ".join(f"{name} ({role})" for name, role in ACCOUNTS)
    welcome = f'welcome = "A campaign to try out. Log in as {names}; every account has the password {PASSWORD}."'
    text = (folder / SETTINGS).read_text(encoding="utf-8").replace('welcome = ""', welcome, 1)
    (folder / SETTINGS).write_text(text, encoding="utf-8")
    with closing(Campaign.open(folder)) as campaign:
        campaign.store.write_now(lambda connection: _fill(connection, campaign))


def draw_pictures(folder: Path, number: int) -> None:
    """Draw pictures of generated scenes; nothing is downloaded."""
    from countersight.scenes import draw, encode  # needs system libraries that a server may lack
    from countersight.suites.cvqa import TEMPLATES

    folder.mkdir(parents=True, exist_ok=True)
    for place in range(number):
        scene = TEMPLATES[place % len(TEMPLATES)].solved(7, place).puzzle.scene
        (folder / f"{place:04d}.png").write_bytes(encode(draw(scene)))


def _fill(connection: Connection, campaign: Campaign) -> None:
    """Add three accounts, work by authors that waits for the next phase, and a flag that waits for a reviewer."""
    now, flow, hashed = time.time(), campaign.flow, people.hash_password(PASSWORD)
    for name, role in ACCOUNTS:
        person = people.insert_person(connection, name, role, now, password=hashed)
        people.agree(connection, person, campaign.settings.consent.version, now)
        for phase in flow.phases[1:]:  # except the first test, so that visitors see it
            test = campaign.settings.phases[phase.name].test
            assert test is not None
            right = [question.answer for question in test.questions]
            work.take_test(connection, campaign, person, phase.name, right, now)
    chance = Random(5)
    for phase, number in zip(flow.phases, (52, 46, 40), strict=True):
        author = people.add_person(connection, f"author: {phase.title}", "worker", now)
        for _ in range(number):
            lease = work.claim(connection, campaign, author, phase.name, now, chance)
            if lease is None:
                break
            item = work.load_item(connection, lease.item_id)
            if phase.checked and item.split != "train":  # the model in the loop checks only these
                work.release(connection, campaign, lease)
                continue
            content = _write(work.load_past(connection, flow, item.id, phase.name), item.source["pictures"], chance)
            work.submit(connection, campaign, lease, content, now, seconds=chance.uniform(40, 150))
    lease = work.claim(connection, campaign, author, "change", now, chance)
    assert lease is not None  # fewer changes than questions were written
    words = "Counting needs no common sense: this can be answered by looking."
    work.flag(connection, campaign, lease, "guidelines", words, now)


def _write(past: Past, pictures: list[str], chance: Random) -> Content:
    """Return sample content for the phase after `past`."""
    if not past:
        asked = ("Would a child count the shapes quickly?", "Yes", "because there are few and they are far apart")
        return WrittenQuestion(chance.choice(pictures), *asked, (0, 0, 100, 100), "shapes")
    other, another = chance.sample(("leaves", "coins", "pebbles", "feathers", "butterflies", "buttons"), 2)
    if "change" not in past:
        response = f"No, because many {other} lie on top of the shapes now."
        return WrittenChange("flip", f"Add many {other} that lie on top of the shapes.", response, ("object addition",))
    wrong = ("No, because all of the shapes have been removed now.", "Yes, because the shapes are much larger now.")
    third = f"Yes, because many {another} lie beside the shapes now."
    return Distracted(past["change"][-1].response, (*wrong, third))

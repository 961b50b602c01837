"""A campaign to look at: drawn pictures, three accounts, and a few items in every phase."""

import time
from pathlib import Path
from random import Random
from typing import Final

from sqlalchemy import Connection

from countersight.collect import people, work
from countersight.collect.campaign import Campaign
from countersight.collect.flows import Content
from countersight.collect.flows.cosim import Asked, Changed, Distracted
from countersight.collect.making import new_campaign
from countersight.scenes import draw, encode
from countersight.suites.cvqa import TEMPLATES

PASSWORD: Final = "countersight"  # noqa: S105 - a demonstration's, said aloud
ACCOUNTS: Final[tuple[tuple[str, people.Role], ...]] = (("ada", "worker"), ("ben", "reviewer"), ("cleo", "lead"))
_PICTURES = 180


def make_demo(folder: Path) -> None:
    """Make the campaign, unless it is there already."""
    if (folder / "campaign.toml").exists():
        return
    pictures = folder.with_name(f".{folder.name}-pictures")
    draw_pictures(pictures, _PICTURES)
    new_campaign(folder, "cosim", title="CoSIm in small", pictures=pictures)
    for file in pictures.iterdir():
        file.unlink()
    pictures.rmdir()
    campaign = Campaign.open(folder)
    try:
        campaign.store.write_now(lambda connection: _fill(connection, campaign))
    finally:
        campaign.close()


def draw_pictures(folder: Path, number: int) -> None:
    """Pictures of our own scenes: nothing has to be downloaded."""
    folder.mkdir(parents=True, exist_ok=True)
    for place in range(number):
        solved = TEMPLATES[place % len(TEMPLATES)].solved(7, place)
        (folder / f"{place:04d}.png").write_bytes(encode(draw(solved.puzzle.scene)))


def _fill(connection: Connection, campaign: Campaign) -> None:
    """Three accounts, and authors whose work is there to be verified."""
    now = time.time()
    hashed = people.hash_password(PASSWORD)
    for name, role in ACCOUNTS:
        token = people.invite(connection, name, role, now)
        person = people.accept_invitation(connection, token, hashed, now)
        assert person is not None
        people.agree(connection, person.id, campaign.settings.consent.version, now)
    authors = [people.add_person(connection, f"author {letter}", "worker", now) for letter in "ABC"]
    chance = Random(5)
    for phase, author, number in (
        ("question", authors[0], 52),
        ("change", authors[1], 46),
        ("distractor", authors[2], 40),
    ):
        for _ in range(number):
            _contribute(connection, campaign, author, phase, now, chance)


def _contribute(
    connection: Connection, campaign: Campaign, author: int, phase: str, now: float, chance: Random
) -> None:
    lease = work.claim(connection, campaign.settings, author, phase, now, chance)
    if lease is None:
        return
    item = work.load_item(connection, lease.item_id)
    if phase == "distractor" and item.split != "train":  # those are what the model in the loop is asked about
        work.release(connection, campaign.settings, lease)
        return
    content = _written(phase, item.source["pictures"], chance)
    evidence = work.Evidence(chance.uniform(40, 150))
    work.submit(
        connection, campaign.settings, campaign.flow, lease, content, evidence, now - chance.uniform(0, 12) * 86_400
    )


def _written(phase: str, pictures: list[str], chance: Random) -> Content:
    """What an author wrote: plain sentences about shapes, enough to see every phase."""
    thing, other = chance.sample(_THINGS, 2)
    if phase == "question":
        picture = chance.choice(pictures)
        justification = f"because most of the {thing} lie close together"
        return Asked(picture, f"Would the {thing} be easy to count?", "Yes", justification, (20, 20, 40, 40), thing)
    if phase == "change":
        change = f"Scatter the {thing} far apart and add many {other} between them."
        return Changed("flip", change, f"No, because many {other} stand between the {thing} now.", _KINDS)
    right = f"No, because many {other} stand between the {thing} now."
    wrong = (f"No, because many {thing} have been removed now.", f"Yes, because the {thing} are all in one corner now.")
    return Distracted(right, (*wrong, f"Yes, because the {other} are much larger than the {thing} now."))


_THINGS = ("flowers", "dots", "circles", "petals", "red shapes", "blue shapes")
_KINDS = ("object addition", "object relocation")

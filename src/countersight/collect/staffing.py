"""What a lead does about people from the command line: inviting, roles, tests, deletion."""

import time

from countersight.collect import people, work
from countersight.collect.arriving import forget
from countersight.collect.campaign import Campaign


def invite_person(campaign: Campaign, name: str, role: people.Role) -> str:
    """Make an account, or open an existing one anew; the token of its one-time link."""
    return campaign.store.write_now(lambda c: people.invite(c, name, role, time.time()))


def change_role(campaign: Campaign, name: str, role: people.Role) -> None:
    """Give somebody another role."""
    person = campaign.store.read(lambda c: people.find_person(c, name))
    campaign.store.write_now(lambda c: people.set_role(c, person.id, role))


def reset_tests(campaign: Campaign, name: str) -> None:
    """Let somebody take their tests again."""
    person = campaign.store.read(lambda c: people.find_person(c, name))
    campaign.store.write_now(lambda c: work.reset(c, person.id, None))


def forget_person(campaign: Campaign, name: str) -> None:
    """Delete what says who somebody is; what they contributed stays under the pseudonym."""
    person = campaign.store.read(lambda c: people.find_person(c, name))
    campaign.store.write_now(lambda c: forget(c, campaign.secret, person.id, time.time()))


def list_people(campaign: Campaign) -> list[people.Person]:
    """All accounts."""
    return campaign.store.read(people.everybody)

"""Manage people from the command line; every action is logged."""

import time
from collections.abc import Callable

from sqlalchemy import Connection

from countersight.collect import people, work
from countersight.collect.audit_log import record
from countersight.collect.campaign import Campaign
from countersight.collect.prolific import forget
from countersight.errors import CampaignError


def invite_person(campaign: Campaign, name: str, role: people.Role | None = None) -> tuple[str, people.Person | None]:
    """Create an account (by default of a worker), or a new link for an existing one.

    The token of the one-time link, and the account that was there already. A new link never changes a role.
    """

    def invite(connection: Connection) -> tuple[str, people.Person | None]:
        there, now = people.account_named(connection, name), time.time()
        if there and role not in (None, there.role):
            raise CampaignError(f"{there.name} has an account with the role {there.role}: a link does not change roles")
        if there:
            record(connection, None, "link", there.id, {}, now)
            return people.new_link(connection, there.id, now), there
        token = people.invite(connection, name, role or "worker", now)
        invited = people.find_person(connection, name)
        record(connection, None, "invite", invited.id, {"role": invited.role}, now)
        return token, None

    return campaign.store.write_now(invite)


def _about(campaign: Campaign, name: str, action: str, job: Callable[[Connection, int], object], details: str) -> None:
    """Do something about a person, and note it."""

    def done(connection: Connection) -> None:
        person = people.find_person(connection, name)
        job(connection, person.id)
        record(connection, None, action, person.id, {"to": details} if details else {}, time.time())

    campaign.store.write_now(done)


def change_role(campaign: Campaign, name: str, role: people.Role) -> None:
    """Change the role of a person."""
    _about(campaign, name, "change_role", lambda c, who: people.set_role(c, who, role), role)


def set_access(campaign: Campaign, name: str, access: work.Access) -> None:
    """Allow somebody to work, pause them or block them."""
    settings = campaign.settings
    _about(campaign, name, "set_access", lambda c, who: work.set_access(c, settings, who, access), access)


def reset_tests(campaign: Campaign, name: str) -> None:
    """Allow somebody to repeat their tests."""
    _about(campaign, name, "reset_tests", lambda c, who: work.reset(c, who, None), "")


def forget_person(campaign: Campaign, name: str) -> None:
    """Delete a person's identity; their contributions stay under the pseudonym."""
    _about(campaign, name, "forget", lambda c, who: forget(c, campaign.secret, who, time.time()), "")


def make_token(campaign: Campaign, name: str) -> str:
    """Return a token for the scripts of a lead."""
    made: list[str] = []
    _about(
        campaign,
        name,
        "make_token",
        lambda c, who: made.append(people.begin_session(c, who, time.time(), "command line")),
        "",
    )
    return made[-1]


def list_people(campaign: Campaign) -> list[people.Person]:
    """Return all accounts."""
    return campaign.store.read(people.everybody)

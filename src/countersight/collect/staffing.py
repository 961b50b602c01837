"""Manage people from the command line; every action is logged."""

import time
from collections.abc import Callable
from typing import Any, Final

from sqlalchemy import Connection

from countersight.collect import people, work
from countersight.collect.audit_log import record
from countersight.collect.campaign import Campaign
from countersight.collect.deletion import forget
from countersight.errors import CampaignError

ACTIONS: Final[dict[str, Callable[[Connection, Campaign, int, Any], Any]]] = {
    "change_role": lambda c, _, who, role: people.set_role(c, who, role),
    "set_access": lambda c, campaign, who, access: work.set_access(c, campaign.settings, who, access),
    "reset_tests": lambda c, _, who, nothing: work.reset_tests(c, who, None),
    "forget": lambda c, campaign, who, nothing: forget(c, campaign.secret, who, time.time()),
    "make_token": lambda c, _, who, nothing: people.begin_session(c, who, time.time(), "command line"),
}
"""Actions on a person: change the role or the access, let the person repeat the tests, delete, make an API token."""


def manage_person(campaign: Campaign, name: str, action: str, value: str = "") -> Any:
    """Run an action on a person, found by name or pseudonym; return its result, such as a token."""

    def act(connection: Connection) -> Any:
        person = people.find_person(connection, name)
        result = ACTIONS[action](connection, campaign, person.id, value)
        details = {"role": value} if action == "change_role" else {"access": value} if value else {}
        record(connection, None, action, person.id, details, time.time())
        return result

    return campaign.store.write_now(act)


def invite_person(campaign: Campaign, name: str, role: people.Role | None = None) -> tuple[str, people.Person | None]:
    """Create an account (a worker's by default), or a new link for an existing account.

    Return the token of the one-time link, and the account if it existed. A new link never changes a role.
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


def list_people(campaign: Campaign) -> list[people.Person]:
    """Return all accounts."""
    return campaign.store.read(people.everybody)

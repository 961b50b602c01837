"""Login and logout, invitations, arrivals from Prolific, consent, and the account page."""

import asyncio
import math
import re
import time
from collections import OrderedDict

from sqlalchemy import Connection
from starlette.responses import Response

from countersight.collect import people
from countersight.collect.audit_log import record
from countersight.collect.web.visit import RefusedError, Visit

_MOST_KEYS = 100_000


class Limiter:
    """Limits each key to a number of tries in a period."""

    def __init__(self, tries: int, seconds: float) -> None:
        self._tries = tries
        self._seconds = seconds
        self._seen: OrderedDict[str, tuple[float, int]] = OrderedDict()
        """When the period of a key began, and the tries in it."""

    def take(self, key: str) -> None:
        """Count a try, or refuse it and say how long to wait."""
        now = time.monotonic()
        since, tries = self._seen.pop(key, (now, 0))
        if now - since >= self._seconds:
            since, tries = now, 0
        self._seen[key] = since, min(tries + 1, self._tries)
        while len(self._seen) > _MOST_KEYS:  # invented keys can only displace the oldest
            self._seen.popitem(last=False)
        if tries >= self._tries:
            wait = max(1, math.ceil(since + self._seconds - now))
            raise RefusedError(
                429, "Too many attempts. Wait {minutes} minutes, then try again.", wait, minutes=wait // 60 + 1
            )

    def take_back(self, key: str, *, everything: bool = False) -> None:
        """Remove the last try (it was not a guess) or all tries from the count."""
        since, tries = self._seen.get(key, (0.0, 0))
        self._seen[key] = since, 0 if everything else max(0, tries - 1)


_from_there = Limiter(10, 900)
"""Tries for one name from one address, so that guesses from elsewhere do not lock the owner out."""
_per_name = Limiter(100, 900)
_per_address = Limiter(60, 900)
_arrivals = Limiter(300, 900)
"""Arrivals from Prolific by address; many people may share one."""
_PROLIFIC_ID = re.compile(r"[A-Za-z0-9_-]{4,64}")


async def login_page(visit: Visit) -> Response:
    """Show the login form; people who are logged in are redirected."""
    if visit.person is not None:
        return visit.go("/")
    asked = visit.request.query_params
    return visit.render(
        "login.html", name="", fault="", deleted="deleted" in asked, next=_inside(asked.get("next", "/"))
    )


async def login(visit: Visit) -> Response:
    """Check name and password, and start a new session."""
    name, password = visit.form.get("name", "").strip(), visit.form.get("password", "")
    following = _inside(visit.form.get("next", "/"))
    who, address = name[:100].casefold(), _address(visit)
    pair = f"{address} {who}"
    for limiter, key in ((_from_there, pair), (_per_name, who), (_per_address, address)):
        limiter.take(key)
    found = visit.store.read(lambda c: people.stored_password(c, name))
    # Argon2 is slow on purpose, so it runs in a thread.
    right = await asyncio.to_thread(people.is_password, password, found[1] if found else None)
    if not right or found is None:
        fault = visit.say("Name or password is wrong.")
        return visit.render("login.html", 401, name=name[:100], fault=fault, deleted=False, next=following)
    if found[0].access == "blocked":
        raise RefusedError(403, "This account was closed by the lead of the campaign.")
    _from_there.take_back(pair, everything=True)
    _per_name.take_back(who)
    _per_address.take_back(address)
    return await begin(visit, found[0].id, following)


async def begin(visit: Visit, person_id: int, following: str) -> Response:
    """Start a new session at every login (prevents session fixation)."""
    if visit.person is not None:
        await visit.store.write(lambda c: people.end_session(c, visit.token))
    visit.token = await visit.store.write(lambda c: people.begin_session(c, person_id, visit.now))
    return visit.go(following)  # sets the new cookie


async def logout(visit: Visit) -> Response:
    """End the session."""
    await visit.store.write(lambda c: people.end_session(c, visit.token))
    return visit.go("/login")


async def join_page(visit: Visit, fault: str = "") -> Response:
    """Show the password form of a one-time link, with the reason if a password was rejected."""
    shown = {"invited": _invited(visit), "link": visit.request.path_params["link"]}
    return visit.render("join.html", 422 if fault else 200, fault=visit.say(fault), **shown)


async def join(visit: Visit) -> Response:
    """Store the password and invalidate the link."""
    link = visit.request.path_params["link"]
    password = visit.form.get("password", "")
    fault = people.password_fault(password)
    if fault is None and password != visit.form.get("again", ""):
        fault = "The two passwords are not the same."
    if fault:
        return await join_page(visit, fault)
    hashed = await asyncio.to_thread(people.hash_password, password)
    person = await visit.store.write(lambda c: people.accept_invitation(c, link, hashed, visit.now))
    if person is None:
        raise RefusedError(404, "This link was already used or has expired. Ask for a new one.")
    return await begin(visit, person.id, "/")


def _invited(visit: Visit) -> people.Person:
    invited = visit.store.read(lambda c: people.find_invited(c, visit.request.path_params["link"], visit.now))
    if invited is None:
        raise RefusedError(404, "This link was already used or has expired. Ask for a new one.")
    return invited


async def arrive(visit: Visit) -> Response:
    """Admit a participant from Prolific, with their id in the address, if the campaign uses Prolific."""
    asked = visit.request.query_params
    ids = [asked.get(name, "") for name in ("PROLIFIC_PID", "STUDY_ID", "SESSION_ID")]
    if not visit.settings.prolific.completion_code:
        raise RefusedError(
            403, "This campaign does not accept people from Prolific: its settings have no completion code."
        )
    if not all(map(_PROLIFIC_ID.fullmatch, ids)):
        raise RefusedError(400, "The link from Prolific is not complete. Open the study again from there.")
    _arrivals.take(_address(visit))
    secret = visit.campaign.secret
    who = await visit.store.write(lambda c: people.admit(c, secret, ids[0], ids[2], visit.now))
    if who is None:
        raise RefusedError(403, "Your data was deleted, or you were blocked; you cannot take part again.")
    return await begin(visit, who, "/")


async def consent_page(visit: Visit) -> Response:
    """Show the consent text."""
    return visit.render("consent.html")


async def consent(visit: Visit) -> Response:
    """Record the consent."""
    await visit.store.write(lambda c: people.agree(c, visit.me.id, visit.settings.consent.version, visit.now))
    return visit.go("/")


async def account_page(visit: Visit, fault: str = "") -> Response:
    """Show a person's own account: the stored data, and how to delete it."""
    return visit.render("account.html", 422 if fault else 200, fault=fault)


async def delete_account(visit: Visit) -> Response:
    """Delete the identity of a person, after confirmation."""
    if visit.form.get("sure") != visit.me.pseudonym:
        return await account_page(visit, visit.say("Type your pseudonym to confirm."))

    def delete(connection: Connection) -> None:
        people.forget(connection, visit.campaign.secret, visit.me.id, visit.now)
        record(connection, visit.me.id, "forget", visit.me.id, {}, visit.now)

    await visit.store.write(delete)
    return visit.go("/login?deleted=1")


def _inside(path: str) -> str:
    """Return a path of this site, or the first page, so that a login never redirects to another site."""
    return path if re.fullmatch(r"/[A-Za-z0-9/_-]*", path) and not path.startswith("//") else "/"


def _address(visit: Visit) -> str:
    return visit.request.client.host if visit.request.client else ""

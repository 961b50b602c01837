"""Handle a request: read the form, check permissions, answer errors, and set security headers."""

import hmac
import logging
import secrets
from typing import Final
from urllib.parse import parse_qsl, quote

import msgspec
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response

from countersight.collect.people import session_person
from countersight.collect.web.visit import COOKIE, Page, RefusedError, Site, Visit
from countersight.errors import CampaignError

_LARGEST_FORM = 256 * 1024
_MOST_FIELDS = 200
_HEADERS: Final = {
    "Content-Security-Policy": "default-src 'none'; img-src 'self' data:; style-src 'self'; script-src 'self'; "
    "connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cache-Control": "no-store",
}
_SECURE: Final = {"Strict-Transport-Security": "max-age=31536000"}
_log = logging.getLogger("countersight.collect")


async def respond(site: Site, page: Page, request: Request) -> Response:
    """Return the response of a page's handler, or one that says why the request is refused."""
    kind, _, bearer = request.headers.get("authorization", "").partition(" ")
    script = kind.lower() == "bearer" and page.path.startswith("/api/")
    token = (bearer if script else request.cookies.get(COOKIE, ""))[:100]
    visit = Visit(site, request, token or secrets.token_urlsafe(32), script=script)
    try:
        if token:
            visit.person = visit.store.read(lambda c: session_person(c, token, visit.now, script=script))
        response = await _checked_response(visit, page)
    except RefusedError as refused:
        response = visit.refused(refused.status, visit.say(refused.words).format(**refused.values))
        response.headers.update(refused.headers)
    except CampaignError as error:
        response = visit.refused(422, visit.say(str(error)))
    except Exception:  # the log gets the place of the error, without what was typed
        _log.exception("%s %s", page.method, page.path)
        response = visit.refused(
            500,
            visit.say(
                "The server had an error, and your last input may not be stored. Go back and try again; if it fails "
                "again, tell the lead of the campaign."
            ),
        )
    for name, value in (_HEADERS | (_SECURE if site.secure else {})).items():
        response.headers.setdefault(name, value)
    if visit.token != token and not script:  # HttpOnly and SameSite
        fortnight = 14 * 24 * 3600
        response.set_cookie(COOKIE, visit.token, fortnight, secure=site.secure, httponly=True, samesite="lax")
    return response


async def _checked_response(visit: Visit, page: Page) -> Response:
    """Check the form and the permissions of a visit, then call the handler of the page."""
    if visit.is_api and page.role and visit.person is None:
        raise RefusedError(401, "Send a valid token (Authorization: Bearer …). Leads make one on the page Tokens.")
    if page.method == "POST":
        visit.form = await read_form(visit.request, script=visit.script)
        csrf = visit.form.get("csrf", "").encode()
        if page.checked and not visit.script and not hmac.compare_digest(csrf, visit.csrf.encode()):
            raise RefusedError(403, "This form is out of date. Go back, reload the page, and send it again.")
    if page.role is None:
        return await page.handler(visit)
    if visit.person is None:
        if page.method == "GET":
            return visit.go(f"/login?next={quote(visit.request.url.path)}")
        raise RefusedError(401, "You are logged out. Log in in another tab, then go back and send this again.")
    if not visit.person.is_at_least(page.role):
        raise RefusedError(403, "This page is for people with the role {role}.", role=visit.say(page.role))
    if visit.person.access == "paused" and not page.paused:
        raise RefusedError(403, "Your account is paused. The lead of the campaign can tell you why.")
    if page.consented and not visit.script and visit.person.consent != visit.settings.consent.version:
        if page.method == "GET":
            return visit.go("/consent")
        raise RefusedError(403, "Please read and accept the consent text first.")
    return await page.handler(visit)


async def read_form(request: Request, *, script: bool = False) -> dict[str, str]:
    """Return the fields of a posted form, or of a script's JSON; raises if it is too large or invalid."""
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    bare = script and not kind  # a script may send no body
    if not bare and kind != ("application/json" if script else "application/x-www-form-urlencoded"):
        raise RefusedError(415, "Send a plain form, or as a script JSON (Content-Type: application/json).")
    body = bytearray()
    try:
        async for piece in request.stream():
            body += piece
            if len(body) > _LARGEST_FORM:
                raise RefusedError(413, "This form is too large.")
    except ClientDisconnect:
        raise RefusedError(400, "The form did not arrive completely.") from None
    try:
        if script:
            return msgspec.json.decode(bytes(body) or b"{}", type=dict[str, str])
        fields = parse_qsl(bytes(body).decode(), keep_blank_values=True, max_num_fields=_MOST_FIELDS, errors="replace")
    except (ValueError, msgspec.DecodeError):
        raise RefusedError(400, "This form cannot be read.") from None
    return {name: value.replace("\x00", "") for name, value in fields}

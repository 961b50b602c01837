"""Which keys may sign, as `ssh-keygen -Y verify` reads it: a public key, or a file of allowed signers.

A line of allowed signers names principals, then options, then a key: `namespaces`, `valid-after` and `valid-before`
hold for it, and the key of a certificate authority signs nothing itself.
"""

import re
from datetime import UTC, datetime
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Final

from countersight.audits.signing.ssh import KEY, LARGEST_KEY, NAMESPACE, PublicKey, public_key
from countersight.errors import AuditError

_OPTION: Final = re.compile(r'(?P<name>[A-Za-z-]+)(?:="(?P<value>(?:\\.|[^"\\])*)")?(?:,|$)')
_LINE: Final = re.compile(
    r'(?P<principals>"[^"]*"|\S+)\s+(?:(?P<options>(?:"(?:\\.|[^"\\])*"|[^\s"])+)\s+)?ssh-ed25519\s+(?P<key>\S+)(?:\s.*)?'
)
_TIMES: Final = {8: "%Y%m%d", 12: "%Y%m%d%H%M", 14: "%Y%m%d%H%M%S"}


def read_public_keys(named: str, *, identity: str = "", revoked: Path | None = None) -> tuple[PublicKey, ...]:
    """The keys of a file (a `.pub` file, or one of allowed signers), or the key itself: "ssh-ed25519 AAAA…".

    A key that may not sign now, for this use or under this identity says so in `refused`.
    """
    text = named if KEY.match(named.strip()) else _read(named)
    gone = {match[1] for match in KEY.finditer(_revoked(revoked))} if revoked else set()
    found: dict[bytes, PublicKey] = {}
    for line in text.splitlines():
        line = line.strip()
        if not line or line.startswith("#"):
            continue
        key = _of_line(line, identity)
        if key is None:
            continue
        if any(public_key(each).raw == key.raw for each in gone):
            key = PublicKey(key.raw, "it was revoked")
        if key.raw not in found or found[key.raw].refused:  # one line that allows it is enough
            found[key.raw] = key
    if not found:
        raise AuditError(f"{named} has no Ed25519 key of OpenSSH; make a pair with: ssh-keygen -t ed25519 -f key")
    return tuple(found.values())


def _read(named: str) -> str:
    try:
        with open(named, encoding="utf-8", errors="replace") as file:
            return file.read(LARGEST_KEY)
    except OSError as error:
        raise AuditError(f"{named} cannot be read ({error.strerror}); name a public key, such as key.pub") from None


def _revoked(path: Path) -> str:
    text = _read(str(path))
    if text.startswith("SSHKRL\n"):
        raise AuditError(f"{path} is a binary list of revoked keys; give the public keys themselves, one a line")
    return text


def _of_line(line: str, identity: str) -> PublicKey | None:
    if match := KEY.match(line):
        return public_key(match[1])
    match = _LINE.fullmatch(line)
    if match is None:
        return None
    key = public_key(match["key"])
    return PublicKey(key.raw, _refused(match["principals"].strip('"'), match["options"] or "", identity))


def _refused(principals: str, options: str, identity: str) -> str:
    """Why a line of allowed signers does not let its key sign here and now; nothing where it does."""
    given: dict[str, str] = {}
    at = 0
    while at < len(options):
        found = _OPTION.match(options, at)
        if found is None:
            return f"its options cannot be read: {options[at : at + 40]}"
        given[found["name"].lower()] = (found["value"] or "").replace('\\"', '"')
        at = found.end()
    strange = given.keys() - {"cert-authority", "namespaces", "valid-after", "valid-before"}
    if strange:
        return f"its option {sorted(strange)[0]} is not known"
    if "cert-authority" in given:
        return "it is the key of a certificate authority, which signs nothing itself"
    if identity and not _matches(principals, identity):
        return f"it belongs to {principals[:80]}, not to {identity[:80]}"
    if "namespaces" in given and not _matches(given["namespaces"], NAMESPACE):
        return f"it may sign for {given['namespaces'][:80]}, not for {NAMESPACE}"
    now = datetime.now(UTC)
    for name in ("valid-after", "valid-before"):
        if name in given:
            limit = _time(given[name])
            if limit is None:
                return f"its {name} is no time: {given[name][:40]}"
            if (now < limit) if name == "valid-after" else (now > limit):
                return f"it is {name.replace('-', ' ')} {given[name]}"
    return ""


def _matches(patterns: str, name: str) -> bool:
    """Whether a list of patterns has the name, as OpenSSH reads it: one with ! takes it out again."""
    listed = patterns.split(",")
    if any(each.startswith("!") and fnmatchcase(name, _plain(each[1:])) for each in listed):
        return False
    return any(fnmatchcase(name, _plain(each)) for each in listed if not each.startswith("!"))


def _plain(pattern: str) -> str:
    """Only * and ? are patterns."""
    return pattern.replace("[", "[[]")


def _time(text: str) -> datetime | None:
    """A time as OpenSSH writes it: digits in local time, or in UTC with a Z."""
    digits, utc = text.removesuffix("Z"), text.endswith("Z")
    try:
        found = datetime.strptime(digits, _TIMES[len(digits)])
    except (ValueError, KeyError):
        return None
    return found.replace(tzinfo=UTC) if utc else found.astimezone()

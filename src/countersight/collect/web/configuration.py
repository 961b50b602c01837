"""`collect serve --check`: what is unsafe in the configuration of a server."""

from countersight.collect import people
from countersight.collect.campaign import DATABASE, SECRET, Campaign
from countersight.collect.demo import ACCOUNTS, PASSWORD


def configuration_faults(
    campaign: Campaign, host: str = "127.0.0.1", public_url: str = "", trusted_proxies: str = ""
) -> list[str]:
    """Return what is unsafe in the server configuration, a sentence each."""
    found = []
    inside = host in ("127.0.0.1", "::1", "localhost")
    if not public_url.startswith("https://") and not (inside and not public_url):
        found.append("passwords and cookies are sent unencrypted: use a proxy with TLS (--public-url https://…)")
    if public_url and not trusted_proxies:
        found.append(
            "all visitors seem to come from the proxy, so failed logins by one of them lock out everybody: name the "
            "proxy with --trust-proxy"
        )
    if trusted_proxies == "*":
        found.append("any visitor can claim any address: name the proxy's own address with --trust-proxy")
    for name in (SECRET, DATABASE):
        file = campaign.path / name
        if file.is_file() and file.stat().st_mode & 0o077:
            found.append(f"others on this machine can read {name}: chmod 600 {file}")
    everybody = campaign.store.read(people.everybody)
    if not any(person.role == "lead" and person.access == "open" for person in everybody):
        found.append("the campaign has no lead: countersight collect people CAMPAIGN --invite NAME --role lead")
    for name, _ in ACCOUNTS:
        stored = campaign.store.read(lambda c, name=name: people.stored_password(c, name))  # type: ignore[misc]
        if stored and people.is_password(PASSWORD, stored[1]):
            found.append(f"{name} still has the public password of the demo; change it")
    settings = campaign.settings
    if not settings.contact:
        found.append("people have no contact for questions: set `contact` in campaign.toml")
    if settings.prolific.completion_code and not settings.prolific.contributions:
        found.append("people from Prolific never get their completion code: set [prolific] contributions")
    return found

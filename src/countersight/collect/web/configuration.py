"""`collect serve --check`: what is unsafe or misspelt in the configuration of a server."""

from countersight.collect import people, work
from countersight.collect.campaign import DATABASE, SECRET, Campaign
from countersight.collect.demo import ACCOUNTS, PASSWORD
from countersight.collect.web.rendering import Renderer


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
            "all visitors seem to come from the proxy, so failed logins of one lock out all: name the proxy with "
            "--trust-proxy"
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
    found += _misspelt(campaign)
    if kept := campaign.store.read(lambda c: work.kept_splits(c, settings)):
        found.append(f"[splits] was changed: {kept:,} items keep the split they have; only new items follow the change")
    if not settings.contact:
        found.append("people have no contact for questions: set `contact` in campaign.toml")
    if settings.prolific.completion_code and not settings.prolific.contributions:
        found.append("people from Prolific never get their completion code: set [prolific] contributions")
    return found


def _misspelt(campaign: Campaign) -> list[str]:
    """Return languages and groups in the settings that do not exist."""
    settings, found = campaign.settings, []
    texts = Renderer(settings, campaign.path / "locale")
    for language in settings.languages:
        if not texts.knows(language):
            found.append(f"languages: there are no texts in {language!r}; the pages would be in English")
    for name, quotas in (("quotas", settings.quotas), ("person_quotas", settings.person_quotas)):
        for group in quotas.keys() - set(campaign.flow.balance):
            groups = ", ".join(campaign.flow.balance) or "none"
            found.append(f"[{name}] {group!r} is not a group of {campaign.flow.name} (groups: {groups})")
    return found

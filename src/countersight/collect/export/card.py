"""The card of an exported dataset: who, how many, agreement, guidelines and pay."""

import time
from collections.abc import Sequence
from pathlib import Path

from countersight.collect.campaign import Campaign
from countersight.collect.export.finished import FinishedItem
from countersight.collect.export.verdicts import VERDICTS, count_outcomes
from countersight.collect.figures import campaign_figures
from countersight.dataset import read_card
from countersight.scoring import Estimate
from countersight.text import several

_ATTRIBUTION = "## Licence and attribution\n"


def describe_campaign(campaign: Campaign, judged: Sequence[FinishedItem]) -> str:
    """Return several paragraphs for the card, without names."""
    found = [finished for finished in judged if finished.item.state == "done"]
    figures = campaign.store.read(lambda c: campaign_figures(c, campaign.flow, time.time()))
    settings = campaign.settings
    people = {given.pseudonym for finished in found for given in finished.given}
    lines = [
        "## The people",
        "",
        f"{several(len(people), 'person').replace('persons', 'people')} made "
        f"{several(sum(len(finished.given) for finished in found), 'contribution')} to "
        f"{several(len(found), 'finished item')}. Review or verification removed "
        f"{several(figures.states.get('removed', 0), 'item')}. Pseudonyms are in `provenance.people`.",
    ]
    outcomes = count_outcomes(judged)
    if outcomes:
        counted = ", ".join(f"{number:,} {outcome}" for outcome, number in outcomes.items())
        lines += ["", f"Verified: {counted}. `{VERDICTS}` lists every verdict with its author and time."]
    for named in figures.agreement:
        agreed = named.agreement
        lines += [
            "",
            f"Agreement on “{named.label}” over {several(agreed.items, 'item')}: raw {told(agreed.raw)}, "
            f"Cohen's kappa {told(agreed.cohen)}, Krippendorff's alpha {told(agreed.alpha)}, "
            f"Gwet's AC1 {told(agreed.ac1)}.",
        ]
    if figures.fooling:
        lines += [
            "",
            f"{figures.fooling.fooled} of {figures.fooling.items} checked items mislead the model in the loop.",
        ]
    if any(rules.pay for rules in settings.phases.values()):
        paid = ", ".join(f"{name} {rules.pay / 100:.2f}" for name, rules in settings.phases.items())
        lines += ["", f"Pay for one contribution, in {settings.pay.currency}: {paid}."]
    for name, rules in settings.phases.items():
        lines += [
            "",
            f"Guidelines of the phase “{name}” (version {rules.version}): {' '.join(rules.guidelines.split())}",
        ]
    return "\n".join(lines) + "\n"


def describe_origin(judged: Sequence[FinishedItem]) -> str:
    """Return the origin of cases that people verified; empty if people wrote them.

    It stands where a card is looked at for it, so that cases which are verified again keep it.
    """
    sources = [found.item.source for found in judged if "dataset" in found.item.source]
    named = {str(source["dataset"]): str(source["fingerprint"]) for source in sources}
    parts = [_origin(Path(path), fingerprint) for path, fingerprint in named.items()]
    return "\n".join([_ATTRIBUTION, "\n\n".join(parts), ""]) if parts else ""


def _origin(dataset: Path, fingerprint: str) -> str:
    """A dataset by name, with what its card says of licence and attribution."""
    told = f"The cases come from `{dataset.name}` (fingerprint {fingerprint})."
    if not dataset.is_dir():
        return f"{told} That dataset was not available at export; see its own card for licence and attribution."
    _, _, attributed = read_card(dataset)[1].partition(_ATTRIBUTION)
    said = attributed.partition("\n#")[0].strip()
    return f"{told} Its card says:\n\n{said}" if said else told


def told(estimate: Estimate) -> str:
    """Format a figure with its interval, or why there is none."""
    if estimate.value is None:
        return f"undefined ({estimate.why})"
    if estimate.interval is None:
        return f"{estimate.value:.2f} (no interval: everybody agreed)"
    return f"{estimate.value:.2f} ({estimate.interval.low:.2f} to {estimate.interval.high:.2f})"

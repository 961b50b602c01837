"""The card of an exported dataset: who, how many, agreement, guidelines and pay."""

import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from countersight.collect.campaign import Campaign
from countersight.collect.export.finished import FinishedItem
from countersight.collect.figures import campaign_figures
from countersight.collect.flows.verify import CaseVerdict, final_verdict
from countersight.dataset import read_card
from countersight.scoring import Estimate
from countersight.text import several

VERDICTS = "verdicts.jsonl"
_OUTCOMES = {"keep": "accepted", "correct": "corrected", "reject": "rejected"}
_ATTRIBUTION = "## Licence and attribution\n"


def outcome_of(finished: FinishedItem) -> str:
    """Return the final outcome of a pair: accepted, corrected or rejected; "" if nobody verified it."""
    verified = any(isinstance(given.content, CaseVerdict) for given in finished.given)
    return _OUTCOMES[final_verdict(finished.past).verdict] if verified else ""


def describe_campaign(campaign: Campaign, judged: Sequence[FinishedItem]) -> str:
    """Return several paragraphs for the card, without names."""
    found = [finished for finished in judged if finished.item.state == "done"]
    figures = campaign.store.read(lambda c: campaign_figures(c, campaign.flow, time.time()))
    settings = campaign.settings
    people = {given.pseudonym for finished in found for given in finished.given}
    paragraphs = [
        "## The people",
        f"{several(len(people), 'person').replace('persons', 'people')} made "
        f"{several(sum(len(finished.given) for finished in found), 'contribution')} to "
        f"{several(len(found), 'finished item')}. Review or verification removed "
        f"{several(figures.states.get('removed', 0), 'item')}. Pseudonyms are in `provenance.people`.",
    ]
    if counts := Counter(filter(None, map(outcome_of, judged))):
        counted = ", ".join(f"{counts[outcome]:,} {outcome}" for outcome in _OUTCOMES.values())
        paragraphs.append(f"Verified: {counted}. `{VERDICTS}` lists every verdict with its author and time.")
    for named in figures.agreement:
        agreed = named.agreement
        paragraphs.append(
            f"Agreement on “{named.label}” over {several(agreed.items, 'item')}: raw {format_estimate(agreed.raw)}, "
            f"Cohen's kappa {format_estimate(agreed.cohen)}, Krippendorff's alpha {format_estimate(agreed.alpha)}, "
            f"Gwet's AC1 {format_estimate(agreed.ac1)}."
        )
    if fooling := figures.fooling:
        paragraphs.append(f"{fooling.fooled} of {fooling.items} checked items mislead the model in the loop.")
    if any(rules.pay for rules in settings.phases.values()):
        paid = ", ".join(f"{name} {rules.pay / 100:.2f}" for name, rules in settings.phases.items())
        paragraphs.append(f"Pay for one contribution, in {settings.pay.currency}: {paid}.")
    for name, rules in settings.phases.items():
        text = " ".join(rules.guidelines.split())
        paragraphs.append(f"Guidelines of the phase “{name}” (version {rules.version}): {text}")
    return "\n\n".join(paragraphs) + "\n"


def describe_origin(judged: Sequence[FinishedItem]) -> str:
    """Return the origin of cases that people verified; empty if people wrote them.

    It stands where a card is looked at for it, so that cases which are verified again keep it.
    """
    sources = [found.item.source for found in judged if "dataset" in found.item.source]
    named = {str(source["dataset"]): str(source["fingerprint"]) for source in sources}
    parts = []
    for path, fingerprint in named.items():
        text = f"The cases come from `{Path(path).name}` (fingerprint {fingerprint})."
        if not Path(path).is_dir():
            text += " That dataset was not available at export; see its own card for licence and attribution."
        elif said := read_card(Path(path))[1].partition(_ATTRIBUTION)[2].partition("\n#")[0].strip():
            text += f" Its card says:\n\n{said}"
        parts.append(text)
    return "\n".join([_ATTRIBUTION, "\n\n".join(parts), ""]) if parts else ""


def format_estimate(estimate: Estimate) -> str:
    """Format a figure with its interval, or why there is none."""
    if estimate.value is None:
        return f"undefined ({estimate.why})"
    if estimate.interval is None:
        return f"{estimate.value:.2f} (no interval: everybody agreed)"
    return f"{estimate.value:.2f} ({estimate.interval.low:.2f} to {estimate.interval.high:.2f})"

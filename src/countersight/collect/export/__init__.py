"""Export the collected data in the form of its flow: a dataset, a run, or labels."""

from pathlib import Path

from countersight.collect.campaign import Campaign
from countersight.collect.export.answers import export_labels, export_run
from countersight.collect.export.dataset import export_dataset
from countersight.collect.export.layouts import LAYOUTS
from countersight.errors import CampaignError

__all__ = ["export_campaign"]


def export_campaign(campaign: Campaign, folder: Path, *, layout: bool = False) -> list[str]:
    """Export what is finished to a new folder; return lines on what was written."""
    if layout and campaign.flow.name not in LAYOUTS:
        raise CampaignError(f"{campaign.flow.name} has no paper layout: --layout works only with {', '.join(LAYOUTS)}")
    if campaign.flow.name == "answer":
        return export_run(campaign, folder)
    if campaign.flow.name == "judge":
        return export_labels(campaign, folder)
    return export_dataset(campaign, folder, layout=layout)

"""What was collected, in the form its flow ends in: a dataset, a run, or labels."""

from pathlib import Path

from countersight.collect.campaign import Campaign
from countersight.collect.export.dataset import export_dataset
from countersight.collect.export.judging import export_labels
from countersight.collect.export.layouts import LAYOUTS
from countersight.collect.export.run import export_run
from countersight.errors import CampaignError

__all__ = ["export_campaign"]


def export_campaign(campaign: Campaign, folder: Path, *, layout: bool = False) -> list[str]:
    """Write what is finished into a new folder; what was written, in lines."""
    if layout and campaign.flow.name not in LAYOUTS:
        raise CampaignError(f"{campaign.flow.name} has no layout of a paper: --layout is for {', '.join(LAYOUTS)}")
    if campaign.flow.name == "answer":
        return export_run(campaign, folder)
    if campaign.flow.name == "judge":
        return export_labels(campaign, folder)
    return export_dataset(campaign, folder, layout=layout)

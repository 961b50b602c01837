"""Export people's verdicts on an audit, with their agreement."""

import time
from pathlib import Path

import msgspec

from countersight.audits import LABELS, PersonLabel
from countersight.collect.campaign import Campaign
from countersight.collect.export.finished import finished_items
from countersight.collect.figures import label_agreement
from countersight.errors import CampaignError
from countersight.files import Staging
from countersight.text import several


def export_labels(campaign: Campaign, folder: Path) -> list[str]:
    """Write a line for each person's verdict on each edit judged by all; return lines on what was written."""
    found = campaign.store.read(lambda c: list(finished_items(c, campaign.flow, "done")))
    labels = [
        PersonLabel(
            finished.item.source["case"],
            finished.item.source["concept"],
            given.pseudonym,
            given.content.pcs,
            given.content.ncc,
            given.content.pcs_reason,
            given.content.ncc_reason,
            time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(given.at)),
        )
        for finished in found
        for given in finished.given
    ]
    if not labels:
        raise CampaignError(f"no edit of {campaign.path} has all its judgements yet, so there is nothing to export")
    agreed = campaign.store.read(lambda c: label_agreement(c, campaign.flow))
    with Staging(folder) as staging:
        (staging / LABELS).write_bytes(b"".join(msgspec.json.encode(label) + b"\n" for label in labels))
        about = {"campaign": campaign.settings.title, "written": time.strftime("%Y-%m-%d"), "agreement": agreed}
        (staging / "agreement.json").write_bytes(msgspec.json.format(msgspec.json.encode(about), indent=2) + b"\n")
    return [f"{several(len(labels), 'label')} of {several(len(found), 'edit')} in {folder}"]

"""Export as a dataset: one folder, or one for each split."""

import shutil
from pathlib import Path

import msgspec

from countersight import __version__
from countersight.case import Case
from countersight.collect.campaign import PICTURES, Campaign
from countersight.collect.export.card import describe_campaign, describe_origin
from countersight.collect.export.finished import FinishedItem, finished_items
from countersight.collect.export.layouts import write_layout
from countersight.collect.export.verdicts import moment, outcome_of, write_verdicts
from countersight.dataset import DatasetWriter
from countersight.errors import CampaignError
from countersight.text import several

IMAGES = "images"


def export_dataset(campaign: Campaign, folder: Path, *, layout: bool) -> list[str]:
    """Write every finished item as a case; return lines on what was written."""
    flow = campaign.flow
    judged = campaign.store.read(lambda c: list(finished_items(c, flow, "done", "removed")))
    found = [finished for finished in judged if finished.item.state == "done"]
    by_split: dict[str, list[tuple[Case, FinishedItem]]] = {}
    for finished in found:
        case = flow.case(finished.item, finished.past)
        if case is not None:
            by_split.setdefault(finished.item.split, []).append((case, finished))
    if not by_split:
        raise CampaignError(f"no item of {campaign.path} is finished yet, so there is nothing to export")
    description = describe_campaign(campaign, judged)
    single = len(campaign.settings.splits) == len(by_split) == 1
    lines = []
    for split, cases in by_split.items():
        target = folder if single else folder / split
        _write(
            campaign, target, cases, [each for each in judged if each.item.split == split], description, layout, single
        )
        lines.append(f"{several(len(cases), 'case')} in {target}")
    return lines


def _write(
    campaign: Campaign,
    folder: Path,
    cases: list[tuple[Case, FinishedItem]],
    judged: list[FinishedItem],
    description: str,
    layout: bool,
    single: bool,
) -> None:
    provenance: dict[str, str | int] = {
        "flow": campaign.flow.name,
        "campaign": campaign.settings.title,
        "split": judged[0].item.split,
        "countersight": __version__,
    }
    writer = DatasetWriter(
        folder,
        name=folder.resolve().name if single else f"{folder.resolve().parent.name}-{folder.name}",
        description=f"Collected from people with Countersight. {campaign.flow.about}",
        license=campaign.settings.license,
        provenance=provenance,
        sections=[lambda _: description, *([lambda _: origin] if (origin := describe_origin(judged)) else [])],
    )
    with writer:
        written = [_with_pictures(campaign, writer.staging, _credited(case, done), done) for case, done in cases]
        for case in written:
            writer.add(case)
        write_verdicts(judged, writer.staging, lambda case, done: _with_pictures(campaign, writer.staging, case, done))
        if layout:
            write_layout(campaign.flow.name, written, writer.staging)


def _credited(case: Case, finished: FinishedItem) -> Case:
    """The case with who made it and when, under their pseudonyms, and how often the model was fooled."""
    people = ";".join(
        f"{given.phase}:{given.pseudonym}" + (f";{given.phase} edited:{given.editor}" if given.editor else "")
        for given in finished.given
    )
    provenance: dict[str, str | int] = {**case.provenance, "people": people, "when": moment(finished.given[-1].at)}
    outcome = outcome_of(finished)
    if outcome:
        provenance["verdict"] = outcome
    provenance["guidelines"] = max(given.guideline_version for given in finished.given)
    file = finished.item.source.get("files", {}).get(case.image)
    if file:
        provenance["picture_file"] = file
    fooled = [given.fooled for given in finished.given if given.fooled is not None]
    if fooled:
        provenance["fooled"] = fooled[-1]
    return msgspec.structs.replace(case, provenance=provenance)


def _with_pictures(campaign: Campaign, staging: Path, case: Case, finished: FinishedItem) -> Case:
    """The case with its pictures copied into the dataset."""
    after = str(finished.item.source.get("counterfactual_picture", ""))
    names: dict[str, str | None] = {"image": case.image, "counterfactual_image": after}
    for name in filter(None, names.values()):
        shutil.copyfile(campaign.path / PICTURES / name, staging / IMAGES / name)
    placed = {field: f"{IMAGES}/{name}" if name else None for field, name in names.items()}
    shown = case.shown if after else None
    return msgspec.structs.replace(case, **placed, shown=shown, image_digest="", counterfactual_digest="")

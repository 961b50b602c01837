"""Export as a dataset: one folder, or one for each split, with the verdicts on every verified pair."""

import shutil
from collections.abc import Sequence
from pathlib import Path

import msgspec

from countersight import __version__
from countersight.case import Case
from countersight.collect.campaign import PICTURES, Campaign
from countersight.collect.export.card import VERDICTS, describe_campaign, describe_origin, outcome_of
from countersight.collect.export.finished import FinishedItem, finished_items
from countersight.collect.export.layouts import write_layout
from countersight.collect.flows.verify import case_of, final_verdict
from countersight.dataset import DatasetWriter
from countersight.errors import CampaignError
from countersight.text import several

IMAGES = "images"


def export_dataset(campaign: Campaign, folder: Path, *, layout: bool) -> list[str]:
    """Write every finished item as a case; return lines on what was written."""
    flow = campaign.flow
    judged = campaign.store.read(lambda c: list(finished_items(c, flow, "done", "removed")))
    by_split: dict[str, list[tuple[Case, FinishedItem]]] = {}
    for finished in judged:
        case = flow.case(finished.item, finished.past) if finished.item.state == "done" else None
        if case is not None:
            by_split.setdefault(finished.item.split, []).append((case, finished))
    if not by_split:
        raise CampaignError(f"no item of {campaign.path} is finished yet, so there is nothing to export")
    description = describe_campaign(campaign, judged)
    single = len(campaign.settings.splits) == len(by_split) == 1
    lines = []
    for split, cases in by_split.items():
        target = folder if single else folder / split
        name = target.resolve().name if single else f"{folder.resolve().name}-{split}"
        of_split = [each for each in judged if each.item.split == split]
        origin = describe_origin(of_split)
        writer = DatasetWriter(
            target,
            name=name,
            description=f"Collected from people with Countersight. {flow.about}",
            license=campaign.settings.license,
            provenance={
                "flow": flow.name,
                "campaign": campaign.settings.title,
                "split": split,
                "countersight": __version__,
            },
            sections=[lambda _: description, *([lambda _, text=origin: text] if origin else [])],
        )
        with writer:
            written = [_copy_pictures(campaign, writer.staging, _credit(case, done), done) for case, done in cases]
            for case in written:
                writer.add(case)
            _write_verdicts(campaign, of_split, writer.staging)
            if layout:
                write_layout(flow.name, written, writer.staging)
        lines.append(f"{several(len(cases), 'case')} in {target}")
    return lines


def _credit(case: Case, finished: FinishedItem) -> Case:
    """The case with who made it and when, under their pseudonyms, and how often the model was fooled."""
    people = ";".join(
        f"{given.phase}:{given.pseudonym}" + (f";{given.phase} edited:{given.editor}" if given.editor else "")
        for given in finished.given
    )
    provenance: dict[str, str | int] = {**case.provenance, "people": people, "when": finished.given[-1].when}
    if outcome := outcome_of(finished):
        provenance["verdict"] = outcome
    provenance["guidelines"] = max(given.guideline_version for given in finished.given)
    if file := finished.item.source.get("files", {}).get(case.image):
        provenance["picture_file"] = file
    if fooled := [given.fooled for given in finished.given if given.fooled is not None]:
        provenance["fooled"] = fooled[-1]
    return msgspec.structs.replace(case, provenance=provenance)


def _copy_pictures(campaign: Campaign, staging: Path, case: Case, finished: FinishedItem) -> Case:
    """The case with its pictures copied into the dataset."""
    after = str(finished.item.source.get("counterfactual_picture", ""))
    names: dict[str, str | None] = {"image": case.image, "counterfactual_image": after}
    for name in filter(None, names.values()):
        shutil.copyfile(campaign.path / PICTURES / name, staging / IMAGES / name)
    placed = {field: f"{IMAGES}/{name}" if name else None for field, name in names.items()}
    shown = case.shown if after else None
    return msgspec.structs.replace(case, **placed, shown=shown, image_digest="", counterfactual_digest="")


def _write_verdicts(campaign: Campaign, judged: Sequence[FinishedItem], staging: Path) -> None:
    """Write a line for each verified pair, including rejected ones: as it was shown, its outcome and who said what."""
    lines = []
    for finished in (each for each in judged if outcome_of(each)):
        item, final = finished.item, final_verdict(finished.past)
        shown = msgspec.structs.replace(case_of(item, finished.past), image=item.source.get("picture") or None)
        case = _copy_pictures(campaign, staging, shown, finished)
        said = [
            {"person": given.pseudonym, "phase": given.phase, "at": given.when, "seconds": round(given.seconds, 1)}
            | {"content": given.content}
            | ({"edited_by": given.editor} if given.editor else {})
            for given in finished.given
        ]
        line = {"id": item.key, "outcome": outcome_of(finished), "case": case, "said": said}
        corrected = {"answer": final.answer, "factual_answer": final.factual_answer}
        lines.append(line | {name: answer for name, answer in corrected.items() if answer})
    if lines:
        (staging / VERDICTS).write_bytes(b"".join(msgspec.json.encode(line) + b"\n" for line in lines))

"""Export the collected data in the form of its flow: a dataset (here), a run, or labels."""

import shutil
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import msgspec

from countersight import __version__
from countersight.case import Case
from countersight.collect import work
from countersight.collect.campaign import PICTURES, Campaign
from countersight.collect.export_answers import export_labels, export_run
from countersight.collect.figures import campaign_figures, format_agreement
from countersight.collect.flows.verify import CaseVerdict, case_of, final_verdict
from countersight.collect.published_layouts import LAYOUTS, write_layout
from countersight.dataset import DatasetWriter, read_card
from countersight.errors import CampaignError
from countersight.text import several


def export_campaign(campaign: Campaign, folder: Path, *, layout: bool = False) -> list[str]:
    """Export what is finished to a new folder; return lines on what was written."""
    if layout and campaign.flow.name not in LAYOUTS:
        raise CampaignError(f"{campaign.flow.name} has no paper layout: --layout works only with {', '.join(LAYOUTS)}")
    if campaign.flow.name == "answer":
        return export_run(campaign, folder)
    if campaign.flow.name == "judge":
        return export_labels(campaign, folder)
    return export_dataset(campaign, folder, layout=layout)


IMAGES = "images"


def export_dataset(campaign: Campaign, folder: Path, *, layout: bool) -> list[str]:
    """Write every finished item as a case; return lines on what was written."""
    flow = campaign.flow
    judged = campaign.store.read(lambda c: work.items_in(c, flow, "done", "removed"))
    by_split: dict[str, list[tuple[Case, work.ItemWork]]] = {}
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


def _credit(case: Case, finished: work.ItemWork) -> Case:
    """Return the case with its authors' pseudonyms, the time, and how often the model was fooled."""
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


def _copy_pictures(campaign: Campaign, staging: Path, case: Case, finished: work.ItemWork) -> Case:
    """Copy the case's pictures into the dataset, and return the case with the new paths."""
    after = str(finished.item.source.get("counterfactual_picture", ""))
    names: dict[str, str | None] = {"image": case.image, "counterfactual_image": after}
    for name in filter(None, names.values()):
        shutil.copyfile(campaign.path / PICTURES / name, staging / IMAGES / name)
    placed = {field: f"{IMAGES}/{name}" if name else None for field, name in names.items()}
    shown = case.shown if after else None
    return msgspec.structs.replace(case, **placed, shown=shown, image_digest="", counterfactual_digest="")


def _write_verdicts(campaign: Campaign, judged: Sequence[work.ItemWork], staging: Path) -> None:
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
        (staging / VERDICTS).write_bytes(msgspec.json.Encoder().encode_lines(lines))


VERDICTS = "verdicts.jsonl"
_OUTCOMES = {"keep": "accepted", "correct": "corrected", "reject": "rejected"}
_ATTRIBUTION = "## Licence and attribution\n"


def outcome_of(finished: work.ItemWork) -> str:
    """Return the final outcome of a pair: accepted, corrected or rejected; "" if nobody verified it."""
    verified = any(isinstance(given.content, CaseVerdict) for given in finished.given)
    return _OUTCOMES[final_verdict(finished.past).verdict] if verified else ""


def describe_campaign(campaign: Campaign, judged: Sequence[work.ItemWork]) -> str:
    """Return several paragraphs for the card, without names."""
    found = [finished for finished in judged if finished.item.state == "done"]
    figures = campaign.store.read(lambda c: campaign_figures(c, campaign.flow))
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
        agreed = ", ".join(f"{name} {estimate}" for name, estimate in format_agreement(named.agreement).items())
        paragraphs.append(f"Agreement on “{named.label}” over {several(named.agreement.items, 'item')}: {agreed}.")
    if fooling := figures.fooling:
        paragraphs.append(f"{fooling.fooled} of {fooling.items} checked items mislead the model in the loop.")
    if any(rules.pay for rules in settings.phases.values()):
        paid = ", ".join(f"{name} {rules.pay / 100:.2f}" for name, rules in settings.phases.items())
        paragraphs.append(f"Pay for one contribution, in {settings.pay.currency}: {paid}.")
    for name, rules in settings.phases.items():
        text = " ".join(rules.guidelines.split())
        paragraphs.append(f"Guidelines of the phase “{name}” (version {rules.version}): {text}")
    return "\n\n".join(paragraphs) + "\n"


def describe_origin(judged: Sequence[work.ItemWork]) -> str:
    """Return the origin of cases that people verified; empty if people wrote them.

    It uses the heading that is read from cards, so that it survives another verification.
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

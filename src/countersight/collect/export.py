"""Export what people contributed: a dataset, a run, or labels."""

import shutil
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from random import Random
from shlex import quote

import msgspec

from countersight import __version__
from countersight.audits import LABELS, PersonLabel
from countersight.case import Case, Reply
from countersight.collect import work
from countersight.collect.campaign import PICTURES, Campaign
from countersight.collect.figures import format_agreement, label_agreement
from countersight.collect.flows.judge import PersonVerdict
from countersight.collect.flows.verify import CaseVerdict, case_of, final_verdict
from countersight.dataset import Dataset, DatasetWriter, read_card
from countersight.engine import Prompt, RunFolder, RunOptions
from countersight.errors import CampaignError
from countersight.files import Staging
from countersight.text import several

IMAGES = "images"
VERDICTS = "verdicts.jsonl"
ANSWERS = "answers.jsonl"
PROMPT = Prompt(
    name="people",
    about="answered by people in the browser",
    number="{question}",
    boolean="{question}",
    choice="{question}\n{options}",
    open="{question}",
)
_OUTCOMES = {"keep": "accepted", "correct": "corrected", "reject": "rejected"}
_ATTRIBUTION = "## Licence and attribution\n"


def export_campaign(campaign: Campaign, folder: Path) -> list[str]:
    """Export all finished work to a new folder, in the format of the flow; return the lines of a summary."""
    forms = {"answer": export_run, "judge": export_labels}
    return forms.get(campaign.flow.name, export_dataset)(campaign, folder)


def export_dataset(campaign: Campaign, folder: Path) -> list[str]:
    """Write every finished item as a case; return the lines of a summary."""
    flow = campaign.flow
    judged = campaign.store.read(lambda c: work.items_in(c, flow, "done", "removed"))
    by_split: dict[str, list[tuple[Case, work.ItemWork]]] = {}
    for finished in judged:
        case = flow.case(finished.item, finished.past) if finished.item.state == "done" else None
        if case is not None:
            by_split.setdefault(finished.item.split, []).append((case, finished))
    if not by_split:
        raise CampaignError(f"no item of {campaign.path} is finished yet, so there is nothing to export")
    single = len(campaign.settings.splits) == len(by_split) == 1
    lines = []
    for split, cases in by_split.items():
        target = folder if single else folder / split
        name = target.resolve().name if single else f"{folder.resolve().name}-{split}"
        of_split = [each for each in judged if each.item.split == split]
        sections = filter(None, (describe_people(campaign, of_split), describe_origin(of_split)))
        writer = DatasetWriter(
            target,
            name=name,
            description=f"Collected with Countersight from people. {flow.about}",
            license=campaign.settings.license,
            provenance={
                "flow": flow.name,
                "campaign": campaign.settings.title,
                "split": split,
                "countersight": __version__,
            },
            sections=[lambda _, text=text: text for text in sections],  # type: ignore[misc]
        )
        with writer:
            for case, done in cases:
                writer.add(_copy_pictures(campaign, writer.staging, _credit(case, done), done))
            _write_verdicts(campaign, of_split, writer.staging)
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
    """Write a line for each verified pair, including rejected ones: the pair as shown, its outcome and all verdicts."""
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


def outcome_of(finished: work.ItemWork) -> str:
    """Return the final outcome of a pair: accepted, corrected or rejected; "" if nobody verified it."""
    verified = any(isinstance(given.content, CaseVerdict) for given in finished.given)
    return _OUTCOMES[final_verdict(finished.past).verdict] if verified else ""


def describe_people(campaign: Campaign, judged: Sequence[work.ItemWork]) -> str:
    """Return the card's paragraphs about the people who worked on these items; nobody is named."""
    found = [finished for finished in judged if finished.item.state == "done"]
    given, settings = [each for finished in found for each in finished.given], campaign.settings
    people = {each.pseudonym for each in given}
    paragraphs = [
        "## The people",
        f"{several(len(people), 'person').replace('persons', 'people')} made {several(len(given), 'contribution')} to "
        f"{several(len(found), 'finished item')}. Review or verification removed "
        f"{several(len(judged) - len(found), 'item')}. Pseudonyms are in `provenance.people`.",
    ]
    if counts := Counter(filter(None, map(outcome_of, judged))):
        counted = ", ".join(f"{counts[outcome]:,} {outcome}" for outcome in _OUTCOMES.values())
        paragraphs.append(f"Verified: {counted}. `{VERDICTS}` lists every verdict with its author and time.")
    for named in label_agreement(campaign.flow, [each for finished in judged for each in finished.given]):
        agreed = ", ".join(f"{name} {estimate}" for name, estimate in format_agreement(named.agreement).items())
        paragraphs.append(f"Agreement on “{named.label}” over {several(named.agreement.items, 'item')}: {agreed}.")
    if fooled := [each.fooled for each in given if each.fooled is not None]:
        misled = len([number for number in fooled if number])
        paragraphs.append(f"{misled:,} of {several(len(fooled), 'checked item')} misled the model in the loop.")
    if any(rules.pay for rules in settings.phases.values()):
        paid = ", ".join(f"{name} {rules.pay / 100:.2f}" for name, rules in settings.phases.items())
        paragraphs.append(f"Pay for one contribution, in {settings.pay.currency}: {paid}.")
    for name, rules in settings.phases.items():
        text = " ".join(rules.guidelines.split())
        paragraphs.append(f"Guidelines of the phase “{name}” (version {rules.version}): {text}")
    return "\n\n".join(paragraphs) + "\n"


def describe_origin(judged: Sequence[work.ItemWork]) -> str:
    """Return the origin of cases that people verified; "" if people wrote them.

    If the card of the verified dataset already states an origin under this heading, its text is kept, so that a second
    verification does not lose it.
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


def export_run(campaign: Campaign, folder: Path) -> list[str]:
    """Write the answers of finished items as the replies of a model called `people`; return the lines of a summary.

    The most frequent answer to a question counts; ties are broken at random. With two people per question, the result
    is the accuracy of a single person, as CoSIm reports it.
    """
    found = campaign.store.read(lambda c: work.items_in(c, campaign.flow, "done"))
    if not found:
        raise CampaignError(f"no question of {campaign.path} has all its answers yet, so there is nothing to export")
    dataset = Dataset.open(found[0].item.source["dataset"])
    if dataset.fingerprint != found[0].item.source["fingerprint"]:
        raise CampaignError(f"{dataset.path} is not the dataset of the campaign: its rows have changed")
    (named,) = label_agreement(campaign.flow, [given for finished in found for given in finished.given])
    settings: dict[str, object] = {
        "people": len({given.pseudonym for finished in found for given in finished.given}),
        "answers a question": campaign.settings.phases["answer"].people,
        "pooled": "the most frequent answer; ties are broken at random",
        **format_agreement(named.agreement),
    }
    run = RunFolder.begin(folder, dataset=dataset, model="people", settings=settings, options=RunOptions(PROMPT))
    with run.writing() as journal:
        for finished in found:
            journal.append(_pool(finished))
    lines = [
        {
            "case": finished.item.source["case"]["id"],
            "world": finished.item.source["world"],
            "person": given.pseudonym,
            "answer": given.content.answer,
            "seconds": round(given.seconds, 1),
            "at": given.when,
        }
        for finished in found
        for given in finished.given
    ]
    (folder / ANSWERS).write_bytes(msgspec.json.Encoder().encode_lines(lines))
    return [
        f"{several(len(found), 'question')} answered by people in {folder}; {ANSWERS} has each person's answers",
        f"countersight report {quote(str(folder))}",
    ]


def _pool(finished: work.ItemWork) -> Reply:
    """Return people's pooled answer to one question as a reply."""
    source = finished.item.source
    answers = Counter(given.content.answer for given in finished.given)
    most = max(answers.values())
    tied = sorted(answer for answer, number in answers.items() if number == most)
    return Reply(
        case=source["case"]["id"],
        row=source["row"],
        world=source["world"],
        text=Random(f"pooled/{finished.item.key}").choice(tied),
        finish="stop",
        seconds=sum(given.seconds for given in finished.given) / len(finished.given),
        model=f"people ({len(finished.given)})",
    )


def export_labels(campaign: Campaign, folder: Path) -> list[str]:
    """Write a line for each person's verdict on each fully judged edit; return the lines of a summary."""
    found = campaign.store.read(lambda c: work.items_in(c, campaign.flow, "done"))
    labels = []
    for finished in found:
        case, concept = finished.item.source["case"], finished.item.source["concept"]
        for given in finished.given:
            said: PersonVerdict = given.content
            scores = (said.pcs, said.ncc, said.pcs_reason, said.ncc_reason)
            labels.append(PersonLabel(case, concept, given.pseudonym, *scores, given.when))
    if not labels:
        raise CampaignError(f"no edit of {campaign.path} has all its judgements yet, so there is nothing to export")
    with Staging(folder) as staging:
        (staging / LABELS).write_bytes(msgspec.json.Encoder().encode_lines(labels))
    return [f"{several(len(labels), 'label')} of {several(len(found), 'edit')} in {folder}"]

"""Export what people answered: a run of the flow `answer`, and labels of the flow `judge`."""

import time
from collections import Counter
from pathlib import Path
from random import Random
from shlex import quote

import msgspec

from countersight.audits import LABELS, PersonLabel
from countersight.case import Reply
from countersight.collect import work
from countersight.collect.campaign import Campaign
from countersight.collect.figures import format_agreement, label_agreement
from countersight.collect.flows.judge import PersonVerdict
from countersight.dataset import Dataset
from countersight.engine import Prompt, RunFolder
from countersight.errors import CampaignError
from countersight.files import Staging
from countersight.text import several

ANSWERS = "answers.jsonl"
PROMPT = Prompt(
    name="people",
    about="asked of people in the browser",
    number="{question}",
    boolean="{question}",
    choice="{question}\n{options}",
    open="{question}",
)


def export_run(campaign: Campaign, folder: Path) -> list[str]:
    """Write the answers of finished items as the replies of a model called `people`; return lines on what was written.

    Several answers to a question become the most frequent one, and where two are as frequent, one of them by lot: with
    two people a question that is the accuracy of a single person, as CoSIm reports it.
    """
    found = campaign.store.read(lambda c: work.items_in(c, campaign.flow, "done"))
    if not found:
        raise CampaignError(f"no question of {campaign.path} has all its answers yet, so there is nothing to export")
    dataset = Dataset.open(found[0].item.source["dataset"])
    if dataset.fingerprint != found[0].item.source["fingerprint"]:
        raise CampaignError(f"{dataset.path} is not the dataset of the campaign: its rows have changed")
    (named,) = campaign.store.read(lambda c: label_agreement(c, campaign.flow))
    settings: dict[str, object] = {
        "people": len({given.pseudonym for finished in found for given in finished.given}),
        "answers a question": campaign.settings.phases["answer"].people,
        "pooled": "the most frequent answer; ties are broken at random",
        **format_agreement(named.agreement),
    }
    run = RunFolder.begin(folder, dataset=dataset, model="people", settings=settings, prompt=PROMPT, shown=False)
    with run.writing() as journal:
        for finished in found:
            journal.append(_pool(finished))
    lines = [
        {
            "case": finished.item.source["case"]["id"],
            "world": finished.item.source["world"],
            "person": given.pseudonym,
            "answer": given.content.answer,
            "sure": given.content.sure,
            "seconds": round(given.seconds, 1),
            "at": given.when,
        }
        for finished in found
        for given in finished.given
    ]
    (folder / ANSWERS).write_bytes(msgspec.json.Encoder().encode_lines(lines))
    return [
        f"{several(len(found), 'question')} answered by people in {folder}; {ANSWERS} has the answer of each person",
        f"countersight report {quote(str(folder))}",
    ]


def _pool(finished: work.ItemWork) -> Reply:
    """Return the pooled answer of people to one question, as a reply."""
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
    """Write a line for each person's verdict on each edit judged by all; return lines on what was written."""
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
    agreed = campaign.store.read(lambda c: label_agreement(c, campaign.flow))
    with Staging(folder) as staging:
        (staging / LABELS).write_bytes(msgspec.json.Encoder().encode_lines(labels))
        about = {"campaign": campaign.settings.title, "written": time.strftime("%Y-%m-%d"), "agreement": agreed}
        (staging / "agreement.json").write_bytes(msgspec.json.format(msgspec.json.encode(about), indent=2) + b"\n")
    return [f"{several(len(labels), 'label')} of {several(len(found), 'edit')} in {folder}"]

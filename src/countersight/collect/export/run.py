"""Export people's answers as a run: `report` and `leaderboard` show them next to those of models."""

from collections import Counter
from pathlib import Path
from random import Random
from shlex import quote

import msgspec

from countersight.case import Reply
from countersight.collect.campaign import Campaign
from countersight.collect.export.card import told
from countersight.collect.export.finished import Contribution, FinishedItem, finished_items
from countersight.collect.export.verdicts import moment
from countersight.collect.figures import label_agreement
from countersight.dataset import Dataset
from countersight.engine import Prompt, RunFolder
from countersight.errors import CampaignError
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
    found = campaign.store.read(lambda c: list(finished_items(c, campaign.flow, "done")))
    if not found:
        raise CampaignError(f"no question of {campaign.path} has all its answers yet, so there is nothing to export")
    dataset = Dataset.open(found[0].item.source["dataset"])
    if dataset.fingerprint != found[0].item.source["fingerprint"]:
        raise CampaignError(f"{dataset.path} is not the dataset of the campaign: its rows have changed")
    run = RunFolder.begin(
        folder, dataset=dataset, model="people", settings=_settings(campaign, found), prompt=PROMPT, shown=False
    )
    with run.writing() as journal:
        for finished in found:
            journal.append(as_reply(finished))
    lines = [_answer(finished, given) for finished in found for given in finished.given]
    (folder / ANSWERS).write_bytes(b"".join(msgspec.json.encode(line) + b"\n" for line in lines))
    return [
        f"{several(len(found), 'question')} answered by people in {folder}; {ANSWERS} has the answer of each person",
        f"countersight report {quote(str(folder))}",
    ]


def _answer(finished: FinishedItem, given: Contribution) -> dict[str, object]:
    """What one person answered to one question."""
    asked = {"case": finished.item.source["case"]["id"], "world": finished.item.source["world"]}
    said = {"person": given.pseudonym, "answer": given.content.answer, "sure": given.content.sure}
    return asked | said | {"seconds": round(given.seconds, 1), "at": moment(given.at)}


def _settings(campaign: Campaign, found: list[FinishedItem]) -> dict[str, object]:
    people = {given.pseudonym for finished in found for given in finished.given}
    (named,) = campaign.store.read(lambda c: label_agreement(c, campaign.flow))
    return {
        "people": len(people),
        "answers a question": campaign.settings.phases["answer"].people,
        "pooled": "the most frequent answer; ties are broken at random",
        "raw agreement": told(named.agreement.raw),
        "Cohen's kappa": told(named.agreement.cohen),
        "Krippendorff's alpha": told(named.agreement.alpha),
        "Gwet's AC1": told(named.agreement.ac1),
    }


def as_reply(finished: FinishedItem) -> Reply:
    """Return the answer that people gave to one question."""
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

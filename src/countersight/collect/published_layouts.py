"""Write collected cases in the file layouts of their papers: CoSIm, CFMM and C-VQA."""

import csv
from collections.abc import Iterable, Sequence
from pathlib import Path

import msgspec

from countersight.case import LETTERS, Case
from countersight.errors import CampaignError
from countersight.suites.cfmm import FIELDS as CFMM_FIELDS
from countersight.suites.cvqa import COLUMNS as CVQA_COLUMNS
from countersight.suites.cvqa import KINDS as CVQA_KINDS

FOLDER = "published"
LAYOUTS = ("cosim", "cfmm", "cvqa")


def write_layout(flow: str, cases: Sequence[Case], folder: Path) -> None:
    """Write cases in the layout of their paper, to `published/` in a dataset folder."""
    (folder / FOLDER).mkdir()
    if flow == "cosim":
        rows = [_cosim(case) for case in cases]
        data = msgspec.json.format(msgspec.json.encode(rows), indent=1)
        (folder / FOLDER / "cosim.json").write_bytes(data + b"\n")
    elif flow == "cfmm":
        _write_csv(folder / FOLDER / "cfmm.csv", CFMM_FIELDS, map(_cfmm, cases))
    else:
        _write_csv(folder / FOLDER / "cvqa.csv", CVQA_COLUMNS, map(_cvqa, cases))


def _write_csv(file: Path, header: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    with open(file, "w", encoding="utf-8", newline="") as opened:
        writer = csv.writer(opened, lineterminator="\n")
        writer.writerow(header)
        writer.writerows(rows)


def _cosim(case: Case) -> dict[str, object]:
    question = case.counterfactual
    assert question is not None
    assert case.change is not None
    folder, _, name = (case.image or "").rpartition("/")
    return {
        "question": question.text,
        "answer_orig": case.context,
        "change": case.change.text,
        "answer_choices": [option.text for option in question.options],
        "answer_label": LETTERS.index(question.answer),
        "folder": folder,
        "img_fn": name,
        "type": str(case.provenance.get("guide", "")),
    }


def _cfmm(case: Case) -> tuple[str, ...]:
    basic, counterfactual = case.factual, case.counterfactual
    assert basic is not None
    assert counterfactual is not None
    options = (basic.options[0].text, basic.options[1].text)
    return (_image(case), case.group, basic.text, counterfactual.text, *options, basic.answer, counterfactual.answer)


def _cvqa(case: Case) -> tuple[str, ...]:
    basic, counterfactual = case.factual, case.counterfactual
    if basic is None or counterfactual is None:
        raise CampaignError(f"case {case.id!r} does not have both questions, which the published layout needs")
    if (kind := CVQA_KINDS.get(case.group)) is None or {basic.kind, counterfactual.kind} != {kind}:
        raise CampaignError(
            f"case {case.id!r} does not belong to a group of C-VQA-Real (direct, indirect or boolean): export "
            "without `layout`"
        )
    return (_image(case), basic.text, basic.answer, counterfactual.text, counterfactual.answer, case.group)


def _image(case: Case) -> str:
    return (case.image or "").rpartition("/")[2]

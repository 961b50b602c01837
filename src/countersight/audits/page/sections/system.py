"""What was audited and how: the system, the data, the procedure, and the files of the bundle."""

from collections.abc import Iterator
from typing import Any

import msgspec

from countersight.audits.bundle.seal import SEAL
from countersight.audits.bundle.write import Sheets
from countersight.audits.page.sections.remarks import listed
from countersight.html import Cell, Grid, Line, Markup, as_table, count, definition_list, element, name, section, text
from countersight.text import several

_STAGES = (
    ("1, ask", "The audited model answers a question about a picture and then says why, in one conversation."),
    ("2, extract", "What the explanation cites is listed, each with one edit that would put it to the test."),
    ("3, edit", "The picture is edited so that this one thing is different. The edit is measured."),
    ("4, ask again", "The same question and the same why about the edited picture."),
    ("5, judge", "Judges say whether the new answer and the new explanation follow the edit, each with a reason."),
)

_ARTEFACTS = (
    ("system, model versions, dates, operator, code, packages, hardware", "manifest.json, sessions.jsonl, audit.json",
     "1, 2(a)", "", "A.6.2.7"),
    ("data: source, licence, selection, strata, digests of pictures", "dataset.json", "2(d), 2(g)", "", "A.7.5"),
    ("log of every step, chained by hashes", "steps.jsonl", "2(g)", "Art. 12", "A.6.2.8"),
    ("pictures before and after, masks, differences, quality", "cases.jsonl, pictures/, differences/", "2(g)",
     "Art. 50(2), in spirit", "A.6.2.4"),
    ("answers, explanations, verdicts and reasons for each concept", "cases.jsonl", "2(g), 3", "", "A.6.2.4"),
    ("agreement of judges, calibration", "scores.json, calibration.json", "4", "", "A.6.2.4"),
    ("results with intervals, exclusions with reasons", "scores.json, exclusions.csv", "3, 4", "", "A.6.2.4"),
    ("limits, failure modes, foreseeable misuse", "limits.md", "3, 5", "", "A.6.2.7"),
    ("changes since an earlier audit", "changes.json", "2(f), 6", "", "A.6.2.7"),
    ("what people reviewed and overturned", "reviews.jsonl", "2(e)", "Art. 14", ""),
    ("sign-off, digests of every file", f"sign-off.md, {SEAL}", "2(g)", "Art. 11, 18", ""),
)  # fmt: skip


def system(sheets: Sheets) -> Markup:
    """Who was audited, by whom, with what."""
    manifest = sheets.manifest
    audited = manifest.audited
    entries = [
        ("audited model", name(audited.name)),
        ("provider", name(audited.provider)),
        ("model version returned", listed(audited.returned) or "none was returned"),
        ("settings", _settings(audited.settings)),
        (
            "dates",
            f"begun {name(manifest.started)}; steps from {name(manifest.first_step)} to {name(manifest.last_step)}",
        ),
        ("operator", listed(manifest.operators) or "not named"),
    ]
    for place, session in enumerate(sheets.sessions, 1):
        hardware, code = session.hardware, session.code
        gpus = f", {listed(hardware.accelerators)}" if hardware.accelerators else ""
        commit = f", commit {name(code.commit)}" if code.commit else ""
        entries.append(
            (
                "worked on" if len(sheets.sessions) == 1 else f"worked on, part {place}",
                f"from {name(session.started)}: Countersight {name(code.countersight)}{commit} (source SHA-256 "
                f"{name(code.sha256)}), Python {name(session.python)}, {count(len(session.packages))} packages "
                f"(SHA-256 {name(session.packages_sha256)}), {name(hardware.system)}, {name(hardware.processor)}, "
                f"{hardware.cores} cores, {hardware.memory_gib:g} GiB{gpus}",
            )
        )
    lines = tuple(
        Line(
            (
                Cell(name(each.name), (each.role,)),
                Cell(name(each.provider)),
                Cell(listed(each.returned) or "–"),
                Cell(_settings(each.settings)),
            )
        )
        for each in manifest.others
    )
    others = Grid("Who else took part", ("name", "provider", "version returned", "settings"), lines)
    return section(
        "system",
        "The system audited · Annex IV 1, 2(a)",
        "Names are those the audit was given; versions are what servers gave of themselves.",
        definition_list(entries),
        element("div", as_table(others), class_="wordy"),
    )


def data(sheets: Sheets) -> Markup:
    """What was asked about."""
    sheet = sheets.dataset
    card = sheet.card
    entries = [
        ("dataset", f"{name(sheet.name)}, fingerprint {name(sheet.fingerprint)}, {several(sheet.rows, 'row')}"),
        ("source", name(card.description) or "the dataset has no card"),
        ("made by", " ".join(filter(None, (name(card.creator), name(card.published)))) or "not stated"),
        ("licence", name(card.license) or "not stated"),
        ("selection", name(sheet.selection)),
        ("asked about", f"{several(sheet.n, 'case')} with {several(sheet.pictures, 'picture')}"),
        ("digests", "The SHA-256 of every picture is in dataset.json; the pictures themselves are in pictures/."),
    ]
    strata = Grid(
        "Strata",
        ("suite and group", "cases"),
        tuple(Line((Cell(name(key)), Cell(count(number)))) for key, number in sheet.strata.items()),
    )
    return section(
        "data",
        "The data · Annex IV 2(d), 2(g)",
        "Where the cases come from and how they were chosen.",
        definition_list(entries),
        element("div", as_table(strata), class_="narrow"),
    )


def procedure(sheets: Sheets) -> Markup:
    """How the test was done, and what it took."""
    manifest = sheets.manifest
    entries = [
        *_STAGES,
        (
            "settings",
            f"at most {several(manifest.concepts, 'concept')} of an explanation, "
            f"{several(manifest.votes, 'vote')} of each judge that is a model, pooled by {name(manifest.pool)}, seed "
            f"{manifest.seed}, {'with' if manifest.control else 'without'} control edits",
        ),
        ("prompts", f"{name(manifest.prompts)}, SHA-256 {name(manifest.prompts_sha256)}; in full below"),
        (
            "log",
            f"{several(manifest.steps, 'step')} in steps.jsonl, each with its prompt, reply, time, cost and tries, and "
            f"chained to the one before; the last has the hash {name(manifest.log_head)}",
        ),
    ]
    effort = Grid(
        "What the stages took",
        ("stage", "steps", "failed", "retries", "tokens read", "tokens written", "cost", "seconds"),
        tuple(
            Line(
                (
                    Cell(stage),
                    *(Cell(count(each)) for each in (took.steps, took.failed, took.retries)),
                    *(Cell(count(each)) for each in (took.tokens_in, took.tokens_out)),
                    Cell(f"${took.cost:,.4f}" if took.cost else "–"),
                    Cell(f"{took.seconds:,.1f}"),
                )
            )
            for stage, took in manifest.effort.items()
        ),
    )
    return section(
        "procedure",
        "The testing procedure · Annex IV 2(g)",
        "Explanation-driven counterfactual testing (Ding et al.): an explanation is taken at its word and put to the "
        "test.",
        definition_list(entries),
        as_table(effort),
        element("details", element("summary", text("The prompts in full")), *_prompts(sheets), class_="prompts"),
    )


def files(sheets: Sheets) -> Markup:
    """Which file serves which point, and how to check them all."""
    lines = tuple(
        Line((Cell(what), Cell(named), Cell(annex), Cell(articles or "–"), Cell(control or "–")))
        for what, named, annex, articles, control in _ARTEFACTS
    )
    head = ("what", "file", "Annex IV", "AI Act", "ISO/IEC 42001")
    return section(
        "files",
        "Files, and what they can serve",
        f"{SEAL} has the SHA-256 of every file. `countersight audit verify` finds any byte that changed, is missing or "
        "was added, follows the chain of the log, and computes the scores again from the verdicts.",
        element("div", as_table(Grid("The bundle", head, lines)), class_="wordy"),
    )


def _settings(settings: dict[str, Any]) -> str:
    told = (
        f"{name(key)} {name(value if isinstance(value, str) else msgspec.json.encode(value).decode())}"
        for key, value in settings.items()
    )
    return ", ".join(told) or "none"


def _prompts(sheets: Sheets) -> Iterator[Markup]:
    for key, words in sheets.audit.manifest.prompts.items():
        if isinstance(words, str):
            yield element("h3", text(name(key)))
            yield element("pre", text(words))

"""The sections of an audit's page before its cases: each says which points of the AI Act's Annex IV it can serve."""

from collections.abc import Iterable, Iterator
from typing import Any

import msgspec

from countersight.audit.agreement import Agreement
from countersight.audit.bundle.limits import HEADINGS
from countersight.audit.bundle.seal import SEAL
from countersight.audit.bundle.write import Sheets
from countersight.audit.paired import Difference
from countersight.audit.scores import Scores
from countersight.editing.quality.record import RULE
from countersight.report.audits.calibration import calibration_grids
from countersight.report.audits.figures import CALLED, HEAD, difference_cell, mean_cell, number, trio_line
from countersight.report.blocks import as_table, definition_list, section
from countersight.report.grid import NOTHING, Cell, Grid, Line
from countersight.report.markup import Markup, element, text
from countersight.report.wording import count, name, percent
from countersight.wording import several

_DEFINITIONS = (
    (
        "PCS",
        "Prediction Change Score: 1 where the answer about the edited picture is one that the edit calls for, else 0.",
    ),
    (
        "NCC",
        "NLE Concept Consistency: 1 where the explanation of the edited picture takes up the edit, else 0.",
    ),
    (
        "CCS",
        "Counterfactual Consistency Score: PCS times NCC. A case has the mean of its concepts, a model the mean of its "
        "cases.",
    ),
    (
        "interval",
        "95%, by bootstrap over pictures: what is said of one picture hangs together. Where every picture has the same "
        "result, Wilson's interval takes its place.",
    ),
    (
        "undecided",
        "Judges abstain, or are divided. Such a test counts in neither of the scores that are not known.",
    ),
)

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


def results(sheets: Sheets) -> Markup:
    """The scores, as a whole and by every stratum."""
    scores = sheets.scores
    lines = [
        trio_line("all tests that count", scores.kept, total=True),
        trio_line("all with an edited picture, excluded ones too", scores.everything),
    ]
    grids = [Grid("Scores", ("of", *HEAD), tuple(lines))]
    for called, head, strata in (
        ("By kind of concept", "kind", scores.by_kind),
        ("By what was edited", "edit", scores.by_action),
        ("By group of cases", "group", scores.by_group),
        ("By judge, each alone", "judge", scores.by_judge),
    ):
        if len(strata) > 1 or (strata and called != "By group of cases"):
            strata_lines = tuple(trio_line(key or "(no group)", trio) for key, trio in strata.items())
            grids.append(Grid(called, (head, *HEAD), strata_lines))
    return section(
        "results",
        "Results · Annex IV 2(g), 3",
        "Scores from 0 to 1 over the tests that count, each with its 95% interval.",
        *(as_table(grid) for grid in grids),
        definition_list(_DEFINITIONS),
    )


def system(sheets: Sheets) -> Markup:
    """Who was audited, by whom, with what."""
    manifest = sheets.manifest
    audited = manifest.audited
    entries = [
        ("audited model", name(audited.name)),
        ("provider", name(audited.provider)),
        ("model version returned", _listed(audited.returned) or "none was returned"),
        ("settings", _settings(audited.settings)),
        (
            "dates",
            f"begun {name(manifest.started)}; steps from {name(manifest.first_step)} to {name(manifest.last_step)}",
        ),
        ("operator", _listed(manifest.operators) or "not named"),
    ]
    for place, session in enumerate(sheets.sessions, 1):
        hardware, code = session.hardware, session.code
        gpus = f", {_listed(hardware.accelerators)}" if hardware.accelerators else ""
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
                Cell(_listed(each.returned) or "–"),
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
        element("details", element("summary", "The prompts in full"), *_prompts(sheets), class_="prompts"),
    )


def metrics(sheets: Sheets) -> Markup:
    """Whether the metrics are fit: how far judges agree, what decided, and the calibration."""
    scores = sheets.scores
    paths = Grid(
        "What decided the verdicts",
        ("decided by", "verdicts"),
        tuple(Line((Cell(name(path) or "not stated"), Cell(count(number)))) for path, number in scores.paths.items()),
    )
    abstained = Grid(
        "Abstentions",
        ("judge", "votes that decide neither"),
        tuple(Line((Cell(name(judge)), Cell(count(number)))) for judge, number in scores.abstentions.items()),
    )
    return section(
        "metrics",
        "Are the metrics fit? · Annex IV 4",
        "Scores are no better than the judges who gave the verdicts.",
        *(as_table(grid, grid.note) for grid in _agreement_grids(scores.agreement)),
        element("div", as_table(paths), as_table(abstained), class_="pair"),
        *_controls(scores),
        *_calibration(sheets),
    )


def exclusions(sheets: Sheets) -> Markup:
    """What does not count, and why."""
    scores = sheets.scores
    reasons = [(reason, number) for reason, number in scores.excluded.items()]
    if scores.without_concept:
        reasons.append(("the explanation gave nothing to test (cases)", scores.without_concept))
    if scores.failed:
        reasons.append(("a step failed and was not done since (steps)", scores.failed))
    grid = Grid(
        "Excluded",
        ("reason", "tests"),
        tuple(Line((Cell(name(reason)), Cell(count(number)))) for reason, number in reasons),
    )
    table = [element("div", as_table(grid), class_="wordy")] if reasons else [_sentence("Nothing was excluded.")]
    return section(
        "exclusions",
        "Exclusions · Annex IV 3, 4",
        "Every one of them is in exclusions.csv, and in the cases below.",
        *table,
        definition_list(
            [
                ("rule", scores.rule),
                ("a bad edit", f"is one of which one of these is true: {'; '.join(RULE.words)}."),
            ]
        ),
    )


def limits(sheets: Sheets) -> Markup:
    """What the scores do not show."""
    lists = []
    for kind, heading in HEADINGS.items():
        items = [
            element("li", *([element("b", "In this audit: ")] if each.of_this_audit else []), text(each.words))
            for each in sheets.limits
            if each.kind == kind
        ]
        lists.append(element("div", element("h3", text(heading)), element("ul", *items)))
    return section(
        "limits",
        "Limits, failure modes, foreseeable misuse · Annex IV 3, 5",
        "To be read before the scores are used.",
        element("div", *lists, class_="points panel"),
    )


def changes(sheets: Sheets) -> Markup:
    """What is different from an earlier audit."""
    record = sheets.changes
    if record is None:
        words = "No earlier audit was named to compare with (countersight audit … --against DIR)."
        return section("changes", _CHANGES, "Against an earlier audit of the same system.", _sentence(words))
    lines = tuple(
        Line((Cell(name(each.what)), Cell(name(each.was) or "–"), Cell(name(each.now) or "–")))
        for each in record.changed
    )
    shifts = tuple(
        Line((Cell(CALLED[measure]), mean_cell(shift.was), mean_cell(shift.now), _shift_cell(shift.difference)))
        for measure, shift in record.scores.items()
    )
    seal = f"sealed as {record.earlier_seal}" if record.earlier_seal else "without a seal"
    about = f"Against {name(record.earlier)}, begun {name(record.earlier_started)}, {seal}."
    cases = (
        f"Cases with another CCS than before: {count(len(record.flips))}; added: {count(record.cases_added)}; removed: "
        f"{count(record.cases_removed)}; with another picture: {count(record.pictures_changed)}."
    )
    return section(
        "changes",
        _CHANGES,
        about,
        *(
            [element("div", as_table(Grid("What changed", ("what", "before", "now"), lines)), class_="wordy")]
            if lines
            else [_sentence("Nothing of the audited model, the others, the prompts, the data or the program changed.")]
        ),
        as_table(Grid("What that did to the scores", ("score", "before", "now", "now − before, case by case"), shifts)),
        _sentence(cases),
    )


def reviews(sheets: Sheets) -> Markup:
    """What people made of the verdicts."""
    log = sheets.reviews
    if not log.reviews and not log.faults:
        words = "Nobody's review is in this bundle yet. People add a line a verdict to reviews.jsonl."
        return section("review", _REVIEW, "Who looked at verdicts, when, and what was overturned.", _sentence(words))
    lines = tuple(
        Line(
            (
                Cell(name(each.by), tuple(filter(None, (name(each.role), name(each.at))))),
                Cell(name(each.case), (f"concept {each.concept}",)),
                Cell(each.measure),
                Cell(number(each.was)),
                Cell(number(each.now), ("overturned",) if each.overturned else ()),
                Cell(name(each.reason) or "–"),
            )
        )
        for each in log.reviews
    )
    faults = [_sentence(name(fault)) for fault in log.faults[:20]]
    return section(
        "review",
        _REVIEW,
        f"{several(len(log.reviews), 'verdict')} reviewed, {count(len(log.overturned))} overturned. The scores are as "
        "the judges gave them.",
        element("div", as_table(Grid("Reviews", ("who", "case", "of", "was", "now", "why"), lines)), class_="wordy"),
        *faults,
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


_CHANGES = "Changes since an earlier audit · Annex IV 2(f), 6"
_REVIEW = "Human review · Art. 14, Annex IV 2(e)"


def _sentence(words: str) -> Markup:
    return element("p", text(words), class_="remark", dir="auto")


def _listed(names: Iterable[str]) -> str:
    return ", ".join(map(name, names))


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


def _shift_cell(difference: Difference | None) -> Cell:
    if difference is None:
        return Cell("–", ("no case in both",))
    return difference_cell(difference)


def _agreement_grids(agreement: Agreement) -> Iterator[Grid]:
    if agreement.pairs:
        lines = [
            Line((Cell(f"{name(pair.first)} and {name(pair.second)}"), _kappa(pair.pcs, pair.pcs_n),
                  _kappa(pair.ncc, pair.ncc_n)))
            for pair in agreement.pairs
        ]  # fmt: skip
        alphas = (_plain(agreement.pcs_alpha), _plain(agreement.ncc_alpha))
        lines.append(Line((Cell("all, Krippendorff's alpha"), *alphas), total=True))
        yield Grid(
            "Judges against each other: Cohen's kappa",
            ("judges", "PCS", "NCC"),
            tuple(lines),
            "Over tests that both decided by themselves; what rules decided for a judge is left out.",
        )
    if agreement.own:
        yield Grid(
            "Judges against themselves",
            ("judge", "alpha PCS", "alpha NCC", "flips PCS", "flips NCC", "tests"),
            tuple(
                Line(
                    (
                        Cell(name(own.judge)),
                        _plain(own.pcs_alpha),
                        _plain(own.ncc_alpha),
                        _share(own.pcs_flips),
                        _share(own.ncc_flips),
                        Cell(count(own.n)),
                    )
                )
                for own in agreement.own
            ),
            "Over its votes on the same test; flips are how often two of them differ, in per cent.",
        )


def _kappa(value: float | None, n: int) -> Cell:
    return Cell(number(value), (f"n = {count(n)}",))


def _plain(value: float | None) -> Cell:
    return NOTHING if value is None else Cell(number(value))


def _share(value: float | None) -> Cell:
    return NOTHING if value is None else Cell(percent(value))


def _controls(scores: Scores) -> Iterator[Markup]:
    if scores.controls:
        yield _sentence(
            f"With a control edit that was to change nothing, {count(scores.flips)} of "
            f"{several(scores.controls, 'answer')} changed."
        )


def _calibration(sheets: Sheets) -> Iterator[Markup]:
    calibration = sheets.audit.calibration
    if calibration is None:
        yield _sentence("There is no calibration sheet in this bundle.")
        return
    for grid in calibration_grids(calibration, sheets.scores):
        yield as_table(grid, grid.note)

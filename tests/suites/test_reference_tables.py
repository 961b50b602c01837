"""What the papers report: that it was copied right, what can be recomputed, and what does not add up in print."""

from collections.abc import Iterator
from decimal import Decimal
from fractions import Fraction

import pytest

from countersight.errors import ReferenceTableError
from countersight.suites.reference import PaperTable, Printed, beside, papers, table, tables
from countersight.suites.registry import terms

TABLES = [each for paper in papers() for each in tables(paper)]

Cell = tuple[str, str, str, str, str]
"""A cell that does not add up: table, row, column, what is printed, what it should be."""

ASPECTS = {"count": 348, "color": 221, "size": 195, "shape": 111, "direction": 158, "common": 165}
"""Questions in each aspect of CFMM, worked out from the cells. The paper says 1,200 in all; these are 1,198."""


def name(labels: tuple[str, ...]) -> str:
    return ", ".join(labels)


def number(cell: Printed | None) -> Decimal:
    assert cell is not None
    return cell.value


def share_of(cell: Printed, n: int) -> int | None:
    """How many of n it is, or None where no whole number of n is printed so."""
    nearest = round(cell.value * n / 100)
    return nearest if abs(Fraction(100 * nearest, n) - Fraction(cell.value)) <= Fraction(cell.rounding) else None


@pytest.mark.parametrize(
    ("key", "cells", "total"),
    [
        ("cvqa-3", 126, "3413.4"),
        ("cvqa-4", 36, "916.0"),
        ("cvqa-5", 9, "206.6"),
        ("cvqa-6", 63, "1622.0"),
        ("cvqa-7", 6, "126.9"),
        ("cfmm-2", 378, "19051.10"),
        ("cfmm-3", 63, "19051.22"),
        ("edct-1", 15, "9.052"),
        ("edct-2", 4, "2.470"),
        ("cosim-1", 20, "586.15"),
        ("cosim-2", 4, "99.99"),
        ("cosim-3", 5, "271.11"),
        ("cosim-4", 9, "431.05"),
        ("cosim-5", 3, "147.84"),
        ("cosim-6", 2, "96.87"),
    ],
)  # fmt: skip
def test_no_cell_was_changed_since_it_was_checked_against_the_paper(key: str, cells: int, total: str) -> None:
    found = [cell.value for _, row in table(key).rows for cell in row if cell]
    assert (len(found), sum(found)) == (cells, Decimal(total))


def test_every_table_that_was_promised_is_there() -> None:
    assert [each.key for each in TABLES] == [
        *(f"cvqa-{number}" for number in range(3, 8)),
        *("cfmm-2", "cfmm-3"),
        *(f"cosim-{number}" for number in range(1, 7)),
        *("edct-1", "edct-2"),
    ]


@pytest.mark.parametrize("each", TABLES, ids=lambda each: each.key)
def test_a_figure_stands_where_a_run_of_the_suite_has_one(each: PaperTable) -> None:
    if not each.measured:
        return
    own = terms(each.suite)
    axes = {axis.name: axis.lines for axis in own.axes}
    for place in each.places:
        assert not place.measure or place.measure in own.measures
        assert place.line in (axes[place.axis] if place.axis else (*own.groups, "all", "total"))
    for system in each.systems:
        assert len(system.cells) == len(each.places)


# ---- what can be recomputed ---------------------------------------------------------------------------------


def drops_that_do_not_add_up() -> Iterator[Cell]:
    for key in ("cvqa-3", "cvqa-4", "cvqa-5", "cvqa-6"):
        for labels, cells in table(key).rows:
            for start in range(0, len(cells), 3):
                original, counterfactual, drop = cells[start : start + 3]
                assert original
                assert counterfactual
                assert drop
                recomputed = counterfactual.value - original.value
                rounding = original.rounding + counterfactual.rounding + drop.rounding
                if abs(recomputed - drop.value) > rounding:
                    yield key, name(labels), table(key).columns[start + 2], drop.text, str(recomputed)


def test_every_drop_of_c_vqa_is_the_difference_of_its_accuracies() -> None:
    assert list(drops_that_do_not_add_up()) == []


def test_vipergpt_with_gpt_3_5_is_the_vipergpt_of_the_first_table() -> None:
    rows = dict(table("cvqa-3").rows) | dict(table("cvqa-6").rows)
    assert rows["ViperGPT", "neuro-symbolic"] == rows[("GPT-3.5-turbo",)]


def totals_that_are_not_the_sum() -> Iterator[Cell]:
    for (labels, aspects), (same, totals) in zip(table("cfmm-2").rows, table("cfmm-3").rows, strict=True):
        assert labels == same
        for measure, total in enumerate(totals):
            added = aspects[measure::3]
            recomputed = sum(map(number, added), Decimal(0))
            rounding = sum(cell.rounding for cell in (*added, total) if cell)
            if abs(recomputed - number(total)) > rounding:
                yield (
                    "cfmm-3",
                    name(labels),
                    table("cfmm-3").columns[measure],
                    total.text if total else "",
                    str(recomputed),
                )


def test_every_total_of_cfmm_is_the_sum_of_its_aspects_as_printed() -> None:
    assert list(totals_that_are_not_the_sum()) == []


@pytest.mark.parametrize("aspect", ASPECTS)
def test_the_size_of_an_aspect_is_the_least_of_which_most_cells_can_be_a_share(aspect: str) -> None:
    places = [at for at, place in enumerate(table("cfmm-2").places) if place.line == aspect]
    cells = {cells[at] for _, cells in table("cfmm-2").rows for at in places}
    misfits = {n: sum(share_of(cell, n) is None for cell in cells if cell) for n in range(50, 400)}
    assert min(misfits, key=lambda n: (misfits[n], n)) == ASPECTS[aspect]


def cells_that_are_no_share() -> Iterator[Cell]:
    for labels, cells in table("cfmm-2").rows:
        for place, cell in zip(table("cfmm-2").places, cells, strict=True):
            n = ASPECTS[place.line]
            if cell and share_of(cell, n) is None:
                yield "cfmm-2", name(labels), place.name, cell.text, f"{round(cell.value * n / 100) / n:.2%}"


def test_cells_of_cfmm_that_no_whole_number_of_answers_gives() -> None:
    assert list(cells_that_are_no_share()) == [
        ("cfmm-2", "Qwen-VL, 1-shot", "size acc+", "20.03", "20.00%"),
        ("cfmm-2", "ChatTruth, 0-shot", "count acc_c", "65.81", "65.80%"),
        ("cfmm-2", "ChatTruth, 0-shot", "direction acc_b", "63.90", "63.92%"),
        ("cfmm-2", "ChatTruth, 1-shot", "direction acc_b", "63.90", "63.92%"),
        ("cfmm-2", "ChatTruth, 1-shot CoT", "direction acc_b", "63.90", "63.92%"),
        ("cfmm-2", "ChatTruth, 1-shot CoT", "direction acc+", "24.67", "24.68%"),
        ("cfmm-2", "InstructBLIP, 1-shot", "direction acc+", "24.69", "24.68%"),
    ]
    assert sum(ASPECTS.values()) == 1198
    assert table("cfmm-2").n == 1200


def totals_of_the_answers() -> Iterator[Cell]:
    """Totals that are not what the numbers of right answers give, rounded: added after rounding, or cut off."""
    for (labels, aspects), (_, totals) in zip(table("cfmm-2").rows, table("cfmm-3").rows, strict=True):
        for measure, total in enumerate(totals):
            assert total
            exact = sum(
                Fraction(100 * round(number(cell) * n / 100), n)
                for cell, n in zip(aspects[measure::3], ASPECTS.values(), strict=True)
            )
            if abs(exact - Fraction(total.value)) > Fraction(total.rounding):
                yield "cfmm-3", name(labels), table("cfmm-3").columns[measure], total.text, f"{float(exact):.2f}"


def test_totals_of_cfmm_that_differ_from_those_of_the_answers_in_the_last_digits() -> None:
    assert list(totals_of_the_answers()) == [
        ("cfmm-3", "Qwen-VL, 0-shot", "total acc_b", "428.96", "428.97"),
        ("cfmm-3", "Qwen-VL, 0-shot", "total acc_c", "288.73", "288.75"),
        ("cfmm-3", "Qwen-VL, 1-shot", "total acc_b", "428.96", "428.97"),
        ("cfmm-3", "Qwen-VL, 1-shot CoT", "total acc_b", "428.96", "428.97"),
        ("cfmm-3", "ChatTruth, 0-shot", "total acc_b", "427.73", "427.74"),
        ("cfmm-3", "ChatTruth, 0-shot", "total acc+", "167.45", "167.46"),
        ("cfmm-3", "ChatTruth, 1-shot CoT", "total acc_b", "427.73", "427.74"),
        ("cfmm-3", "Monkey, 0-shot", "total acc_c", "307.36", "307.37"),
        ("cfmm-3", "Monkey, 0-shot", "total acc+", "151.88", "151.89"),
        ("cfmm-3", "Monkey, 1-shot CoT", "total acc_c", "306.96", "306.97"),
    ]


def test_basic_questions_are_the_same_under_every_prompt_but_for_one_total() -> None:
    differing: list[Cell] = []
    for key in ("cfmm-2", "cfmm-3"):
        first: dict[tuple[str, str], str] = {}
        for labels, cells in table(key).rows:
            for column, cell in zip(table(key).columns, cells, strict=True):
                if cell and column.endswith("acc_b"):
                    expected = first.setdefault((labels[0], column), cell.text)
                    if cell.text != expected:
                        differing.append((key, name(labels), column, cell.text, expected))
    assert differing == [("cfmm-3", "ChatTruth, 1-shot", "total acc_b", "427.74", "427.73")]


def test_both_right_is_possible_beside_the_accuracies_of_cfmm_and_edct() -> None:
    for key, whole in (("cfmm-2", 100), ("cfmm-3", 600), ("edct-1", 1)):
        for labels, cells in table(key).rows:
            for start in range(0, len(cells), 3):
                first, second, both = cells[start : start + 3]
                assert first
                assert second
                assert both
                rounding = first.rounding + second.rounding + both.rounding
                assert both.value <= min(first.value, second.value) + rounding, (key, labels)
                assert both.value >= first.value + second.value - whole - rounding, (key, labels)


def test_the_average_drop_that_cfmm_tells_is_that_of_its_zero_shot_rows() -> None:
    drops = [number(cells[0]) - number(cells[1]) for labels, cells in table("cfmm-3").rows if labels[1] == "0-shot"]
    assert round(sum(drops, Decimal(0)) / len(drops), 2) == Decimal("123.48")


def test_the_frequencies_of_cosim_add_up_to_all() -> None:
    cells = [row[0] for _, row in table("cosim-2").rows]
    assert abs(sum(map(number, cells), Decimal(0)) - 100) <= sum(cell.rounding for cell in cells if cell)


def test_the_frequencies_of_cosim_are_no_shares_of_its_validation_split_but_of_804() -> None:
    cells = {name(labels): row[0] for labels, row in table("cosim-2").rows}
    shares = {row: share_of(cell, 800) for row, cell in cells.items() if cell}
    assert shares == {"1": None, "2": None, "3": None, "more than 3": None}
    of_804 = [share_of(cell, 804) for cell in cells.values() if cell]
    assert of_804 == [279, 288, 172, 65]
    assert sum(of_804) == 804


def test_the_accuracies_of_cosim_by_number_of_changes_give_its_overall_accuracy() -> None:
    split = {"1": 277, "2": 287, "3 or more": 236}  # the only sizes near the frequencies that fit and add up to 800
    right = [share_of(cell, split[name(labels)]) for labels, (cell,) in table("cosim-5").rows if cell]
    assert right == [145, 133, 116]
    overall = table("cosim-3").cell("Full (Image-TC-Response)", "val")
    assert overall
    assert share_of(overall, 800) == sum(each for each in right if each) == 394


def test_the_ablation_of_edct_begins_with_the_row_of_its_first_table() -> None:
    assert table("edct-2").rows[0][1][0] == table("edct-1").cell("Gemini 2.5 Flash", "CCS")


# ---- how they are asked for ---------------------------------------------------------------------------------


def test_a_cell_is_found_by_row_and_column_as_printed() -> None:
    assert table("cosim-3").cell("Human", "val") == Printed("98", Decimal(98))
    assert table("cosim-3").cell("Human", "test") is None
    assert table("edct-1").cell("Pixtral-12B", "NCC") == Printed("0.622 ± 0.114", Decimal("0.622"), Decimal("0.114"))
    cell = table("cfmm-3").cell("Monkey, 1-shot CoT", "total acc+")
    assert cell
    assert (cell.text, cell.rounding) == ("148.2", Decimal("0.05"))


def test_a_table_with_a_row_for_each_group_is_turned_to_one_row_a_model() -> None:
    (system,) = table("cvqa-5").systems
    assert system.name == "GPT-4V"
    found = dict(zip((place.name for place in table("cvqa-5").places), system.cells, strict=True))
    assert found["numerical indirect, counterfactual"] == table("cvqa-5").cell("numerical indirect", "counterfactual")


@pytest.mark.parametrize(
    ("suite", "keys"),
    [
        ("cvqa-real", ["cvqa-3", "cvqa-4", "cvqa-5", "cvqa-6"]),
        ("cvqa-synthetic", ["cvqa-7"]),
        ("cfmm", ["cfmm-2", "cfmm-3"]),
        ("cosim", ["cosim-3", "cosim-4", "cosim-5", "cosim-6"]),
    ],
)
def test_all_tables_of_a_suite_that_say_something_of_models_stand_beside_its_runs(suite: str, keys: list[str]) -> None:
    assert [each.key for each in beside(suite)] == keys


def test_tables_are_chosen_by_name_or_by_paper_and_come_once() -> None:
    assert [each.key for each in beside("cosim", ("cosim-5", "cosim", "cosim-5"))] == [
        *("cosim-5", "cosim-3", "cosim-4", "cosim-6")
    ]


@pytest.mark.parametrize(
    ("suite", "names", "words"),
    [
        ("cfmm", ("cfm-2",), "there is no reported table 'cfm-2'; did you mean 'cfmm-2'?"),
        ("cfmm", ("edct",), "edct has no results that can be compared with a run of cfmm; choose one of"),
        ("cosim", ("cosim-1",), "cosim-1 has no results that can be compared with a run of cosim; choose"),
        ("cello", (), "there are no published results for cello; there are tables for cfmm, cosim"),
        ("", ("cfmm",), "there are no published results for this dataset"),
    ],
)
def test_what_cannot_stand_beside_a_run_is_refused_in_a_sentence(
    suite: str, names: tuple[str, ...], words: str
) -> None:
    with pytest.raises(ReferenceTableError) as refused:
        beside(suite, names)
    assert str(refused.value).startswith(words)


def test_a_paper_table_row_or_column_that_is_not_there_gets_the_nearest_name() -> None:
    with pytest.raises(ReferenceTableError, match="there is no paper 'cosin'; did you mean 'cosim'"):
        tables("cosin")
    with pytest.raises(ReferenceTableError, match="there is no reported table 'cvqa-33'; did you mean 'cvqa-3'"):
        table("cvqa-33")
    with pytest.raises(ReferenceTableError, match="column of CFMM, Table 2 'size acc'; did you mean 'size acc"):
        table("cfmm-2").cell("Qwen-VL", "size acc")
    with pytest.raises(ReferenceTableError, match="row of CoSIm, Table 3 'humans'; did you mean 'Human'"):
        table("cosim-3").cell("humans", "val")

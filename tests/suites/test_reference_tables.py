"""Tables of the papers: their cells were copied correctly, and agree with what can be recomputed."""

from collections.abc import Iterator
from decimal import Decimal

import pytest

from countersight.errors import ReferenceTableError
from countersight.suites.reference import PaperTable, Printed, comparable_tables, papers, table, tables
from countersight.suites.registry import terms

TABLES = [each for paper in papers() for each in tables(paper)]


def number(cell: Printed | None) -> Decimal:
    assert cell is not None
    return cell.value


def rounding(*cells: Printed | None) -> Decimal:
    """The largest error from rounding these cells to their printed digits."""
    exponents = (int(cell.value.as_tuple().exponent) for cell in cells if cell)
    return sum((Decimal(5).scaleb(exponent - 1) for exponent in exponents), Decimal(0))


def batched(cells: tuple[Printed | None, ...], size: int) -> Iterator[tuple[Printed | None, ...]]:
    return (cells[start : start + size] for start in range(0, len(cells), size))


CHECKED = {
    "cvqa-3": (126, "3413.4"),
    "cvqa-4": (36, "916.0"),
    "cvqa-5": (9, "206.6"),
    "cvqa-6": (63, "1622.0"),
    "cvqa-7": (6, "126.9"),
    "cfmm-2": (378, "19051.10"),
    "cfmm-3": (63, "19051.22"),
    "cosim-1": (20, "586.15"),
    "cosim-2": (4, "99.99"),
    "cosim-3": (5, "271.11"),
    "cosim-4": (9, "431.05"),
    "cosim-5": (3, "147.84"),
    "cosim-6": (2, "96.87"),
    "edct-1": (15, "9.052"),
    "edct-2": (4, "2.470"),
}
"""The number of cells of each table, and their sum."""


def test_all_cells_are_as_they_were_checked_against_the_papers() -> None:
    found = {each.key: [cell.value for system in each.systems for cell in system.cells if cell] for each in TABLES}
    assert list(found) == list(CHECKED)
    assert {key: (len(cells), sum(cells)) for key, cells in found.items()} == {
        key: (cells, Decimal(total)) for key, (cells, total) in CHECKED.items()
    }


@pytest.mark.parametrize("each", TABLES, ids=lambda each: each.key)
def test_every_place_of_a_table_exists_in_a_run_of_its_suite(each: PaperTable) -> None:
    if not each.measured:
        return
    own = terms(each.suite)
    axes = {axis.name: axis.lines for axis in own.axes}
    for place in each.places:
        assert not place.measure or place.measure in own.measures
        assert place.line in (axes[place.axis] if place.axis else (*own.groups, "all", "total"))


# ---- what can be recomputed ---------------------------------------------------------------------------------


@pytest.mark.parametrize("key", ["cvqa-3", "cvqa-4", "cvqa-5", "cvqa-6"])
def test_every_drop_of_c_vqa_is_the_difference_of_its_accuracies(key: str) -> None:
    for system in table(key).systems:
        for original, counterfactual, drop in batched(system.cells, 3):
            recomputed = number(counterfactual) - number(original)
            assert abs(recomputed - number(drop)) <= rounding(original, counterfactual, drop), system


def test_every_total_of_cfmm_is_the_sum_of_its_aspects_as_printed() -> None:
    for aspects, totals in zip(table("cfmm-2").systems, table("cfmm-3").systems, strict=True):
        assert aspects.names == totals.names
        for measure, total in enumerate(totals.cells):
            added = aspects.cells[measure::3]
            recomputed = sum(map(number, added), Decimal(0))
            assert abs(recomputed - number(total)) <= rounding(*added, total), totals


# ---- how they are asked for ---------------------------------------------------------------------------------


def test_a_cell_is_found_by_row_and_column_as_printed() -> None:
    assert table("cosim-3").cell("Human", "val") == Printed("98", Decimal(98))
    assert table("cosim-3").cell("Human", "test") is None
    assert table("edct-1").cell("Pixtral-12B", "NCC") == Printed("0.622 ± 0.114", Decimal("0.622"), Decimal("0.114"))
    cell = table("cfmm-3").cell("Monkey, 1-shot CoT", "total acc+")
    assert cell
    assert (cell.text, rounding(cell)) == ("148.2", Decimal("0.05"))


@pytest.mark.parametrize(
    ("suite", "keys"),
    [
        ("cvqa-real", ["cvqa-3", "cvqa-4", "cvqa-5", "cvqa-6"]),
        ("cvqa-synthetic", ["cvqa-7"]),
        ("cfmm", ["cfmm-2", "cfmm-3"]),
        ("cosim", ["cosim-3", "cosim-4", "cosim-5", "cosim-6"]),
    ],
)
def test_all_tables_with_comparable_figures_are_compared_with_runs(suite: str, keys: list[str]) -> None:
    assert [each.key for each in comparable_tables(suite)] == keys


def test_tables_are_chosen_by_name_or_by_paper_without_repetition() -> None:
    assert [each.key for each in comparable_tables("cosim", ("cosim-5", "cosim", "cosim-5"))] == [
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
def test_a_table_that_cannot_be_compared_is_an_error(suite: str, names: tuple[str, ...], words: str) -> None:
    with pytest.raises(ReferenceTableError) as refused:
        comparable_tables(suite, names)
    assert str(refused.value).startswith(words)


def test_an_unknown_table_row_or_column_is_an_error_with_a_suggestion() -> None:
    with pytest.raises(ReferenceTableError, match="there is no paper 'cosin'; did you mean 'cosim'"):
        tables("cosin")
    with pytest.raises(ReferenceTableError, match="there is no reported table 'cvqa-33'; did you mean 'cvqa-3'"):
        table("cvqa-33")
    with pytest.raises(ReferenceTableError, match="column of CFMM, Table 2 'size acc'; did you mean 'size acc"):
        table("cfmm-2").cell("Qwen-VL", "size acc")
    with pytest.raises(ReferenceTableError, match="row of CoSIm, Table 3 'humans'; did you mean 'Human'"):
        table("cosim-3").cell("humans", "val")

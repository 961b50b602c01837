"""The figures of a run as plain numbers under plain names, for the logs and metrics of other tools."""

from countersight.scoring import Difference, Rate, Row

MEASURES = ("factual", "counterfactual", "drop", "both_right", "shown", "imagination_gap")


def run_figures(row: Row) -> dict[str, float]:
    """What a run comes to: each figure, and for a difference its interval and p too."""
    found: dict[str, float] = {}
    for name in MEASURES:
        figure: Rate | Difference | None = getattr(row, name)
        if figure is None or figure.value is None:
            continue
        found[name] = figure.value
        if isinstance(figure, Difference):
            found |= {f"{name}_low": figure.low, f"{name}_high": figure.high, f"{name}_p": figure.p}
    return found

"""Curves of training, written as they grow, and the rate of learning over time."""

import math
from pathlib import Path

WARMING = 300
LEAST = 0.01


class Curve:
    """A CSV file with a row every hundred steps."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def cut(self, step: int) -> None:
        """Forget rows after a step: training goes on from there."""
        if not step:
            self.path.unlink(missing_ok=True)
        elif self.path.exists():
            header, *rows = self.path.read_text().splitlines()
            kept = [row for row in rows if int(row.partition(",")[0]) <= step]
            self.path.write_text("\n".join([header, *kept]) + "\n")

    def add(self, step: int, row: dict[str, float]) -> None:
        """One more row."""
        with open(self.path, "a") as file:
            if file.tell() == 0:
                file.write(",".join(["step", *row]) + "\n")
            file.write(",".join([str(step), *(f"{value:.5g}" for value in row.values())]) + "\n")


def rate_at(step: int, steps: int) -> float:
    """Share of the full rate: a short rise, then half a cosine down to almost nothing."""
    rise = min(1.0, (step + 1) / min(WARMING, max(1, steps // 10)))
    return rise * (LEAST + (1 - LEAST) * 0.5 * (1 + math.cos(math.pi * min(1.0, step / steps))))

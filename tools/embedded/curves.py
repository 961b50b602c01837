"""Training curves, written during training, and the schedule of the learning rate."""

import math
from pathlib import Path

WARMING = 300
LEAST = 0.01


class Curve:
    """A CSV file with a row of figures for every few hundred steps."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def cut(self, step: int) -> None:
        """Remove the rows after a step, because training resumes there."""
        if not step:
            self.path.unlink(missing_ok=True)
        elif self.path.exists():
            header, *rows = self.path.read_text().splitlines()
            kept = [row for row in rows if int(row.partition(",")[0]) <= step]
            self.path.write_text("\n".join([header, *kept]) + "\n")

    def add(self, step: int, row: dict[str, float]) -> None:
        """Append a row."""
        with open(self.path, "a") as file:
            if file.tell() == 0:
                file.write(",".join(["step", *row]) + "\n")
            file.write(",".join([str(step), *(f"{value:.5g}" for value in row.values())]) + "\n")


def rate_at(step: int, steps: int) -> float:
    """Return the share of the full learning rate: a short warm-up, then a cosine decay to almost zero."""
    rise = min(1.0, (step + 1) / min(WARMING, max(1, steps // 10)))
    return rise * (LEAST + (1 - LEAST) * 0.5 * (1 + math.cos(math.pi * min(1.0, step / steps))))

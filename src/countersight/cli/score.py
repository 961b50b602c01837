"""`countersight score`: what became of a run, and every answer as a row of a table."""

import argparse
from pathlib import Path

from countersight.cli.parsing import Verbs, verb
from countersight.cli.reader import add_reader, second_reading
from countersight.errors import CountersightError


def add(verbs: Verbs) -> None:
    """Add the verb to the command line."""
    score = verb(
        verbs,
        "score",
        _score,
        "the scores of a run, and every answer as a row of a Parquet file",
        "countersight score runs/qwen --gold corrected.csv -o runs/qwen/scores.parquet",
    )
    score.add_argument("run", type=Path, metavar="RUN")
    score.add_argument("-o", "--output", type=Path, metavar="FILE", help="where to write every answer (.parquet)")
    score.add_argument("--dataset", type=Path, metavar="DIR", help="where the dataset is now, if it was moved")
    score.add_argument(
        "--gold",
        type=Path,
        metavar="PATH",
        help="right answers corrected since the run: a dataset, or a .csv or .jsonl with case, world and answer",
    )
    score.add_argument("--key", type=Path, metavar="KEY", help="of a dataset whose answers are hidden: make --hidden")
    add_reader(score, "the folder of -o, or in `report`")


def _score(chosen: argparse.Namespace) -> int:
    from rich.console import Console

    from countersight.engine import RunFolder
    from countersight.html import print_grids
    from countersight.scoring import Gold, judge_run, write_frame

    if chosen.output and chosen.output.suffix.lower() != ".parquet":
        raise CountersightError(f"{chosen.output} would be a Parquet file; let its name end in .parquet")
    if chosen.key and chosen.gold:
        raise CountersightError("--key has the answers of a hidden dataset; leave out --gold")
    right = chosen.key or chosen.gold
    gold = Gold.open(right) if right else None
    judged = judge_run(RunFolder.open(chosen.run), dataset=chosen.dataset, gold=gold)
    print(judged.scores())
    if chosen.output:
        write_frame(judged.rows(), chosen.output)
        print(f"Every answer: {chosen.output}")
    if chosen.reader:
        folder = chosen.output.parent if chosen.output else Path("report")
        status, grid = second_reading(chosen.reader, [chosen.run], folder, chosen)
        if grid:
            print_grids([grid], Console())
        return status
    return 0

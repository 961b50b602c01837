"""Compare a first report on a run with only shrinking its pictures with Pillow.

`python -m benchmarks.reporting [CASES]`. Shrinking is the lower bound: a page with every case needs thumbnails, so each
picture must be decoded, resized and encoded. Both use two threads and take turns in one process. Processor time is
reported as well as wall-clock time, since other load on the machine affects it less.
"""

import io
import sys
import tempfile
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from time import perf_counter, process_time

from PIL import Image

import countersight as cs

THREADS = 2
SIDE = 224


def measure(cases: int = 600) -> dict[str, float]:
    """Return all figures of one run, by name."""
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        dataset = cs.make("cvqa-synthetic", folder / "cases", size=cases, seed=7)
        run = cs.run(dataset, "chance", out=folder / "run")
        pictures = sorted((folder / "cases").rglob("*.png"))
        cs.report([run], out=folder / "warm", gallery=1)  # so that imports are not timed
        floor = _taken(lambda: _shrink(pictures))
        first = _taken(lambda: cs.report([run], out=folder / "first"))
        again = _taken(lambda: cs.report([run], out=folder / "first"))
        size = (folder / "first" / "report.html").stat().st_size
    return {
        f"wall-clock seconds for a first report on {cases} cases": first[0],
        "processor seconds for it": first[1],
        "wall-clock seconds for the same report again": again[0],
        "first report / only shrinking, processor": first[1] / floor[1],
        "again / only shrinking, processor": again[1] / floor[1],
        "kilobytes of the page per case": size / cases / 1000,
    }


def _taken(work: Callable[[], object]) -> tuple[float, float]:
    clock, processor = perf_counter(), process_time()
    work()
    return perf_counter() - clock, process_time() - processor


def _shrink(pictures: Iterable[Path]) -> int:
    with ThreadPoolExecutor(THREADS) as pool:
        return sum(pool.map(_small, pictures))


def _small(path: Path) -> int:
    file = io.BytesIO()
    image = Image.open(path)
    image.resize((SIDE, SIDE), Image.Resampling.HAMMING, reducing_gap=1.0).save(file, "JPEG", quality=80)
    return len(file.getvalue())


def main() -> None:
    """Print one figure per line."""
    for name, value in measure(*map(int, sys.argv[1:2])).items():
        print(f"{name:<60} {value:10.2f}")


if __name__ == "__main__":
    main()

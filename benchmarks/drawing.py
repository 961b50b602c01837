"""Compare generating cases with only encoding their pictures, and our drawing of pictures with matplotlib's.

`python -m benchmarks.drawing [CASES]`. The alternatives take turns in one process, several times; the median is
reported, so that short bursts of other load do not matter. Then the whole job is timed on all cores, including the
start-up of the workers.
"""

import importlib.util
import io
import statistics
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from time import perf_counter

import msgspec
import numpy as np
from PIL import Image

from countersight.picture import Pixels
from countersight.scenes.drawing import draw, encode
from countersight.scenes.edits import SceneRecord, apply
from countersight.suites.cvqa import make_synthetic

SAMPLE = 96
"""Cases per round; their pictures are held in memory."""
ROUNDS = 5
MATPLOTLIB = 24
"""Pictures that matplotlib draws per round: enough for a stable figure."""


def measure(cases: int = 3000) -> dict[str, float]:
    """Return all figures of one run, by name."""
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        _make(folder / "sample", SAMPLE, 1)
        scenes = [
            scene
            for line in (folder / "sample" / "scenes.jsonl").read_bytes().splitlines()
            for record in [msgspec.json.decode(line, type=SceneRecord)]
            for scene in (record.scene, apply(record.scene, record.change))
        ]
        pictures = [draw(scene) for scene in scenes]
        every = len(scenes) // MATPLOTLIB
        jobs: dict[str, tuple[int, Callable[[int], object]]] = {
            "made": (len(scenes), lambda turn: _make(folder / f"round-{turn}", SAMPLE, 1)),
            "drawn": (len(scenes), lambda _: [draw(scene) for scene in scenes]),
            "encoded": (len(scenes), lambda _: [encode(picture) for picture in pictures]),
            "encoded by Pillow": (len(scenes), lambda _: [_pillow(picture) for picture in pictures]),
        }
        if importlib.util.find_spec("matplotlib"):
            from benchmarks.matplotlib_scene import draw_with_matplotlib

            few = scenes[::every][:MATPLOTLIB]
            jobs["by matplotlib"] = (len(few), lambda _: [draw_with_matplotlib(scene) for scene in few])
            jobs["drawn and encoded"] = (len(few), lambda _: [encode(draw(scene)) for scene in few])
        seconds: dict[str, list[float]] = {name: [] for name in jobs}
        for turn in range(ROUNDS):
            for name, (_, job) in jobs.items():
                start = perf_counter()
                job(turn)
                seconds[name].append(perf_counter() - start)
        rate = {name: jobs[name][0] / statistics.median(times) for name, times in seconds.items()}
        start = perf_counter()
        _make(folder / "whole", cases, None)
        whole = perf_counter() - start
    figures = {f"pictures a second {name}, one process": value for name, value in rate.items()}
    figures |= {
        f"seconds for {cases} cases, all cores": whole,
        "cases a second, all cores": cases / whole,
        "generating / only encoding": rate["made"] / rate["encoded"],
        "generating / only encoding with Pillow": rate["made"] / rate["encoded by Pillow"],
    }
    if "by matplotlib" in rate:
        figures["drawing / drawing with matplotlib, both to PNG"] = rate["drawn and encoded"] / rate["by matplotlib"]
    return figures


def _make(folder: Path, size: int, workers: int | None) -> None:
    make_synthetic(folder, size=size, seed=7, wording="one", workers=workers)


def _pillow(pixels: Pixels) -> bytes:
    file = io.BytesIO()
    Image.fromarray(np.ascontiguousarray(pixels)).save(file, "PNG")
    return file.getvalue()


def main() -> None:
    """Print one figure per line."""
    for name, value in measure(*map(int, sys.argv[1:2])).items():
        print(f"{name:<60} {value:10.2f}")
    if not importlib.util.find_spec("matplotlib"):
        print("matplotlib is not installed, so it was not measured: pip install -r benchmarks/requirements.txt")


if __name__ == "__main__":
    main()

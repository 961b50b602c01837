"""Time `countersight run` with a model on a GPU: start-up, ranking options and generating text.

    python -m benchmarks.local_models --photos FOLDER [--shape 7b] [--pairs 1008] [--plain 192]

The model has the shape of Qwen2.5-VL and random weights. It is written to a folder first, so that its files are in the
page cache. Every photograph is used in several variants (turned, mirrored, cropped) until there are enough pairs. Rates
and GPU load (`busy`, from nvidia-smi) are measured between the first quarter of the replies and the last one. The time
to import torch, torchvision and transformers is part of start-up and also reported separately. At the end, in one
process, it measures questions per second of `generate` in batches of 64, without and with our speed-ups, and of the
method of `run`; and how many answers equal those of `generate` on a single question. At low precision and with random
weights, where many words are equally likely, batches of `generate` also differ from single questions.
"""

import argparse
import importlib.util
import io
import json
import shutil
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from random import Random
from typing import Any

import torch
from PIL import Image

from benchmarks.asking import AS_INSTALLED
from benchmarks.ranking import SHAPES, TEMPLATE, WORDS, build
from countersight.case import Case, Change, Option, Question
from countersight.dataset import DatasetWriter
from countersight.models.local import speedups
from countersight.models.local.loading import Loaded, load
from countersight.models.local.probing import writing_sight
from countersight.models.local.writing import write_answers, write_plainly
from countersight.models.protocol import ModelSettings, Request, Turn
from countersight.models.request_queue import Feed
from countersight.picture.checking import check_picture

TOKENS = 16
FEW = 4
TIMEOUT = 90.0
"""Time limit of one command, in seconds."""
TURNS = (None, *Image.Transpose)
COMMAND = [sys.executable, "-m", "countersight"]
DEVICE = "cuda" if torch.cuda.is_available() else "cpu"


def write_model(folder: Path, shape: str) -> None:
    """Write a model to a folder in the format of published checkpoints."""
    loaded = build(shape, DEVICE)
    loaded.model.generation_config.eos_token_id = loaded.tokenizer.eos_token_id
    loaded.model.save_pretrained(folder)
    loaded.tokenizer.save_pretrained(folder)
    loaded.processor.image_processor.save_pretrained(folder)
    (folder / "processor_config.json").write_text(json.dumps({"processor_class": "Qwen2_5_VLProcessor"}))
    (folder / "chat_template.jinja").write_text(TEMPLATE)


def pictures(photos: Path, number: int) -> Iterator[bytes]:
    """Yield different JPEG files: the photographs, then turned and mirrored ones, then all of these cropped."""
    files = sorted(photos.glob("*.jpg"))

    def picture(nth: int) -> bytes:
        image = Image.open(files[nth % len(files)]).convert("RGB")
        turn, crop = TURNS[nth // len(files) % len(TURNS)], nth // len(files) // len(TURNS)
        image = image.crop((crop, crop, *image.size))
        file = io.BytesIO()
        (image if turn is None else image.transpose(turn)).save(file, "JPEG", quality=90)
        return file.getvalue()

    with ThreadPoolExecutor() as threads:
        yield from threads.map(picture, range(number))


def write_dataset(folder: Path, photos: Path, number: int) -> None:
    """Write a dataset of pairs of questions, with 40 words and 4 options of 25 words each."""
    random = Random(0)

    def words(length: int) -> str:
        return " ".join(random.choices(WORDS, k=length))

    def question() -> Question:
        return Question(words(40), "A", "choice", tuple(Option(words(25)) for _ in range(4)))

    with DatasetWriter(folder, name="pairs", description="For timing.", license="CC0-1.0", provenance={}) as writer:
        for nth, data in enumerate(pictures(photos, number)):
            name = f"images/{nth}.jpg"
            (writer.staging / name).write_bytes(data)
            change = Change("something changed", ("change",))
            writer.add(
                Case(id=str(nth), image=name, group="all", factual=question(), change=change, counterfactual=question())
            )


class Watching:
    """Records when replies are written and how busy the device is while a command runs."""

    def __init__(self, journal: Path) -> None:
        self._journal, self._over = journal, threading.Event()
        self.begun = time.monotonic()
        self.replies: list[tuple[float, int]] = []
        self.busy: list[tuple[float, float]] = []
        self._threads = [threading.Thread(target=self._count), threading.Thread(target=self._look)]
        for thread in self._threads:
            thread.start()

    def end(self) -> None:
        self._over.set()
        for thread in self._threads:
            thread.join()

    def _count(self) -> None:
        before = 0
        while not self._over.wait(0.05):
            number = self._journal.read_bytes().count(b"\n") if self._journal.exists() else 0
            if number != before:
                self.replies.append((time.monotonic(), before := number))

    def _look(self) -> None:
        if shutil.which("nvidia-smi") is None:
            return
        asked = "--query-gpu=utilization.gpu", "--format=csv,noheader,nounits", "-lms", "100"
        with subprocess.Popen(["nvidia-smi", *asked], stdout=subprocess.PIPE, text=True) as process:
            assert process.stdout
            for line in process.stdout:
                self.busy.append((time.monotonic(), float(line)))
                if self._over.is_set():
                    process.terminate()


def run(data: Path, model: Path, output: Path, *options: str) -> dict[str, float]:
    """Run the whole command; return its seconds, and its rate and the device load after a quarter of the replies."""
    journal = output / "replies.jsonl"
    before = journal.read_bytes().count(b"\n") if journal.exists() else 0
    watching = Watching(journal)
    command = [*COMMAND, "run", str(data), "--model", f"hf:{model}", "-o", str(output)]
    try:
        command += ["--device", DEVICE, *options]
        done = subprocess.run(command, capture_output=True, text=True, timeout=TIMEOUT, env=AS_INSTALLED)
        if done.returncode:
            print(done.stderr[-1500:])
    except subprocess.TimeoutExpired:
        print(f"stopped after {TIMEOUT:.0f} seconds")
    finally:
        seconds = time.monotonic() - watching.begun
        watching.end()
    told = [each for each in watching.replies if each[1] > before]
    figures = {"seconds": seconds, "replies": float(told[-1][1] - before) if told else 0.0}
    quarter = next((nth for nth, (_, number) in enumerate(told) if number - before >= figures["replies"] / 4), None)
    if quarter is not None and quarter + 1 < len(told):
        (start, had), (end, has) = told[quarter], told[-1]
        busy = [load for at, load in watching.busy if start < at < end]
        figures["per second, after a quarter"] = (has - had) / (end - start)
        figures["start-up, at that rate"] = seconds - figures["replies"] * (end - start) / (has - had)
        figures["busy, %"] = statistics.fmean(busy) if busy else 0.0
    return figures


def importing() -> dict[str, float]:
    """Measure how long it takes to import the packages that every local model needs."""
    packages = ("torch", "torchvision", "transformers")
    needed = f"import {', '.join(filter(importlib.util.find_spec, packages))}, transformers.models.auto.modeling_auto"
    start = time.monotonic()
    subprocess.run([sys.executable, "-c", needed], check=True, capture_output=True, timeout=TIMEOUT, env=AS_INSTALLED)
    return {"seconds": time.monotonic() - start}


def requests(data: Path, number: int) -> list[Request]:
    """Return requests about the pictures of the dataset's first pairs."""
    random = Random(1)
    asked = []
    for nth in range(number // 2):
        picture = check_picture((data / "images" / f"{nth}.jpg").read_bytes())
        for world in "ab":
            text = " ".join(random.choices(WORDS, k=40))
            asked.append(Request(f"{nth}{world}", (Turn("user", text, picture),), "open"))
    return asked


def as_it_comes(model: Path) -> Loaded:
    """Load the model without our speed-ups."""
    usual = speedups.speed_up
    speedups.speed_up = lambda _: None
    try:
        return load(str(model), device=DEVICE)
    finally:
        speedups.speed_up = usual


def compare(data: Path, model: Path, number: int) -> dict[str, float]:
    """Compare generation in one process: in plain batches, as in `run`, and one question at a time."""
    spent: dict[str, float] = {}

    def timed(name: str, compute: Callable[[], Any]) -> Any:
        start = time.monotonic()
        made = compute()
        spent[name] = time.monotonic() - start
        return made

    asked, settings = requests(data, number), ModelSettings(max_tokens=TOKENS)

    def plainly(loaded: Loaded, most: int, those: list[Request]) -> list[Any]:
        parts = [those[first : first + most] for first in range(0, len(those), most)]
        return [answer for part in parts for answer in write_plainly(loaded, part, settings, lambda: False)]

    def as_run_does(loaded: Loaded) -> list[Any]:
        feed = Feed(asked)
        found = dict(feed.answered(write_answers(loaded, feed, settings, lambda: False)))
        return [found[number] for number in sorted(found)]

    loaded = as_it_comes(model)
    plainly(loaded, 64, asked[:64])
    timed("seconds in batches of 64, unmodified", lambda: plainly(loaded, 64, asked))
    loaded = timed("seconds to load", lambda: load(str(model), device=DEVICE))
    sight = timed("seconds to find its attention pattern", lambda: writing_sight(loaded))
    print("tokens of trees see:", sight)
    plainly(loaded, 64, asked[:64])
    batched = timed("seconds in batches of 64", lambda: plainly(loaded, 64, asked))
    as_run_does(loaded)
    ours = timed("seconds with the method of run", lambda: as_run_does(loaded))
    alone = plainly(loaded, 1, asked[:16])
    took = spent["seconds with the method of run"]
    figures = {**spent, "questions a second, batched": number / spent["seconds in batches of 64"]}
    figures["questions a second, ours"] = number / took
    figures["speed-up over unmodified batches"] = spent["seconds in batches of 64, unmodified"] / took
    figures["speed-up over batches"] = spent["seconds in batches of 64"] / took
    for name, answers in (("batched", batched), ("ours", ours)):
        same = sum(one.text == other.text for one, other in zip(answers, alone, strict=False))
        figures[f"of 16 answers, same as single, {name}"] = same
    return figures


def show(title: str, figures: dict[str, float]) -> None:
    print(title)
    for name, value in figures.items():
        print(f"  {name:<40} {value:10.2f}", flush=True)


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--photos", type=Path, required=True, help="a folder of .jpg files")
    parser.add_argument("--shape", choices=SHAPES, default="tiny")
    parser.add_argument("--pairs", type=int, default=1008)
    parser.add_argument("--plain", type=int, default=192, help="questions of the comparison in one process")
    chosen = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as work:
        data, model = Path(work, "data"), Path(work, "model")
        write_dataset(data, chosen.photos, chosen.pairs)
        write_model(model, chosen.shape)
        if DEVICE == "cuda":
            torch.cuda.empty_cache()
        written = ("--max-tokens", str(TOKENS))
        for way, options in (("ranked", ("--rank",)), ("written", written)):
            show(f"{FEW} pairs {way}", run(data, model, Path(work, way), *options, "--limit", str(FEW)))
            show(f"all pairs {way}", run(data, model, Path(work, way), *options))
        show("importing torch, torchvision and transformers", importing())
        show("in one process", compare(data, model, chosen.plain))


if __name__ == "__main__":
    main()

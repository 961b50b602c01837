"""What is made from a seed stays the same: SHA-256 of small datasets, of mined graphs, of built pairs, of exports.

Hashed is what a dataset says: every case, and the scenes and worlds behind them. Not hashed are the card (prose) and
`croissant.json` (it repeats the card). Pictures are drawn by Skia, whose antialiasing and PNG encoder may differ
between versions and processors. So the digests of picture files are left out of the cases, and every picture is
compared with a thumbnail (6 × 6, 16 levels, give or take one) on any machine. Exact pixels are compared only on the
kind of machine, and with the version of Skia, that stand in the first line of `snapshots/pixels/*.txt`.
"""

import hashlib
import importlib.metadata
import io
import json
import platform
import re
import zipfile
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path

import duckdb
import pytest
from inputs import write_questions, write_scene_graphs
from PIL import Image

import countersight as cs

Promised = Callable[[str, str], None]
SNAPSHOTS = Path(__file__).parent / "snapshots"
MADE = {
    "cvqa-synthetic": (
        {"size": 6, "controls": True, "wording": "one"},
        {"size": 12},
    ),
    "supports": ({"size": 6}, {"size": 2, "difficulty": "hard"}),
    "discs": ({"size": 6},),
    "causal-worlds": ({"size": 4}, {"size": 4, "wording": "second"}),
    "cello": ({"size": 24}, {"size": 24, "wording": "second"}),
}
"""What is made of each suite, with seed 7."""
FORMATS = ("hf", "lmms-eval", "vlmevalkit", "croissant")
TRAINING = ("trl-sft", "trl-dpo", "trl-grpo", "ms-swift", "llama-factory", "llava")
DIGESTS = ("image_digest", "counterfactual_digest", "further_digests")


def make(suite: str, base: Path) -> dict[str, Path]:
    """Everything that is made of a suite, by what it was made with; for CELLO also the graphs it is made from."""
    options: dict[str, object] = {"workers": 1}
    folders = {}
    if suite == "cello":
        options = {"source": base / "mine"}
        folders["mine"] = base / "mine"
        cs.mine(write_scene_graphs(base / "scene_graphs.json"), base / "mine")
    for how in MADE[suite]:
        name = ", ".join(f"{key}={value}" for key, value in how.items())
        folders[name] = cs.make(suite, base / name, seed=7, **options, **how).path
    return folders


def build(base: Path) -> dict[str, Path]:
    """Pairs that the grammar writes."""
    cs.build("cvqa", write_questions(base / "questions.csv"), base / "cvqa", size=12, seed=3)
    return {"cvqa": base / "cvqa"}


@pytest.mark.parametrize("topic", [*MADE, "build"])
def test_what_is_made_from_a_seed(topic: str, tmp_path: Path, promised: Promised) -> None:
    folders = build(tmp_path) if topic == "build" else make(topic, tmp_path)
    lines = []
    for name, folder in folders.items():
        for file in sorted(folder.glob("*.jsonl")) + sorted(folder.glob("mining.json")):
            rows = file.read_text(encoding="utf-8").splitlines() if file.suffix == ".jsonl" else [file.read_text()]
            kept = [json.dumps(_stable(json.loads(row)), sort_keys=True) for row in rows]
            lines.append(f"{_sha256(chr(10).join(kept).encode())}  {name}/{file.name}, {len(rows)} rows")
    pictures = {
        f"{name}/{file.name}": Image.open(file).convert("RGB")
        for name, folder in folders.items()
        for file in sorted(folder.glob("images/*.png"))
    }
    kept = kept_thumbnails(SNAPSHOTS / "made" / f"{topic}.txt")
    lines += [f"{_near(kept.get(name, ''), _thumbnail(one))}  {name}" for name, one in pictures.items()]
    promised(f"made/{topic}", "\n".join(lines) + "\n")
    drawn_by = f"{platform.machine()}, skia-python {importlib.metadata.version('skia-python')}"
    exact = SNAPSHOTS / "pixels" / f"{topic}.txt"
    if pictures and (not exact.exists() or exact.read_text().splitlines()[0] == drawn_by):
        hashed = [f"{_sha256(picture.tobytes())}  {name}" for name, picture in pictures.items()]
        promised(f"pixels/{topic}", "\n".join([drawn_by, *hashed]) + "\n")


def kept_thumbnails(snapshot: Path) -> dict[str, str]:
    """The thumbnails of a snapshot, by the names of the pictures."""
    lines = snapshot.read_text(encoding="utf-8").splitlines() if snapshot.exists() else []
    return {name: shown for shown, _, name in (line.partition("  ") for line in lines) if name.endswith(".png")}


def _near(kept: str, found: str) -> str:
    """The thumbnail that was kept, where the one that was found differs by no more than a level anywhere."""
    alike = len(kept) == len(found) and all(abs(int(a, 16) - int(b, 16)) <= 1 for a, b in zip(kept, found, strict=True))
    return kept if alike else found


def _stable(value: object) -> object:
    """Without the digests of picture files, and floats to nine digits: the last ones are the processor's."""
    if isinstance(value, dict):
        return {key: _stable(each) for key, each in value.items() if key not in DIGESTS}
    if isinstance(value, list):
        return [_stable(each) for each in value]
    return float(f"{value:.9g}") if isinstance(value, float) else value


def _thumbnail(picture: Image.Image) -> str:
    """Six by six means of red, green and blue, a hexadecimal digit each."""
    return "".join(f"{value >> 4:x}" for value in picture.resize((6, 6), Image.Resampling.BOX).tobytes())


def test_export_formats(old: Path, tmp_path: Path, promised: Promised) -> None:
    """Of a dataset and a run whose pictures are files that were written once, so every byte is known."""
    out = tmp_path / "out"
    out.mkdir()
    for name in FORMATS:
        cs.export(old / "dataset", out / name, to=name)
    for name in TRAINING:
        cs.export(old / "dataset", out / name, to=name, split="all", yes_train_on_test=True)
    cs.export(old / "run", out / "inspect-run.eval", to="inspect")
    contents: dict[str, bytes] = defaultdict(bytes)
    for file in sorted(file for file in out.rglob("*") if file.is_file()):
        path = file.relative_to(out)
        shown = f"{path.parent}/*.png" if file.suffix == ".png" else str(path)
        content = _content(file).replace(str(out).encode(), b"OUT").replace(str(old).encode(), b"OLD")
        contents[shown] += re.sub(rb"Countersight %s(?![.\w])" % re.escape(cs.__version__.encode()), b"NAME", content)
    promised("exports", "".join(f"{_sha256(content)}  {name}\n" for name, content in contents.items()))


def _content(file: Path) -> bytes:
    """What is in a file, without what the writer of a Parquet file or of an archive adds."""
    if file.suffix == ".parquet":
        table = duckdb.read_parquet(str(file))
        return repr((table.columns, [str(kind) for kind in table.types], table.fetchall())).encode()
    if zipfile.is_zipfile(file):
        with zipfile.ZipFile(io.BytesIO(file.read_bytes())) as archive:
            return repr([(name, archive.read(name)) for name in archive.namelist()]).encode()
    return file.read_bytes()


def _sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()

"""Read scene graphs in any known layout, one at a time."""

from collections.abc import Callable, Iterator
from pathlib import Path

import msgspec

from countersight.causal.graph import SceneGraph
from countersight.causal.scene_graphs import gqa, plain, regions, visual_genome
from countersight.causal.scene_graphs.parts import OnMalformed
from countersight.causal.scene_graphs.streaming import BrokenFile, OnRead, elements, is_object, opened
from countersight.errors import SceneGraphsError

__all__ = ["LAYOUTS", "SceneGraphsError", "files_of", "read_scene_graphs"]

_Reader = Callable[[Path, OnMalformed, OnRead | None], Iterator[SceneGraph]]

LAYOUTS: dict[str, _Reader] = {
    "Visual Genome": visual_genome.read,
    "GQA": gqa.read,
    "regions": regions.read,
    "plain": plain.read,
}


def files_of(source: Path) -> list[tuple[Path, str]]:
    """Return the files to read at a path, each with its layout; a folder is searched for known file names."""
    if source.is_file():
        if source.suffix.casefold() == ".gz" and not _is_packed(source):
            raise SceneGraphsError(f"{source} ends in .gz but is not a gzip file; rename it, or download it again")
        return [(source, _layout(source))]
    if not source.is_dir():
        raise SceneGraphsError(f"{source} is neither a file nor a folder")
    for name in (visual_genome.SCENE_GRAPHS, visual_genome.RELATIONSHIPS):
        found = [source / file for file in (name, f"{name}.gz") if (source / file).is_file()]
        if found:
            return [(found[0], "Visual Genome")]
    found = sorted(path for path in source.iterdir() if "sceneGraphs" in path.name and path.is_file())
    if found:
        return [(path, "GQA") for path in found]
    raise SceneGraphsError(
        f"{source} contains neither {visual_genome.SCENE_GRAPHS} nor {visual_genome.RELATIONSHIPS} nor GQA's "
        "train_sceneGraphs.json; name the file"
    )


def read_scene_graphs(
    source: Path, on_malformed: OnMalformed, on_read: Callable[[int], None] | None = None
) -> Iterator[SceneGraph]:
    """Return every scene graph at a path; each part that cannot be read is passed to `on_malformed` and skipped.

    `on_read` is told how many bytes of the files were read so far.
    """
    before = 0
    for path, layout in files_of(source):

        def read_so_far(done: int, before: int = before) -> None:
            if on_read:
                on_read(before + done)

        yield from LAYOUTS[layout](path, on_malformed, read_so_far)
        before += path.stat().st_size


def _is_packed(path: Path) -> bool:
    with open(path, "rb") as file:
        return file.read(2) == b"\x1f\x8b"


def _layout(path: Path) -> str:
    suffixes = [suffix for suffix in path.suffixes if suffix != ".gz"]
    last = suffixes[-1].casefold() if suffixes else ""
    if last == ".csv":
        return "regions"
    if last in (".jsonl", ".ndjson"):
        return "plain"
    if last == ".json":
        return _json_layout(path)
    raise SceneGraphsError(f"{path} must end in .json, .jsonl or .csv, optionally with .gz")


def _json_layout(path: Path) -> str:
    """Visual Genome's files are arrays, of which some hold no relations; GQA's are objects."""
    try:
        with opened(path) as file:
            if is_object(file):
                return "GQA"
            first = next(elements(file), None)
            fields = msgspec.json.decode(first, type=dict[str, msgspec.Raw]) if first else {}
    except (BrokenFile, msgspec.DecodeError, UnicodeDecodeError):
        return "Visual Genome"  # its reader says what is wrong, and where
    if fields and "relationships" not in fields:
        raise SceneGraphsError(
            f"{path} contains no relationships; name {visual_genome.SCENE_GRAPHS} or {visual_genome.RELATIONSHIPS} "
            "in the same folder instead"
        )
    return "Visual Genome"

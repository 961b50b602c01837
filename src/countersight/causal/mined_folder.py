"""A folder of mined causal graphs: the graphs, the mining statistics, and the pictures if they were given."""

import os
import shutil
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from shlex import quote

import msgspec

from countersight.causal.graph import CausalGraph, MalformedPart
from countersight.causal.mining import MiningStatistics, mine
from countersight.causal.question_filters import graph_error
from countersight.causal.scene_graphs import files_of
from countersight.errors import CountersightError
from countersight.files import Staging, bounded_lines
from countersight.picture import MAX_BYTES

GRAPHS = "graphs.jsonl"
STATISTICS = "mining.json"
IMAGES = "images"
_FOLDERS = ("VG_100K", "VG_100K_2", "images", "")
"""The subfolders that may contain the images of Visual Genome and GQA."""
_ENDINGS = (".jpg", ".jpeg", ".png", ".webp")
_MAX_LINE = 1 << 20
_MOST_UNKNOWN = 50
"""The maximum number of unknown relations that are stored, the most frequent first."""
_decoder = msgspec.json.Decoder(CausalGraph)

OnBadLine = Callable[[int, str], None]
"""Called with the number of a line that is not a causal graph, and the reason."""


class Mined(msgspec.Struct, frozen=True):
    """The result of mining scene graphs."""

    statistics: MiningStatistics
    images: int
    """The number of pictures that have a causal graph and are named in the scene graphs."""
    pictures: int
    """The number of these pictures whose files were found."""


def mine_folder(
    source: Path,
    folder: Path,
    *,
    pictures: Path | None,
    on_malformed: Callable[[MalformedPart], None] | None = None,
    on_read: Callable[[int], None] | None = None,
) -> Mined:
    """Write the causal graphs of scene graphs to a new folder, together with their pictures if `pictures` is given."""
    if pictures is not None and not pictures.is_dir():
        raise CountersightError(f"{pictures} is not a folder; name the folder that contains the pictures")
    with Staging(folder) as staging:
        statistics = MiningStatistics(layouts=tuple(dict.fromkeys(layout for _, layout in files_of(source))))
        copies = PictureCopies(pictures, staging / IMAGES)
        encoder = msgspec.json.Encoder()
        with open(staging / GRAPHS, "wb") as file:
            mining = mine(source, statistics=statistics, on_malformed=on_malformed, on_read=on_read)
            for graph in mining:
                file.write(encoder.encode(graph) + b"\n")
                copies.copied(graph.image)
        if not statistics.scenes:
            raise CountersightError(
                f"{source} contains no scene graphs: it is empty, or not in the format of Visual Genome, GQA, "
                "FACTUAL's regions or plain JSONL; nothing was made"
            )
        if not statistics.graphs.total():
            raise CountersightError(
                f"no causal graphs were found in {source} ({statistics.scenes:,} scene graphs, "
                f"{statistics.relations:,} relations): use scene graphs with more relations"
            )
        statistics.unknown = Counter(dict(statistics.unknown.most_common(_MOST_UNKNOWN)))
        (staging / STATISTICS).write_bytes(msgspec.json.format(encoder.encode(statistics), indent=2) + b"\n")
        images = {image: name for image, name in copies.names.items() if image}
        return Mined(statistics, len(images), sum(name is not None for name in images.values()))


def read_graphs(folder: Path, on_bad: OnBadLine) -> Iterator[CausalGraph]:
    """Return the causal graphs of a mined folder; invalid lines are passed to `on_bad` and skipped."""
    path = folder / GRAPHS
    if not path.is_file():
        raise CountersightError(
            f"{folder} contains no {GRAPHS}; make it with: countersight mine GRAPHS -o {quote(str(folder))}"
        )
    with open(path, "rb") as file:
        for number, line in enumerate(bounded_lines(file, _MAX_LINE), 1):
            if len(line) > _MAX_LINE:
                on_bad(number, f"is longer than {_MAX_LINE:,} bytes")
            elif not line.isspace():
                graph = _graph(line)
                if isinstance(graph, CausalGraph):
                    yield graph
                else:
                    on_bad(number, graph)


def _graph(line: bytes) -> CausalGraph | str:
    """Return the graph on a line, or the error in the line."""
    try:
        graph = _decoder.decode(line)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        return f"is not a causal graph ({error})"
    return graph_error(graph) or graph


class PictureCopies:
    """Copies pictures from one folder to another by their ids, each only once."""

    def __init__(self, source: Path | None, target: Path) -> None:
        self._source = source
        self._target = target
        self.names: dict[str, str | None] = {}
        """The file name of each requested picture; None if the folder has no such picture."""

    def copied(self, image: str) -> str | None:
        """Copy a picture unless it was copied before, and return its file name; None if there is no such picture."""
        if image not in self.names:
            path = _find_picture(self._source, image) if self._source else None
            self.names[image] = self._copy(path, f"{image}{path.suffix.lower()}") if path else None
        return self.names[image]

    def _copy(self, path: Path, name: str) -> str:
        self._target.mkdir(exist_ok=True)
        try:
            os.link(path, self._target / name)
        except OSError:  # on another disk, or if links are not supported
            shutil.copyfile(path, self._target / name)
        return name


def _find_picture(folder: Path, image: str) -> Path | None:
    """Return the path of the picture with this id in a folder, or None. Ids cannot lead outside the folder."""
    if not image or image.startswith(".") or any(sign in image for sign in "/\\:\0"):
        return None
    root = folder.resolve()
    for place in _FOLDERS:
        for ending in _ENDINGS:
            path = (root / place / f"{image}{ending}").resolve()
            if path.is_relative_to(root) and path.is_file() and path.stat().st_size <= MAX_BYTES:
                return path
    return None

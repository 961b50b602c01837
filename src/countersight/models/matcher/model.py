"""A trained matcher: its files, the sheet that describes them, and the model that ranks responses (without torch)."""

import asyncio
import hashlib
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from countersight.case import LETTERS
from countersight.errors import AskingFailed, ModelError
from countersight.models.matcher.counting import surface
from countersight.models.matcher.regions import FILES, Look, Regions, View, looker, side_by_side
from countersight.models.matcher.sequences import Inputs, Sequences
from countersight.models.onnx_graph import open_graph
from countersight.models.protocol import Answer, Displayed, ModelSettings, Request, check_options
from countersight.registry import with_options

GRAPH, TOKENIZER, SHEET = "matcher.onnx", "tokenizer.json", "matcher.json"
PLAN = "plan.json"
"""The file with the settings of a training run; each seed has a subfolder beside it."""


class Sheet(msgspec.Struct, frozen=True):
    """Describes the inputs that a matcher was trained with, so that it gets the same inputs later."""

    inputs: Inputs
    view: str = ""
    """The encoder of its pictures: `embedded`, `hf:FOLDER`, `files`, or empty for none."""
    surface: bool = False
    """Whether it gets surface features (`counting.surface`)."""
    features: str = ""
    """The folder of regions it was trained on, if they came from files."""
    version: int = 1
    region: int = 0
    """The number of features of a region; 0 if it uses none, or if an older version did not record it."""

    def with_folders(self, rename: Callable[[str], str]) -> "Sheet":
        """Return the sheet with every folder replaced by `rename(folder)`."""
        kind, colon, tower = self.view.partition(":")
        view = f"{kind}{colon}{rename(tower)}" if tower else self.view
        return msgspec.structs.replace(self, view=view, features=rename(self.features) if self.features else "")


def members(folder: Path) -> list[Path]:
    """Return the matchers in a folder: one, or one per seed, whose scores are averaged."""
    if (folder / SHEET).is_file():
        return [folder]
    found = sorted(one.parent for one in folder.glob(f"seed-*/{SHEET}")) if folder.is_dir() else []
    if not found:
        raise ModelError(f"{folder} contains no matcher; train one with `countersight train matcher … -o {folder}`")
    return found


def untrained_seeds(folder: Path) -> list[int]:
    """Return the planned seeds that were not trained; empty if there is no plan."""
    try:
        planned = msgspec.json.decode((folder / PLAN).read_bytes())["plan"]["seeds"]
    except (OSError, msgspec.MsgspecError, KeyError, TypeError):
        return []
    return [seed for seed in planned if not (folder / f"seed-{seed}" / SHEET).is_file()]


def write_sheet(folder: Path, sheet: Sheet) -> None:
    """Write the sheet of one matcher, with paths relative to its folder.

    The paths then work from any working directory, and after all folders are moved together.
    """
    placed = sheet.with_folders(lambda path: _relative_path(folder, path) if Path(path).exists() else path)
    (folder / SHEET).write_bytes(msgspec.json.format(msgspec.json.encode(placed)) + b"\n")


def _relative_path(folder: Path, path: str) -> str:
    """Return the relative path from one folder to another, with parent links resolved, so that ".." is correct."""
    asked = Path(path).absolute()
    return os.path.relpath(asked.parent.resolve() / asked.name, folder.resolve())


def read_sheet(folder: Path) -> Sheet:
    """Read the sheet of one matcher, with its paths resolved."""
    try:
        sheet = msgspec.json.decode((folder / SHEET).read_bytes(), type=Sheet)
    except (OSError, msgspec.DecodeError) as error:
        raise ModelError(f"{folder / SHEET}: {error}") from None
    return sheet.with_folders(lambda path: _resolved_path(folder, path))


def _resolved_path(folder: Path, path: str) -> str:
    """Return the full path of a folder in a sheet; model names, and paths from older versions, are unchanged."""
    placed = os.path.realpath(folder / path)
    return placed if path.startswith(os.pardir) or Path(placed).exists() else path


class Member:
    """The matcher trained with one seed."""

    def __init__(self, folder: Path) -> None:
        self._graph = open_graph(folder / GRAPH)
        self._sequences = Sequences.open(folder / TOKENIZER)

    def scores(self, sheet: Sheet, request: Request, views: list[View]) -> Any:
        """Return log-probabilities over the options; `views` are the regions of the picture."""
        if request.parts is None:
            raise AskingFailed("the question does not come from a case, so its parts are unknown", again=False)
        options = [one.text for one in request.options]
        tokens, real = self._sequences.batch(self._sequences.encode_options(sheet.inputs, request.parts, options))
        given: dict[str, Any] = {"tokens": tokens, "real": real}
        if sheet.surface:
            given["counts"] = surface(sheet.inputs, request.parts, options)
        if views:
            features, boxes, there = side_by_side(views)
            given |= {"features": features.astype(np.float32), "boxes": boxes, "there": there}
            given["shown"] = np.zeros(len(options), np.int64)
        wanted = {one.name: given[one.name] for one in self._graph.get_inputs()}
        [scores] = self._graph.run(["scores"], wanted)
        return scores - np.logaddexp.reduce(scores)


class Matcher(Displayed):
    """Ranks the options of a question; if there are several seeds, by the mean of their scores."""

    def __init__(self, name: str, folder: Path, features: str = "") -> None:
        self.name = name
        self._folders = members(folder)
        self._sheet = read_sheet(self._folders[0])
        if any(read_sheet(one) != self._sheet for one in self._folders):
            raise ModelError(f"the matchers in {folder} were trained on different inputs; choose one of them")
        self.needs_picture = bool(self._sheet.view)
        self.picture_limits = (1, 1) if self._sheet.view else (0, 1)
        self.settings: dict[str, Any] = {"inputs": self._sheet.inputs, "weights": _fingerprint(self._folders)}
        self.remarks: list[str] = []
        if untrained := untrained_seeds(folder):
            planned = len(untrained) + len(self._folders)
            self.settings["seeds"] = f"{len(self._folders)} of {planned} planned"
            self.remarks.append(
                f"{folder} has {len(self._folders)} of {planned} planned seeds; run the training command again to "
                f"train the others ({', '.join(map(str, untrained))})"
            )
        self._features = features or self._sheet.features
        self._look: Look | None = None
        self._members: list[Member] = []
        self._asking = asyncio.Lock()

    async def losses(self, request: Request) -> tuple[float, ...]:
        """Return the loss of each option: the negative logarithm of its probability among the options."""
        check_options(request)
        async with self._asking:
            return await asyncio.to_thread(self._losses, request)

    async def reply(self, request: Request) -> Answer:
        """Return the letter of the best option."""
        losses = await self.losses(request)
        return Answer(LETTERS[losses.index(min(losses))], losses=losses, finish="stop", model=self.name)

    async def close(self) -> None:
        """Free the memory."""
        self._members = []
        self._asking = asyncio.Lock()  # the next request may come from another event loop

    def _losses(self, request: Request) -> tuple[float, ...]:
        if not self._members:
            self._members = [Member(folder) for folder in self._folders]
        views = self._seen(request)
        together = np.mean([member.scores(self._sheet, request, views) for member in self._members], axis=0)
        return tuple(float(loss) for loss in np.logaddexp.reduce(together) - together)

    def _seen(self, request: Request) -> list[View]:
        """Return the regions of the picture, if the matcher uses pictures."""
        if not self._sheet.view:
            return []
        if self._look is None:
            self._look = self._precomputed_regions().look if self._sheet.view == FILES else looker(self._sheet.view)
        return self._look(list(request.pictures[-1:]))

    def _precomputed_regions(self) -> Regions:
        """Return the precomputed regions; raises ModelError if they do not match the training."""
        if not Path(self._features).is_dir():
            raise ModelError(
                f"{self.name} needs the regions of pictures, but {self._features} does not exist; set their folder "
                "with ?features=DIR after the model's name"
            )
        regions, wanted = Regions(Path(self._features)), self._sheet.region
        if wanted and regions.width != wanted:
            raise ModelError(
                f"{self._features} has {regions.width} numbers per region, but {self.name} was trained with "
                f"{wanted}: use regions that were computed in the same way"
            )
        return regions


def _fingerprint(folders: list[Path]) -> str:
    digest = hashlib.sha256()
    for folder in folders:
        for file in (GRAPH, TOKENIZER):
            try:
                digest.update((folder / file).read_bytes())
            except OSError as error:
                raise ModelError(f"{folder / file}: {error.strerror}") from None
    return digest.hexdigest()[:16]


def open_matcher(name: str, target: str, settings: ModelSettings) -> Matcher:
    """Open `matcher:RUN`, or `matcher:RUN/seed-1234` for one of its seeds; `?features=DIR` sets the region folder."""
    folder, options = with_options(target, ("features",), ModelError)
    return Matcher(name, Path(folder), options.get("features", ""))

"""Make the items of a campaign from the cases of a dataset or from a folder of pictures."""

import random
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import msgspec

from countersight.case import Case
from countersight.collect.flows.protocol import Flow, KeepPicture, Known, NewItem, Sources, item_key
from countersight.dataset import Dataset
from countersight.engine import MANIFEST as RUN
from countersight.engine import RunFolder
from countersight.errors import BadPicture, CampaignError
from countersight.picture import read_picture


class CaseFlow(Flow):
    """A flow that begins with the cases of a dataset."""

    uses = ("source", "gold")

    def new_items(self, sources: Sources, keep: KeepPicture, known: Known) -> Iterator[NewItem]:
        """Yield items for the cases of a dataset, and items with a known answer for those of `gold`."""
        if sources.source is None and sources.gold is None:
            raise CampaignError(f"the flow {self.name} needs a dataset: set `source`")
        if sources.source is not None:
            for case, source in self._cases(sources, keep, sources.source):
                yield from self.items_of(case, source)
        if sources.gold is not None:
            for case, source in self._cases(sources, keep, sources.gold):
                for item in self.items_of(case, source):
                    check = self.check_item(item)
                    if check is not None:
                        yield msgspec.structs.replace(check, key=item_key("known", item.key))

    def adapt(self, case: Case) -> Case:
        """Return a case in the form that this flow needs."""
        return case

    def fault(self, case: Case) -> str:
        """Return the reason why people cannot be given a case; empty if they can."""
        return "it has several pictures, but people would see only the first" if case.further_images else ""

    def items_of(self, case: Case, source: dict[str, Any]) -> Iterator[NewItem]:
        """Yield the items of a case."""
        raise NotImplementedError

    def check_item(self, item: NewItem) -> NewItem | None:
        """Return an item with a known answer, which checks a person's care; None if no such item can be made."""
        raise NotImplementedError

    def _cases(self, sources: Sources, keep: KeepPicture, path: Path) -> Iterator[tuple[Case, dict[str, Any]]]:
        """Yield the usable cases of a dataset, each with the source of its items; report the others."""
        dataset = dataset_at(path)
        for row, found in dataset.cases(lambda bad: sources.on_bad(str(bad))):
            case = self.adapt(found)
            if fault := self.fault(case):
                sources.on_bad(f"{case.id}: {fault}")
                continue
            try:
                pictures = _keep_pictures(keep, dataset, case)
            except BadPicture as error:
                sources.on_bad(f"{case.id}: its picture {error}")
                continue
            origin = {"row": row, "dataset": str(dataset.path.resolve()), "fingerprint": dataset.fingerprint}
            yield case, {"case": msgspec.to_builtins(case), **origin, **pictures}


def _keep_pictures(keep: KeepPicture, dataset: Dataset, case: Case) -> dict[str, Any]:
    """Store the pictures of a case; return their names in the campaign, and the file of each in the dataset."""
    names, files = {"picture": "", "counterfactual_picture": ""}, {}
    pictures = (case.image, case.image_digest), (case.counterfactual_image, case.counterfactual_digest)
    for name, (file, digest) in zip(names, pictures, strict=True):
        if file:
            names[name] = keep(dataset.picture(file, digest))
            files[names[name]] = file
    return {**names, "files": files}


def dataset_at(path: Path) -> Dataset:
    """Return the dataset at a path, or the dataset of the run there."""
    if (path / RUN).is_file():
        return RunFolder.open(path).dataset()
    return Dataset.open(path)


class PictureFlow(Flow):
    """A flow that begins with pictures."""

    uses = ("pictures",)

    def new_items(self, sources: Sources, keep: KeepPicture, known: Known) -> Iterator[NewItem]:
        """Yield items for the pictures of a folder that the campaign does not have yet, in random order."""
        if sources.pictures is None:
            raise CampaignError(f"the flow {self.name} needs pictures: set `pictures` to their folder")
        used = {name for source in known.values() for name in source.get("pictures") or [source["picture"]]}
        files = {name: file for source in known.values() for name, file in source.get("files", {}).items()}
        new = _new_pictures(sources, keep, used, files)
        random.Random(sources.seed).shuffle(new)
        for number, source in enumerate(self.group_pictures(new, sorted(used)), len(known) + 1):
            names = source.get("pictures") or [source["picture"]]
            source["files"] = {name: files[name] for name in names if name in files}
            yield NewItem(f"{self.name}-{number:06d}", source, self.phases[0].name)

    def group_pictures(self, new: Sequence[str], used: Sequence[str]) -> Iterator[dict[str, Any]]:
        """Yield the source of each item: one new picture."""
        for name in new:
            yield {"picture": name}


def _new_pictures(sources: Sources, keep: KeepPicture, used: set[str], files: dict[str, str]) -> list[str]:
    """Store the pictures of a folder, and return the names of new ones; add to `files` the file of each.

    Invalid and known pictures are reported and skipped.
    """
    folder = sources.pictures
    if folder is None or not folder.is_dir():
        raise CampaignError(f"{folder} is not a folder of pictures")
    new: list[str] = []
    for file in sorted(each for each in folder.rglob("*") if each.is_file() and not each.name.startswith(".")):
        try:
            name = keep(read_picture(file))
        except BadPicture as error:
            sources.on_bad(f"{file} {error}")
            continue
        if name in used:
            sources.on_bad(f"{file}: this picture is already in the campaign")
        elif name in new:
            sources.on_bad(f"{file}: this picture is the same as {files[name]}")
        else:
            new.append(name)
            files[name] = file.relative_to(folder).as_posix()
    return new

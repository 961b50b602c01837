"""Flows whose items are pictures that people write about."""

import random
from collections.abc import Iterator, Sequence
from typing import Any

from countersight.collect.flows.protocol import Flow, Known, NewItem, Sources
from countersight.errors import BadPicture, CampaignError
from countersight.picture import read_picture


class PictureFlow(Flow):
    """A flow that begins with pictures."""

    def new_items(self, sources: Sources, known: Known) -> Iterator[NewItem]:
        """Yield items for the pictures of a folder that the campaign does not have yet, in random order."""
        if sources.pictures is None:
            raise CampaignError(f"the flow {self.name} needs pictures: name their folder with `pictures`")
        used = {name for source in known.values() for name in source.get("pictures") or [source["picture"]]}
        files = {name: file for source in known.values() for name, file in source.get("files", {}).items()}
        new = _new_pictures(sources, used, files)
        random.Random(sources.seed).shuffle(new)
        for number, source in enumerate(self.group_pictures(new, sorted(used)), len(known) + 1):
            names = source.get("pictures") or [source["picture"]]
            source["files"] = {name: files[name] for name in names if name in files}
            yield NewItem(f"{self.name}-{number:06d}", source, self.phases[0].name)

    def group_pictures(self, new: Sequence[str], used: Sequence[str]) -> Iterator[dict[str, Any]]:
        """Yield the source of each item: one new picture."""
        for name in new:
            yield {"picture": name}


def _new_pictures(sources: Sources, used: set[str], files: dict[str, str]) -> list[str]:
    """Store the pictures of a folder, and return the names of new ones; add to `files` the file of each.

    Invalid and known pictures are reported and skipped.
    """
    folder = sources.pictures
    if folder is None or not folder.is_dir():
        raise CampaignError(f"{folder} is not a folder of pictures")
    new: list[str] = []
    for file in sorted(each for each in folder.rglob("*") if each.is_file() and not each.name.startswith(".")):
        try:
            name = sources.keep_picture(read_picture(file))
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

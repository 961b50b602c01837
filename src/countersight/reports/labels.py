"""Short names for runs."""

from collections.abc import Sequence

from countersight.detection import parted
from countersight.engine import RunFolder
from countersight.html import name, shortened
from countersight.reports.data import MAX_NAME_LENGTH


def labels(runs: Sequence[RunFolder]) -> list[str]:
    """Return a unique short name for each run: the model, then what else distinguishes the runs."""
    models = [short_name(run.manifest.model) for run in runs]
    ranked = [", ranked" if run.manifest.answering == "rank" else "" for run in runs]
    ways = [model + way for model, way in zip(models, ranked, strict=True)]
    prompts = [f"{words}, {run.manifest.prompt.name}" for words, run in zip(ways, runs, strict=True)]
    folders = [f"{words} ({run.path.resolve().name})" for words, run in zip(prompts, runs, strict=True)]
    for names in (models, ways, prompts, folders):
        if len(set(names)) == len(names):
            return names
    return [f"{number}: {words}" for number, words in enumerate(folders, 1)]


def numbered_labels(runs: Sequence[RunFolder]) -> list[tuple[int, str]]:
    """Return the number and the label of each run; if all names are short, numbers are 0 and not part of the label."""
    names = labels(runs)
    if len(names) == 1 or all(shortened(each, MAX_NAME_LENGTH) == each for each in map(name, names)):
        return [(0, each) for each in names]
    return [(number, f"#{number} {each}") for number, each in enumerate(names, 1)]


_PROGRAMS = ("viper:", "visprog:")
_DETECTOR, _TOLD = "detector:", "told:"


def short_name(model: str) -> str:
    """Return gpt-4o for openai:gpt-4o, qwen for endpoint:http://127.0.0.1/v1#qwen; for a program, both models."""
    if model.startswith(_PROGRAMS):
        style, _, rest = model.partition(":")
        code, named, vision = rest.rpartition(";vision=")
        return f"{style}:{short_name(code)};vision={_vision_name(vision)}" if named else f"{style}:{short_name(rest)}"
    _, mark, served = model.rpartition("#")
    return served if mark else model.removeprefix("openai:")


def _vision_name(name: str) -> str:
    """Return a short name: detector:yolo.onnx for detector:/weights/yolo.onnx?labels=/weights/names.txt."""
    if not name.startswith(_DETECTOR):
        return short_name(name)
    where, second = parted(name.removeprefix(_DETECTOR))
    file = _DETECTOR + where.partition("?")[0].rstrip("/").rpartition("/")[2]
    told = _TOLD if second.startswith(_TOLD) else ""
    return f"{file}+{told}{short_name(second.removeprefix(_TOLD))}" if second else file

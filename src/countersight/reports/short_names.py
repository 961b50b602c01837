"""Models by names short enough for the head of a table."""

from countersight.detection import parted

_PROGRAMS = ("viper:", "visprog:")
_DETECTOR, _TOLD = "detector:", "told:"


def short_name(model: str) -> str:
    """gpt-4o for openai:gpt-4o, qwen for endpoint:http://127.0.0.1:8000/v1#qwen; of a program, who writes and looks."""
    if model.startswith(_PROGRAMS):
        style, _, rest = model.partition(":")
        code, named, eyes = rest.rpartition(";vision=")
        return f"{style}:{short_name(code)};vision={_eyes(eyes)}" if named else f"{style}:{short_name(rest)}"
    _, mark, served = model.rpartition("#")
    return served if mark else model.removeprefix("openai:")


def _eyes(name: str) -> str:
    """detector:ssd.pb for detector:/weights/ssd.pb?config=/weights/ssd.pbtxt."""
    if not name.startswith(_DETECTOR):
        return short_name(name)
    where, beside = parted(name.removeprefix(_DETECTOR))
    file = _DETECTOR + where.partition("?")[0].rstrip("/").rpartition("/")[2]
    told = _TOLD if beside.startswith(_TOLD) else ""
    return f"{file}+{told}{short_name(beside.removeprefix(_TOLD))}" if beside else file

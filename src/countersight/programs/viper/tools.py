"""The tools of Python programs: patches of the picture, and further functions.

A program has patches and can call only what is listed in METHODS and FUNCTIONS; every argument is checked.
"""

import inspect
import math
from collections.abc import Awaitable, Callable
from typing import Any, Final

from countersight.detection import Box, Patch, ToolFailed, Vision, size_as_seen
from countersight.picture import Picture
from countersight.programs.answers import LONGEST_ANSWER, match_option, number_in, polarity_in
from countersight.programs.limits import Limits, ProgramFailed, Tracing, shortened, tool_clock
from countersight.suggestions import unknown

LONGEST_TEXT = 500
"""The maximum number of characters in a search term or a question."""
MOST_TEXTS = 64
"""The maximum number of texts compared with a patch."""
Ask = Callable[[str], Awaitable[str]]
"""A function that returns a language model's answer to a question without a picture; raises ToolFailed."""
SEEN_OF_A_PATCH: Final = (
    *("left", "lower", "right", "upper", "width", "height", "horizontal_center", "vertical_center", "category"),
)
"""Attributes of a patch that a program can read."""


class ImagePatch:
    """A part of the picture as seen by a program: heights are counted upwards from the lower border."""

    __slots__ = ("patch", *SEEN_OF_A_PATCH)

    def __init__(self, patch: Patch, whole_height: int) -> None:
        left, top, right, bottom = patch.box
        self.patch = patch
        self.category = patch.name
        self.left, self.right = left, right
        self.upper, self.lower = whole_height - top, whole_height - bottom
        self.width, self.height = right - left, bottom - top
        self.horizontal_center = (left + right) / 2
        self.vertical_center = (self.lower + self.upper) / 2


class Tools:
    """The environment of one program: the picture, the vision tools, and a language model if there is one."""

    def __init__(self, picture: Picture, vision: Vision, ask: Ask | None, tracing: Tracing, limits: Limits) -> None:
        width, height = size_as_seen(picture)
        self.picture, self.vision, self.ask, self.tracing = picture, vision, ask, tracing
        self.size = width, height
        self.whole = ImagePatch(Patch((0, 0, width, height)), height)
        self._left = limits.calls
        self._most = limits.calls
        self._time = tool_clock(limits)

    def call(self, patch: ImagePatch | None, name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Run a tool for a program, on a patch or alone: returns the value, or an awaitable of it. Raises
        ProgramFailed."""
        known = METHODS if patch is not None else FUNCTIONS
        tool = known.get(name)
        if tool is None:
            what = "tool of an ImagePatch" if patch is not None else "tool"
            raise ProgramFailed("unknown tool", unknown(what, str(name), known))
        given = (self, patch, *args) if patch is not None else (self, *args)
        try:
            bound = _SIGNATURES[tool].bind(*given, **kwargs)
        except TypeError as error:
            raise ProgramFailed("error", f"{name}: {error}") from None
        if tool in _WAITING:
            arguments = ", ".join(self._written(value) for value in bound.args[1:] if value is not self.whole)
            return self._noted(name, arguments, tool(*bound.args))
        try:
            return tool(*bound.args)
        except ToolFailed as error:
            raise ProgramFailed("tool failure", f"{name}: {error}") from None

    async def _look(self, patch: ImagePatch, what: str) -> list[Patch]:
        """Find things in a patch."""
        self._spend_call()
        return await self.vision.find(self.picture, what, self._within(patch))

    async def _query(self, patch: ImagePatch, question: str) -> str:
        """Return the vision model's answer about a patch."""
        self._spend_call()
        return shortened(await self.vision.query(self.picture, question, self._within(patch)), LONGEST_ANSWER)

    async def _know(self, question: str) -> str:
        """Return the language model's answer without the picture."""
        if self.ask is None:
            raise ToolFailed("there is no language model to ask")
        self._spend_call()
        return shortened(await self.ask(question), LONGEST_ANSWER)

    def _within(self, patch: ImagePatch) -> Patch | None:
        """Return the part of the picture that a patch covers; None for the whole picture."""
        return None if patch.patch == self.whole.patch else patch.patch

    def _shown(self, patch: Patch) -> ImagePatch:
        """Return a patch as seen by a program."""
        return ImagePatch(patch, self.size[1])

    def _spend_call(self) -> None:
        if not self._left:
            raise ProgramFailed("too many calls", f"the program may call its vision tools at most {self._most} times")
        self._left -= 1

    async def _noted(self, name: str, arguments: str, waiting: Awaitable[Any]) -> Any:
        try:
            result = await self._time.spend(waiting)
        except ToolFailed as error:
            self.tracing.note(name, arguments, f"failed: {error}")
            raise ProgramFailed("tool failure", f"{name}: {error}") from None
        if isinstance(result, list):
            self.tracing.note(name, arguments, f"{len(result)} found", [patch.patch.box for patch in result])
        else:
            self.tracing.note(name, arguments, _brief(result))
        return result

    def _written(self, value: object) -> str:
        # Only one level of a list: nested lists that contain each other would take forever.
        each = value[:MOST_TEXTS] if isinstance(value, list) else [value]
        return ", ".join(f"in {one.patch.box}" if isinstance(one, ImagePatch) else _brief(one) for one in each)

    async def find(self, patch: ImagePatch, /, object_name: object) -> list[ImagePatch]:
        return [self._shown(found) for found in await self._look(patch, _text(object_name))]

    async def exists(self, patch: ImagePatch, /, object_name: object) -> bool:
        return bool(await self._look(patch, _text(object_name)))

    async def simple_query(self, patch: ImagePatch, /, question: object = "What is this?") -> str:
        return await self._query(patch, _text(question))

    async def verify_property(self, patch: ImagePatch, /, object_name: object, visual_property: object) -> bool:
        question = f"Is the {_text(object_name)} {_text(visual_property)}?"
        said = await self._query(patch, question)
        verdict = polarity_in(said, question)
        if verdict is None:
            raise ToolFailed(
                f"the vision model answered {said[:60]!r} to {question[:60]!r}, which is neither yes nor no"
            )
        return verdict

    async def best_text_match(self, patch: ImagePatch, /, option_list: object, prefix: object = "") -> str:
        if not isinstance(option_list, list | tuple) or not 1 <= len(option_list) <= MOST_TEXTS:
            raise ToolFailed(f"it needs a list of 1 to {MOST_TEXTS} texts")
        options = tuple(_text(option) for option in option_list)
        about = f"{_text(prefix)}: " if prefix else ""
        question = f"{about}which of these fits best: {', '.join(options)}? Answer with one of them."
        said = await self._query(patch, question)
        place = match_option(said, options, question) if len(options) > 1 else 0
        if place is None:
            raise ToolFailed(f"the vision model answered {said[:60]!r}, which is not one of the given options")
        return options[place]

    async def llm_query(self, /, question: object, long_answer: object = False) -> str:
        return await self._know(_text(question) + ("" if long_answer else "\nAnswer in a few words."))

    async def patch_llm_query(self, patch: ImagePatch, /, question: object, long_answer: object = False) -> str:
        return await self.llm_query(question, long_answer)

    async def best_image_match(
        self, /, list_patches: object, content: object, return_index: object = False
    ) -> ImagePatch | int:
        """Return the patch that matches a content best, or its index; if several match equally well, the first."""
        if not isinstance(list_patches, list | tuple) or not 1 <= len(list_patches) <= MOST_TEXTS:
            raise ToolFailed(f"it needs a list of 1 to {MOST_TEXTS} patches")
        patches = [_patch(one) for one in list_patches]
        wanted = ", ".join(map(_text, content)) if isinstance(content, list | tuple) else _text(content)
        question = f"From 0 (not at all) to 10 (exactly), how well does {wanted!r} describe this? Answer with a number."
        ratings = []
        for patch in patches if len(patches) > 1 else ():
            said = await self._query(patch, question)
            rating = number_in(said)
            if rating is None:
                raise ToolFailed(f"the vision model answered {said[:60]!r}, which is not a rating")
            ratings.append(rating)
        best = ratings.index(max(ratings)) if ratings else 0
        return best if return_index else patches[best]

    def compute_depth(self, patch: ImagePatch, /) -> float:
        raise ToolFailed("no depth tool is configured")

    def crop(self, patch: ImagePatch, /, left: object, lower: object, right: object, upper: object) -> ImagePatch:
        return self._shown(Patch(self._cropped((left, lower, right, upper), patch.patch.box)))

    def overlaps(self, patch: ImagePatch, /, other: object) -> bool:
        return _shared(patch.patch.box, _patch(other).patch.box) > 0

    def overlaps_with(self, patch: ImagePatch, /, left: object, lower: object, right: object, upper: object) -> bool:
        return _shared(patch.patch.box, self._box((left, lower, right, upper))) > 0

    def inside(self, patch: ImagePatch, /, other: object) -> bool:
        others = other if isinstance(other, list | tuple) else [other]
        return any(patch.patch.is_in(_patch(one).patch) for one in others)

    def image_patch(
        self, /, image: object, left: object = None, lower: object = None, right: object = None, upper: object = None
    ) -> ImagePatch:
        whole = _patch(image)
        sides = (left, lower, right, upper)
        return whole if sides == (None,) * 4 else self._shown(Patch(self._cropped(sides, whole.patch.box)))

    def distance(self, /, patch_a: object, patch_b: object) -> float:
        one, two = _patch(patch_a).patch.box, _patch(patch_b).patch.box
        if shared := _shared(one, two):
            return -shared / (_area(one) + _area(two) - shared)
        across = max(one[0] - two[2], two[0] - one[2], 0)
        along = max(one[1] - two[3], two[1] - one[3], 0)
        return math.hypot(across, along)

    def coerce_to_numeric(self, /, string: object) -> int | float:
        if isinstance(string, int | float):
            return int(string) if isinstance(string, bool) else string
        found = number_in(_text(string, LONGEST_ANSWER))
        if found is None:
            raise ToolFailed(f"there is no single number in {_brief(string)}")
        return found

    def bool_to_yesno(self, /, bool_answer: object) -> str:
        if isinstance(bool_answer, str) and bool_answer.strip().casefold() in ("yes", "no"):
            return bool_answer.strip().casefold()
        if not isinstance(bool_answer, bool | int | float):
            raise ToolFailed(f"{_brief(bool_answer)} is neither true nor false")
        return "yes" if bool_answer else "no"

    def _box(self, sides: tuple[object, ...]) -> Box:
        """Return the box in pixels for sides in a program's coordinates, where the y axis points up."""
        left, lower, right, upper = (_number(side) for side in sides)
        height = self.size[1]
        return round(left), round(height - upper), round(right), round(height - lower)

    def _cropped(self, sides: tuple[object, ...], within: Box) -> Box:
        """Return the part of the box with these sides that lies in another box."""
        box = _common(self._box(sides), within)
        if not _area(box):
            raise ToolFailed("that part is outside the picture")
        return box


Tool = Callable[..., Any]
METHODS: Final[dict[str, Tool]] = {
    "llm_query": Tools.patch_llm_query,
    **{
        tool.__name__: tool
        for tool in (
            *(Tools.find, Tools.exists, Tools.simple_query, Tools.verify_property, Tools.best_text_match),
            *(Tools.compute_depth, Tools.crop, Tools.overlaps, Tools.overlaps_with, Tools.inside),
        )
    },
}
"""Functions that a program may call on a patch."""
FUNCTIONS: Final[dict[str, Tool]] = {
    "ImagePatch": Tools.image_patch,
    **{
        tool.__name__: tool
        for tool in (
            *(Tools.best_image_match, Tools.distance, Tools.llm_query),
            *(Tools.coerce_to_numeric, Tools.bool_to_yesno),
        )
    },
}
"""Functions that a program may call directly."""
_SIGNATURES: Final = {tool: inspect.signature(tool) for tool in (*METHODS.values(), *FUNCTIONS.values())}
_WAITING: Final = frozenset(tool for tool in _SIGNATURES if inspect.iscoroutinefunction(tool))


def _text(value: object, longest: int = LONGEST_TEXT) -> str:
    if not isinstance(value, str):
        raise ToolFailed(f"it needs a string, not {_brief(value)}")
    if len(value) > longest:
        raise ToolFailed(f"the text is longer than {longest} characters")
    return shortened(value, longest)


def _patch(value: object) -> ImagePatch:
    if not isinstance(value, ImagePatch):
        raise ToolFailed(f"it needs an ImagePatch, not {_brief(value)}")
    return value


def _common(one: Box, two: Box) -> Box:
    return max(one[0], two[0]), max(one[1], two[1]), min(one[2], two[2]), min(one[3], two[3])


def _area(box: Box) -> int:
    return max(box[2] - box[0], 0) * max(box[3] - box[1], 0)


def _shared(one: Box, two: Box) -> int:
    """Return the number of pixels that lie in both boxes."""
    return _area(_common(one, two))


def _number(value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not -1e6 < value < 1e6:
        raise ToolFailed(f"it needs pixels as numbers, not {_brief(value)}")
    return value


def _brief(value: object) -> str:
    """Describe a value briefly. Only simple values are written out, because a program may build endless values."""
    match value:
        case bool() | None:
            return str(value)
        case int() | float():
            return str(value) if -1e15 < value < 1e15 else "a huge number"
        case str():
            return repr(value[:200])
        case _:
            return f"something of type {type(value).__name__[:40]}"

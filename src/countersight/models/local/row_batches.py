"""Requests as rows, those that show the same pictures in one, and rows as batches that a device computes at once."""

from collections.abc import Hashable, Iterable, Iterator
from dataclasses import dataclass, field

from countersight.errors import AskingFailed
from countersight.models.local.branching import Row
from countersight.models.local.conversation import check
from countersight.models.local.loading import Loaded
from countersight.models.local.pictures import Pictures, PicturesOnce
from countersight.models.local.queue import Feed
from countersight.models.local.rows import Answers, options_of, row_of
from countersight.models.local.ways import Plan
from countersight.models.protocol import Request

TOGETHER = 8
"""Requests in a row: every token of a row is compared with every other, whether one sees the other or not."""
Numbered = tuple[list[int], Row]
"""A row, and which of the requests are in it."""


@dataclass(slots=True)
class LeftOut:
    """Requests that are in no row."""

    failed: dict[int, AskingFailed] = field(default_factory=dict)
    """Those that cannot be asked, and why."""
    long: list[int] = field(default_factory=list)
    """Those that are too long for the plan."""

    def taken(self) -> "LeftOut":
        """All there are so far; from now on there are none."""
        found = LeftOut(self.failed, self.long)
        self.failed, self.long = {}, []
        return found


def rows_of(
    plan: Plan, loaded: Loaded, requests: Feed, left_out: LeftOut, answers: Answers = options_of
) -> Iterator[Numbered]:
    """Every request in a row with others that show the same pictures, and those that come in meanwhile."""
    once = PicturesOnce(loaded)
    apart = plan.way == "shared question"

    def rows(numbers: list[int], pictures: Pictures | AskingFailed) -> list[tuple[list[int], Row | AskingFailed]]:
        if isinstance(pictures, AskingFailed):
            return [(numbers, pictures)]
        made: list[tuple[list[int], Row | AskingFailed]] = []
        parts = [[number] for number in numbers] if apart else [numbers]
        while parts:
            part = parts.pop(0)
            try:
                asking = [requests[number] for number in part]
                made.append((part, row_of(once.loaded, asking, pictures, numbers[0], plan.sight, answers)))
            except AskingFailed as error:
                if len(part) == 1:
                    made.append((part, error))
                else:  # one of them is at fault; the others shall not suffer for it
                    parts[:0] = [[number] for number in part]
        return made

    groups = ((numbers, requests[numbers[0]]) for numbers in _groups(loaded, requests, left_out))
    for made in once.ahead(groups, rows):
        for numbers, row in made:
            if isinstance(row, AskingFailed):
                left_out.failed |= dict.fromkeys(numbers, row)
            elif row.size < plan.longest:
                yield numbers, row
            else:
                left_out.long += numbers


def _groups(loaded: Loaded, requests: Feed, left_out: LeftOut) -> Iterator[list[int]]:
    """Which requests show the same pictures; of those there are large ones first, so that memory runs out early."""
    numbers = list(requests)
    while numbers:
        groups: dict[Hashable, list[int]] = {}
        for number in numbers:
            try:
                check(loaded, requests[number])
            except AskingFailed as error:
                left_out.failed[number] = error
                continue
            pictures = requests[number].pictures
            if not pictures:  # they have little in common
                groups[number] = [number]
                continue
            part = 0
            while len(group := groups.setdefault((pictures, part), [])) == TOGETHER:
                part += 1
            group.append(number)
        yield from sorted(groups.values(), key=lambda group: _extent(requests[group[0]]), reverse=True)
        numbers = requests.more()


def _extent(request: Request) -> tuple[int, int, int]:
    """What decides how long a row becomes: first of all how many pictures, since batches have the same number."""
    pictures = request.pictures
    pixels = sum(picture.width * picture.height for picture in pictures)
    return len(pictures), pixels, sum(len(option.text) for option in request.options)


def batches_of(rows: Iterable[Numbered], most: int) -> Iterator[list[Numbered]]:
    """Rows that follow each other, as many as have `most` tokens; the first are fewer, for the device waits."""
    batch: list[Numbered] = []
    room = most // 4
    for numbered in rows:
        row = numbered[1]
        longest = max(row.size, *(other.size for _, other in batch)) if batch else row.size
        if batch and (longest * (len(batch) + 1) > room or not batch[0][1].goes_with(row)):
            yield batch
            batch, room = [], min(most, 2 * room)
        batch.append(numbered)
    if batch:
        yield batch

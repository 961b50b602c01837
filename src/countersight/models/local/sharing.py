"""Losses of options, with everything they share computed once.

The questions of a case show the same picture, and their options follow the same question. So the picture is encoded
once, what stands before the first difference is read once, and all branches behind it are read in one pass together
with those of other cases: a row holds the tree of one picture's conversations, a batch holds several rows. The plain
way, one pass over everything for each option, is in `plain`; `probing` finds the way that gives the same losses.
"""

from collections.abc import Hashable, Iterable, Iterator, Sequence
from itertools import islice
from typing import Any

from countersight.errors import AskingFailed
from countersight.models.local.branching import Row, unexpected
from countersight.models.local.continuing import continued_losses
from countersight.models.local.conversation import check
from countersight.models.local.loading import Loaded
from countersight.models.local.pictures import Pictures, PicturesOnce
from countersight.models.local.plain import plain_losses
from countersight.models.local.rows import row_of
from countersight.models.local.ways import Plan
from countersight.models.protocol import Loss, Request
from countersight.picture import Picture

Losses = tuple[float, ...]
TOKENS = 8192
"""Tokens of a batch, padding counted; more are not faster. A row that is longer comes alone."""
TOGETHER = 8
"""Requests in a row: every token of a row is compared with every other, whether one sees the other or not."""
Numbered = tuple[list[int], Row]
"""A row, and which of the requests are in it."""


def rank_by(
    plan: Plan, loaded: Loaded, requests: Sequence[Request], loss: Loss = "mean"
) -> list[Losses | AskingFailed]:
    """The losses of each request's options in this way, or why it has none."""
    results: dict[int, Losses | AskingFailed] = {}
    asked = []
    for number, request in enumerate(requests):
        try:
            check(loaded, request)
            asked.append(number)
        except AskingFailed as error:
            results[number] = error
    if plan.way in ("plain", "continued"):
        results |= {number: _alone(plan, loaded, requests[number], loss) for number in asked}
    else:
        results |= _together(plan, loaded, requests, asked, loss)
    return [results[number] for number in range(len(requests))]


def _alone(plan: Plan, loaded: Loaded, request: Request, loss: Loss) -> Losses | AskingFailed:
    try:
        return (continued_losses if plan.way == "continued" else plain_losses)(loaded, request, loss)
    except AskingFailed as error:
        return error


def _together(
    plan: Plan, loaded: Loaded, requests: Sequence[Request], asked: Sequence[int], loss: Loss
) -> dict[int, Losses | AskingFailed]:
    results: dict[int, Losses | AskingFailed] = {}
    look_once = plan.way == "shared question"
    computed = [
        # What a device computes is not waited for: the next batch is made ready meanwhile.
        (
            list(_sizes(batch, requests)),
            unexpected(loaded, [row for _, row in batch], plan.sight, look_once=look_once),
        )
        for batch in _batches(_rows(plan, loaded, requests, asked, results), TOKENS if plan.together else 0)
    ]
    for sizes, values in computed:
        results |= _reduced(sizes, values, loss)
    plainly = Plan("plain")
    return results | {
        number: _alone(plainly, loaded, requests[number], loss) for number in asked if number not in results
    }


def _rows(
    plan: Plan,
    loaded: Loaded,
    requests: Sequence[Request],
    asked: Sequence[int],
    failed: dict[int, Losses | AskingFailed],
) -> Iterator[Numbered]:
    """Every request in a row with others that show the same pictures; those for which there can be none are noted.

    Rows that are too long for the plan are left out.
    """
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
                made.append((part, row_of(once.loaded, asking, pictures, numbers[0], plan.sight)))
            except AskingFailed as error:
                if len(part) == 1:
                    made.append((part, error))
                else:  # one of them is at fault; the others shall not suffer for it
                    parts[:0] = [[number] for number in part]
        return made

    groups = ((numbers, requests[numbers[0]]) for numbers in _groups(requests, asked))
    for made in once.ahead(groups, rows):
        for numbers, row in made:
            if isinstance(row, AskingFailed):
                failed |= dict.fromkeys(numbers, row)
            elif row.size < plan.longest:
                yield numbers, row


def _groups(requests: Sequence[Request], asked: Sequence[int]) -> list[list[int]]:
    """Which requests show the same pictures; large ones first, so that memory runs out early or not at all."""
    groups: dict[Hashable, list[int]] = {}
    for number in asked:
        pictures = _pictures(requests[number])
        if not pictures:  # they have little in common
            groups[number] = [number]
            continue
        part = 0
        while len(group := groups.setdefault((pictures, part), [])) == TOGETHER:
            part += 1
        group.append(number)
    return sorted(groups.values(), key=lambda group: _extent(requests[group[0]]), reverse=True)


def _extent(request: Request) -> tuple[int, int, int]:
    """What decides how long a row becomes: first of all how many pictures, since batches have the same number."""
    pictures = _pictures(request)
    pixels = sum(picture.width * picture.height for picture in pictures)
    return len(pictures), pixels, sum(len(option.text) for option in request.options)


def _pictures(request: Request) -> tuple[Picture, ...]:
    return request.pictures


def _batches(rows: Iterable[Numbered], most: int) -> Iterator[list[Numbered]]:
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


def _sizes(batch: Sequence[Numbered], requests: Sequence[Request]) -> Iterator[tuple[int, list[int]]]:
    """Every request of a batch, in the order of its rows, and how many tokens each of its options has."""
    for numbers, row in batch:
        sizes = iter([len(tokens) for _, tokens in row.answers])
        for number in numbers:
            yield number, [next(sizes) for _ in requests[number].options]


def _reduced(sizes: Sequence[tuple[int, list[int]]], values: Any, loss: Loss) -> dict[int, Losses]:
    """The losses of a batch's options out of those of its tokens."""
    parts = iter(values.double().cpu().split([size for _, each in sizes for size in each]))
    return {
        number: tuple(float(part.mean() if loss == "mean" else part.sum()) for part in islice(parts, len(each)))
        for number, each in sizes
    }

"""What a program finds in its interpreter before it begins: functions of Python that can wait for a tool.

The interpreter hands a call to us only from the program's own code, not from within a built-in function that calls it
back. But `max(patches, key=lambda patch: len(patch.find("dot")))` is how such programs are written; so the built-in
functions that call back are written out here.
"""

import re

PRELUDE = """
_sorted, _max, _min, _next = sorted, max, min, next

def sorted(items, *, key=None, reverse=False):
    items = list(items)
    if key is None:
        return _sorted(items, reverse=reverse)
    keys = [key(item) for item in items]
    return [items[place] for place in _sorted(range(len(items)), key=lambda place: keys[place], reverse=reverse)]

def _best(best, items, key, others):
    if key is None:
        return best(*items, **others)
    items = list(items[0]) if len(items) == 1 else list(items)
    if not items:
        return best(items, **others)
    keys = [key(item) for item in items]
    return items[keys.index(best(keys))]

def max(*items, key=None, **others):
    return _best(_max, items, key, others)

def min(*items, key=None, **others):
    return _best(_min, items, key, others)

def map(function, *lists):
    return [function(*together) for together in zip(*lists)]

def filter(function, items):
    return [item for item in items if (item if function is None else function(item))]

def next(items, *default):
    if not isinstance(items, list):
        return _next(items, *default)
    if items:
        return items[0]
    if default:
        return default[0]
    raise StopIteration()

def {answer}(value, plain=(str, bool, int, float), isinstance=isinstance, type=type):
    return (value,) if value is None or isinstance(value, plain) else (None, type(value).__name__)
"""

_KEY = re.compile(r"\bkey\b")


def prelude(answer: str) -> str:
    """The functions above; the one that checks what a program returns has the given name."""
    return PRELUDE.replace("{answer}", answer)


def prepared(program: str, answer: str) -> str:
    """The program with its call at the end; a list that is sorted in place goes through the function above."""
    return "\n".join(map(_sorted_in_place, program.split("\n"))) + f"\n{answer}(execute_command(image))"


def _sorted_in_place(line: str) -> str:
    """`dogs.sort(key=…)` as `dogs[:] = sorted(dogs, key=…)`; any other line as it is."""
    before, sorts, given = line.rstrip(" \t").partition(".sort(")
    name = before.lstrip(" \t")
    if not sorts or not name.isidentifier() or not given.endswith(")") or not _KEY.search(given):
        return line
    return f"{before.removesuffix(name)}{name}[:] = sorted({name}, {given}"

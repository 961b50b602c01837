"""The Python code that runs before a program: versions of built-in functions that may call tools.

In the interpreter's own `sorted`, `max`, `min`, `map` and `filter`, a function that calls a tool fails, and its `next`
does not accept a list.
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


def write_prelude(answer: str) -> str:
    """Return the source of PRELUDE, in which `answer` names the function that checks the result of a program."""
    return PRELUDE.replace("{answer}", answer)


def prepare_program(program: str, answer: str) -> str:
    """Return the program with its call appended, and calls of `sort` with a key rewritten."""
    return "\n".join(map(_rewrite_sort, program.split("\n"))) + f"\n{answer}(execute_command(image))"


def _rewrite_sort(line: str) -> str:
    """Rewrite `dogs.sort(key=…)` to `dogs[:] = sorted(dogs, key=…)`; other lines are unchanged."""
    before, sorts, given = line.rstrip(" \t").partition(".sort(")
    name = before.lstrip(" \t")
    if not sorts or not name.isidentifier() or not given.endswith(")") or not _KEY.search(given):
        return line
    return f"{before.removesuffix(name)}{name}[:] = sorted({name}, {given}"

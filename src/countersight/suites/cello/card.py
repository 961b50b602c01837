"""What the card of a made CELLO tells beside the rest: how it divides, how to check it, whose scene graphs it is of."""

from pathlib import Path

import msgspec

from countersight.causal import STATISTICS
from countersight.suites.dividing import division_table

_FROM_VISUAL_GENOME = frozenset({"Visual Genome", "GQA", "regions"})
_ATTRIBUTION = """## Licence and attribution

Questions and options are made by Countersight from scene graphs of Visual Genome (Krishna et al., 2017, CC BY 4.0),
read in the layout: {layouts}. GQA's graphs are by Hudson and Manning (2019), those of regions by FACTUAL (Li et al.,
2023). Tasks and graphs follow CELLO (Chen et al., 2024). The pictures are Flickr's, each under its own licence.
"""


class _Mining(msgspec.Struct):
    layouts: tuple[str, ...] = ()


def attribution(mined: Path) -> str:
    """Whose scene graphs a mined folder is of, where that is known; else nothing."""
    try:
        layouts = msgspec.json.decode((mined / STATISTICS).read_bytes(), type=_Mining).layouts
    except (OSError, msgspec.MsgspecError, UnicodeDecodeError):
        return ""
    if not layouts or not _FROM_VISUAL_GENOME.issuperset(layouts):
        return ""
    return _ATTRIBUTION.format(layouts=", ".join(layouts))


def divisions(folder: Path) -> str:
    """How many cases each split and each difficulty has, task by task, and how people check them."""
    table = division_table(folder, "task", lambda case: str(case.provenance.get("task", "")))
    return f"""## Splits and difficulty

{table}

Splits are by picture: no picture is in two. Difficulty 1 asks of two things, 2 of three, 3 of three of which one is
held. Both are in `provenance`. The same questions in other words, options in another order: `--reworded`. To have
people check them: `countersight collect new NAME --flow verify`.
"""

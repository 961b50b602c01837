"""`countersight mine`: finds causal graphs in scene graphs."""

import argparse
from shlex import quote
from typing import Final

from countersight.cli.parsing import Verbs, print_bad, shared, verb
from countersight.cli.terminal import counting
from countersight.text import several

MALFORMED_SHOWN = 20
_MEGABYTE = 1 << 20


_OPTIONS: Final = {
    "GRAPHS": "scene_graphs.json or relationships.json of Visual Genome, GQA's scene graphs, FACTUAL's CSV of regions, "
    "or Countersight's JSONL, optionally gzipped; or a folder that contains one of them",
    "-o, --output DIR!": "the folder to make",
}


def add(verbs: Verbs) -> None:
    """Add the verb to the command line."""
    example = "countersight mine scene_graphs.json --pictures VG -o causal"
    summary = "find causal graphs in scene graphs"
    verb(verbs, "mine", _mine, summary, example, _OPTIONS, shared("pictures", "ray"))


def _mine(chosen: argparse.Namespace) -> int:
    from rich.console import Console

    from countersight.causal import GRAPHS, Malformed, files_of, mine_folder, printed

    size = sum(path.stat().st_size for path, _ in files_of(chosen.graphs))
    shown = iter(range(MALFORMED_SHOWN))

    def malformed(what: Malformed) -> None:
        if next(shown, None) is not None:
            print_bad(what)

    with counting("Mining", size // _MEGABYTE + 1, "MB") as progress:
        mined = mine_folder(
            chosen.graphs,
            chosen.output,
            pictures=chosen.pictures,
            on_malformed=malformed,
            on_read=lambda done: progress(done // _MEGABYTE),
            ray=chosen.ray,
        )
    statistics = mined.statistics
    console = Console()
    for table in printed(statistics):
        console.print(table)
    found = several(sum(statistics.graphs.values()), "causal graph")
    print(f"{found} in {chosen.output / GRAPHS}, {several(statistics.malformed, 'malformed part')} skipped")
    if chosen.pictures:
        print(f"{mined.pictures:,} of {several(mined.images, 'picture')} found in {chosen.pictures}")
    print(f"Next: countersight make cello --from {quote(str(chosen.output))} -o DIR")
    return 0

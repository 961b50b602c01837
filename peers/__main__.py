"""Runs every peer in its own environment and prints one table: `make peers`.

A peer exports our files and prints `exported N questions`, has its tool open them, and prints `… ours X theirs Y` for
each figure that it compares.
"""

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

_EXPORTED = re.compile(r"^exported (?P<count>\d+) (?P<noun>\w+)$", re.MULTILINE)
_COMPARED = re.compile(r"ours\s+(?P<ours>[-+.\deE]+|nan)\s+theirs\s+(?P<theirs>[-+.\deE]+|nan)")

_ROUNDING = 2e-6
"""Figures are printed to six digits, and a peer refuses those that differ by more than one in the last."""


class Result(NamedTuple):
    """The result of one peer."""

    peer: str
    exported: str
    """The number of exported questions; empty if the export failed, or if the peer needs no file."""
    opened: bool
    equal: int
    compared: int
    """The number of compared figures; `equal` counts those that are equal in all printed digits."""
    said: str
    """The last printed line, if the peer failed."""

    @property
    def good(self) -> bool:
        """Whether the tool opened our files and no figure differs."""
        return self.opened and self.equal == self.compared


def result_of(peer: str, status: int, output: str) -> Result:
    """Parse the output of a peer."""
    pairs = [(float(found["ours"]), float(found["theirs"])) for found in _COMPARED.finditer(output)]
    exported = [f"{found['count']} {found['noun']}" for found in _EXPORTED.finditer(output)]
    equal = sum(abs(ours - theirs) <= _ROUNDING for ours, theirs in pairs)
    last = next((line.strip() for line in reversed(output.splitlines()) if line.strip()), "")
    return Result(peer, ", ".join(dict.fromkeys(exported)), status == 0, equal, len(pairs), last if status else "")


def table(results: list[Result]) -> str:
    """Return a table with one line per peer: what was exported, whether the tool opened it, and equal figures."""
    lines = [f"{'peer':<16}{'exported':<24}{'opened':<9}equal figures"]
    for each in results:
        figures = f"{each.equal} of {each.compared}" if each.compared else "none to compare"
        told = f"   {each.said[:120]}" if each.said else ""
        exported, opened = each.exported or ("–" if each.opened else "NO"), "yes" if each.opened else "NO"
        lines.append(f"{each.peer:<16}{exported:<24}{opened:<9}{figures}{told}")
    return "\n".join(lines)


def main(peers: list[str]) -> int:
    """Run the peers one after the other, even if one fails; return 0 if all are good."""
    results: list[Result] = []
    try:
        for peer in peers:
            python = Path(".peers") / peer / "bin" / "python"
            environment = os.environ | {"PYTHONPATH": "tests", "HF_HUB_OFFLINE": "1"}
            command = [str(python), "-m", f"peers.{peer}"]
            done = subprocess.run(  # noqa: S603 - ours
                command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False, env=environment
            )
            print(done.stdout, flush=True)
            results.append(result_of(peer, done.returncode, done.stdout))
    finally:  # after Ctrl-C, the finished peers are shown
        print(table(results), flush=True)
    return 0 if all(each.good for each in results) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

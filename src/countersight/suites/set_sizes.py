"""How many cases of each set were imported: a set with fewer than it has in its suite is named, and scored as none."""

from countersight.case import Case


class SetSizes:
    """Counts the cases of every set of which it is known how many it has."""

    def __init__(self) -> None:
        self._found: dict[str, tuple[int, int]] = {}
        """By the name of a set, how many cases there are, and how many there should be."""

    def add(self, case: Case) -> None:
        """Count a case."""
        if case.cell and case.cell.of:
            count, _ = self._found.get(case.cell.set, (0, 0))
            self._found[case.cell.set] = count + 1, case.cell.of

    def incomplete(self) -> tuple[str, ...]:
        """The sets that are not whole, each in a few words."""
        return tuple(
            f"{name[:80]!r} has {count} of {wanted} cases"
            for name, (count, wanted) in self._found.items()
            if count < wanted
        )

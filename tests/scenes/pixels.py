"""Progress things in pictures, knowing nothing of the scene they were drawn from."""

import numpy as np


def changed(first, second):
    """Where two pictures differ."""
    return (first != second).any(axis=2)


def components(mask):
    """The connected pieces of a mask (corners connect), each as a mask; pieces are joined run by run."""
    runs, parent, above = [], [], []

    def root(run):
        while parent[run] != run:
            run = parent[run]
        return run

    for y, row in enumerate(mask):
        here = []
        for start, stop in np.flatnonzero(np.diff(row.astype(np.int8), prepend=0, append=0)).reshape(-1, 2).tolist():
            run = len(runs)
            runs.append((y, start, stop))
            parent.append(run)
            here.append(run)
            for other in above:
                if runs[other][1] <= stop and runs[other][2] >= start:
                    parent[root(other)] = root(run)
        above = here
    pieces = {}
    for run, (y, start, stop) in enumerate(runs):
        pieces.setdefault(root(run), np.zeros_like(mask))[y, start:stop] = True
    return list(pieces.values())

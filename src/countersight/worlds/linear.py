"""Test whether linear programmes have a solution: many small ones of the same shape at once, in plain numpy."""

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]

_TINY = 1e-9
_LEFT = 1e-7
"""What may be left of the artificial variables where there is a solution; right sides are of the order of 1."""
_QUICK = 60
"""Pivots by the steepest column, before the first one that improves is taken: that way never goes in a circle."""
_MOST = 2_000


def feasible(matrices: Floats, sides: Floats) -> Bools:
    """Return for each programme whether some x ≥ 0 solves `matrix @ x = side` (first phase of the simplex method)."""
    table = _tableau(matrices, sides)
    every = np.arange(len(table))
    basis = np.tile(np.arange(table.shape[1] - 1) + matrices.shape[2], (len(table), 1))
    for step in range(_MOST):
        costs = table[:, -1, : matrices.shape[2]]
        entering = costs.argmin(axis=1) if step < _QUICK else (costs < -_TINY).argmax(axis=1)
        moving = costs[every, entering] < -_TINY
        if not moving.any():
            break
        rows = every[moving]
        _pivot(table, basis, rows, entering[moving])
    left: Bools = -table[:, -1, -1] < _LEFT
    return left


def _tableau(matrices: Floats, sides: Floats) -> Floats:
    """Constraints with right sides that are not negative, and under them what the artificial variables cost."""
    programmes, rows, columns = matrices.shape
    table = np.zeros((programmes, rows + 1, columns + 1))
    signs = np.where(sides < 0, -1.0, 1.0)
    table[:, :-1, :-1] = matrices * signs[:, :, None]
    table[:, :-1, -1] = sides * signs
    table[:, -1] = -table[:, :-1].sum(axis=1)
    return table


def _pivot(table: Floats, basis: NDArray[np.int64], rows: NDArray[np.int64], entering: NDArray[np.int64]) -> None:
    """One step of each programme that is not done; ties go to the variable that stands first, so that it ends."""
    column = table[rows, :-1, entering]
    steps = np.full(column.shape, np.inf)
    np.divide(table[rows, :-1, -1], column, out=steps, where=column > _TINY)
    nearest = steps.min(axis=1, keepdims=True)
    ties = np.where(steps <= nearest + _TINY, basis[rows], np.iinfo(np.int64).max)
    leaving = ties.argmin(axis=1)
    table[rows, leaving] /= table[rows, leaving, entering][:, None]
    factors = table[rows, :, entering]
    factors[np.arange(len(rows)), leaving] = 0.0
    table[rows] -= factors[:, :, None] * table[rows, leaving][:, None, :]
    basis[rows, leaving] = entering

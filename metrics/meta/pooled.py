"""Kendall's τ over all cells of two matrices, for many resamples of whole columns.

A resample draws column i w_i times. Concordant less discordant pairs are then Σ_ij w_i·w_j·K_ij, K_ij being their sum over all
cells of column i against all of column j: one table of columns × columns, made once, in place of sorting every resample anew.
Tied pairs are Σ_v (Σ_i w_i·n_iv)² over the values v, n_iv saying how often v stands in column i.
"""

from __future__ import annotations

import numpy as np
from scipy import sparse

from metrics.meta.common import FloatArray, batches
from metrics.meta.ties import settled


def pooled_kendall(x: FloatArray, y: FloatArray, weights: FloatArray) -> FloatArray:
    """τ-b of the cells that both matrices (rows × columns) have, in each resample (draws × columns)."""
    both = np.isfinite(x) & np.isfinite(y)
    codes_x, codes_y = (_codes(m, both) for m in (x, y))
    table = _concordance(codes_x, codes_y, both)
    cells = both.sum(axis=0).astype(np.float64)
    result = []
    start = 0
    for size in batches(len(weights), x.shape[1]):
        part = weights[start : start + size]
        start += size
        excess = ((part @ table) * part).sum(axis=1)
        n = part @ cells
        tied = [_tied(codes, both, part) for codes in (codes_x, codes_y)]
        untied = (n**2 - tied[0]) * (n**2 - tied[1])
        with np.errstate(divide="ignore", invalid="ignore"):
            result.append(np.where(untied > 0, excess / np.sqrt(untied), np.nan))
    return np.asarray(np.clip(np.concatenate(result), -1, 1))


def _codes(matrix: FloatArray, both: np.ndarray[tuple[int, ...], np.dtype[np.bool_]]) -> FloatArray:
    """Dense ranks of the cells as whole numbers, NaN where there is no pair."""
    kept = settled(np.where(both, matrix, np.nan).reshape(-1))
    codes = np.full(kept.shape, np.nan)
    known = np.isfinite(kept)
    codes[known] = np.unique(kept[known], return_inverse=True)[1]
    return codes.reshape(matrix.shape)


def _concordance(
    x: FloatArray, y: FloatArray, both: np.ndarray[tuple[int, ...], np.dtype[np.bool_]]
) -> FloatArray:
    """Columns × columns: Σ sign(x_si − x_tj)·sign(y_si − y_tj) over the cells of two columns.

    The sum over the cells of one column is counted from orders: for a cell (x, y), those of a column that lie below in both or
    above in both, less the others. Per row of the matrix this is one comparison of all cells with all columns.
    """
    rows, columns = x.shape
    # Small whole numbers compare four to eight times as fast as doubles.
    kind = np.int16 if np.nanmax(np.concatenate([x.ravel(), y.ravel(), [0.0]])) < 2**15 else np.int32
    first, second = (np.where(both, m, 0).astype(kind) for m in (x, y))
    table = np.zeros((columns, columns))
    for s in range(rows):
        for t in range(rows):
            present = both[s][:, None] & both[t]
            # sign·sign = 1 where the comparisons agree and neither ties.
            a, b = first[s][:, None], second[s][:, None]
            up_x, up_y = a > first[t], b > second[t]
            down_x, down_y = a < first[t], b < second[t]
            agree = ((up_x & up_y) | (down_x & down_y)) & present
            differ = ((up_x & down_y) | (down_x & up_y)) & present
            table += agree.view(np.int8) - differ.view(np.int8)
    return table


def _tied(
    codes: FloatArray, both: np.ndarray[tuple[int, ...], np.dtype[np.bool_]], weights: FloatArray
) -> FloatArray:
    """Σ over values of the squared number of drawn cells that have it."""
    _, place = np.nonzero(both)
    value = codes[both].astype(np.intp)
    counts = sparse.csr_array(
        (np.ones(len(value)), (place, value)), shape=(codes.shape[1], int(value.max(initial=0)) + 1)
    )
    columns = np.diff(counts.tocsc().indptr)
    alone = counts[:, np.flatnonzero(columns == 1)]
    spread = counts[:, np.flatnonzero(columns > 1)]
    squares = np.asarray((alone * alone).sum(axis=1), dtype=np.float64).ravel()
    total = weights**2 @ squares
    drawn = np.asarray(spread.T @ weights.T) if spread.shape[1] else np.zeros((0, len(weights)))
    return np.asarray(total + (drawn**2).sum(axis=0))

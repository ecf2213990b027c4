"""The four levels at which two score matrices (system × item) are correlated.

- ``system``: mean per system, then one correlation over systems.
- ``item``: one correlation over systems within each item, then their mean.
- ``global``: one correlation over all (system, item) cells pooled.
- ``system-average``: one correlation over items within each system, then their mean (Banerjee & Lavie 2005, §3.3).
"""

from __future__ import annotations

import numpy as np

from metrics.meta.coefficients import Coefficient
from metrics.meta.common import FloatArray

LEVELS = ("system", "item", "global", "system-average")
AVERAGED = ("item", "system-average")


def correlations(
    human: FloatArray,
    metric: FloatArray,
    *,
    level: str,
    coefficient: Coefficient,
    system_weights: FloatArray | None = None,
    item_weights: FloatArray | None = None,
) -> FloatArray:
    """The correlation in each draw.

    ``human`` and ``metric`` are matrices (systems × items) or stacks of them, one per draw; the weights (draws ×
    systems, draws × items) say how often each system and item counts in each draw, once if they are left out.
    """
    x, y = (m if m.ndim == 3 else m[None] for m in (human, metric))
    systems = np.ones((1, x.shape[1])) if system_weights is None else system_weights
    if level == "system":
        mean_x, mean_y = (system_means(scores, item_weights)[:, None, :] for scores in (x, y))
        return coefficient(mean_x, mean_y, systems)[:, 0]
    items = np.ones((1, x.shape[2])) if item_weights is None else item_weights
    if level == "global":
        cells = systems[:, :, None] * items[:, None, :]
        flat_x, flat_y = (m.reshape(m.shape[0], 1, -1) for m in (x, y))
        return coefficient(flat_x, flat_y, cells.reshape(cells.shape[0], -1))[:, 0]
    groups = group_correlations(x, y, level=level, coefficient=coefficient, systems=systems, items=items)
    return _weighted_mean(groups, items if level == "item" else systems)


def group_correlations(
    x: FloatArray,
    y: FloatArray,
    *,
    level: str,
    coefficient: Coefficient,
    systems: FloatArray,
    items: FloatArray,
) -> FloatArray:
    """The correlations that an averaged level averages: one per item (or per system) in each draw."""
    if level == "item":
        return coefficient(x.swapaxes(1, 2), y.swapaxes(1, 2), systems)
    return coefficient(x, y, items)


def system_means(scores: FloatArray, item_weights: FloatArray | None = None) -> FloatArray:
    """Mean score of each system over the items it has, weighted by how often an item counts: (draws, systems)."""
    if scores.shape[2] == 1:  # system scores only: there are no items that could be drawn
        return scores[:, :, 0]
    items = np.ones((1, scores.shape[2])) if item_weights is None else item_weights
    present = np.isfinite(scores)
    filled = np.where(present, scores, 0.0)
    with np.errstate(divide="ignore", invalid="ignore"):
        if scores.shape[0] == 1:
            return np.asarray((items @ filled[0].T) / (items @ present[0].T.astype(np.float64)))
        column = items[:, :, None]
        return np.asarray((filled @ column)[..., 0] / (present.astype(np.float64) @ column)[..., 0])


def _weighted_mean(groups: FloatArray, weights: FloatArray) -> FloatArray:
    defined = np.isfinite(groups)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray((np.where(defined, groups, 0.0) * weights).sum(-1) / (defined * weights).sum(-1))

"""Score tables for the tests of the commands that compare scores."""

import numpy as np
import pandas as pd

SYSTEMS = ["alpha", "beta", "gamma", "delta", "epsilon", "zeta"]
ITEMS = [f"d{k:02d}" for k in range(12)]


def long(metric: str, values: np.ndarray, *, systems=SYSTEMS, items=ITEMS, **columns) -> pd.DataFrame:
    """One metric's matrix as rows of a score table."""
    rows = [
        {"metric": metric, "system": system, "item": item, "score": float(value), **columns}
        for system, row in zip(systems, values, strict=True)
        for item, value in zip(items, row, strict=True)
    ]
    return pd.DataFrame(rows)


def matrices() -> dict[str, np.ndarray]:
    rng = np.random.default_rng(2005)
    true = np.linspace(0, 1, 6)[:, None]
    human = true + 0.4 * rng.normal(size=(6, 12))
    return {
        "coverage": human,
        "close": human + 0.2 * rng.normal(size=(6, 12)),
        "loose": human + 0.9 * rng.normal(size=(6, 12)),
        "error": 1 - human + 0.3 * rng.normal(size=(6, 12)),
    }


def write_tables(folder):
    """human.csv and metrics.csv; ``error`` is a lower-is-better metric."""
    data = matrices()
    human, metrics = folder / "human.csv", folder / "metrics.csv"
    long("coverage", data["coverage"]).to_csv(human, index=False)
    pd.concat(
        [
            long("close", data["close"], higher_is_better=True),
            long("loose", data["loose"], higher_is_better=True),
            long("error", data["error"], higher_is_better=False),
        ]
    ).to_csv(metrics, index=False)
    return human, metrics

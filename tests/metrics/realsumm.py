"""REALSumm's crowd votes (Bhandari et al. 2020): whether a summary holds a content unit of the reference."""

from pathlib import Path

import pandas as pd

# The authors' tables call these two extractive systems' votes abstractive.
EXTRACTIVE = ("banditsumm_out", "neusumm_out")


def votes(folder: Path) -> pd.DataFrame:
    """``system, item, unit, assessor, value``; an assessor is a slot, since the votes are anonymous."""
    tables = []
    for path in sorted(folder.glob("SCU_rating_results_*/*.csv")):
        name = path.stem.removesuffix("_Batch_crowd_3")
        kind = "ext" if path.parent.name == "SCU_rating_results_ext_systems" or name in EXTRACTIVE else "abs"
        raw = pd.read_csv(path)
        slot = raw.groupby("Input.eventId").cumcount().astype("str")
        tables += [
            pd.DataFrame(
                {
                    "system": f"{name}/{kind}",
                    "item": raw["Input.eventId"],
                    "unit": str(n),
                    "assessor": slot,
                    "value": (raw[f"Answer.S{n}Answer"] == "p").astype(float),
                }
            )[raw[f"Input.statement_{n}"] != "BLANK"]
            for n in range(1, 17)
        ]
    return pd.concat(tables, ignore_index=True)

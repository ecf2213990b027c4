"""The base of every schema. It stands alone, so that designs and task kinds can both build on it."""

from pydantic import BaseModel, ConfigDict


class Strict(BaseModel):
    """A schema that refuses what it does not know."""

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)

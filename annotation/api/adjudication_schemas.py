"""What the API takes and gives where people disagree and somebody decides."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Literal

from pydantic import Field

from annotation.api.schemas import LARGEST, Answer, Page, PageQuery
from annotation.strict import Strict


class DisagreementQuery(PageQuery):
    show: Literal["open", "given", "decided"] = "open"


class DisagreementRow(Answer):
    """A piece. ``distance``: how far people differ by ``criterion``, in the measure of the queue; ``adjudicator``: who is to decide it,
    or has, as a pseudonym."""

    id: int
    task: str
    item: str
    system: str
    set: str
    distance: float
    criterion: str
    judges: int
    adjudicator: str | None
    decided_at: datetime | None


class DisagreementPage(Page[DisagreementRow]):
    """Pieces, the worst first."""


class ThresholdSetting(Strict):
    by: Literal["spread", "alpha"] = "spread"
    threshold: float | None = Field(default=None, gt=0, le=100, allow_inf_nan=False)


class ThresholdDetail(Answer):
    """``tasks``: the threshold of each, by name."""

    by: Literal["spread", "alpha"]
    threshold: float | None
    tasks: dict[str, float]


class NewAdjudicator(Strict):
    name: str = Field(min_length=1, max_length=120, pattern=r"\S")


class AdjudicatorDetail(Answer):
    """Somebody who decides, with how many pieces were given to them and decided by them."""

    id: int
    name: str
    pseudonym: str
    has_link: bool
    given: int
    decided: int


class AdjudicatorLink(AdjudicatorDetail):
    """``link``: their personal link, which cannot be asked for again."""

    link: str


class AdjudicatorList(Answer):
    results: list[AdjudicatorDetail]


class Pieces(Strict):
    pieces: list[Annotated[int, Field(ge=1, le=LARGEST)]] = Field(min_length=1, max_length=1000)


class ThreadQuery(PageQuery):
    settled: bool = False


class ThreadWord(Answer):
    """``by``: who answered; null: the assessor's own words."""

    text: str
    at: datetime
    by: str | None


class ThreadDetail(Answer):
    """``position``: of the item in the assessor's line, as in the long table. Null, as task and item are: about no item."""

    id: int
    assessor: str
    position: int | None
    task: str | None
    item: str | None
    waits: bool
    words: list[ThreadWord]


class ThreadPage(Page[ThreadDetail]):
    """Threads, the newest first."""


class NewReply(Strict):
    comment: str = Field(min_length=1, max_length=5_000, pattern=r"\S")
    names: bool = False

"""What the API takes and gives where a study that exists is changed, and its people."""

from __future__ import annotations

from datetime import datetime
from typing import Literal

from pydantic import AwareDatetime, Field

from annotation.api.schemas import LARGEST, Answer, Page
from annotation.joining import JoinRules
from annotation.strict import Strict
from annotation.study_files.schema import Slug


class StudyChange(Strict):
    """What to change; what is left out stays as it is."""

    name: str = Field(default="", min_length=1, max_length=200)
    contact: str = Field(default="", max_length=200)
    instructions: str = Field(default="", max_length=200_000)
    consent: str = Field(default="", max_length=200_000)
    deadline_at: AwareDatetime | None = None


class NewPause(Strict):
    message: str = Field(default="", max_length=500)


class NewSlug(Strict):
    slug: Slug


class NewCopy(Strict):
    """``people``: with the same assessors, who need new links."""

    slug: Slug
    name: str = Field(min_length=1, max_length=200)
    people: bool = False


class NewOverlap(Strict):
    """``task``: only of this one; empty: of all that go by the study's design."""

    assessors_per_item: int = Field(ge=1, le=1000)
    task: str = Field(default="", max_length=80)


class EraseQuery(Strict):
    judgments: Literal["erase", "keep"] = "erase"


class NewCap(Strict):
    judgments: int | None = Field(ge=1, le=100_000)


class NewEmail(Strict):
    email: str = Field(max_length=254)


class Gift(Strict):
    """``position``: of the piece, in the giver's line; ``to``: the number of an assessor, null: nobody."""

    position: int = Field(ge=1, le=2**31 - 1)
    to: int | None = Field(ge=1, le=LARGEST)


class NewJoin(Strict):
    is_open: bool = True
    rules: JoinRules = Field(default_factory=JoinRules)


class NewMail(Strict):
    """``who``: those without a link, those who were not here for ``days`` though there is work, or all. Without subject and
    body: as they were sent last."""

    who: Literal["new", "slow", "all"] = "new"
    days: int = Field(default=3, ge=0, le=365)
    subject: str = Field(default="", max_length=200)
    body: str = Field(default="", max_length=10_000)


class StudyChanged(Answer):
    """What can be changed about a study, as it is now. ``text_version``: of instructions and consent."""

    slug: str
    name: str
    contact: str
    instructions: str
    consent: str
    text_version: int
    wave: int
    deadline_at: datetime | None
    paused_at: datetime | None
    pause_message: str
    archived_at: datetime | None


class OverlapRaised(Answer):
    """How many judgments more are wanted."""

    judgments: int


class WaveAdded(Answer):
    """What was new; ``subjects``: the pieces that were dealt, none in a draft."""

    documents: int
    systems: int
    outputs: int
    tasks: int
    subjects: int


class JoinDetail(Answer):
    """The join link: its address, whether people can join, and what it says."""

    url: str
    is_open: bool
    rules: JoinRules


class MailedDetail(Answer):
    """To whom it was sent, and to whom it could not be, by name."""

    sent: list[str]
    failed: list[str]


class BinnedStudy(Answer):
    """A study in the bin, or just brought back."""

    id: int
    name: str
    slug: str
    deleted_slug: str
    deleted_at: datetime | None
    deleted_by: str


class BinnedPage(Page[BinnedStudy]):
    """Studies in the bin, newest first."""

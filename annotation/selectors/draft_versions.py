"""Which version of a draft this is: what follows from all its texts is worked out once for each, however often it is looked at.

Every write of a study ends with a line in its history, in the same transaction (``services/audit.py``), so its last line names the
version; what pages edit most is compared beside, and what is kept has words in the language in which it was asked for.
"""

from __future__ import annotations

import json
from dataclasses import dataclass

from django.utils.translation import get_language

from annotation.models import AuditEntry, Study

KEPT_DRAFTS = 8  # in each process; what is kept is what a page shows, not the texts


@dataclass(frozen=True)
class DraftVersion:
    study_pk: int
    last: str  # hash of the last line of its history
    said: str  # what the study and its tasks say
    language: str  # of the page's words

    def study(self) -> Study:
        return Study.objects.get(pk=self.study_pk)


def draft_version(study: Study) -> DraftVersion:
    last = AuditEntry.objects.filter(chain=study.pk).order_by("-number").values_list("hash", flat=True)[:1]
    tasks = study.tasks.values_list("name", "kind", "config", "design", "checks", "position")
    said = [study.seed, study.language, study.design, study.checks, study.settings, *tasks]
    return DraftVersion(
        study.pk, "".join(last), json.dumps(said, default=str, sort_keys=True), get_language() or ""
    )

"""Every service that writes says so in the audit trail, or stands in a list that says why it need not.

The services' source is read: which functions call a method of Django that writes rows, themselves or through other services, and
which of them come to ``audit_write``. A new service that writes without a line in the trail fails here.
"""

from __future__ import annotations

import ast
import functools
from pathlib import Path

import annotation.services

FOLDER = Path(annotation.services.__file__).parent
WRITES = {
    *("save", "create", "delete", "bulk_create", "bulk_update", "get_or_create", "update_or_create"),
    *("create_user", "_raw_delete", "clear_expired"),
}
AUDIT = "audit.audit_write"

# Parts of a change whose caller says what was done.
PARTS = {
    "accounts.reset_links_end": "of another password or mail address, and of a newer link",
    "studies.invitations_end": "of taking a role away, or an account",
    "links.links_make": "of new links",
    "assignments.assignment_add": "a piece of work, for whoever deals it",
    "checking.checks_apply": "of a submit, which says who failed at its end (`checks_tell`)",
    "dealing.assignments_deal": "of opening a study",
    "dealing.assignments_welcome": "of adding somebody",
    "dealing.later_subjects_create": "of opening a phase",
    "dealing.subjects_create": "of opening a study, and of a wave",
    "dealing.wave_deal": "of a wave",
    "discussion.replies_read": "an answer was shown",
    "exclusions.newcomers_settle": "of adding somebody",
    "exclusions.reasons_forget": "of erasing somebody",
    "exclusions.results_settle": "of leaving out and of including: what follows from the exclusions that there are",
    "exclusions.results_settle_if_any": "likewise",
    "rows.rows_store": "of imports, openings and copies: how many rows are stored at once",
    "removal.rows_drop": "of a study that goes, and of texts that a table replaces",
    "removal.study_remove": "of deleting a study",
    "materials.materials_store": "of an import, and of a wave",
    "materials.tasks_store": "of an import, and of a wave",
    "versions.version_make": "of opening a key again",
    "handing_on.preparation": "of a piece that is handed on or given to somebody",
}
# What is no change to a study, a person, a result or a permission, or is its own record.
NO_CHANGE = {
    "adjudication.adjudication_show": "when a piece was shown",
    "adjudication.decision_discard": "a draft is no decision",
    "adjudication.decision_draft": "a draft is no decision",
    "assessors.notice_read": "a message was shown",
    "attempts.attempt_succeeded": "counts of wrong passwords, in files",
    "building.table_change": "a table in the making; taking it into the study is in the trail",
    "building.table_row_mend": "likewise",
    "building.table_store": "likewise",
    "disagreement.disagreement_catch_up": "made of judgments, and made again from them",
    "disagreement.disagreement_look": "likewise",
    "handing_on.work_take_over": "dealing as the design says; assignments are its record",
    "links.person_seen": "when somebody was here last",
    "leasing.lease_extend": "the time of a lease",
    "leasing.lease_reclaim": "a lease, as the design says",
    "leasing.subject_lease": "likewise",
    "sets_on_request.set_make": "likewise",
    **dict.fromkeys(
        (
            *("monitor.cells_settled", "monitor.cells_write", "monitor.monitor_ask", "monitor.monitor_begin"),
            *("monitor.monitor_forget", "monitor.monitor_of", "monitor.snapshot_write"),
        ),
        "made of judgments, and made again from them",
    ),
    "programs.program_answer": "an answer is added and never changed, as a first judgment is: its own record",
    "programs.program_next": "when an item was shown",
    "pulse.Pulse": "a report is being made",
    "retention.account_links_tidy": "links that were used or have ended; making and using them is in the trail",
    "retention.sessions_tidy": "sessions that are over",
    "tokens.token_used": "when a token was used last",
    "two_step.two_step_begin": "a key in the making; switching two-step login on is in the trail",
    "webhooks.finished_studies_tell": "a note to others; what they are told of is in the trail",
    "webhooks.study_closed_tell": "likewise",
    "webhooks.webhook_add": "likewise",
    "webhooks.webhooks_send": "likewise",
    "webhooks.webhooks_tidy": "likewise",
    "work.assignment_next": "when an item was shown",
    "work.draft_discard": "a draft is no judgment",
    "work.draft_save": "a draft is no judgment",
    "work.judgment_undo": "a draft; the revision is in the trail when it is submitted",
    "runs.run_beat": "a report shows results and changes none; its row says who asked for it and what became of it",
    "runs.run_cancel": "likewise",
    "runs.run_data": "likewise",
    "runs.run_fail": "likewise",
    "runs.run_finish": "likewise",
    "runs.run_request": "likewise",
    "runs.run_start": "likewise",
}
EXEMPT = PARTS | NO_CHANGE


class Functions(ast.NodeVisitor):
    """Of one module: what each function at its top calls by name, and whether it writes itself."""

    def __init__(self, module: str, tree: ast.Module, modules: set[str]) -> None:
        self.calls: dict[str, set[str]] = {}
        self.writes: set[str] = set()
        self.names = {node.name: f"{module}.{node.name}" for node in tree.body if hasattr(node, "name")}
        self.modules: dict[str, str] = {}
        for node in ast.walk(tree):
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("annotation.services"):
                place = (node.module or "").removeprefix("annotation.services").lstrip(".")
                for alias in node.names:
                    if place:
                        self.names[alias.asname or alias.name] = f"{place}.{alias.name}"
                    elif alias.name in modules:
                        self.modules[alias.asname or alias.name] = alias.name
        for node in tree.body:
            if isinstance(node, ast.FunctionDef | ast.ClassDef):
                self._read(f"{module}.{node.name}", node)

    def _read(self, name: str, function: ast.FunctionDef | ast.ClassDef) -> None:
        self.calls[name] = set()
        for node in ast.walk(function):
            if isinstance(node, ast.Name) and node.id in self.names:
                self.calls[name].add(self.names[node.id])
            elif (
                isinstance(node, ast.Attribute)
                and isinstance(node.value, ast.Name)
                and node.value.id in self.modules
            ):
                self.calls[name].add(f"{self.modules[node.value.id]}.{node.attr}")
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
                # A dict or a set is updated with what stands in the brackets, rows with keywords.
                updates = node.func.attr == "update" and node.keywords and not node.args
                if node.func.attr in WRITES or updates:
                    self.writes.add(name)


@functools.cache
def read() -> tuple[dict[str, set[str]], set[str]]:
    trees = {path.stem: ast.parse(path.read_text()) for path in FOLDER.glob("*.py")}
    calls: dict[str, set[str]] = {}
    writes: set[str] = set()
    for module, tree in trees.items():
        functions = Functions(module, tree, set(trees))
        calls |= functions.calls
        writes |= functions.writes
    return calls, writes - {AUDIT}


def reached(name: str, calls: dict[str, set[str]]) -> set[str]:
    """The function and all that it comes to; not what the trail itself does."""
    found: set[str] = set()
    waiting = [name]
    while waiting:
        present = waiting.pop()
        if present not in found and present in calls:
            found.add(present)
            waiting += [] if present == AUDIT else calls[present]
    return found


@functools.cache
def silent() -> set[str]:
    """Services (public functions) that write, and never come to the trail."""
    calls, writes = read()
    public = [name for name in calls if not name.partition(".")[2].startswith("_")]
    found = {name: reached(name, calls) for name in public}
    return {name for name in public if found[name] & writes and AUDIT not in found[name]}


def test_every_service_that_writes_is_in_the_trail_or_says_why_not():
    assert sorted(silent() - EXEMPT.keys()) == []


def test_nothing_is_excused_that_needs_no_excuse():
    assert sorted(EXEMPT.keys() - silent()) == []


def test_writing_is_recognised():
    """Else the list above would be short for a bad reason."""
    calls, writes = read()
    assert {"work._record", "studies.study_close", "bin.study_bin", "tokens.token_revoke"} <= writes
    assert AUDIT in reached("work.judgment_submit", calls)
    assert len([name for name in calls if AUDIT in reached(name, calls)]) > 50

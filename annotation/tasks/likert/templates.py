"""Ways of beginning a study with a questionnaire."""

from __future__ import annotations

from annotation.tasks.base import Template

TEMPLATES = (
    Template(
        name="meeting-questionnaire",
        title="Questionnaire about summaries of meetings",
        about=(
            "Assessors get to know a meeting for some minutes, then read a summary and agree or disagree with twelve statements "
            "about it. Needs the transcript as source."
        ),
        config={"preset": "murray"},
        instructions="""You will judge summaries of meetings, each in three steps.

1. **Get to know the meeting.** Look into the transcript wherever you like. A clock shows how much time there is; you can
   go on earlier. This comes once for each meeting.
2. **Read a summary.** Take the time you need. Once you go on, you cannot see it again.
3. **Say how far you agree** with twelve statements about it, from 1 to 5. Some of them say the opposite of others.

Several summaries of the same meeting follow one another.
""",
        design={"assessors_per_item": 2, "order": "blocked"},
    ),
)

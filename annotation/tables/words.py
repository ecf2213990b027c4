"""What people call their columns."""

from __future__ import annotations

import re

_NAMES = {
    "document": "docid documentid doc id itemid item exampleid example storyid articleid segmentid segid meetingid docno sourceid index idx key",
    "title": "title headline documenttitle doctitle articletitle",
    "source": (
        "source sourcetext src article articletext documenttext doctext original originaltext input inputtext story storytext "
        "fulltext transcript body content dialogue conversation passage context"
    ),
    "topic": "topic topicid event eventid cluster clusterid queryid questionid qid",
    "question": "question query prompt eventdescription topicdescription description instruction",
    "reference": (
        "reference ref referencetext referencesummary referencetranslation refsummary gold goldsummary goldstandard "
        "humansummary modelsummary human referenceanswer goldanswer abstract highlights"
    ),
    "system": "system systemid systemname model modelid modelname method mtsystem peer peerid summarizer summariser engine participant",
    "output": (
        "output outputtext systemoutput summary systemsummary translation hypothesis hyp prediction predicted generated "
        "generatedsummary generatedtext response answer systemanswer mt mttext candidate decoded completion"
    ),
    "kind": "kind surrogate surrogatekind outputkind",
    "author": "author authorid writer writtenby",
    "relevant": "relevant relevance isrelevant goldrelevance",
}
ROLE_OF: dict[str, str] = {word: role for role, words in _NAMES.items() for word in words.split()}
# Words that can be two things: which, the cells decide.
EITHER = {
    "document": ("source", "document"),
    "doc": ("source", "document"),
    "text": ("output", "source"),
    "target": ("output", "reference"),
}
_NUMBERED = re.compile(r"\d+$")


def plain_word(name: str) -> str:
    """A column's name without what people write differently: capitals, spaces, underscores."""
    return re.sub(r"[\W_]+", "", name.lower())


def role_word(name: str) -> str:
    """The role that a name alone tells, or nothing. ref1, ref2 … are references."""
    word = plain_word(name)
    stem = _NUMBERED.sub("", word)
    if word in EITHER:
        return ""
    return ROLE_OF.get(word) or ("reference" if ROLE_OF.get(stem) == "reference" else "")


def is_role_word(name: str) -> bool:
    return bool(role_word(name)) or plain_word(name) in EITHER

"""Studies of long texts: 3,000 words a document, 60 units a model, in English, Arabic and Japanese.

The texts are made of a few sentences of our own, the same each time, so that the repository stays small.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from annotation.models import Study
from annotation.study_files.schema import DocumentRow, Materials, OutputRow, ReferenceRow, SystemRow, TopicRow
from tests.studies import make_study

WORDS = 3000
MODEL_UNITS = 60
PEER_UNITS = 70

SENTENCES = {
    "en": (
        "The harbour of {place} was closed for {number} days after the storm of last week.",
        "Engineers who had warned the town about the wall for years were not surprised.",
        "In {place}, {number} families were brought to the school on the hill, where they slept in classrooms.",
        "The mayor said that nobody would have to pay for what the sea had taken.",
        "A ferry with {number} passengers had to wait outside until the wind turned to the north.",
        "Fishermen say that the catch will be smaller this year, whatever the weather does now.",
    ),
    "ar": (
        "أُغلق ميناء {place} مدة {number} أيام بعد عاصفة الأسبوع الماضي.",
        "لم يتفاجأ المهندسون الذين حذروا المدينة من الجدار منذ سنوات.",
        "نُقلت {number} عائلة من {place} إلى المدرسة فوق التل حيث ناموا في الصفوف.",
        "قالت رئيسة البلدية إن أحدا لن يدفع ثمن ما أخذه البحر.",
        "انتظرت عبّارة على متنها {number} راكبا خارج الميناء حتى تحولت الريح إلى الشمال.",
        "يقول الصيادون إن الصيد سيكون أقل هذا العام مهما كان الطقس.",
    ),
    "ja": (
        "先週の嵐のあと、{place}の港は{number}日間閉鎖された。",
        "何年も前から防波堤の危険を訴えていた技術者たちは驚かなかった。",
        "{place}では{number}世帯が丘の上の学校に運ばれ、教室で夜を過ごした。",
        "町長は、海が奪ったものに誰もお金を払う必要はないと述べた。",
        "乗客{number}人を乗せた渡し船は、風が北に変わるまで沖で待たなければならなかった。",
        "漁師たちは、天気がどうなろうと今年の漁は少なくなると言っている。",
    ),
}
PLACES = {"en": ("Leeds", "Brest", "Porto"), "ar": ("صور", "يافا", "طنجة"), "ja": ("函館", "長崎", "下関")}
TITLES = {"en": "The storm", "ar": "العاصفة", "ja": "嵐"}


def sentences(language: str, count: int, start: int = 0) -> tuple[str, ...]:
    """``count`` different sentences: no two have the same number."""
    patterns, places = SENTENCES[language], PLACES[language]
    return tuple(
        patterns[n % len(patterns)].format(place=places[n % len(places)], number=n + 2)
        for n in range(start, start + count)
    )


def long_text(language: str) -> str:
    """3,000 words (for Japanese, which has no spaces, as many sentences), five sentences a paragraph."""
    per_sentence = sum(len(one.split()) for one in SENTENCES["en"]) / len(SENTENCES["en"])
    lines = sentences(language, round(WORDS / per_sentence))
    return "\n\n".join(" ".join(lines[n : n + 5]) for n in range(0, len(lines), 5))


def long_materials(language: str = "en", *, documents: int = 2) -> Materials:
    items = [f"d{number}" for number in range(1, documents + 1)]
    title = TITLES[language]
    return Materials(
        topics=(TopicRow(id="t1", title=title, description=long_text(language)),),
        documents=tuple(
            DocumentRow(id=item, topic="t1", title=title, text=long_text(language)) for item in items
        ),
        references=tuple(
            ReferenceRow(id=f"r-{item}", document=item, units=sentences(language, MODEL_UNITS))
            for item in items
        ),
        outputs=tuple(
            OutputRow(system="qx31", document=item, units=sentences(language, PEER_UNITS, start=30))
            for item in items
        ),
        systems=(SystemRow(id="qx31"),),
    )


def long_study(
    *tasks: dict[str, Any], language: str = "en", whole: bool = False, documents: int = 2, **fields: Any
) -> Study:
    """A study of ``tasks`` on long texts, for one assessor; ``whole``: the outputs have 3,000 words too."""
    fields.setdefault("assessors", 1)
    materials = long_materials(language, documents=documents)
    if whole:
        text = {"units": None, "text": long_text(language)}
        outputs = tuple(row.model_copy(update=text) for row in materials.outputs)
        materials = replace(materials, outputs=outputs)
    return make_study(*tasks, materials=materials, language=language, **fields)

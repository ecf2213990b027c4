"""What human scores mean, in words: one function, so that the report, its methods and its pages say the same."""

from __future__ import annotations

MEANINGS = {
    "coverage": "the sum of the grades of the model units over their number (Lin and Hovy 2003)",
    "coverage-recall": "the share of model units of which anything was marked",
    "coverage-length-adjusted": "half coverage and half brevity against the target length",
    "coverage-duc2004": "the number of matching peer units times the overall estimate, over the number of model units "
    "(Graham 2015)",
    "quality": "the mean over the quality criteria",
    "assessment": "the mean of coverage and quality (Graham 2015)",
    "assessment-geometric": "the geometric mean of coverage and quality (Graham 2015)",
    "assessment-harmonic": "the harmonic mean of coverage and quality (Graham 2015)",
    "combined": "the mean of adequacy and fluency",
    "likert": "the mean over all statements, negative ones reversed",
    "answer-relevant": "the share of foreign questions that a summary answers relevantly (Kolluru and Gotoh 2005)",
    "answer-found": "the share of foreign questions that a summary answers at all (Kolluru and Gotoh 2005)",
    "relevance-prediction": "the share of judgments that equal the same assessor's on the full text (Dorr et al. 2005)",
    "gold-agreement": "the share of judgments that equal the external key (Dorr et al. 2005)",
    "nugget-f": "the F-score of nuggets with β = 3 (Lin and Demner-Fushman 2005)",
    "pyramid": "the weight of the content units found over the best weight for as many units",
    "pyramid-modified": "the weight of the content units found over the best weight for as many units as a model has on "
    "average",
}


def meaning_of(kind: str, score: str) -> str:
    """What a score is, to be read after its name and "is"; empty where its values are those that assessors gave."""
    return MEANINGS.get(score, "")

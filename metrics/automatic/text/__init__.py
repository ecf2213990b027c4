"""Text preparation shared by all metrics: tokenisation, case, stemming, stop words, sentence boundaries.

:class:`~metrics.automatic.text.prepared.Text` is the way in: it keeps what it made, so a text is tokenised
and stemmed once per setting, whatever the number of metrics and references.
"""

"""Automatic metrics: :func:`metrics.automatic.run.score` computes all of them for a collection in one call.

``base`` says what a family of metrics is, ``registry`` lists them (one module and one line each), ``text``
prepares texts once for all of them, ``work`` and ``executors`` do the work in chunks on any executor,
``scores`` holds the result.
"""

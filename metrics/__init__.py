"""Human scores, automatic metrics and meta-evaluation, on pandas, NumPy and SciPy alone.

The package knows nothing of Django and can be used on files alone: ``python -m metrics --help``.
"""

__version__ = "0.1.0"

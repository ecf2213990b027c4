"""The WSGI entry point: ``gunicorn config.wsgi``."""

import gc
import os

from django.core.wsgi import get_wsgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
application = get_wsgi_application()

# What is loaded now stays: the collector need not look at it again, and processes that were forked go on sharing it.
gc.collect()
gc.freeze()
# Requests make hardly any garbage in circles, and looking for it took a tenth of the time of a judgment.
gc.set_threshold(50_000, 20, 20)

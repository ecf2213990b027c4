"""What a process of the server loads before anybody asks for statistics."""

import os
import subprocess
import sys

from tests.servers import ROOT

HEAVY = ("matplotlib", "numpy", "pandas", "pyarrow", "scipy")
LOOK = f"""
import sys
import config.wsgi
from django.test import Client
assert Client(HTTP_HOST="127.0.0.1").get("/login/").status_code == 200
assert Client(HTTP_HOST="127.0.0.1").get("/nowhere/").status_code == 404
print(*[name for name in {HEAVY!r} if name in sys.modules])
"""


def test_a_web_process_loads_no_statistics_before_somebody_asks_for_them(tmp_path):
    environment = os.environ | {
        "DJANGO_SETTINGS_MODULE": "config.settings",
        "TOUCHSTONE_DATA": str(tmp_path),
        "TOUCHSTONE_DEBUG": "1",  # static files need no collecting
    }
    done = subprocess.run(
        [sys.executable, "-c", LOOK], cwd=ROOT, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.split() == []

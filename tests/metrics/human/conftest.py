"""What several tests of comparisons read."""

import gzip

import pytest

from metrics.formats import FORMATS
from tests.metrics.formats.texts import write


@pytest.fixture(scope="session")
def wmt16(shared, tmp_path_factory):
    """WMT 2016 English–Turkish: 1,013 rankings by 6 judges (github cfedermann/wmt16, ``data/collapsed``), identical outputs merged."""
    packed = shared / "data/tasks2/comparison/wmt16.collapsed.eng-tur.csv.gz"
    path = tmp_path_factory.mktemp("wmt16") / "eng-tur.csv"
    write(path, gzip.decompress(packed.read_bytes()).decode().replace("\r\r\n", "\r\n"))
    return FORMATS["wmt-ranking"].reads["judgments"]([path], identical="merged")

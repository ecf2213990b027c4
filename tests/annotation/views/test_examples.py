"""Every example that comes with the program can be worked on: whoever comes in by a link finds a page."""

import json
import re

import pytest
from django.test import Client
from django.urls import reverse

from annotation.services.assessors import assessor_link, assessor_start
from annotation.services.studies import study_import, study_open
from annotation.study_files import read_study
from tests.conftest import ROOT

EXAMPLES = sorted(path.name for path in (ROOT / "fixtures").iterdir() if (path / "study.yaml").exists())
CONTENT = re.compile(r'<script id="item-content" type="application/json">(.*?)</script>', re.DOTALL)


@pytest.mark.django_db
@pytest.mark.parametrize("example", EXAMPLES)
def test_everybody_finds_a_page_that_a_script_can_read(example):
    study = study_import(study_file=read_study(ROOT / "fixtures" / example))
    study_open(study=study)
    pages = {}
    for assessor in study.assessors.select_related("study"):
        assessor_start(assessor=assessor, consented=True)
        client = Client()
        client.get(reverse("join", args=[assessor_link(assessor=assessor)]))
        answer = client.get(reverse("work", args=[study.slug]), follow=True)
        assert answer.status_code == 200, assessor.name
        pages[assessor.name] = CONTENT.findall(answer.content.decode())
    contents = [json.loads(found) for found, *_ in filter(None, pages.values())]
    assert contents, "nobody has anything to do"
    assert all(isinstance(content, dict) for content in contents)

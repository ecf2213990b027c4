"""Programs as assessors: what they are shown, how their answers are taken, and where these are never found."""

from __future__ import annotations

import json
import sys
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command
from django.urls import reverse

from annotation.analysis.inputs import report_inputs
from annotation.analysis.options import ReportOptions
from annotation.analysis.reports import report_build
from annotation.errors import Closed, Conflict, Refused
from annotation.export import judgment_rows, program_rows
from annotation.models import AuditEntry, Judgment, ProgramAnswer, ProgramItem, Subject
from annotation.selectors.progress import study_progress
from annotation.selectors.runs import newest_data
from annotation.services.programs import items_left, program_answer, program_enter, program_next
from annotation.services.simulation import study_simulate
from annotation.services.studies import study_import, study_open
from annotation.tasks.terms import NotYet
from tests.factories import owner_client
from tests.reports import OVERALL, SYSTEMS, judged_study
from tests.studies import TIDES, study_file

pytestmark = pytest.mark.django_db
PROGRAM = f"{sys.executable} {Path(__file__).with_name('programs_judge.py')}"
PAIRS = {"kind": "pairwise", "name": "better", "sets": {"pick": "all"}}


def opened(*tasks, **fields):
    study = study_import(study_file=study_file(*tasks, **fields))
    study_open(study=study)
    return study


def judge(study, mode: str = "", **options) -> str:
    out = StringIO()
    call_command("judge", study.slug, f"--with={PROGRAM} {mode}", name="letters", stdout=out, **options)
    return out.getvalue()


def test_the_page_of_people_lists_programs_and_how_far_each_is():
    study = opened(TIDES, documents=1)
    owner = owner_client(study)
    address = reverse("study_people", args=[study.slug])
    assert "judge small --with COMMAND" in owner.get(address).content.decode()
    program_next(program=program_enter(study=study, name="letters"))
    page = owner.get(address).content.decode()
    row = page[page.index('<th scope="row">letters</th>') :]
    assert '<td class="number">2</td><td class="number">0</td>' in row


def test_the_history_tells_how_much_a_program_was_given():
    """Before: no page of the history opened any more, as “items” in its line was taken for something else."""
    study = opened(TIDES, documents=1)
    program_enter(study=study, name="letters")
    page = owner_client(study).get(reverse("study_audit", args=[study.slug]))
    assert "program letters" in page.content.decode()


def test_a_program_is_shown_what_a_person_sees_and_no_system():
    study = opened(TIDES, documents=1)
    turn = program_next(program=program_enter(study=study, name="letters"))
    shown = json.dumps(turn.shown())
    assert "Peer" in shown
    assert turn.stages == 2
    assert "First of d1" not in shown, "the reference comes when fluency is confirmed"
    for secret in (*(f"Name of {name}" for name in ("qx31", "wv77")), "qx31", "wv77", "p1"):
        assert secret not in shown
    fluency = {"values": {"fluency": 4}}
    assert not program_answer(item=turn.item, stage=1, answer=fluency)
    later = program_next(program=turn.item.program)
    assert later.item == turn.item
    assert "First of d1" in json.dumps(later.shown())
    assert program_answer(item=later.item, stage=2, answer={"values": {"fluency": 1, "adequacy": 2}})
    stored = ProgramAnswer.objects.get(final=True).answer["values"]
    assert stored == {"fluency": 4, "adequacy": 2}, "what an earlier stage decided stays"


def test_an_answer_passes_the_same_checks_as_a_person_s_and_counts_once():
    study = opened(OVERALL, documents=1)
    item = program_next(program=program_enter(study=study, name="letters")).item
    for wrong in ({"values": {"overall": 99}}, {"values": {}}, {"nonsense": 1}):
        with pytest.raises(NotYet):
            program_answer(item=item, stage=1, answer=wrong)
    assert not ProgramAnswer.objects.exists()
    answer = {"values": {"overall": 3}}
    assert program_answer(item=item, stage=1, answer=answer)
    assert program_answer(item=item, stage=1, answer=answer)
    assert ProgramAnswer.objects.count() == 1
    with pytest.raises(Conflict):
        program_answer(item=item, stage=1, answer={"values": {"overall": 4}})
    with pytest.raises(Refused):
        program_answer(item=item, stage=7, answer=answer)
    with pytest.raises(Refused, match="never changed"):
        ProgramAnswer.objects.get().save()


def test_what_a_program_judges_is_nowhere_among_people_s():
    study = opened(OVERALL, documents=2)
    study_simulate(study=study, seed=1)
    before = (list(judgment_rows(study)), study_progress(study), Judgment.objects.count())
    assert "4 judged, 0 passed over, 0 left" in judge(study)
    assert (list(judgment_rows(study)), study_progress(study), Judgment.objects.count()) == before
    rows = list(program_rows(study))
    assert {row["assessor"] for row in rows} == {"letters"}
    assert {row["system"] for row in rows} == {"qx31", "wv77"}
    assert {"practice", "control"} <= rows[0].keys()
    assert AuditEntry.objects.filter(action="program.enter").count() == 1


def test_the_command_goes_on_where_it_stopped_and_says_what_a_program_got_wrong():
    study = opened(OVERALL, documents=2)
    with pytest.raises(CommandError, match="ended before it had answered"):
        judge(study, "end")
    assert ProgramAnswer.objects.count() == 2
    assert "1 judged, 0 passed over, 1 left" in judge(study, limit=1)
    assert "0 judged, 1 passed over, 1 left" in judge(study, "nonsense")
    assert "0 judged, 1 passed over, 1 left" in judge(study, "skip")
    assert "1 judged, 0 passed over, 0 left" in judge(study, "wrong"), "it was told, and mended its answer"
    assert "0 judged" in judge(study)


def test_what_the_command_cannot_take_is_told_in_words():
    """Before: tracebacks, and ten minutes of waiting for somebody who had answered."""
    study = opened(OVERALL, documents=2)
    with pytest.raises(CommandError, match="No closing quotation"):
        call_command("judge", study.slug, "--with=judge 'me")
    for timeout in ("nan", "inf", "-1", "0", "ten"):
        with pytest.raises(CommandError, match="expected seconds"):
            call_command("judge", study.slug, "--with=true", f"--timeout={timeout}")
    assert "0 judged, 4 passed over, 4 left" in judge(study, "bytes", timeout=20)


def test_a_program_must_be_there_and_the_study_open():
    study = study_import(study_file=study_file(OVERALL))
    with pytest.raises(Closed):
        program_enter(study=study, name="letters")
    study_open(study=study)
    with pytest.raises(CommandError, match="cannot be run"):
        call_command("judge", study.slug, "--with=no-such-program-here")


def test_practice_and_control_items_are_not_for_programs_and_places_are_balanced():
    study = opened(PAIRS, documents=4, systems=("aa1", "bb2", "cc3"))
    program = program_enter(study=study, name="letters")
    assert program.items.count() == Subject.objects.filter(practice=False, control="").count() == 12
    stood: dict[tuple[str, int], int] = {}
    for item in ProgramItem.objects.prefetch_related("subject__members__output__system"):
        systems = {member.index: member.output.system.key for member in item.subject.members.all()}
        for place, index in enumerate(item.places):
            key = (systems[index], place)
            stood[key] = stood.get(key, 0) + 1
    assert set(stood.values()) == {4}
    assert items_left(program).count() == 12


def test_in_the_report_a_program_is_a_metric_with_its_agreement_and_its_liking_for_the_first_place():
    study = judged_study("programs", metrics=0)
    judge(study)
    options = ReportOptions(metrics=("chrf",), n_resamples=100)
    with_program = report_build(study, options, newest=newest_data(study)).data
    names = {row[0]: row[3] for row in with_program["metrics"]["rows"]}
    (metric,) = [name for name, family in names.items() if family == "program"]
    assert metric == "letters-quality-overall"
    (line,) = with_program["programs"]["agreement"]["rows"]
    row = dict(zip(with_program["programs"]["agreement"]["columns"], line, strict=True))
    assert (row["program"], row["criterion"], row["coefficient"]) == ("letters", "overall", "alpha-ordinal")
    assert row["judgments"] == 2 * 4 * len(SYSTEMS)
    assert any("letters judged as a program" in paragraph for paragraph in with_program["methods"])
    ProgramAnswer.objects.all().delete()
    without = report_build(study, options, newest=newest_data(study)).data
    assert without["programs"] is None
    assert without["human"] == with_program["human"], "no human score knows of the program"


def test_alpha_with_people_is_krippendorff_s_over_the_pairs():
    """Against the formula by hand: 1 − observed / expected disagreement, interval differences, over program–person pairs."""
    import numpy as np

    from metrics.report.inputs import canonical_inputs
    from metrics.report.options import Options
    from metrics.report.programs import _agreements

    study = judged_study("by-hand", metrics=0)
    judge(study)
    inputs = report_inputs(study, newest_data(study))
    people, programs = inputs["judgments"], inputs["programs"]
    both = people.merge(programs, on=["system", "item"])
    pairs = both[["value_x", "value_y"]].to_numpy(dtype=float)
    observed = ((pairs[:, 0] - pairs[:, 1]) ** 2).mean()
    values = pairs.ravel()
    n = len(values)
    expected = ((values[:, None] - values[None, :]) ** 2).sum() / (n * (n - 1))
    canonical = canonical_inputs(people, programs=programs)
    (found,) = _agreements(canonical, Options(n_resamples=100))
    from metrics.meta.agreement import agreement_coefficient

    interval = agreement_coefficient(pairs, "alpha-interval", n_resamples=0).statistic
    assert interval == pytest.approx(1 - observed / expected)
    ordinal = agreement_coefficient(pairs, "alpha-ordinal", n_resamples=0).statistic
    assert found["value"] == pytest.approx(ordinal)
    assert np.isfinite(found["people"])


def test_a_program_that_takes_whatever_stands_first_is_seen_to_do_so():
    study = opened(PAIRS, documents=4, systems=("aa1", "bb2", "cc3"))
    study_simulate(study=study, seed=1)
    judge(study)
    data = report_build(
        study, ReportOptions(metrics=("chrf",), n_resamples=100), newest=newest_data(study)
    ).data
    (line,) = data["programs"]["first_place"]["rows"]
    row = dict(zip(data["programs"]["first_place"]["columns"], line, strict=True))
    assert (row["sets"], row["share"], row["expected"]) == (12, 1.0, 0.5)
    assert row["pvalue"] == pytest.approx(2 / 2**12)

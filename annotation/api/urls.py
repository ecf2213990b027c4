"""Addresses of the API. The version is in the address: what a program relies on stays as it is."""

from django.urls import path, re_path

from annotation.api import (
    assessors,
    audit,
    changes,
    exclusions,
    judgments,
    monitor,
    pages,
    persons,
    reports,
    scores,
    studies,
)

urlpatterns = [
    path("schema/", pages.Schema.as_view(), name="api_schema"),
    path("docs/", pages.docs, name="api_docs"),
    path("v1/studies/", studies.Studies.as_view(), name="api_studies"),
    path("v1/studies/<slug:slug>/", studies.OneStudy.as_view(), name="api_study"),
    path("v1/studies/<slug:slug>/open/", studies.StudyOpen.as_view(), name="api_study_open"),
    path("v1/studies/<slug:slug>/close/", studies.StudyClose.as_view(), name="api_study_close"),
    path("v1/studies/<slug:slug>/details/", changes.StudyDetails.as_view(), name="api_details"),
    path("v1/studies/<slug:slug>/pause/", changes.StudyPause.as_view(), name="api_pause"),
    path("v1/studies/<slug:slug>/archive/", changes.StudyArchive.as_view(), name="api_archive"),
    path("v1/studies/<slug:slug>/slug/", changes.StudySlug.as_view(), name="api_slug"),
    path("v1/studies/<slug:slug>/copy/", changes.StudyCopy.as_view(), name="api_copy"),
    path("v1/studies/<slug:slug>/overlap/", changes.StudyOverlap.as_view(), name="api_overlap"),
    path("v1/studies/<slug:slug>/wave/", changes.StudyWave.as_view(), name="api_wave"),
    path("v1/studies/<slug:slug>/study.zip", studies.StudyFile.as_view(), name="api_study_file"),
    path("v1/studies/<slug:slug>/progress/", studies.StudyProgress.as_view(), name="api_progress"),
    path("v1/studies/<slug:slug>/monitor/", monitor.StudyMonitor.as_view(), name="api_monitor"),
    path("v1/studies/<slug:slug>/quality/", monitor.StudyQuality.as_view(), name="api_quality"),
    path("v1/studies/<slug:slug>/assessors/", assessors.Assessors.as_view(), name="api_assessors"),
    path(
        "v1/studies/<slug:slug>/assessors/<int:pk>/link/",
        assessors.AssessorLink.as_view(),
        name="api_assessor_link",
    ),
    path("v1/bin/", persons.Bin.as_view(), name="api_bin"),
    path("v1/bin/<int:pk>/restore/", persons.BinRestore.as_view(), name="api_bin_restore"),
    path("v1/studies/<slug:slug>/join/", persons.JoinLinks.as_view(), name="api_join"),
    path("v1/studies/<slug:slug>/mail/", persons.Mail.as_view(), name="api_mail"),
    path("v1/studies/<slug:slug>/assessors/<int:pk>/", persons.OneAssessor.as_view(), name="api_assessor"),
    path(
        "v1/studies/<slug:slug>/assessors/<int:pk>/pause/",
        persons.AssessorPause.as_view(),
        name="api_assessor_pause",
    ),
    path(
        "v1/studies/<slug:slug>/assessors/<int:pk>/cap/",
        persons.AssessorCap.as_view(),
        name="api_assessor_cap",
    ),
    path(
        "v1/studies/<slug:slug>/assessors/<int:pk>/email/",
        persons.AssessorEmail.as_view(),
        name="api_assessor_email",
    ),
    path("v1/studies/<slug:slug>/assessors/<int:pk>/give/", persons.WorkGive.as_view(), name="api_work_give"),
    path("v1/studies/<slug:slug>/exclusions/", exclusions.Exclusions.as_view(), name="api_exclusions"),
    path(
        "v1/studies/<slug:slug>/exclusions/<int:pk>/",
        exclusions.OneExclusion.as_view(),
        name="api_exclusion",
    ),
    path("v1/studies/<slug:slug>/audit/", audit.Audit.as_view(), name="api_audit"),
    path("v1/studies/<slug:slug>/judgments/", judgments.Judgments.as_view(), name="api_judgments"),
    path(
        "v1/studies/<slug:slug>/judgments.<slug:ending>",
        judgments.JudgmentsFile.as_view(),
        name="api_judgments_file",
    ),
    path("v1/studies/<slug:slug>/attributes.csv", judgments.Attributes.as_view(), name="api_attributes"),
    path("v1/studies/<slug:slug>/scores/", scores.Scores.as_view(), name="api_scores"),
    path("v1/studies/<slug:slug>/report/", reports.StudyReport.as_view(), name="api_report"),
    path("v1/studies/<slug:slug>/report/runs/", reports.ReportRuns.as_view(), name="api_runs"),
    path("v1/studies/<slug:slug>/report/runs/<int:pk>/", reports.ReportRun.as_view(), name="api_run"),
    path(
        "v1/studies/<slug:slug>/report/runs/<int:pk>/report.json",
        reports.RunReport.as_view(),
        name="api_run_report",
    ),
    path(
        "v1/studies/<slug:slug>/report/runs/<int:pk>/files/", reports.RunFiles.as_view(), name="api_run_files"
    ),
    path(
        "v1/studies/<slug:slug>/report/runs/<int:pk>/files/<path:name>",
        reports.RunFile.as_view(),
        name="api_run_file",
    ),
    path(
        "v1/studies/<slug:slug>/report/runs/<int:pk>/files.zip",
        reports.RunArchive.as_view(),
        name="api_run_archive",
    ),
    re_path("", pages.NothingHere.as_view(), name="api_nothing"),
]

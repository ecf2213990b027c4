"""Addresses. Nothing in an assessor's address says which system made a text."""

from django.urls import include, path

from annotation.views import assess, report
from annotation.views.manage import account, building, materials, people, preview, results, studies, tokens

assessor_urls = [
    path("", assess.work, name="work"),
    path("start/", assess.start, name="start"),
    path("items/", assess.items, name="items"),
    path("finished/", assess.finished, name="finished"),
    path("message/", assess.message, name="message"),
    path("item/<slug:public_id>/", assess.item, name="item"),
    path("item/<slug:public_id>/draft/", assess.draft, name="draft"),
    path("item/<slug:public_id>/judgment/", assess.judgment, name="judgment"),
    path("item/<slug:public_id>/undo/", assess.undo, name="undo"),
    path("item/<slug:public_id>/discard/", assess.discard, name="discard"),
    path("item/<slug:public_id>/flag/", assess.flag, name="flag"),
]

manage_urls = [
    path("", studies.study_list, name="study_list"),
    path("<slug:slug>/", studies.study, name="study"),
    path("<slug:slug>/items/", studies.study_items, name="study_items"),
    path("<slug:slug>/open/", studies.study_open, name="study_open"),
    path("<slug:slug>/close/", studies.study_close, name="study_close"),
    path("<slug:slug>/settings/", studies.study_settings, name="study_settings"),
    path("<slug:slug>/delete/", studies.study_delete, name="study_delete"),
    path("<slug:slug>/build/texts/", building.build_texts, name="build_texts"),
    path("<slug:slug>/build/task/", building.build_task, name="build_task"),
    path("<slug:slug>/build/task/<slug:task>/remove/", building.build_task_remove, name="build_task_remove"),
    path("<slug:slug>/people/", people.study_people, name="study_people"),
    path("<slug:slug>/people/add/", people.assessors_add, name="assessors_add"),
    path("<slug:slug>/people/links/", people.assessor_links, name="assessor_links"),
    path("<slug:slug>/people/<int:pk>/", people.assessor, name="assessor"),
    path("<slug:slug>/people/<int:pk>/link/", people.assessor_link, name="assessor_link"),
    path("<slug:slug>/people/<int:pk>/revoke/", people.assessor_revoke, name="assessor_revoke"),
    path("<slug:slug>/people/<int:pk>/remove/", people.assessor_remove, name="assessor_remove"),
    path("<slug:slug>/members/", people.member_set, name="member_set"),
    path("<slug:slug>/members/<int:pk>/remove/", people.member_remove, name="member_remove"),
    path("<slug:slug>/flags/", people.study_flags, name="study_flags"),
    path("<slug:slug>/flags/<int:pk>/settle/", people.flag_settle, name="flag_settle"),
    path("<slug:slug>/plan/", materials.study_plan, name="study_plan"),
    path("<slug:slug>/tasks/<slug:task>/phase/", materials.task_phase, name="task_phase"),
    path("<slug:slug>/tasks/<slug:task>/key/", materials.task_key, name="task_key"),
    path("<slug:slug>/materials/", materials.study_materials, name="study_materials"),
    path("<slug:slug>/materials/<slug:kind>/<int:pk>/", materials.study_item, name="study_item"),
    path("<slug:slug>/materials/<slug:kind>/<int:pk>/units/", materials.study_units, name="study_units"),
    path("<slug:slug>/results/", results.study_results, name="study_results"),
    path("<slug:slug>/downloads/", results.study_downloads, name="study_downloads"),
    path(
        "<slug:slug>/downloads/judgments.<slug:format>", results.download_judgments, name="download_judgments"
    ),
    path("<slug:slug>/downloads/attributes.csv", results.download_attributes, name="download_attributes"),
    path("<slug:slug>/downloads/study.zip", results.download_study, name="download_study"),
    path("<slug:slug>/report/", report.study_report, name="study_report"),
    path("<slug:slug>/report/systems/", report.report_systems, name="report_systems"),
    path("<slug:slug>/report/assessors/", report.report_assessors, name="report_assessors"),
    path("<slug:slug>/report/metrics/", report.report_metrics, name="report_metrics"),
    path("<slug:slug>/report/comparison/", report.report_comparison, name="report_comparison"),
    path("<slug:slug>/report/files/", report.report_files_page, name="report_files"),
    path("<slug:slug>/report/start/", report.report_start, name="report_start"),
    path("<slug:slug>/report/<int:pk>/cancel/", report.report_cancel, name="report_cancel"),
    path("<slug:slug>/report/<int:pk>/progress/", report.report_progress, name="report_progress"),
    path("<slug:slug>/report/<int:pk>/all.zip", report.report_archive, name="report_archive"),
    path("<slug:slug>/report/<int:pk>/files/<path:name>", report.report_download, name="report_download"),
    path("<slug:slug>/preview/word/", preview.preview_word, name="preview_word"),
    path("<slug:slug>/preview/<slug:task>/<int:place>/", preview.preview, name="preview"),
    path("<slug:slug>/preview/<slug:task>/<int:place>/draft/", preview.preview_draft, name="preview_draft"),
    path(
        "<slug:slug>/preview/<slug:task>/<int:place>/judgment/",
        preview.preview_judgment,
        name="preview_judgment",
    ),
]

urlpatterns = [
    path("", account.home, name="home"),
    path("login/", account.login, name="login"),
    path("logout/", account.logout, name="logout"),
    path("password/", account.password, name="password"),
    path("account/tokens/", tokens.tokens, name="tokens"),
    path("account/tokens/<int:pk>/revoke/", tokens.token_revoke, name="token_revoke"),
    path("studies/", include(manage_urls)),
    path("api/", include("annotation.api.urls")),
    path("new/", building.study_new, name="study_new"),
    path("upload/", studies.study_upload, name="study_upload"),
    path("join/<str:token>/", assess.join, name="join"),
    path("work/<slug:slug>/", include(assessor_urls)),
]

"""Addresses. Nothing in an assessor's address says which system made a text."""

from django.urls import include, path

from annotation.views import assess

assessor_urls = [
    path("", assess.work, name="work"),
    path("start/", assess.start, name="start"),
    path("items/", assess.items, name="items"),
    path("finished/", assess.finished, name="finished"),
    path("message/", assess.message, name="message"),
    path("item/<str:public_id>/", assess.item, name="item"),
    path("item/<str:public_id>/draft/", assess.draft, name="draft"),
    path("item/<str:public_id>/judgment/", assess.judgment, name="judgment"),
    path("item/<str:public_id>/flag/", assess.flag, name="flag"),
]

urlpatterns = [
    path("join/<str:token>/", assess.join, name="join"),
    path("work/<slug:slug>/", include(assessor_urls)),
]

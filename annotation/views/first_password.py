"""A password that was printed is good for one login; whoever used it chooses another before anything else."""

from __future__ import annotations

from collections.abc import Callable

from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.shortcuts import redirect
from django.urls import reverse

SESSION_KEY = "choose_password"


class FirstPasswordMiddleware:
    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        if request.session.get(SESSION_KEY) and not request.path_info.startswith(("/work/", "/join/")):
            allowed = {reverse("password"), reverse("logout")}
            if request.path_info not in allowed:
                return redirect("password")
        return self.get_response(request)

"""Forms of experimenters' accounts."""

from __future__ import annotations

from typing import Any

from django import forms
from django.contrib.auth.models import User

from annotation.models import Membership
from annotation.selectors.accounts import user_named
from annotation.words import phrase, phrase_lazy

ROLES = [
    (Membership.Role.VIEWER, phrase_lazy("viewer: reads")),
    (Membership.Role.EDITOR, phrase_lazy("editor: also changes")),
    (Membership.Role.OWNER, phrase_lazy("owner: also says who may, deletes and erases")),
]


WRONG = "wrong"  # what is wrong with a password that was guessed


class CodeForm(forms.Form):
    code = forms.CharField(
        label=phrase_lazy("Code"),
        max_length=40,
        widget=forms.TextInput(
            attrs={
                "autocomplete": "one-time-code",
                "inputmode": "text",
                "autofocus": True,
                "spellcheck": "false",
            }
        ),
        help_text=phrase_lazy("Six digits that your app shows, or one of your recovery codes."),
        error_messages={"required": phrase_lazy("Type the code.")},
    )


class PasswordForm(forms.Form):
    """Whoever sits at an open browser must not change how its owner comes in."""

    password = forms.CharField(
        label=phrase_lazy("Your password"),
        strip=False,
        max_length=4096,
        widget=forms.PasswordInput(attrs={"autocomplete": "current-password"}),
        error_messages={"required": phrase_lazy("Type your password.")},
    )

    def __init__(self, *args: Any, user: User, **kwargs: Any):
        super().__init__(*args, **kwargs)
        self.user = user

    def clean_password(self) -> str:
        if not self.user.check_password(self.cleaned_data["password"]):
            raise forms.ValidationError(phrase("This is not your password."), code=WRONG)
        return self.cleaned_data["password"]


class SetUpForm(CodeForm, PasswordForm):
    """Two-step login is switched on by whoever knows the password, too."""


class AccountEmailForm(PasswordForm):
    email = forms.EmailField(
        label=phrase_lazy("Mail address"),
        required=False,
        help_text=phrase_lazy("Where a forgotten password is mended. Empty: nowhere."),
        error_messages={"invalid": phrase_lazy("This is no mail address.")},
    )
    field_order = ("email", "password")


class ForgottenForm(forms.Form):
    who = forms.CharField(
        label=phrase_lazy("Username or mail address"),
        max_length=254,
        error_messages={"required": phrase_lazy("Say who you are.")},
    )


class NewPasswordForm(forms.Form):
    password = forms.CharField(
        label=phrase_lazy("New password"),
        strip=False,
        max_length=4096,
        widget=forms.PasswordInput(attrs={"autocomplete": "new-password"}),
        help_text=phrase_lazy("At least eight characters, and none of the common ones."),
        error_messages={"required": phrase_lazy("Choose a password.")},
    )
    again = forms.CharField(
        label=phrase_lazy("The same again"),
        strip=False,
        max_length=4096,
        widget=forms.PasswordInput(attrs={"autocomplete": "new-password"}),
        error_messages={"required": phrase_lazy("Type it a second time.")},
    )

    def clean(self) -> dict[str, Any]:
        given = super().clean() or {}
        if "password" in given and "again" in given and given["password"] != given["again"]:
            self.add_error("again", phrase("The two are not the same."))
        return given


class WelcomeForm(NewPasswordForm):
    username = forms.CharField(
        label=phrase_lazy("Username"),
        max_length=150,
        help_text=phrase_lazy("Others in your studies see it."),
        widget=forms.TextInput(attrs={"autocomplete": "username"}),
        error_messages={"required": phrase_lazy("Choose a name.")},
    )
    field_order = ("username", "password", "again")


class MemberForm(forms.Form):
    username = forms.CharField(label=phrase_lazy("Username"), max_length=150)
    role = forms.ChoiceField(label=phrase_lazy("Role"), choices=ROLES)

    def clean_username(self) -> User:
        user = user_named(self.cleaned_data["username"])
        if user is None:
            raise forms.ValidationError(
                phrase("There is no experimenter with this username. Invite them below.")
            )
        return user


class InviteForm(forms.Form):
    email = forms.EmailField(
        label=phrase_lazy("Mail address"),
        required=False,
        help_text=phrase_lazy("Empty: you get a link to pass on yourself."),
        error_messages={"invalid": phrase_lazy("This is no mail address.")},
    )


class MemberInviteForm(InviteForm):
    role = forms.ChoiceField(label=phrase_lazy("Role"), choices=ROLES)

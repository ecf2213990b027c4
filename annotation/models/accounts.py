"""Experimenters' accounts: links that invite somebody or let them choose another password, and the second step of a login."""

from __future__ import annotations

from django.conf import settings
from django.db import models

from annotation.models.study import Membership, Study


class AccountLink(models.Model):
    """A link that is good once. Without a user it invites somebody new, perhaps into a study; with one it lets them choose
    another password. Only its hash is stored, so it can be shown once and never looked up."""

    token_hash = models.CharField(max_length=64, unique=True)
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.CASCADE, related_name="account_links"
    )
    email = models.EmailField(blank=True)  # where it was sent
    study = models.ForeignKey(Study, null=True, on_delete=models.CASCADE, related_name="invitations")
    role = models.CharField(max_length=10, choices=Membership.Role.choices, blank=True)  # in that study
    made_by = models.CharField(max_length=200)  # as the audit trail names them
    made_at = models.DateTimeField(auto_now_add=True)
    expires_at = models.DateTimeField()
    used_at = models.DateTimeField(null=True)

    class Meta:
        ordering = ["-made_at", "-id"]

    def __str__(self) -> str:
        return f"link of {self.made_at:%Y-%m-%d} for {self.user_id or self.email or 'somebody new'}"


class TwoStep(models.Model):
    """The second step of somebody's login: a secret that their telephone shares (RFC 6238), and codes for when it is lost."""

    user = models.OneToOneField(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="two_step")
    secret = models.CharField(max_length=64)  # Base32; it has to be known to compute codes
    confirmed_at = models.DateTimeField(null=True)  # null: shown, and not yet asked for
    last_counter = models.BigIntegerField(default=0)  # of the code that was used last: none is good twice
    recovery = models.JSONField(default=list)  # hashes of the codes that are still good

    def __str__(self) -> str:
        return f"two-step login of {self.user_id}"

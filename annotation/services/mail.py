"""Personal links by mail. Only a hash of a link is stored, so every mail brings a new one, and the one before stops working."""

from __future__ import annotations

import logging
import string
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from smtplib import SMTPException
from typing import Any

from django.conf import settings
from django.core.exceptions import ValidationError
from django.core.mail import EmailMessage, get_connection
from django.core.validators import validate_email
from django.db import transaction
from django.utils import timezone
from django.utils.formats import date_format

from annotation.errors import Refused
from annotation.models import Assessor, Study
from annotation.services.assessors import assessor_links
from annotation.services.audit import audit_write
from annotation.services.links import person_wait
from annotation.study_files.schema import Settings
from annotation.words import gettext, gettext_noop, phrase, spoken

log = logging.getLogger(__name__)

# Assessors read it: it is in the language of their pages, unless the experimenter writes something else.
SUBJECT = gettext_noop("Your link to “$study”")
BODY = gettext_noop("""Hello $name,

thank you for taking part in “$study”. This is your personal link:

$link

It is yours alone: whoever opens it judges under your name. You can stop at any time and come back by the same link.$deadline

$contact
""")
PATIENCE = 60.0  # seconds for all mails of a request; on one connection that is a thousand
PLACEHOLDERS = ("name", "study", "link", "deadline", "contact")


@dataclass(frozen=True)
class Mailed:
    sent: list[str] = field(default_factory=list)  # names
    failed: list[str] = field(default_factory=list)


@transaction.atomic
def assessor_email_set(*, assessor: Assessor, email: str) -> None:
    email = email.strip()
    if email:
        try:
            validate_email(email)
            Assessor._meta.get_field("email").run_validators(email)
        except ValidationError:
            raise Refused(phrase("“{email}” is no mail address.", email=email[:80])) from None
    person_wait(assessor)
    assessor.email = email
    assessor.save(update_fields=["email"])
    audit_write(study=assessor.study, action="assessor.email", target=f"assessor {assessor.pseudonym}")


def mail_template(study: Study) -> tuple[str, str]:
    """Subject and body as they were sent last, else those that come with the program."""
    with spoken(_interface(study)):
        return study.mail.get("subject") or gettext(SUBJECT), study.mail.get("body") or gettext(BODY)


def links_mail(
    *, study: Study, assessors: Sequence[Assessor], subject: str, body: str, address: Callable[[str], str]
) -> Mailed:
    """A new link for each of these, sent to them; ``address`` makes the whole address of a token.

    One whose mail cannot be handed over is named; their earlier link has stopped working all the same. Whoever is not reached
    because the mail server answers no more, or too slowly, is named too, and keeps theirs.
    """
    _check(subject, body)
    if missing := [row.name for row in assessors if not row.email]:
        raise Refused(phrase("No mail address is known of {missing}.", missing=", ".join(missing[:5])))
    if not assessors:
        raise Refused(phrase("There is nobody to send it to."))
    connection = get_connection()
    _connect(connection)  # before anybody's link changes
    Study.objects.filter(pk=study.pk).update(mail={"subject": subject, "body": body})
    mailed, ends = Mailed(), time.monotonic() + PATIENCE
    try:
        for assessor in assessors:
            if time.monotonic() < ends and _mail(study, assessor, subject, body, address, connection):
                mailed.sent.append(assessor.name)
            else:
                mailed.failed.append(assessor.name)
    finally:
        _hang_up(connection)
    audit_write(
        study=study, action="assessor.mail", after={"sent": len(mailed.sent), "failed": len(mailed.failed)}
    )
    return mailed


def _connect(connection: Any) -> None:
    try:
        connection.open()
    except Exception as problem:
        log.error("The mail server cannot be reached: %s.", type(problem).__name__)
        raise Refused(phrase("The mail server cannot be reached. Try again later.")) from None


def _hang_up(connection: Any) -> None:
    with suppress(OSError, SMTPException):
        connection.close()


def _mail(
    study: Study,
    assessor: Assessor,
    subject: str,
    body: str,
    address: Callable[[str], str],
    connection: Any,
) -> bool:
    """Whether the mail with a new link could be handed over."""
    try:
        _connect(connection)  # which does nothing while it stands
        ((_, token),) = assessor_links(assessors=[assessor])
    except Refused:  # also if they were erased meanwhile
        return False
    words = _words(study, assessor, address(token))
    # A subject is one line, whatever Unicode takes for the end of one.
    line = " ".join(string.Template(subject).safe_substitute(words | {"link": ""}).split())
    message = EmailMessage(
        line,
        string.Template(body).safe_substitute(words),
        settings.DEFAULT_FROM_EMAIL,
        [assessor.email],
        connection=connection,
    )
    try:
        message.send()
    except Exception as problem:
        # Not as it is: what a mail server refuses it repeats, address and all.
        log.error("A mail could not be sent: %s.", type(problem).__name__)
        _hang_up(connection)  # it may be of no use any more
        return False
    Assessor.objects.filter(pk=assessor.pk).update(mailed_at=timezone.now())
    return True


def _check(subject: str, body: str) -> None:
    if not subject.strip():
        raise Refused(phrase("The mail needs a subject."))
    if "$link" not in body and "${link}" not in body:
        raise Refused(phrase("The mail must say $link: that is where the personal link goes."))
    for text in (subject, body):
        unknown = [name for name in string.Template(text).get_identifiers() if name not in PLACEHOLDERS]
        if unknown:
            raise Refused(
                phrase(
                    "${unknown} means nothing here; there are {placeholders}.",
                    unknown=unknown[0],
                    placeholders=", ".join("$" + p for p in PLACEHOLDERS),
                )
            )


def _words(study: Study, assessor: Assessor, link: str) -> dict[str, str]:
    return {
        "name": assessor.name,
        "study": study.name,
        "link": link,
        "deadline": _deadline_said(study) if study.deadline_at else "",
        "contact": study.contact,
    }


def _interface(study: Study) -> str:
    return Settings.model_validate(study.settings).interface


def _deadline_said(study: Study) -> str:
    with spoken(_interface(study)):
        moment = date_format(timezone.localtime(study.deadline_at), "j F Y, H:i")
        return " " + gettext("It works until {moment}.", moment=moment)

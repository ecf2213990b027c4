"""Settings, all from the environment; the defaults serve one machine. See ``docs/production.md``."""

import os
from pathlib import Path

import dj_database_url
from csp.constants import NONE, SELF

from config.environment import A_CENTURY, days, number, whole
from config.secret import secret_key

BASE_DIR = (
    Path(__file__).resolve().parent.parent
)  # what is on Python's path: the repository, or site-packages
# Templates, static files and the demo study: beside the packages in the repository, inside one when installed.
IN_REPOSITORY = not (BASE_DIR / "touchstone" / "templates").is_dir()
FILES_DIR = BASE_DIR if IN_REPOSITORY else BASE_DIR / "touchstone"
# An installed program keeps its data where it is started, never among the installed packages.
DATA_DIR = Path(
    os.environ.get("TOUCHSTONE_DATA") or (BASE_DIR if IN_REPOSITORY else Path.cwd()) / "data"
).resolve()
# What messages tell people to type.
RUN_COMMAND = "make run" if IN_REPOSITORY else "touchstone run"
MANAGE_COMMAND = ".venv/bin/python manage.py" if IN_REPOSITORY else "touchstone manage"


def _flag(name: str) -> bool:
    return os.environ.get(name, "").lower() in {"1", "true", "yes", "on"}


# Threads of linear algebra wait for each other by spinning, which costs more processor time than the work they share.
for _name in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(_name, "1")

os.umask(0o077)  # the data folder holds judgments and the secret key, whatever command makes a file in it
DEBUG = _flag("TOUCHSTONE_DEBUG")
SECRET_KEY = os.environ.get("TOUCHSTONE_SECRET_KEY") or secret_key(DATA_DIR / "secret.key")
BEHIND_TLS = _flag("TOUCHSTONE_TLS")
# How many proxies stand before the server. Each adds an address to X-Forwarded-For; what comes before, anybody may write.
TRUSTED_PROXIES = whole("TOUCHSTONE_PROXIES", 1 if BEHIND_TLS else 0)
PORT = os.environ.get("PORT") or "8000"
BIND = os.environ.get(
    "TOUCHSTONE_BIND", "127.0.0.1"
)  # in a container 0.0.0.0, where nobody but the proxy comes
PUBLIC_URL_GIVEN = bool(os.environ.get("TOUCHSTONE_URL"))
PUBLIC_URL = (os.environ.get("TOUCHSTONE_URL") or f"http://127.0.0.1:{PORT}").rstrip("/")
HOSTS = os.environ.get("TOUCHSTONE_HOSTS") or "127.0.0.1,localhost,[::1]"
ALLOWED_HOSTS = [h.strip() for h in HOSTS.split(",") if h.strip()]

INSTALLED_APPS = [
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    "csp",
    "django_htmx",
    "django_tasks",
    "django_tasks_db",
    "drf_spectacular",
    "drf_spectacular_sidecar",
    "annotation",
]

MIDDLEWARE = [
    "config.headers.HeadersMiddleware",
    "config.probes.ProbesMiddleware",
    "config.client_address.ClientAddressMiddleware",
    "django.middleware.security.SecurityMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "config.policy.PolicyMiddleware",
    "config.no_nul.NoNulMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "django_htmx.middleware.HtmxMiddleware",
    "annotation.views.language.LanguageMiddleware",
    "annotation.views.guards.ActorMiddleware",
    "annotation.views.first_password.FirstPasswordMiddleware",
]

ROOT_URLCONF = "config.urls"
WSGI_APPLICATION = "config.wsgi.application"
# Django's own, and the rooms of task kinds beside them.
TEMPLATE_LOADERS = [
    "django.template.loaders.filesystem.Loader",
    "django.template.loaders.app_directories.Loader",
    "annotation.rooms.RoomTemplates",
]
TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [FILES_DIR / "templates"],
        "OPTIONS": {
            "loaders": [("django.template.loaders.cached.Loader", TEMPLATE_LOADERS)],
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
            ],
            "builtins": [
                "django.templatetags.static",
                "django.templatetags.cache",
                "django.templatetags.i18n",
                "django.templatetags.l10n",
            ],
        },
    }
]

# --- database -----------------------------------------------------------------------------------------------------
# SQLite in WAL mode lets readers go on while one writer writes. Transactions start IMMEDIATE, so that a writer waits
# its turn at the beginning and never fails in the middle; synchronous FULL makes "saved" survive a power cut.
# ``config.sqlite3`` is Django's backend with a fair line of writers.
SQLITE_PRAGMAS = (
    "PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL; PRAGMA foreign_keys=ON; "
    "PRAGMA cache_size=-65536; PRAGMA mmap_size=268435456; PRAGMA temp_store=MEMORY;"
)
if os.environ.get("DATABASE_URL"):
    DATABASES = {"default": dj_database_url.config(conn_max_age=600, conn_health_checks=True)}
else:
    DATABASES = {
        "default": {
            "ENGINE": "config.sqlite3",
            "NAME": str(DATA_DIR / "touchstone.sqlite3"),
            "CONN_MAX_AGE": None,
            "OPTIONS": {"timeout": 20, "transaction_mode": "IMMEDIATE", "init_command": SQLITE_PRAGMAS},
        }
    }
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

# --- people -------------------------------------------------------------------------------------------------------
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": f"django.contrib.auth.password_validation.{name}"}
    for name in ("UserAttributeSimilarityValidator", "MinimumLengthValidator", "CommonPasswordValidator")
]
LOGIN_URL = "login"
LOGIN_REDIRECT_URL = "study_list"
LOGOUT_REDIRECT_URL = "login"

# --- the browser's side of safety ---------------------------------------------------------------------------------
CONTENT_SECURITY_POLICY = {
    "DIRECTIVES": {
        "default-src": [NONE],
        "script-src": [SELF],
        "style-src": [SELF],
        "img-src": [SELF, "data:"],
        "font-src": [SELF],
        "connect-src": [SELF],
        "form-action": [SELF],
        "base-uri": [NONE],
        "frame-ancestors": [NONE],
    }
}
SECURE_CONTENT_TYPE_NOSNIFF = True
SECURE_REFERRER_POLICY = "same-origin"
X_FRAME_OPTIONS = "DENY"
SESSION_ENGINE = "config.sessions"
SESSION_COOKIE_HTTPONLY = True
SESSION_COOKIE_SAMESITE = "Lax"
SESSION_COOKIE_AGE = 60 * 60 * 24 * 60  # an assessor may take weeks over a study
RETENTION_DAYS = days("TOUCHSTONE_RETENTION_DAYS")  # after closing, names are forgotten; 0: kept
BIN_DAYS = days("TOUCHSTONE_BIN_DAYS", 30)  # how long a deleted study can be brought back
# Mail: as Django's settings say; without a host, what would be sent is printed where the server runs.
EMAIL_HOST = os.environ.get("TOUCHSTONE_MAIL_HOST", "")
EMAIL_PORT = whole("TOUCHSTONE_MAIL_PORT", 587)
EMAIL_HOST_USER = os.environ.get("TOUCHSTONE_MAIL_USER", "")
EMAIL_HOST_PASSWORD = os.environ.get("TOUCHSTONE_MAIL_PASSWORD", "")
EMAIL_USE_TLS = not _flag("TOUCHSTONE_MAIL_PLAIN")
EMAIL_TIMEOUT = 10  # for each step; whoever asked waits for it
EMAIL_BACKEND = f"django.core.mail.backends.{'smtp' if EMAIL_HOST else 'console'}.EmailBackend"
DEFAULT_FROM_EMAIL = os.environ.get("TOUCHSTONE_MAIL_FROM", "touchstone@localhost")
LINK_DAYS = days("TOUCHSTONE_LINK_DAYS", 365)  # how long a personal link is good; 0: for ever
EXPERIMENTER_SESSION_AGE = 60 * 60 * 12  # a day's work
CSRF_COOKIE_SAMESITE = "Lax"
if BEHIND_TLS:
    SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")
    SECURE_SSL_REDIRECT = True
    SESSION_COOKIE_SECURE = True
    CSRF_COOKIE_SECURE = True
    SECURE_HSTS_SECONDS = 60 * 60 * 24 * 365
    CSRF_TRUSTED_ORIGINS = [f"https://{host}" for host in ALLOWED_HOSTS if host not in {"*"}]

# --- files, language, jobs ----------------------------------------------------------------------------------------
STATIC_URL = "static/"
STATICFILES_DIRS = [FILES_DIR / "static"]
STATICFILES_FINDERS = [
    "django.contrib.staticfiles.finders.FileSystemFinder",
    "django.contrib.staticfiles.finders.AppDirectoriesFinder",
    "annotation.rooms.RoomFinder",
]
STATIC_ROOT = DATA_DIR / "static"
# The manifest hashes file names for endless caching; without DEBUG it needs `collectstatic`, which `make run` does.
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {
        "BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"
        if DEBUG
        else "whitenoise.storage.CompressedManifestStaticFilesStorage"
    },
}
# What whitenoise leaves as it is: packed already, or (maps of scripts) wanted by nobody but a debugger.
WHITENOISE_SKIP_COMPRESS_EXTENSIONS = ("png", "woff2", "zip", "map")
DATA_UPLOAD_MAX_MEMORY_SIZE = 2 * 1024 * 1024
FILE_UPLOAD_MAX_MEMORY_SIZE = 1024 * 1024
FILE_UPLOAD_HANDLERS = [
    "config.uploads.LimitedUploadHandler",
    "django.core.files.uploadhandler.MemoryFileUploadHandler",
    "django.core.files.uploadhandler.TemporaryFileUploadHandler",
]
STUDY_UPLOAD_MAX_BYTES = 50 * 1024 * 1024  # as sent
STUDY_UNPACKED_MAX_BYTES = 250 * 1024 * 1024  # after unpacking
STUDY_READING_MAX_SECONDS = 60.0  # of an upload; on the server there is no hurry

CACHES = {
    "default": {"BACKEND": "django.core.cache.backends.locmem.LocMemCache"},
    "template_fragments": {  # what {% cache %} keeps: parts of pages that are the same for item after item
        "BACKEND": "django.core.cache.backends.locmem.LocMemCache",
        "LOCATION": "fragments",
        "OPTIONS": {"MAX_ENTRIES": 1_000},
    },
    "throttle": {  # shared by all processes of the server; see annotation/counts.py
        "BACKEND": "django.core.cache.backends.filebased.FileBasedCache",
        "LOCATION": str(DATA_DIR / "cache"),
        "OPTIONS": {"MAX_ENTRIES": 10_000},  # beyond that counts are thrown away by chance
    },
}

LANGUAGE_CODE = "en"
# Pages of assessors have the language that the study names (annotation/words.py), from the catalogues of annotation/locale. Those of
# experimenters are English, until a catalogue of their words is given here (annotation/views/language.py).
LOCALE_PATHS = [BASE_DIR / "annotation" / "locale" / "experimenters"]
LANGUAGES = [
    ("ar", "العربية"),
    ("de", "Deutsch"),
    ("en", "English"),
    ("es", "Español"),
    ("fr", "Français"),
    ("zh-hans", "中文"),
]
USE_TZ = True
TIME_ZONE = "UTC"
TASKS = {"default": {"BACKEND": "django_tasks_db.DatabaseBackend"}}
MESSAGE_STORAGE = "django.contrib.messages.storage.session.SessionStorage"

# --- API ----------------------------------------------------------------------------------------------------------
REST_FRAMEWORK = {
    "DEFAULT_AUTHENTICATION_CLASSES": [
        "annotation.api.authentication.BearerAuthentication",
        "rest_framework.authentication.SessionAuthentication",  # for trying out on the documentation page
    ],
    "DEFAULT_PERMISSION_CLASSES": ["rest_framework.permissions.IsAuthenticated"],
    "DEFAULT_RENDERER_CLASSES": ["rest_framework.renderers.JSONRenderer"],
    "DEFAULT_PARSER_CLASSES": ["annotation.api.parsers.Json"],
    "DEFAULT_THROTTLE_CLASSES": [
        "annotation.api.throttles.Users",
        "annotation.api.throttles.Strangers",
    ],
    "DEFAULT_THROTTLE_RATES": {"user": "1200/min", "anon": "120/min"},
    "NUM_PROXIES": 0,  # config.client_address has seen to it
    "EXCEPTION_HANDLER": "annotation.api.errors.error_response",
    "DEFAULT_SCHEMA_CLASS": "drf_spectacular.openapi.AutoSchema",
    "URL_FORMAT_OVERRIDE": None,
}
SPECTACULAR_SETTINGS = {
    "TITLE": "Touchstone",
    "DESCRIPTION": "Studies, assessors, judgments and scores for programs. Send a token with every request: "
    '`Authorization: Bearer …`. Every error has the same shape: `{"error": {"code", "message", "details"?}}`.',
    "VERSION": "1",
    "OAS_VERSION": "3.1.1",
    "POSTPROCESSING_HOOKS": [],  # choices stay where they are used
}

# --- operations ---------------------------------------------------------------------------------------------------
BACKUP_HOURS = number(
    "TOUCHSTONE_BACKUP_HOURS", 0, most=24 * A_CENTURY
)  # between two backups; 0: none by itself
BACKUP_FOLDER = Path(os.environ.get("TOUCHSTONE_BACKUP_FOLDER") or DATA_DIR / "backups").resolve()
BACKUPS_KEPT = max(1, whole("TOUCHSTONE_BACKUPS_KEPT", 7))
REPORTS_KEPT = whole("TOUCHSTONE_REPORTS_KEPT", 0)  # of each study; 0: all
REPORT_DAYS = days("TOUCHSTONE_REPORT_DAYS")  # older ones go, but never the newest; 0: kept
METRICS_TOKEN = os.environ.get("TOUCHSTONE_METRICS_TOKEN", "")  # without one there are no metrics
# Whom to tell of finished studies and quality warnings. The host must be named twice: here nothing of a study has a say.
WEBHOOK_URL = os.environ.get("TOUCHSTONE_WEBHOOK_URL", "")
WEBHOOK_SECRET = os.environ.get("TOUCHSTONE_WEBHOOK_SECRET", "")
WEBHOOK_HOSTS = [
    h.strip().lower() for h in os.environ.get("TOUCHSTONE_WEBHOOK_HOSTS", "").split(",") if h.strip()
]

LOG_FORMAT = os.environ.get("TOUCHSTONE_LOG") or "plain"  # or json: one object a line
# A line for each request: "-" for the standard error, or a file (which logrotate may move away).
ACCESS_LOG = os.environ.get("TOUCHSTONE_ACCESS_LOG", "")
LOGGERS: dict[str, object] = {
    "touchstone.access": {
        "handlers": ["access"],
        "level": "INFO" if ACCESS_LOG else "WARNING",
        "propagate": False,
    }
}
GUNICORN_LOGGERS: dict[str, object] = {
    name: {"handlers": ["console"], "level": "WARNING", "propagate": False}
    for name in ("gunicorn.error", "gunicorn.access")
}
LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "filters": {"request": {"()": "config.headers.WithRequestId"}},
    "formatters": {
        "plain": {"format": "%(asctime)s %(levelname)s %(name)s [%(request_id)s] %(message)s"},
        "json": {"()": "config.headers.JsonLines"},
    },
    "handlers": {
        "console": {"class": "logging.StreamHandler", "formatter": LOG_FORMAT, "filters": ["request"]},
        "access": {
            "class": "logging.StreamHandler"
            if ACCESS_LOG in {"", "-"}
            else "logging.handlers.WatchedFileHandler",
            "formatter": LOG_FORMAT,
            "filters": ["request"],
            **({} if ACCESS_LOG in {"", "-"} else {"filename": ACCESS_LOG}),
        },
    },
    "loggers": LOGGERS,
    "root": {"handlers": ["console"], "level": "WARNING"},
}

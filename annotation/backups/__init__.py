"""A backup: one zip with the database, the secret key and the reports, and a list of what is in it with checksums.

It is made while people work: the database is read as it is at one moment. Restoring checks every byte before anything is
written, and writes only where there are no data yet.
"""

from annotation.backups.make import backup_make
from annotation.backups.restore import backup_restore

__all__ = ["backup_make", "backup_restore"]

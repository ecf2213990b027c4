"""What the server runs on: disk, database, memory. Where one of them is used up or away, no program is at fault."""

from __future__ import annotations

import errno

from django.db import InterfaceError, InternalError, OperationalError

READ_ONLY_TRANSACTION = "25006"  # PostgreSQL's number for it
USED_UP = {errno.ENOSPC, errno.EROFS, errno.EDQUOT, errno.EMFILE}


def is_out_of_means(fault: BaseException | None) -> bool:
    """Whether the disk is full or read-only, the database away or the memory used up."""
    if isinstance(fault, OperationalError):
        # SQLite also calls a missing table so, which is a fault of a program.
        return getattr(fault.__cause__, "sqlite_errorname", "") != "SQLITE_ERROR"
    if isinstance(fault, InternalError):
        return getattr(fault.__cause__, "sqlstate", "") == READ_ONLY_TRANSACTION
    if isinstance(fault, OSError):
        return fault.errno in USED_UP
    return isinstance(fault, InterfaceError | MemoryError)

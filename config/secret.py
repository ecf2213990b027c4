"""The secret key: generated once into the data folder, readable by the owner only, never a default."""

import os
import secrets
from pathlib import Path


def secret_key(path: Path) -> str:
    """Read the key, or make it if there is none; of two processes that start at once, one makes it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    draft = path.with_name(f"{path.name}.{os.getpid()}")
    if not path.exists():
        descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with os.fdopen(descriptor, "w") as file:
            file.write(secrets.token_urlsafe(64))
            file.flush()
            os.fsync(file.fileno())  # no key of no length after a power cut
        try:
            # A hard link fails if the name is taken, so the first process wins and no reader sees half a key.
            os.link(draft, path)
        except FileExistsError:
            pass
        except OSError:  # a file system without links, such as exFAT: nearly as good
            draft.replace(path)
        finally:
            draft.unlink(missing_ok=True)
    return path.read_text().strip()

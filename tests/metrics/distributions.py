"""Distributions made for a test: a folder that looks like an installed package, with entry points."""

import re
import sys
from contextlib import contextmanager
from pathlib import Path

import pytest

from metrics.automatic import registry as metric_registry
from metrics.human import registry as human_registry

DOCS = Path(__file__).parents[2] / "docs"


def install(
    folder: Path, name: str, *, modules: dict[str, str], entry_points: dict[str, dict[str, str]]
) -> Path:
    """A package ``name`` with these modules, and the metadata that an installer would leave beside it."""
    package, metadata = folder / name, folder / f"{name}-1.0.dist-info"
    for place in (package, metadata):
        place.mkdir(parents=True)
    (package / "__init__.py").write_text("")
    for module, source in modules.items():
        (package / f"{module}.py").write_text(source, encoding="utf-8")
    (metadata / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
    (metadata / "entry_points.txt").write_text(
        "".join(
            f"[{group}]\n" + "".join(f"{key} = {value}\n" for key, value in named.items())
            for group, named in entry_points.items()
        )
    )
    return folder


@contextmanager
def importable(folder: Path):
    """What is installed there can be imported and is in the registries, in this process, for a while."""
    before = set(sys.modules)
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(folder))
        _forget()
        try:
            yield folder
        finally:
            for name in set(sys.modules) - before:
                if (Path(getattr(sys.modules[name], "__file__", None) or "/")).is_relative_to(folder):
                    del sys.modules[name]
    _forget()


def _forget() -> None:
    """Registries look once; what was installed or removed since then is found by looking again."""
    for looked_up in (
        metric_registry.families,
        metric_registry.metrics,
        metric_registry._all,
        metric_registry._by_name,
        human_registry.kinds,
    ):
        looked_up.cache_clear()


def documented_module(page: str, declares: str) -> str:
    """The example of a page that declares ``declares``, as the source of a module."""
    blocks = re.findall(r"```python\n(.*?)```", (DOCS / page).read_text(encoding="utf-8"), re.DOTALL)
    (found,) = [block for block in blocks if re.search(rf"^{declares} = ", block, re.MULTILINE)]
    return found

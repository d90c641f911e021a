"""The floors of Retake, as pyproject.toml draws them: who may import whom."""

from __future__ import annotations

import subprocess
import sys
import tomllib
from pathlib import Path

import grimp
from importlinter.application.use_cases import lint_imports
from importlinter.cli import configuration

ROOT = Path(__file__).parent.parent
PANELS = "studio.panels"
HEAVY = {"PySide6", "shiboken6", "pyqtgraph", "torch"}


def test_floors() -> None:
    configuration.configure()
    assert lint_imports(str(ROOT / "pyproject.toml"), cache_dir=None, no_logo=True)


def test_panels_do_not_know_one_another() -> None:
    """A panel may lie in several files, which share the first word of their names."""
    graph = grimp.build_graph("studio", cache_dir=None)
    crossing = [
        f"{importer} imports {imported}"
        for importer in sorted(graph.find_descendants(PANELS))
        for imported in sorted(graph.find_modules_directly_imported_by(importer))
        if imported.startswith(f"{PANELS}.") and _panel(importer) != _panel(imported)
    ]
    assert not crossing


def _panel(module: str) -> str:
    return module.removeprefix(f"{PANELS}.").split(".")[0].split("_")[0]


def test_low_floors_import_without_qt_and_torch() -> None:
    """Not even at second hand: what the imports really bring in, not what the sources say."""
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["importlinter"]["contracts"]
    plain = next(contract["source_modules"] for contract in contracts if contract["id"] == "plain-floors")
    graph = grimp.build_graph("engine", "studio", cache_dir=None)
    modules = sorted(module for low in plain for module in (low, *graph.find_descendants(low)))
    code = f"import sys, {', '.join(modules)}; print(*sorted({HEAVY} & sys.modules.keys()))"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=False)
    assert (done.stdout.split(), done.stderr) == ([], "")

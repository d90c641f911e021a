"""What holds for every test: no screen, no network, no home of the user's, no thread left running, no stray warning."""

from __future__ import annotations

import atexit
import gc
import os
import shutil
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import hypothesis
import pytest

# All of this must stand before Qt, torch or platformdirs are imported.
_HOME = Path(tempfile.mkdtemp(prefix="retake-tests-"))
atexit.register(shutil.rmtree, _HOME, ignore_errors=True)
_RUNTIME = _HOME / "runtime"
_RUNTIME.mkdir(mode=0o700)
for _name in [name for name in os.environ if name.startswith(("QT_", "QSG_", "QML_"))]:
    del os.environ[_name]
os.environ |= {
    "QT_QPA_PLATFORM": "offscreen",
    "HOME": str(_HOME),
    "USERPROFILE": str(_HOME),
    "XDG_RUNTIME_DIR": str(_RUNTIME),
    "OMP_NUM_THREADS": "1",
    "MKL_NUM_THREADS": "1",
}

hypothesis.settings.register_profile("retake", deadline=None)  # speed is measured by benchmarks, not here
hypothesis.settings.load_profile("retake")

OUR_THREADS = ("engine", "files", "player")
"""How the names of the studio's own threads begin; none of them may outlive the test that started it."""


@pytest.fixture(autouse=True)
def own_folders(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every test has settings, data and caches of its own, empty, wherever platformdirs and Qt look for them."""
    home = tmp_path_factory.mktemp("home")
    for kind in ("CONFIG", "DATA", "STATE", "CACHE"):
        monkeypatch.setenv(f"XDG_{kind}_HOME", str(home / kind.lower()))
    for kind in ("APPDATA", "LOCAL_APPDATA"):
        monkeypatch.setenv(f"WIN_PD_OVERRIDE_{kind}", str(home / kind.lower()))
    if sys.platform == "darwin":
        monkeypatch.setenv("HOME", str(home))


@pytest.fixture(autouse=True)
def collected_between_tests() -> Iterator[None]:
    """Python's collector rests during a test: on a thread of the studio's it might come upon widgets of an earlier one,
    which only the main thread may destroy."""
    gc.disable()
    yield
    gc.enable()


@pytest.fixture(autouse=True)
def no_thread_left() -> Iterator[None]:
    """Fails a test that leaves a thread running: one that would keep Python from ending, or one of the studio's own."""
    before = set(threading.enumerate())
    yield
    patience = time.monotonic() + 2
    while (left := _left_running(before)) and time.monotonic() < patience:
        time.sleep(0.01)
    assert not left, f"threads left running: {', '.join(sorted(left))}"


def _left_running(before: set[threading.Thread]) -> list[str]:
    """Names of the threads that should have ended. A QThread shows only in what the system tells, and only on Linux."""
    started = set(threading.enumerate()) - before
    left = [thread.name for thread in started if not thread.daemon or thread.name.startswith(OUR_THREADS)]
    for entry in Path("/proc/self/task").glob("*/comm"):
        try:
            name = entry.read_text().strip()
        except OSError:  # it ended while we looked
            continue
        if name.startswith(OUR_THREADS):
            left.append(name)
    return left


@pytest.fixture(scope="session")
def embedded() -> Path:
    """The checkpoint folder that comes with Retake: small, but it speaks."""
    from engine import assets

    return assets.folder() / "voice"


@pytest.fixture(scope="session")
def golden_nano() -> Path:
    """A small checkpoint with a codec of the spectral kind, with what the public reference computes from it."""
    return Path(__file__).parent / "engine" / "golden_nano"


@pytest.fixture(scope="session")
def golden_folder() -> Path:
    """A tiny checkpoint with what the public reference computes from it; RETAKE_GOLDENS names another of its kind."""
    return Path(os.environ.get("RETAKE_GOLDENS", Path(__file__).parent / "engine" / "golden"))

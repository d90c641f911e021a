"""Sets Retake up beside this checkout and opens it. Needs nothing but Python 3.11, 3.12 or 3.13.

python3 packaging/retake.py                    opens the studio; without a screen, speaks the example into example.wav
python3 packaging/retake.py PROJECT ...        what stands behind it goes to the studio
python3 packaging/retake.py test [ARGUMENTS]   runs the tests; the arguments go to pytest
python3 packaging/retake.py --cuda ...         the same with torch's build for NVIDIA cards (several gigabytes)

Everything is installed into .venv beside this checkout, from the lock files in this folder. A second run finds it done.
"""

from __future__ import annotations

import ctypes
import hashlib
import json
import os
import shutil
import subprocess
import sys
import time
import urllib.request
import venv
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
VENV = ROOT / ".venv"
STAMP = VENV / "retake.json"
LOCK = ROOT / "packaging" / "lock.txt"
LOCK_TEST = ROOT / "packaging" / "lock-test.txt"

TORCH_WHEELS = "https://download.pytorch.org/whl/"
"""Where PyTorch itself offers its builds: `cpu`, and `cu130` for NVIDIA cards."""

LIBRARIES = {
    "libEGL.so.1": "libegl1",
    "libGL.so.1": "libgl1",
    "libX11-xcb.so.1": "libx11-xcb1",
    "libX11.so.6": "libx11-6",
    "libdbus-1.so.3": "libdbus-1-3",
    "libfontconfig.so.1": "libfontconfig1",
    "libfreetype.so.6": "libfreetype6",
    "libglib-2.0.so.0": "libglib2.0-0",
    "libportaudio.so.2": "libportaudio2",
    "libwayland-client.so.0": "libwayland-client0",
    "libwayland-cursor.so.0": "libwayland-cursor0",
    "libxcb-cursor.so.0": "libxcb-cursor0",
    "libxcb-icccm.so.4": "libxcb-icccm4",
    "libxcb-image.so.0": "libxcb-image0",
    "libxcb-keysyms.so.1": "libxcb-keysyms1",
    "libxcb-randr.so.0": "libxcb-randr0",
    "libxcb-render-util.so.0": "libxcb-render-util0",
    "libxcb-render.so.0": "libxcb-render0",
    "libxcb-shape.so.0": "libxcb-shape0",
    "libxcb-shm.so.0": "libxcb-shm0",
    "libxcb-sync.so.1": "libxcb-sync1",
    "libxcb-util.so.1": "libxcb-util1",
    "libxcb-xfixes.so.0": "libxcb-xfixes0",
    "libxcb-xkb.so.1": "libxcb-xkb1",
    "libxcb.so.1": "libxcb1",
    "libxkbcommon-x11.so.0": "libxkbcommon-x11-0",
    "libxkbcommon.so.0": "libxkbcommon0",
}
"""What Qt and the sound device load on Linux and no wheel brings, with Debian's and Ubuntu's names of the packages."""

CUDA_PARTS = """
import json, sys
from pip._vendor.packaging.requirements import Requirement
needs = [Requirement(text) for text in json.load(sys.stdin)["install"][0]["metadata"].get("requires_dist", [])]
needed = [need.name for need in needs if need.marker is None or need.marker.evaluate({"extra": ""})]
print(*[name for name in needed if name.startswith(("nvidia-", "cuda-", "triton"))])
"""
"""Reads pip's report on one package; prints the GPU libraries that it would bring to this machine."""


class SetupError(Exception):
    """Retake cannot be set up; the text says what happened and what to do."""


# What is there already


def is_supported(version: tuple[int, ...]) -> bool:
    return (3, 11) <= version[:2] <= (3, 13)


def has_screen(platform: str, environment: dict[str, str]) -> bool:
    """Only Linux tells. A Qt platform that was asked for counts as a screen."""
    names = ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM")
    return platform != "linux" or any(environment.get(name) for name in names)


def missing_packages() -> list[str]:
    """Debian's names of the packages that this machine lacks."""
    missing = {package for library, package in LIBRARIES.items() if not _loads(library)}
    if not _has_module("ensurepip"):
        missing.add(f"python3.{sys.version_info[1]}-venv")
    return sorted(missing)


def _loads(library: str) -> bool:
    try:
        ctypes.CDLL(library)
    except OSError:
        return False
    return True


def _has_module(name: str) -> bool:
    try:
        __import__(name)
    except ImportError:
        return False
    return True


def venv_python() -> Path:
    return VENV / ("Scripts/python.exe" if os.name == "nt" else "bin/python")


def torch_build(folder: Path, version: str) -> str | None:
    """The build of torch in a virtual environment: cpu, cuda, or None where that version is not in it."""
    for site in (*folder.glob("lib/python*/site-packages"), *folder.glob("Lib/site-packages")):
        there = [
            found.name.removeprefix("torch-").removesuffix(".dist-info") for found in site.glob("torch-*.dist-info")
        ]
        if any(found.split("+")[0] == version for found in there):
            return "cuda" if any(site.glob("torch/lib/*torch_cuda*")) else "cpu"
    return None


def locked_version(package: str, lock: str) -> str:
    """The version of a package in a lock file's text."""
    return next(line.split("==")[1].split(" ")[0] for line in lock.splitlines() if line.startswith(f"{package}=="))


def wanted_stamp(lock: Path, cuda: bool) -> dict[str, str]:
    """What the environment must have been made from. The project file counts: it names the programs to install."""
    contents = lock.read_bytes() + (ROOT / "pyproject.toml").read_bytes()
    return {lock.name: hashlib.sha256(contents).hexdigest(), "torch": "cuda" if cuda else "cpu"}


def read_stamp() -> dict[str, str]:
    """What the environment was made from; empty where it was never finished."""
    try:
        stamp = json.loads(STAMP.read_text("utf-8"))
    except (OSError, ValueError):
        return {}
    return stamp if isinstance(stamp, dict) and venv_python().exists() else {}


# Setting up


def say(text: str) -> None:
    print(text, flush=True)


def run_quietly(command: Sequence[str | Path], trouble: str, feed: str | None = None) -> str:
    """What the program prints. Raises SetupError with `trouble` and the end of its complaint where it fails."""
    words = [str(word) for word in command]
    done = subprocess.run(words, cwd=ROOT, input=feed, capture_output=True, text=True, check=False)
    if done.returncode == 0:
        return done.stdout
    complaint = (done.stderr or done.stdout).strip().splitlines()
    errors = [line for line in complaint if line.startswith(("ERROR", "E:"))] or complaint
    raise SetupError("\n".join([trouble, *(f"    {line}" for line in errors[-3:])]))


def pip(*words: str | Path, trouble: str) -> str:
    return run_quietly(
        [venv_python(), "-m", "pip", "--quiet", "--disable-pip-version-check", "--no-input", *words], trouble
    )


def install_packages() -> None:
    """Installs the system's libraries with apt where that is possible, else raises SetupError with the line to run."""
    missing = missing_packages()
    if not missing:
        return
    install = ["apt-get", "install", "-y", "--no-install-recommends", *missing]
    if shutil.which("apt-get") is None:
        raise SetupError(f"Retake needs libraries that are not here. Debian calls them: {' '.join(missing)}\n"
                         "Install your system's packages of them, then run this again.")  # fmt: skip
    if os.geteuid() != 0:
        raise SetupError(
            f"Retake needs libraries that are not here. Run this line, then this again:\n    sudo {' '.join(install)}"
        )
    say(f"Installing {len(missing)} system packages")
    trouble = "The system's packages could not be installed. Run this line to see why:\n    " + " ".join(install)
    os.environ["DEBIAN_FRONTEND"] = "noninteractive"
    run_quietly(["apt-get", "update", "-qq"], trouble)
    run_quietly(install, trouble)


def make_venv() -> None:
    """Makes the virtual environment, or makes it anew where its Python does not run."""
    try:
        subprocess.run([venv_python(), "-c", "import pip"], capture_output=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        say("Making .venv")
        venv.create(VENV, clear=True, with_pip=True)


def install_torch(cuda: bool) -> None:
    """Installs the build of torch that was asked for, from PyTorch itself or else from where pip is set up to look.

    The processor's build comes without dependencies (the lock has them), so never with gigabytes of GPU libraries.
    """
    version = locked_version("torch", LOCK.read_text("utf-8"))
    build = "cuda" if cuda else "cpu"
    there = torch_build(VENV, version)
    if there == build:
        return
    say(f"Installing torch {version} for {'NVIDIA cards: several gigabytes' if cuda else 'the processor'}")
    index = TORCH_WHEELS + ("cu130" if cuda else "cpu")
    own_index = ["--index-url", index] if answers(index) else []
    trouble = "torch could not be installed. Check the network and run this again."
    if not cuda and not own_index:
        refuse_cuda(version)
    if there is not None:
        pip("uninstall", "--yes", "torch", trouble=trouble)
    if cuda:
        exactly = "==" if own_index else "==="  # on a shared index `===` passes over a local +cpu build
        pip("install", *own_index, f"torch{exactly}{version}", trouble=trouble)
    else:
        pip("install", "--no-compile", "--no-deps", *own_index, f"torch=={version}", trouble=trouble)


def answers(address: str) -> bool:
    """Whether a web address can be reached from here, within three seconds."""
    try:
        with urllib.request.urlopen(f"{address}/", timeout=3):
            return True
    except (OSError, ValueError):
        return False


def refuse_cuda(version: str) -> None:
    """Raises SetupError where pip would take a build of torch that brings GPU libraries."""
    trouble = f"torch {version} is not to be had here. Check the network and pip's settings, and run this again."
    report = pip(
        "install", "--dry-run", "--no-deps", "--ignore-installed", "--report", "-", f"torch=={version}", trouble=trouble
    )
    if run_quietly([venv_python(), "-c", CUDA_PARTS], trouble, feed=report).strip():
        raise SetupError(
            "Only the build of torch for NVIDIA cards can be had from here: several gigabytes. If you want it, run:\n"
            "    python3 packaging/retake.py --cuda"
        )


def set_up(lock: Path, cuda: bool) -> None:
    """Brings .venv to what `lock` says. The stamp goes first and comes back last: a run that was cut short is seen."""
    stamp = read_stamp()
    cuda = cuda or stamp.get("torch") == "cuda"
    wanted = wanted_stamp(lock, cuda)
    if wanted.items() <= stamp.items():
        return
    start = time.monotonic()
    make_venv()
    STAMP.unlink(missing_ok=True)
    install_torch(cuda)
    # Uncompiled, all this takes half the time and 200 MB less; Python compiles what is used when it is first used.
    say("Installing what Retake is built on" if lock == LOCK else "Installing what Retake and its tests are built on")
    trouble = "The packages could not be installed. Check the network and run this again."
    pip("install", "--no-compile", "--no-deps", "-r", lock, trouble=trouble)
    pip(
        "install",
        "--no-deps",
        "--no-build-isolation",
        "-e",
        ROOT,
        trouble="Retake itself could not be installed into .venv.",
    )
    trouble = "What the embedded voice is read by could not be compiled."
    run_quietly([venv_python(), "-c", "import engine.position_loop as loop; loop.compile_ahead()"], trouble)
    STAMP.write_text(json.dumps(stamp | wanted, indent=1), encoding="utf-8")
    say(f"Ready after {time.monotonic() - start:.0f} s")


# The two commands


def run_tests(arguments: list[str]) -> int:
    environment = os.environ | {"QT_QPA_PLATFORM": "offscreen"}
    return subprocess.run(
        [venv_python(), "-m", "pytest", *arguments], cwd=ROOT, env=environment, check=False
    ).returncode


def open_studio(arguments: list[str]) -> int:
    if has_screen(sys.platform, dict(os.environ)):
        return subprocess.run([venv_python(), "-m", "studio", *arguments], cwd=ROOT, check=False).returncode
    say("There is no screen here, so the studio cannot open. Speaking assets/example.txt into example.wav instead")
    words = ["generate", "assets/example.txt", "-o", "example.wav"]
    return subprocess.run([venv_python(), "-m", "engine", *words], cwd=ROOT, check=False).returncode


def main(arguments: list[str]) -> int:
    if arguments[:1] in (["-h"], ["--help"]):
        say((__doc__ or "").strip())
        return 0
    if not is_supported(sys.version_info[:2]):
        found = f"{sys.version_info[0]}.{sys.version_info[1]}"
        say(f"Retake needs Python 3.11, 3.12 or 3.13, and this is {found}. Install one of them and run this with it.")
        return 1
    cuda = arguments[:1] == ["--cuda"]
    arguments = arguments[cuda:]
    testing = arguments[:1] == ["test"]
    try:
        if sys.platform == "linux":
            install_packages()
        set_up(LOCK_TEST if testing else LOCK, cuda)
        return run_tests(arguments[1:]) if testing else open_studio(arguments)
    except SetupError as error:
        say(str(error))
        return 1
    except OSError as error:
        reason = error.strerror or str(error)
        say(f"Retake cannot be set up in {error.filename or VENV}: {reason}. Make it writable, make room, or clone it "
            "elsewhere, and run this again.")  # fmt: skip
        return 1
    except KeyboardInterrupt:
        return 130


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
import retake

REPORT = {
    "install": [
        {
            "metadata": {
                "name": "torch",
                "requires_dist": [
                    "filelock",
                    'nvidia-cublas==13.1; sys_platform == "nowhere"',
                    'nvidia-nothing; extra == "some"',
                    f'triton==3.7; sys_platform == "{sys.platform}"',
                ],
            }
        }
    ]
}


@pytest.fixture
def own_venv(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An environment folder that looks finished but for its stamp."""
    monkeypatch.setattr(retake, "VENV", tmp_path)
    monkeypatch.setattr(retake, "STAMP", tmp_path / "retake.json")
    retake.venv_python().parent.mkdir()
    retake.venv_python().touch()
    return tmp_path


@pytest.fixture
def done(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The steps that were taken, instead of taking them."""
    steps: list[str] = []

    def pip(*words: str | Path, trouble: str) -> str:
        steps.append("pip " + " ".join(str(word) for word in words))
        return json.dumps({"install": [{"metadata": {"requires_dist": ["filelock"]}}]})

    monkeypatch.setattr(retake, "pip", pip)
    monkeypatch.setattr(retake, "make_venv", lambda: steps.append("venv"))
    monkeypatch.setattr(retake, "answers", lambda address: False)
    monkeypatch.setattr(retake, "run_quietly", lambda command, trouble, feed=None: "")
    return steps


def put_torch(folder: Path, version: str, cuda: bool) -> None:
    site = folder / "lib" / "python3.11" / "site-packages"
    (site / f"torch-{version}.dist-info").mkdir(parents=True)
    (site / "torch" / "lib").mkdir(parents=True)
    if cuda:
        (site / "torch" / "lib" / "libtorch_cuda.so").touch()


@pytest.mark.parametrize(
    ("version", "fits"), [((3, 10), False), ((3, 11), True), ((3, 13, 2), True), ((3, 14), False), ((4, 0), False)]
)
def test_python_versions(version: tuple[int, ...], fits: bool) -> None:
    assert retake.is_supported(version) is fits


@pytest.mark.parametrize(
    ("platform", "environment", "screen"),
    [
        ("linux", {}, False),
        ("linux", {"DISPLAY": ""}, False),
        ("linux", {"DISPLAY": ":0"}, True),
        ("linux", {"WAYLAND_DISPLAY": "wayland-0"}, True),
        ("linux", {"QT_QPA_PLATFORM": "offscreen"}, True),
        ("darwin", {}, True),
        ("win32", {}, True),
    ],
)
def test_screen(platform: str, environment: dict[str, str], screen: bool) -> None:
    assert retake.has_screen(platform, environment) is screen


@pytest.mark.parametrize(
    ("version", "cuda", "build"),
    [("2.13.0+cpu", False, "cpu"), ("2.13.0", False, "cpu"), ("2.13.0", True, "cuda"), ("2.12.1", False, None)],
)
def test_torch_build(tmp_path: Path, version: str, cuda: bool, build: str | None) -> None:
    put_torch(tmp_path, version, cuda)
    assert retake.torch_build(tmp_path, "2.13.0") == build


def test_no_torch(tmp_path: Path) -> None:
    assert retake.torch_build(tmp_path, "2.13.0") is None


def test_missing_packages_are_named_once_and_sorted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(retake, "LIBRARIES", {"libnowhere.so.2": "libzeta", "libnowhere.so.1": "libalpha"})
    assert retake.missing_packages() == ["libalpha", "libzeta"]


def test_without_root_the_line_to_run_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(retake, "missing_packages", lambda: ["libegl1", "libgl1"])
    monkeypatch.setattr(retake.shutil, "which", lambda name: "/usr/bin/apt-get")
    monkeypatch.setattr(retake.os, "geteuid", lambda: 1000, raising=False)
    with pytest.raises(retake.SetupError, match="sudo apt-get install -y --no-install-recommends libegl1 libgl1"):
        retake.install_packages()


def test_without_apt_the_packages_are_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(retake, "missing_packages", lambda: ["libegl1"])
    monkeypatch.setattr(retake.shutil, "which", lambda name: None)
    with pytest.raises(retake.SetupError, match="libegl1"):
        retake.install_packages()


def test_set_up_stamps_last_and_is_not_repeated(own_venv: Path, done: list[str]) -> None:
    retake.set_up(retake.LOCK, cuda=False)
    assert [step.split(" -")[0] for step in done] == ["venv", "pip install", *["pip install"] * 3]
    assert "--no-deps torch==2.13.0" in done[2]
    done.clear()
    retake.set_up(retake.LOCK, cuda=False)
    assert done == []
    retake.set_up(retake.LOCK_TEST, cuda=False)
    assert any(str(retake.LOCK_TEST) in step for step in done)
    done.clear()
    retake.set_up(retake.LOCK, cuda=False)
    assert done == [], "the tests' packages are more than the studio's, so nothing is to do"


def test_half_made_is_made_again(own_venv: Path, done: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    retake.set_up(retake.LOCK, cuda=False)
    retake.STAMP.write_text("{half", encoding="utf-8")
    done.clear()

    def stop(*words: str | Path, trouble: str) -> str:
        raise retake.SetupError(trouble)

    with monkeypatch.context() as patch:
        patch.setattr(retake, "pip", stop)
        with pytest.raises(retake.SetupError):
            retake.set_up(retake.LOCK, cuda=False)
    assert not retake.STAMP.exists()
    retake.set_up(retake.LOCK, cuda=False)
    assert retake.STAMP.exists()


def test_cuda_stays_once_chosen(own_venv: Path, done: list[str]) -> None:
    retake.set_up(retake.LOCK, cuda=True)
    assert "pip install torch===2.13.0" in done
    put_torch(own_venv, "2.13.0", cuda=True)
    done.clear()
    retake.set_up(retake.LOCK, cuda=False)
    assert done == []


def test_cuda_replaces_the_processors_build(own_venv: Path, done: list[str]) -> None:
    put_torch(own_venv, "2.13.0+cpu", cuda=False)
    retake.install_torch(cuda=True)
    assert done == ["pip uninstall --yes torch", "pip install torch===2.13.0"]


def test_gigabytes_are_refused(own_venv: Path, done: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(retake, "run_quietly", lambda command, trouble, feed=None: "nvidia-cublas triton\n")
    with pytest.raises(retake.SetupError, match=r"retake\.py --cuda"):
        retake.install_torch(cuda=False)
    assert not [step for step in done if "--dry-run" not in step]


def test_cuda_parts_are_those_for_this_machine() -> None:
    command = [sys.executable, "-c", retake.CUDA_PARTS]
    read = subprocess.run(command, input=json.dumps(REPORT), capture_output=True, text=True, check=True)
    assert read.stdout.split() == ["triton"]


def test_pytorchs_own_wheels_come_first(own_venv: Path, done: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(retake, "answers", lambda address: True)
    retake.install_torch(cuda=False)
    assert done == [f"pip install --no-compile --no-deps --index-url {retake.TORCH_WHEELS}cpu torch==2.13.0"]


def test_complaints_are_short(monkeypatch: pytest.MonkeyPatch) -> None:
    code = "import sys; print('noise\\n' * 50 + 'ERROR: no room on the disk', file=sys.stderr); sys.exit(1)"
    with pytest.raises(retake.SetupError) as told:
        retake.run_quietly([sys.executable, "-c", code], "It could not be installed.")
    assert str(told.value) == "It could not be installed.\n    ERROR: no room on the disk"


def test_a_run_without_a_screen_speaks_the_example(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    ran: list[list[str]] = []

    def run(command: list[str | Path], **options: object) -> subprocess.CompletedProcess[str]:
        ran.append([str(word) for word in command[1:]])
        return subprocess.CompletedProcess(command, 3)

    monkeypatch.setattr(retake.subprocess, "run", run)
    monkeypatch.setattr(retake, "has_screen", lambda platform, environment: False)
    assert retake.open_studio([]) == 3
    assert ran == [["-m", "engine", "generate", "assets/example.txt", "-o", "example.wav"]]
    assert "no screen" in capsys.readouterr().out


def test_locks_agree() -> None:
    """What the tests run with is what the studio runs with, and no GPU library is in it."""
    runs, tests = (
        {line for line in lock.read_text("utf-8").splitlines() if not line.startswith("#")}
        for lock in (retake.LOCK, retake.LOCK_TEST)
    )
    assert runs < tests
    assert not [line for line in tests if line.startswith(("nvidia", "cuda", "triton")) or "://" in line]
    assert retake.locked_version("torch", "\n".join(runs)) == "2.13.0"


def test_a_checkout_that_cannot_be_written(
    own_venv: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def denied(*_: object) -> None:
        raise PermissionError(13, "Permission denied", str(own_venv))

    monkeypatch.setattr(retake, "install_packages", lambda: None)
    monkeypatch.setattr(retake, "set_up", denied)
    assert retake.main([]) == 1
    assert f"cannot be set up in {own_venv}: Permission denied." in capsys.readouterr().out

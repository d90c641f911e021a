"""Errors as the user is told them. `explain` is the one function that turns an exception into a problem.

It knows errors by what they are, never by what libraries print; torch's are known by name, for torch is not imported
here. What it does not know is a bug, and says so.
"""

from __future__ import annotations

import errno
import platform
import traceback
from dataclasses import dataclass

from engine.errors import (
    AudioError,
    CheckpointError,
    DeviceError,
    EngineError,
    HearingError,
    RequestError,
    ScriptError,
    TakeFileError,
    TooLongError,
    lacking,
)
from studio.document.edits import CharacterNameError
from studio.document.file import ChangedUnderneathError, NewerProjectError, ProjectFileError
from studio.document.importers_limits import ImportFailedError
from studio.document.journal import JournalError, UnreadableJournalError
from studio.document.lock import LockedError
from studio.library.share import VoiceFileError
from studio.library.store import LibraryError

_SAFE = "The project is as it was, and nothing already made is lost."


class SoundDeviceError(Exception):
    """Nothing can be heard or recorded. The message is a plain sentence."""


@dataclass(frozen=True)
class Problem:
    """What happened, what it means for the work, what to do. `details` are for copying into a report.

    `button` names what the program itself can do about it, None where it can do nothing.
    """

    title: str
    meaning: str
    action: str
    details: str = ""
    button: str | None = None


def explain(error: BaseException, doing: str = "") -> Problem:
    """The error as a problem. `doing` is what failed, as a verb in small letters: "save the project"."""
    match error:
        case EngineError():
            return _engine_problem(error, doing)
        case NewerProjectError():
            return _problem(error, str(error), "The file is as it was.", "Open it with a newer Retake.")
        case ChangedUnderneathError():
            meaning = f"It was not saved over, and what the other has written is whole. {_SAFE}"
            return _problem(error, str(error), meaning, "Save a copy, and compare the two.", "Save a copy")
        case LockedError():
            meaning = "Two who save one file would undo each other's work."
            return _problem(error, str(error), meaning, "Close it there, or work in a copy.", None)
        case UnreadableJournalError():
            meaning = "What an earlier run left in it cannot be offered. It is kept, and its name ends in .damaged."
            return _problem(error, str(error), meaning, "Open the project, or a backup of it.")
        case JournalError():
            meaning = "What you do now would not survive a crash. What was written before is kept."
            action = "Free some space where your system keeps programs' data, and save the project."
            return _problem(error, str(error), meaning, action)
        case ProjectFileError():
            return _problem(
                error,
                str(error),
                "It was not opened, and not changed. What you have open is as it was.",
                "Open a backup of it: the menu has “Open a backup…”.",
            )
        case ImportFailedError():
            meaning = "Nothing was imported. What you have open is as it was."
            return _problem(error, str(error), meaning, "Try another file.")
        case CharacterNameError():
            return _problem(error, str(error), "The cast is as it was.", "Choose another name.")
        case VoiceFileError() if doing.startswith("share"):
            return _problem(error, str(error), "No file was written.", "Trim its recordings, or take some out of it.")
        case VoiceFileError():
            return _problem(error, str(error), "The library is as it was.", "Ask for the file again.")
        case LibraryError():
            return _problem(
                error, str(error), f"Its voices can be cast. {_SAFE}", "Change them in the other window, or close it."
            )
        case SoundDeviceError():
            return _problem(error, str(error), _SAFE, "Choose the device in the settings or in the recorder.")
        case OSError() if error.errno is not None:
            return _system_problem(error, doing)
    if (memory := lacking(error)) is not None:
        return _out_of_memory(error, memory)
    return _bug(error, doing)


def _engine_problem(error: EngineError, doing: str) -> Problem:
    match error:
        case CheckpointError():
            action = "Choose the folder of a complete checkpoint, or download it again."
            return _problem(
                error, str(error), f"Nothing can be generated with it. {_SAFE}", action, "Choose checkpoint"
            )
        case DeviceError():
            action = "Close other programs, or choose another device or a smaller precision in the settings."
            return _problem(error, str(error), f"Nothing was generated. {_SAFE}", action, "Settings")
        case TooLongError(positions=positions, limit=limit):
            meaning = f"It needs {positions:,} positions and the model has {limit:,}. Nothing was generated. {_SAFE}"
            return _problem(error, str(error), meaning, "Split the line, or use shorter reference clips.", "Split line")
        case ScriptError():
            return _problem(
                error, str(error), f"This line was left out. {_SAFE}", "Change the line, then generate again."
            )
        case AudioError():
            return _problem(error, str(error), _SAFE, "Try another file, or save it as WAV in another program first.")
        case HearingError():
            action = "Write the words by hand, or see to the recogniser and try again."
            return _problem(error, str(error), _SAFE, action, "Settings")
        case TakeFileError():
            return _problem(error, str(error), _SAFE, "Try another copy of the file.")
        case RequestError():
            return _problem(error, str(error), f"Nothing was generated. {_SAFE}", "Choose other frames or words.")
    return _problem(error, str(error), _SAFE, "Try again.")


def _system_problem(error: OSError, doing: str) -> Problem:
    """An error of the system by its number; the file that it names is said."""
    where = str(error.filename) if error.filename is not None else ""
    named = f" ({where})" if where else ""
    what = f"Retake could not {doing or 'use a file'}"
    match error.errno:
        case errno.ENOSPC | errno.EDQUOT:
            why, action = "the disk is full", "Free some space, or save to another disk."
        case errno.EACCES | errno.EPERM:
            why, action = "it is not allowed to", "Choose another folder, or change the permissions of this one."
        case errno.EROFS:
            why, action = "the disk can only be read", "Save to another folder."
        case errno.ENOENT | errno.ENOTDIR:
            why, action = "the file or its folder is not there", "Look whether it was moved, or its disk taken out."
        case errno.EISDIR:
            why, action = "this is a folder, not a file", "Choose a file."
        case errno.ENAMETOOLONG:
            why, action = "the name is too long", "Choose a shorter name, or a folder nearer to the top."
        case errno.EIO | errno.ENODEV | errno.ENXIO:
            why, action = "the disk does not answer as it should", "Save a copy to another disk soon."
        case errno.EMFILE | errno.ENFILE:
            why, action = "too many files are open", "Close other programs and try again."
        case errno.EBUSY | errno.ETXTBSY:
            why, action = "another program is using the file", "Close it there and try again."
        case _:
            why, action = (error.strerror or "the system refused").rstrip("."), "Try again, or choose another folder."
    return _problem(error, f"{what}: {why}{named}.", _SAFE, action, "Save a copy" if "save" in doing else None)


def _out_of_memory(error: BaseException, kind: str) -> Problem:
    return _problem(
        error,
        f"There is not enough {kind}.",
        f"What was being made was given up. {_SAFE}",
        "Close other programs, ask for fewer candidates, or choose a smaller precision or the CPU in the settings.",
        "Settings",
    )


def _bug(error: BaseException, doing: str) -> Problem:
    what = f"while trying to {doing}" if doing else "that it does not know"
    return _problem(
        error,
        f"Retake met an error {what}.",
        "This is a mistake in Retake, not yours. Nothing already made is lost.",
        "Save the project, and send the report if you can.",
        "Copy report",
    )


def _problem(error: BaseException, title: str, meaning: str, action: str, button: str | None = None) -> Problem:
    return Problem(title, meaning, action, _details(error), button)


def _details(error: BaseException) -> str:
    system = f"{platform.system()} {platform.release()}, Python {platform.python_version()}"
    return system + "\n" + "".join(traceback.format_exception(error))

from __future__ import annotations

import datetime
from dataclasses import replace

import numpy as np

from engine.request import Voice
from studio.document.project import Project
from studio.library.voices import Clip, Consent, LibraryVoice, Permission
from studio.voice_rows import voice_rows

TODAY = datetime.date(2026, 12, 1)
CLIP = Clip("a" * 32, "a.wav", 8_000, 1, 80_000, "WAV", (0, 40_000), thumbnail=(10, 100))
ADA = LibraryVoice("1", "Ada", (CLIP, CLIP), "English", "warm", "Play", 2, True,
                   Permission(Consent.WRITTEN, "Ada L.", until="2026-11-30"), ("/a.retake",))  # fmt: skip
BOB = LibraryVoice("2", "Bob")


def test_the_projects_first_then_the_librarys_then_the_checkpoints() -> None:
    project = Project(voices=(Voice("Bob"), Voice("Old")))
    voices = (Voice("Bob"), Voice("Old"), Voice("joe"))
    wave = np.zeros((3, 2), np.float32)
    rows = voice_rows(project, voices, (ADA, BOB), lambda _: "no words", {"joe": wave}, ("new",), TODAY,
                      lambda _: True, lambda _: False)  # fmt: skip
    assert [row.name for row in rows] == ["Bob", "Old", "Ada", "joe", "new"]
    assert [row.in_library for row in rows] == [True, False, True, False, False]
    assert [row.ready for row in rows] == [True, True, False, True, False]
    assert rows[1].detail == "Carried by this project"
    assert rows[3].detail == "Came with the voice model"
    assert rows[3].thumbnail is wave
    assert rows[4].state == "reading"


def test_a_voice_that_bears_another_name_in_the_library_says_so() -> None:
    project = Project(voices=(Voice("Old"), Voice("Older")))
    rows = voice_rows(project, (), (ADA,), lambda _: "ready", {}, (), TODAY, lambda _: True, lambda _: False,
                      {"Old": "Ada"})  # fmt: skip
    assert rows[0].detail == "Carried by this project · Ada in the library"
    assert rows[1].detail == "Carried by this project"


def test_what_a_card_says() -> None:
    (row,) = voice_rows(Project(), (), (ADA,), lambda _: "ready", {}, (), TODAY, lambda _: True, lambda _: False)
    assert row.detail == "English · 10.0 s · 2 clips · in 1 project · Written, until 2026-11-30 · warm"
    assert (row.folder, row.colour, row.favourite, row.ready) == ("Play", 2, True, True)
    assert row.caution == "permission ended"
    assert "Ada L." in row.about
    fine = replace(ADA, permission=replace(ADA.permission, until="2026-12-01"), projects=())
    (row,) = voice_rows(Project(), (), (fine,), lambda _: "ready", {}, (), TODAY, lambda _: True, lambda _: False)
    assert row.caution == ""
    assert "project" not in row.detail
    assert "consent" not in row.detail
    spoken = replace(ADA, spoken_consent=CLIP)
    (row,) = voice_rows(Project(), (), (spoken,), lambda _: "ready", {}, (), TODAY, lambda _: True, lambda _: False)
    assert "consent on record" in row.detail


def test_a_voice_of_the_second_library_is_marked() -> None:
    (row,) = voice_rows(Project(), (), (ADA,), lambda _: "ready", {}, (), TODAY, lambda _: False, lambda _: True)
    assert "memory on disk" in row.detail
    assert row.detail.startswith("Second library · English")
    assert (row.in_library, row.favourite, row.ready) == (False, False, True)

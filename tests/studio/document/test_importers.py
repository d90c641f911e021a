"""Foreign files become scripts, or are refused with a reason."""

from __future__ import annotations

import io
import zipfile
from pathlib import Path

import pytest
from docx import Document
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pypdf import PdfWriter

from studio.document.importers import SUFFIXES, read_manuscript
from studio.document.importers_limits import ImportFailedError
from studio.document.manuscript import Choices, Remarks, arranged, known_by
from studio.document.project import Character, Project

FOUNTAIN = """Title: The Lighthouse

INT. KITCHEN - NIGHT

The lamp turns. [[check this]]

MIRA (V.O.)
(tired)
Who is there?
(louder)
Say **it**.

TOM ^
Me. /* not this */

> CUT TO:

# Second part

@McAvoy
Hello.
"""
FDX = """<?xml version="1.0" encoding="UTF-8"?>
<FinalDraft DocumentType="Script"><Content>
<Paragraph Type="Scene Heading"><Text>INT. KITCHEN</Text></Paragraph>
<Paragraph Type="Character"><Text>MIRA (CONT'D)</Text></Paragraph>
<Paragraph Type="Parenthetical"><Text>(tired)</Text></Paragraph>
<Paragraph Type="Dialogue"><Text>Who </Text><Text Style="Bold">is</Text><Text> there?</Text></Paragraph>
<Paragraph Type="Transition"><Text>CUT TO:</Text></Paragraph>
</Content></FinalDraft>"""
SRT = """1
00:00:01,000 --> 00:00:03,500
MIRA: <i>Who is
there?</i>

2
00:00:04,000 --> 00:00:05,000
Me.
"""
VTT = "WEBVTT\n\n00:01.000 --> 00:02.000\n<v Tom>Me again.\n"


def read(folder: Path, name: str, data: str | bytes, choices: Choices | None = None) -> Project:
    path = folder / name
    path.write_bytes(data.encode() if isinstance(data, str) else data)
    return arranged(read_manuscript(path), choices)


def said(project: Project) -> list[tuple[str, str, str]]:
    return [(scene.title, line.character, line.text) for scene in project.scenes for line in scene.lines]


def refused(folder: Path, name: str, data: bytes) -> str:
    with pytest.raises(ImportFailedError) as caught:
        read(folder, name, data)
    return str(caught.value)


def test_plain_text_in_any_encoding(tmp_path: Path) -> None:
    text = "# Küche\r\n\r\nMIRA: Wer ist da? Öffne die Tür, es wird schon spät.\r\n\r\nTOM: Ich bin’s, natürlich.\r\n"
    expected = [
        ("Küche", "MIRA", "Wer ist da? Öffne die Tür, es wird schon spät."),
        ("Küche", "TOM", "Ich bin’s, natürlich."),
    ]
    for encoding in ("utf-8", "utf-8-sig", "utf-16", "cp1252"):
        assert said(read(tmp_path, "a.txt", text.encode(encoding))) == expected


def test_markdown_loses_its_signs(tmp_path: Path) -> None:
    made = read(tmp_path, "a.md", "# Pier\n\n**MIRA:** I *do* care.\n\n**TOM:** ***Really?***\n")
    assert said(made) == [("Pier", "MIRA", "I do care."), ("Pier", "TOM", "Really?")]


def test_fountain(tmp_path: Path) -> None:
    made = read(tmp_path, "a.fountain", FOUNTAIN)
    assert made.title == "The Lighthouse"
    assert said(made) == [
        ("INT. KITCHEN - NIGHT", "MIRA", "[tired] Who is there? [louder] Say it."),
        ("INT. KITCHEN - NIGHT", "TOM", "Me."),
        ("Second part", "McAvoy", "Hello."),
    ]
    assert [character.name for character in made.cast] == ["MIRA", "TOM", "McAvoy"]


def test_remarks_and_action_are_the_users_choice(tmp_path: Path) -> None:
    directed = read(tmp_path, "a.fountain", FOUNTAIN, Choices(Remarks.DIRECTIONS, action=True))
    assert said(directed)[0] == ("INT. KITCHEN - NIGHT", "Narrator", "The lamp turns.")
    assert directed.lines()[1].direction == "tired, louder"
    assert directed.lines()[1].text == "Who is there? Say it."
    without = read(tmp_path, "a.fountain", FOUNTAIN, Choices(Remarks.LEFT_OUT))
    assert (without.lines()[0].text, without.lines()[0].direction) == ("Who is there? Say it.", "")


def test_names_that_differ_in_capitals_are_the_same_people(tmp_path: Path) -> None:
    made = known_by(read(tmp_path, "a.fountain", FOUNTAIN), (Character("Mira"), Character("Bo")))
    assert [character.name for character in made.cast] == ["Mira", "TOM", "McAvoy"]
    assert made.lines()[0].character == "Mira"


def test_final_draft(tmp_path: Path) -> None:
    assert said(read(tmp_path, "a.fdx", FDX)) == [("INT. KITCHEN", "MIRA", "[tired] Who is there?")]
    assert "Final Draft" in refused(tmp_path, "a.fdx", b"<html/>")
    bomb = b'<!DOCTYPE x [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;&a;">]><FinalDraft><Content>&b;</Content></FinalDraft>'
    assert "damaged" in refused(tmp_path, "a.fdx", bomb)


def test_subtitles_keep_their_times(tmp_path: Path) -> None:
    made = read(tmp_path, "a.srt", SRT)
    assert said(made) == [("", "MIRA", "Who is there?"), ("", "MIRA", "Me.")]
    assert [(line.target, line.pause) for line in made.lines()] == [(2.5, 500), (1.0, None)]
    assert said(read(tmp_path, "a.vtt", VTT)) == [("", "Tom", "Me again.")]


@pytest.mark.parametrize(
    "text",
    [
        'Speaker,Line\nMira,"Hello, you."\nTom,Hi.\n',
        "Mira;Hello, you.\nTom;Hi.\n",
        'no,Line,Speaker\n1,"Hello, you.",Mira\n2,Hi.,Tom\n',
    ],
)
def test_tables(tmp_path: Path, text: str) -> None:
    assert said(read(tmp_path, "a.csv", text)) == [("", "Mira", "Hello, you."), ("", "Tom", "Hi.")]


def test_word_documents(tmp_path: Path) -> None:
    document = Document()
    document.add_heading("The pier", 1)
    for text in ("MIRA: Who is there?", "TOM: Me.", "MIRA: Say it again."):
        document.add_paragraph(text)
    held = io.BytesIO()
    document.save(held)
    assert said(read(tmp_path, "a.docx", held.getvalue()))[:2] == [
        ("The pier", "MIRA", "Who is there?"),
        ("The pier", "TOM", "Me."),
    ]


def archive(**members: bytes) -> bytes:
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w", zipfile.ZIP_DEFLATED) as made:
        for name, data in members.items():
            made.writestr(name.replace("__", "/").replace("_xml", ".xml").replace("_html", ".html"), data)
    return held.getvalue()


def test_archives_that_blow_up_are_refused(tmp_path: Path) -> None:
    bomb = archive(word__document_xml=b"\0" * 250_000_000)
    assert len(bomb) < 1_000_000
    for name in ("a.docx", "a.epub"):
        assert "unpack" in refused(tmp_path, name, bomb)
        assert "damaged" in refused(tmp_path, name, b"PK\x03\x04 not really")


def test_books(tmp_path: Path) -> None:
    package = b"""<package xmlns="http://www.idpf.org/2007/opf"><metadata>
      <title xmlns="http://purl.org/dc/elements/1.1/">The Pier</title></metadata>
      <manifest><item id="b" href="two.html"/><item id="a" href="one.html"/></manifest>
      <spine><itemref idref="a"/><itemref idref="b"/></spine></package>"""
    container = b'<container><rootfiles><rootfile full-path="OPS/p.xml"/></rootfiles></container>'
    made = read(
        tmp_path,
        "a.epub",
        archive(
            **{"META-INF__container_xml": container, "OPS__p_xml": package},
            OPS__one_html=b"<head><title>x</title></head><body><h1>One</h1><p>It was <i>late</i>.</p></body>",
            OPS__two_html=b"<body><h2>Two</h2><p>Nobody&nbsp;came.<script>alert(1)</script></p></body>",
        ),
    )
    assert made.title == "The Pier"
    assert said(made) == [("One", "Narrator", "It was late."), ("Two", "Narrator", "Nobody came.")]


def test_a_pdf_without_text_is_refused(tmp_path: Path) -> None:
    writer = PdfWriter()
    writer.add_blank_page(200, 200)
    held = io.BytesIO()
    writer.write(held)
    assert "scan" in refused(tmp_path, "a.pdf", held.getvalue())
    assert "damaged" in refused(tmp_path, "a.pdf", b"%PDF-1.4 nothing")


def test_what_is_no_text_is_refused(tmp_path: Path) -> None:
    assert "no text" in refused(tmp_path, "a.txt", b"MZ\0\0\0")
    assert "holds no text" in refused(tmp_path, "a.txt", b" \n ")
    assert said(read(tmp_path, "a.txt", "Mira:\n\nTom: Here.\n:")) == [("", "Tom", "Here.")]
    assert "cannot be imported" in refused(tmp_path, "a.exe", b"x")


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.binary(max_size=80) | st.text(max_size=80).map(str.encode), suffix=st.sampled_from(SUFFIXES))
def test_whatever_is_in_a_file_it_is_read_or_refused(tmp_path: Path, data: bytes, suffix: str) -> None:
    try:
        made = read(tmp_path, f"a{suffix}", data)
    except ImportFailedError:
        return
    assert all(line.text.strip() for line in made.lines())
    assert "\0" not in "".join(line.text for line in made.lines())

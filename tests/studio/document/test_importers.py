"""Foreign files become scripts, or are refused with a reason."""

from __future__ import annotations

import csv
import io
import zipfile
from pathlib import Path

import pytest
from docx import Document
from docx.document import Document as Documented
from docx.oxml import parse_xml
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pypdf import PdfWriter

from studio.document import importers_tables
from studio.document.importers import SUFFIXES, read_manuscript
from studio.document.importers_limits import ImportFailedError
from studio.document.manuscript import Choices, Remarks, Speech, arranged, known_by
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
    nameless = FDX.replace("MIRA (CONT'D)", "(V.O.)")
    assert said(read(tmp_path, "a.fdx", nameless)) == [("INT. KITCHEN", "Narrator", "[tired] Who is there?")]
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
        "sep=|\r\nMira|Hello, you.\r\nTom|Hi.\r\n",
    ],
)
def test_tables(tmp_path: Path, text: str) -> None:
    assert said(read(tmp_path, "a.csv", text)) == [("", "Mira", "Hello, you."), ("", "Tom", "Hi.")]


ROWS = [
    ("Ada", "Where did they go?"),
    ("Tobi", "Down to the pier, I think."),
    ("Ada", "He said, 'Wait here', and left."),
    ("Tobi", "'Tis late; isn't it, Ada?"),
    ("Ada", '"Don\'t," she said; "he | she\twaits."'),
]


def table_of(rows: list[tuple[str, str]], separator: str, quoted: bool = False) -> str:
    held = io.StringIO()
    csv.writer(held, delimiter=separator, quoting=csv.QUOTE_ALL if quoted else csv.QUOTE_MINIMAL).writerows(rows)
    return held.getvalue()


@pytest.mark.parametrize("separator", list(";,\t|"))
@pytest.mark.parametrize("quoted", [False, True])
@pytest.mark.parametrize("heads", [[("speaker", "line")], []])
def test_tables_of_prose(tmp_path: Path, separator: str, quoted: bool, heads: list[tuple[str, str]]) -> None:
    text = table_of([*heads, *ROWS], separator, quoted)
    expected = [("", name, line) for name, line in ROWS]
    assert said(read(tmp_path, "a.tsv" if separator == "\t" else "a.csv", text)) == expected
    assert said(read(tmp_path, "a.csv", text)) == expected


cells = st.text(st.characters(exclude_categories=["Cs", "Cc"]) | st.sampled_from(";,\t|\"'\n ")).map(str.strip)


@settings(max_examples=300, deadline=None)
@given(
    rows=st.lists(st.tuples(st.sampled_from(["Ada", "Old Bob", ""]), cells), min_size=1),
    separator=st.sampled_from(";,\t|"),
)
def test_whatever_stands_in_a_table_comes_back(rows: list[tuple[str, str]], separator: str) -> None:
    made = importers_tables.table(table_of([("who", "line"), *rows], separator), "Table")
    assert made.rows == tuple(Speech(name, text) for name, text in rows if text)
    if separator == "\t":
        assert importers_tables.tabbed(table_of([("Eve", "Hi."), *rows], "\t"), "Table").rows[1:] == made.rows


def test_cells_beyond_and_rows_of_one_cell_are_text(tmp_path: Path) -> None:
    made = read(tmp_path, "a.csv", "who,line\nAda,Well, no; not now.\nTobi,Yes,,\n(a door)\n")
    assert said(made) == [("", "Ada", "Well, no; not now."), ("", "Tobi", "Yes"), ("", "Narrator", "(a door)")]
    assert said(read(tmp_path, "a.csv", "line\nHello, you.\nYes, no, well.\n")) == [
        ("", "Narrator", "Hello, you."),
        ("", "Narrator", "Yes, no, well."),
    ]


def test_columns_that_are_left_out_are_told(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("no,who,line,,\n1,Ada,Yes,,\n2,Tobi,No,,\n")
    assert read_manuscript(path).notices == ("Left out: 1 column beside the names and the lines.",)


def test_foreign_names_become_names(tmp_path: Path) -> None:
    made = read(tmp_path, "a.csv", "speaker,line\nMIRA:,Hello.\nMIRA,Go.\n# Dr. <X>,No.\n<>,Why?\n")
    assert [line.character for line in made.lines()] == ["MIRA", "MIRA", "Dr. X", "Narrator"]
    assert [character.name for character in made.cast] == ["MIRA", "Dr. X", "Narrator"]
    assert said(read(tmp_path, "a.vtt", VTT.replace("Tom", "Tom: the boy"))) == [("", "Tom the boy", "Me again.")]


def cue(*texts: str) -> str:
    return "".join(f"{n}\n00:00:{n:02d},000 --> 00:00:{n:02d},500\n{text}\n\n" for n, text in enumerate(texts, 1))


@pytest.mark.parametrize(
    ("texts", "expected"),
    [
        (
            ["I'll say it once: get out.", "Now.", "Remember: never go.", "Remember: never."],
            [
                ("Narrator", "I'll say it once: get out."),
                ("Narrator", "Now."),
                ("Narrator", "Remember: never go."),
                ("Narrator", "Remember: never."),
            ],
        ),
        (["Mira: Who?", "Me.", "Mira: Oh."], [("Mira", "Who?"), ("Mira", "Me."), ("Mira", "Oh.")]),
        (["Mira: Who?", "Nobody."], [("Narrator", "Mira: Who?"), ("Narrator", "Nobody.")]),
        (["Mira: Who?", "Tom: Me."], [("Mira", "Who?"), ("Tom", "Me.")]),
        (["TAKE CARE: IT BURNS.", "RUN!"], [("Narrator", "TAKE CARE: IT BURNS."), ("Narrator", "RUN!")]),
        (["TOM: HI.", "TOM: RUN!"], [("TOM", "HI."), ("TOM", "RUN!")]),
        (["Mira: Who?", "MIRA: Me."], [("Mira", "Who?"), ("Mira", "Me.")]),
        (["MIRA：Who?", "At 10:30, then."], [("MIRA", "Who?"), ("MIRA", "At 10:30, then.")]),
    ],
)
def test_words_before_a_colon_are_a_name_where_prose_has_them_so(
    tmp_path: Path, texts: list[str], expected: list[tuple[str, str]]
) -> None:
    assert [(name, text) for _, name, text in said(read(tmp_path, "a.srt", cue(*texts)))] == expected


def test_a_name_that_a_voice_tag_tells_is_known(tmp_path: Path) -> None:
    text = VTT + "\n00:03.000 --> 00:04.000\nAda: No.\n\n00:05.000 --> 00:06.000\nTom: Yes.\n"
    assert said(read(tmp_path, "a.vtt", text))[1:] == [("", "Tom", "Ada: No."), ("", "Tom", "Yes.")]


def word(document: Documented) -> bytes:
    held = io.BytesIO()
    document.save(held)
    return held.getvalue()


def add_table(document: Documented, *rows: tuple[str, ...]) -> None:
    table = document.add_table(len(rows), len(rows[0]))
    for row, texts in zip(table.rows, rows, strict=True):
        for cell, text in zip(row.cells, texts, strict=True):
            cell.text = text


def test_word_documents(tmp_path: Path) -> None:
    document = Document()
    document.add_heading("The pier", 1)
    for text in ("MIRA: Who is there?", "TOM: Me.", "MIRA: Say it again."):
        document.add_paragraph(text)
    assert said(read(tmp_path, "a.docx", word(document)))[:2] == [
        ("The pier", "MIRA", "Who is there?"),
        ("The pier", "TOM", "Me."),
    ]


def test_tables_in_word_documents(tmp_path: Path) -> None:
    document = Document()
    document.add_heading("The pier", 1)
    document.add_paragraph("It is late.")
    document.add_paragraph("Mira: Who?")
    add_table(document, ("MIRA:", "Hello.\nTom?"), ("A door opens.", "Slowly."), ("", "More."))
    document.add_paragraph("It rains.")
    assert [(name, text) for _, name, text in said(read(tmp_path, "a.docx", word(document)))] == [
        ("Narrator", "It is late."),
        ("Mira", "Who?"),
        ("Mira", "Hello. Tom?"),
        ("Narrator", "A door opens."),
        ("Narrator", "Slowly."),
        ("Narrator", "More."),
        ("Narrator", "It rains."),
    ]


def test_a_table_alone_in_a_word_document(tmp_path: Path) -> None:
    document = Document()
    add_table(document, ("Mira", "Who?"), ("Tom", "Me."))
    assert said(read(tmp_path, "a.docx", word(document))) == [("", "Mira", "Who?"), ("", "Tom", "Me.")]
    document = Document()
    add_table(document, ("No", "Character", "Line"), ("1", "The Old Man of the Sea", "Who?"), ("2", "Tom", "Me."))
    assert said(read(tmp_path, "a.docx", word(document))) == [
        ("", "The Old Man of the Sea", "Who?"),
        ("", "Tom", "Me."),
    ]
    document = Document()
    add_table(document, ("Remember", "never go."), ("One", "way."))
    document.tables[0].cell(0, 0).merge(document.tables[0].cell(1, 0))
    assert [text for _, _, text in said(read(tmp_path, "a.docx", word(document)))] == [
        "Remember One",
        "never go.",
        "way.",
    ]


def test_revisions_controls_and_boxes_in_word_documents(tmp_path: Path) -> None:
    inside = """<w:sdt><w:sdtContent><w:p><w:r><w:t>In a control.</w:t></w:r></w:p></w:sdtContent></w:sdt>
      <w:p><w:pPr><w:tabs><w:tab/></w:tabs></w:pPr><w:r><w:t xml:space="preserve">We </w:t></w:r>
      <w:ins><w:r><w:t>do</w:t></w:r></w:ins><w:del><w:r><w:delText>did</w:delText></w:r></w:del>
      <w:moveFrom><w:r><w:t>not</w:t></w:r></w:moveFrom><w:r><w:br/><w:t>go</w:t><w:noBreakHyphen/><w:t>on.</w:t></w:r>
      <w:r><w:pict><w:txbxContent><w:p><w:r><w:t>In a box.</w:t></w:r></w:p></w:txbxContent></w:pict></w:r></w:p>"""
    document = Document()
    space = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
    for number, element in enumerate(parse_xml(f'<w:x xmlns:w="{space}">{inside}</w:x>')):
        document.element.body.insert(number, element)
    assert [text for _, _, text in said(read(tmp_path, "a.docx", word(document)))] == [
        "In a control.",
        "We do go-on.",
        "In a box.",
    ]


@pytest.mark.parametrize("suffix", [".docx", ".epub"])
def test_a_damaged_archive_is_told_so(tmp_path: Path, suffix: str) -> None:
    chapter = b"<body><p>" + b"".join(b"It was late, said number %d. " % n for n in range(200)) + b"</p></body>"
    whole = bytearray(word(Document()) if suffix == ".docx" else book(OPS__one_html=chapter, OPS__two_html=b""))
    found = zipfile.ZipFile(io.BytesIO(whole)).getinfo("word/document.xml" if suffix == ".docx" else "OPS/one.html")
    directory = whole.rindex(found.filename.encode()) - 46  # where the archive lists it: flags at 8, the method at 10
    data = found.header_offset + 30 + len(found.filename)
    for place, value in (
        (directory + 8, 1),
        (directory + 10, 12),
        (directory + 10, 14),
        (directory + 10, 99),
        (data, 7),
    ):
        damaged = whole.copy()
        damaged[place] = value
        assert "damaged" in refused(tmp_path, f"a{suffix}", bytes(damaged))
    for place in range(data, data + found.compress_size, 7):
        damaged = whole.copy()
        damaged[place] ^= 0x55
        assert "damaged" in refused(tmp_path, f"a{suffix}", bytes(damaged))


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


def book(**chapters: bytes) -> bytes:
    """An archive of a book whose two chapters are one.html and two.html."""
    package = b"""<package xmlns="http://www.idpf.org/2007/opf"><metadata>
      <title xmlns="http://purl.org/dc/elements/1.1/">The Pier</title></metadata>
      <manifest><item id="b" href="two.html"/><item id="a" href="one.html"/></manifest>
      <spine><itemref idref="a"/><itemref idref="b"/></spine></package>"""
    container = b'<container><rootfiles><rootfile full-path="OPS/p.xml"/></rootfiles></container>'
    return archive(**{"META-INF__container_xml": container, "OPS__p_xml": package}, **chapters)


def test_books(tmp_path: Path) -> None:
    data = book(
        OPS__one_html=b"<head><title>x</title></head><body><h1>One</h1><p>It was <i>late</i>.</p></body>",
        OPS__two_html=b"<body><h2>Two</h2><p>Nobody&nbsp;came.<script>alert(1)</script></p></body>",
    )
    made = read(tmp_path, "a.epub", data)
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


def test_a_quote_sign_that_is_never_closed_takes_no_other_row_with_it(tmp_path: Path) -> None:
    made = read(tmp_path, "a.csv", 'who,line\nAda,"Well, no."\nTobi,"So be it.\nAda,"Hm, ""yes""."\nTobi,Good.\n')
    assert said(made) == [
        ("", "Ada", "Well, no."),
        ("", "Tobi", '"So be it.'),
        ("", "Ada", 'Hm, "yes".'),
        ("", "Tobi", "Good."),
    ]
    assert said(read(tmp_path, "a.csv", 'Ada,One.\nTobi,"Two')) == [("", "Ada", "One."), ("", "Tobi", '"Two')]

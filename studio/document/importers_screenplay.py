"""Screenplays: Fountain, and the XML of Final Draft."""

from __future__ import annotations

import re
from xml.etree.ElementTree import Element, ParseError

from defusedxml import DefusedXmlException
from defusedxml.ElementTree import fromstring
from screenplay_tools.fountain.parser import Parser
from screenplay_tools.screenplay import Action as SeenAction
from screenplay_tools.screenplay import Character, Dialogue, Lyric, Parenthetical, SceneHeading, Section, Transition

from studio.document.importers_limits import ImportFailedError
from studio.document.manuscript import Action, Heading, Manuscript, Row, Speech

# Boneyards and notes; the parser leaves bits of them.
_STRUCK_OUT = re.compile(r"/\*.*?\*/|\[\[(?:(?!\n\s*\n|\]\]).)*\]\]", re.S)
_EMPHASIS = re.compile(r"(?<![\w*_\\])(\*{1,3}|_)(?=\S)([^*_\n]+?)(?<=\S)\1(?![\w*_])")
_EXTENSION = re.compile(r"\s*\([^()]*\)\s*")
_SPEECH_TYPES = {"Dialogue", "Lyrics", "Singing"}


def without_emphasis(text: str) -> str:
    """Text without the stars and lines of Markdown and Fountain around words."""
    before = None
    while before != text:
        before, text = text, _EMPHASIS.sub(r"\2", text)
    return text


def fountain(text: str, title: str) -> Manuscript:
    """Scene headings, characters with what they say, parentheticals; notes and boneyards are left out."""
    parser = Parser()
    parser.add_text(_STRUCK_OUT.sub("", text.replace("\r\n", "\n").replace("\r", "\n")))
    parser.finalize()
    made = _Screenplay()
    for element in parser.script.elements:
        said = without_emphasis(element.text or "").strip()
        match element:
            case SceneHeading():
                made.heading(said)
            case Section():
                made.heading(said)
            case Character():
                made.character(element.name)
            case Parenthetical():
                made.remark(said)
            case Dialogue() | Lyric():
                made.dialogue(said)
            case SeenAction():
                made.action(said)
            case Transition():
                made.left_out += 1
    named = next((each.text for each in parser.script.titleEntries if each.key.casefold() == "title"), "")
    return made.manuscript(without_emphasis(named).strip() or title)


def fdx(text: str, title: str) -> Manuscript:
    """The paragraphs of a Final Draft file. ImportFailedError where it is no such file."""
    try:
        root = fromstring(text.encode())
    except (ParseError, DefusedXmlException, ValueError) as error:
        raise ImportFailedError("This is no file of Final Draft's, or it is damaged.") from error
    content = root.find("Content")
    if root.tag != "FinalDraft" or content is None:
        raise ImportFailedError("This is no file of Final Draft's.")
    made = _Screenplay()
    for paragraph in content.iter("Paragraph"):
        said = _text_of(paragraph)
        match paragraph.get("Type", "Action"):
            case "Scene Heading" | "Shot":
                made.heading(said)
            case "Character":
                made.character(said)
            case "Parenthetical":
                made.remark(said)
            case kind if kind in _SPEECH_TYPES:
                made.dialogue(said)
            case "Action" | "General":
                made.action(said)
            case _:
                made.left_out += 1
    return made.manuscript(title)


def _text_of(paragraph: Element) -> str:
    return "".join("".join(text.itertext()) for text in paragraph.findall("Text")).strip()


class _Screenplay:
    """Gathers a speech until the next one begins."""

    def __init__(self) -> None:
        self.rows: list[Row] = []
        self.left_out = 0
        self._name = ""
        self._text = ""
        self._remarks: list[tuple[int, str]] = []

    def heading(self, text: str) -> None:
        self._end()
        if text:
            self.rows.append(Heading(text))

    def character(self, name: str) -> None:
        self._end()
        self._name = _EXTENSION.sub(" ", name).strip().strip("^@")

    def remark(self, text: str) -> None:
        if words := text.strip().strip("()").strip():
            self._remarks.append((len(self._text), words))

    def dialogue(self, text: str) -> None:
        text = " ".join(text.split())
        self._text += (" " if self._text and text else "") + text

    def action(self, text: str) -> None:
        self._end()
        if text:
            self.rows.append(Action(text))

    def _end(self) -> None:
        if self._text:
            self.rows.append(Speech(self._name, self._text, tuple(self._remarks)))
        self._name, self._text, self._remarks = "", "", []

    def manuscript(self, title: str) -> Manuscript:
        self._end()
        notices = (f"{self.left_out} transitions and the like were left out.",) if self.left_out else ()
        return Manuscript(title, tuple(self.rows), notices)

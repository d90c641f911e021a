"""Numbers in English words: what is offered where digits stand in a line."""

from __future__ import annotations

import re

from num2words import num2words

_TIME = re.compile(r"(\d{1,2}):([0-5]\d)(?:\s?([ap])m)?")
_HOUR = re.compile(r"(\d{1,2})\s?([ap])m")
_ORDINAL = re.compile(r"(\d{1,6})(?:st|nd|rd|th)")
_YEAR = re.compile(r"(?:1[1-9]|20)\d\d")
_PLAIN = re.compile(r"(?P<sign>[$€£]?)(?P<number>\d{1,3}(?:,\d{3}){1,3}|\d{1,9})(?:\.(?P<rest>\d{1,6}))?(?P<share>%?)")
_MONEY = {"$": ("dollar", "cent"), "€": ("euro", "cent"), "£": ("pound", "penny")}


def spelled(number: str) -> str:
    """A number, time, year, sum or share in words; "" where it is none of them."""
    if found := _TIME.fullmatch(number):
        return _time(*found.groups())
    if found := _HOUR.fullmatch(number):
        return f"{num2words(int(found[1]))} {found[2]} m"
    if found := _ORDINAL.fullmatch(number):
        return str(num2words(int(found[1]), to="ordinal"))
    if _YEAR.fullmatch(number):
        return str(num2words(int(number), to="year"))
    if found := _PLAIN.fullmatch(number):
        return _plain(found["sign"], found["number"].replace(",", ""), found["rest"], bool(found["share"]))
    return ""


def _time(hour: str, minute: str, half: str | None) -> str:
    if int(hour) > 24:
        return ""
    minutes = "" if minute == "00" else f"oh {num2words(int(minute))}" if minute[0] == "0" else num2words(int(minute))
    said = f"{num2words(int(hour))} {minutes or ('' if half else 'o’clock')}".strip()
    return f"{said} {half} m" if half else said


def _plain(sign: str, number: str, rest: str | None, share: bool) -> str:
    whole = str(num2words(int(number)))
    if sign:
        one, small = _MONEY[sign]
        said = f"{whole} {one}{'' if int(number) == 1 else 's'}"
        cents = int((rest or "0").ljust(2, "0")[:2])
        few = "pence" if small == "penny" and cents != 1 else small + ("" if cents == 1 else "s")
        return f"{said} and {num2words(cents)} {few}" if cents else said
    if rest:
        whole += " point " + " ".join(str(num2words(int(digit))) for digit in rest)
    return f"{whole} percent" if share else whole

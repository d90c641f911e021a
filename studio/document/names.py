"""What a character may be called."""

from __future__ import annotations

from engine.text import clean

_SIGNS = str.maketrans(dict.fromkeys(":：<>|"))
_STARTS = "#+\\"


def may_be_called(name: str) -> bool:
    """Can a script name a character so, before a colon at the beginning of a row?"""
    if not name or name != name.strip() or name[0] in _STARTS:
        return False
    return name == name.translate(_SIGNS) and "\n" not in name and "\r" not in name


def legal_name(written: str) -> str:
    """What a foreign file calls somebody, as a script can name them; "" where nothing is left of it."""
    bare = " ".join(clean(written).translate(_SIGNS).split())
    return bare.lstrip(_STARTS + " ")

"""The flat part of YAML that `map_server` files are written in, and no more.

``key: value`` a line; the value plain, in quotes, or a list of such, in brackets or by
dashes; comments; a leading ``---``. Anchors, tags, tables and blocks of text are refused:
what is not understood is never guessed at.
"""

from __future__ import annotations

import re
from typing import Final

from ..errors import SceneError

Value = str | list[str]

_KEY: Final = re.compile(r"([A-Za-z_][A-Za-z0-9_]*)[ \t]*:(?:[ \t]+(.*))?")
_DASH: Final = re.compile(r"[ \t]*-[ \t]+(.*)")
_ESCAPES: Final = {"\\": "\\", '"': '"', "/": "/", "t": "\t", " ": " "}
_SPECIAL: Final = "&*!|>%@`{}[],?-"
_LIST_LINES: Final = 16


def read_flat_yaml(text: str, file: str) -> dict[str, Value]:
    """Return the keys of a flat YAML text and their values, all as text.

    Raises
    ------
    SceneError
        For what is not flat YAML, and for a key given twice; the line is named.
    """
    lines = text.removeprefix("\ufeff").splitlines()
    values: dict[str, Value] = {}
    i = 0
    while i < len(lines):
        line, number = lines[i], i + 1
        i += 1
        if _is_blank(line) or line.rstrip() in ("---", "..."):
            continue
        where = f"{file}: line {number}"
        match = _KEY.fullmatch(line)
        if match is None:
            raise SceneError(f"{where}: {line[:60]!r}: must be `key: value`")
        key, rest = match[1], match[2] or ""
        if key in values:
            raise SceneError(f"{where}: {key}: given twice")
        if _is_blank(rest):
            values[key], i = _dashed(lines, i, where, key)
        elif rest.lstrip().startswith("["):
            values[key], i = _bracketed(lines, i, rest, where, key)
        else:
            item, end = _scalar(rest, 0, "", where, key)
            _refuse_more(rest[end:], where, key)
            values[key] = item
    return values


def _is_blank(text: str) -> bool:
    return not text.strip() or text.lstrip().startswith("#")


def _refuse_more(rest: str, where: str, key: str) -> None:
    if not _is_blank(rest) or rest.startswith("#"):
        raise SceneError(f"{where}: {key}: {rest.strip()[:60]!r} follows the value")


def _dashed(lines: list[str], i: int, where: str, key: str) -> tuple[list[str], int]:
    """Return the items of the lines ``- item`` from line `i` on, and the line after them."""
    items: list[str] = []
    while i < len(lines):
        match = _DASH.fullmatch(lines[i])
        if match is None and not _is_blank(lines[i]):
            break
        if match is not None:
            item, end = _scalar(match[1], 0, "", where, key)
            _refuse_more(match[1][end:], where, key)
            items.append(item)
        i += 1
    if not items:
        raise SceneError(f"{where}: {key}: has no value")
    return items, i


def _bracketed(lines: list[str], i: int, text: str, where: str, key: str) -> tuple[list[str], int]:
    """Return the items of a list in brackets, which may go on over a few lines."""
    first = i
    while (found := _items(text, where, key)) is None:
        if i == len(lines) or i - first == _LIST_LINES:
            raise SceneError(f"{where}: {key}: the list has no end")
        text = f"{text}\n{lines[i]}"
        i += 1
    items, end = found
    _refuse_more(text[end:], where, key)
    return items, i


def _items(text: str, where: str, key: str) -> tuple[list[str], int] | None:
    """Return a list's items and where it ends; None where the text ends before the list."""
    items: list[str] = []
    at = _skip(text, text.index("[") + 1)
    while at < len(text) and text[at] != "]":
        item, at = _scalar(text, at, ",]", where, key)
        items.append(item)
        at = _skip(text, at)
        if at < len(text) and text[at] == ",":
            at = _skip(text, at + 1)
        elif at < len(text) and text[at] != "]":
            raise SceneError(f"{where}: {key}: a list's items must be parted by commas")
    return None if at >= len(text) else (items, at + 1)


def _skip(text: str, at: int) -> int:
    """Step over white space and comments."""
    while at < len(text) and (text[at].isspace() or text[at] == "#"):
        if text[at] == "#":
            at = text.find("\n", at)
            if at < 0:
                return len(text)
        at += 1
    return at


def _scalar(text: str, at: int, stops: str, where: str, key: str) -> tuple[str, int]:
    """Return the value at a place, and the place after it."""
    at = _skip(text, at)
    if text[at : at + 1] in ('"', "'"):
        return _quoted(text, at, where, key)
    end = at
    while end < len(text) and text[end] not in stops and text[end] != "\n":
        if text[end] == "#" and text[end - 1].isspace():
            break
        end += 1
    item = text[at:end].strip()
    is_number = item[:1] == "-" and item[1:2] in tuple("0123456789.")
    if not item or (item[0] in _SPECIAL and not is_number) or ": " in item:
        raise SceneError(f"{where}: {key}: {item[:60]!r}: must be a plain or quoted value")
    return item, end


def _quoted(text: str, at: int, where: str, key: str) -> tuple[str, int]:
    quote, parts = text[at], []
    at += 1
    while at < len(text):
        sign = text[at]
        if sign == quote == "'" and text[at + 1 : at + 2] == "'":
            parts.append("'")
            at += 2
        elif sign == quote:
            return "".join(parts), at + 1
        elif sign == "\\" and quote == '"':
            if text[at + 1 : at + 2] not in _ESCAPES:
                raise SceneError(f"{where}: {key}: unknown escape {text[at : at + 2]!r}")
            parts.append(_ESCAPES[text[at + 1]])
            at += 2
        else:
            parts.append(sign)
            at += 1
    raise SceneError(f"{where}: {key}: the quotes are not closed")

"""The flat part of YAML: understood as YAML has it, or refused by line."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kinewright_env.errors import SceneError
from kinewright_env.importers.flat_yaml import read_flat_yaml


def test_yaml_comments_quotes_lists_and_marks_are_understood() -> None:
    text = """\ufeff---
# a map
image: 'it''s a "map".pgm'   # quoted
path: "a\\\\b\\t#c"
origin:   # by dashes
  - -1.5
  # between
- 2
-  "3" # third
list: [ 1,   # one
  '2, 2', "3]",
  4 ]
plain: a#b c
...
"""
    assert read_flat_yaml(text, "x") == {
        "image": 'it\'s a "map".pgm',
        "path": "a\\b\t#c",
        "origin": ["-1.5", "2", "3"],
        "list": ["1", "2, 2", "3]", "4"],
        "plain": "a#b c",
    }


BAD = {
    "a: given twice": "a: 1",
    "'{a: 1}': must be `key: value`": "{a: 1}",
    "mode: '{a: 1}': must be a plain or quoted value": "mode: {a: 1}",
    "mode: '!!python/object:x'": "mode: !!python/object:x",
    "mode: '*anchor'": "mode: *anchor",
    "mode: '|'": "mode: |\n  trinary",
    "mode: 'a: b'": "mode: a: b",
    "mode: the quotes are not closed": 'mode: "trinary',
    "mode: unknown escape": 'mode: "\\x41"',
    "mode: has no value": "mode:",
    "'  mode: raw': must be `key: value`": "  mode: raw",
    "mode: the list has no end": "mode: [a,\n" + "b,\n" * 50,
    "mode: a list's items must be parted": "mode: ['a' 'b']",
    "mode: '': must be": "mode: [a,, b]",
    "mode: '[b': must be": "mode: [a, [b]]",
    "mode: 'b' follows the value": "mode: 'a' b",
    "mode: 'b' follows the": "mode: [a] b",
}


@pytest.mark.parametrize("reason", BAD)
def test_what_is_not_flat_yaml_is_refused_by_its_line(reason: str) -> None:
    with pytest.raises(SceneError) as caught:
        read_flat_yaml(f"a: 1\n{BAD[reason]}\n", "x.yaml")
    assert str(caught.value).startswith(f"x.yaml: line 2: {reason}")


@settings(max_examples=200, derandomize=True, deadline=None)
@given(st.text(st.sampled_from("ab:[],#'\"\\ \n-{}&"), max_size=40))
def test_any_text_is_read_or_refused(text: str) -> None:
    try:
        values = read_flat_yaml(text, "x.yaml")
    except SceneError:
        return
    assert all(isinstance(value, str | list) for value in values.values())

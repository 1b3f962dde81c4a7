"""Objects of a stream: of arrays within an object one at a time, wherever the stream is cut into pieces."""

from __future__ import annotations

import json
import tracemalloc

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sim.logs.formats import json_items
from sim.logs.formats.json_items import items
from sim.logs.source import Upload, members
from sim.model.fields import BadInput

TEXTS = st.text(st.sampled_from('abAB {}[],:"\\\n'), max_size=8)
SCALARS = st.none() | st.booleans() | st.integers(-9, 10**12) | st.floats(-1e9, 1e9) | TEXTS
FLAT = st.dictionaries(st.sampled_from("pqr"), st.integers(0, 9))
ELEMENTS = st.dictionaries(st.sampled_from("uvw"), SCALARS | FLAT | st.lists(SCALARS, max_size=3), max_size=3)
BESIDE = st.dictionaries(st.sampled_from(["kind", "metadata", "x"]), SCALARS | FLAT | ELEMENTS, max_size=3)


def listed(before, items, after):
    return {**before, "items": items, **{f"{name}2": value for name, value in after.items()}}


LISTS = st.builds(listed, BESIDE, st.lists(ELEMENTS, max_size=4), BESIDE)


def read(data, *arrays):
    (member,) = members([Upload("x.json", data)])
    return [value for _, value in items(member, *arrays)], member.truncated


@settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    found=st.lists(LISTS, min_size=1, max_size=3),
    indent=st.sampled_from([None, 1]),
    between=st.sampled_from(["", "\n", ",\n", "\x01\n"]),
    step=st.sampled_from([1, 7, 100, 2**16]),
)
def test_elements_of_arrays_are_yielded_as_another_reader_has_them(monkeypatch, found, indent, between, step):
    monkeypatch.setattr(json_items, "_CHUNK", step)
    text = between.join(json.dumps(one, indent=indent) for one in found)
    assert read(text.encode(), "items") == ([value for one in found for value in one["items"]], False)


@settings(max_examples=60, deadline=None)
@given(found=LISTS, data=st.data())
def test_a_list_that_is_cut_off_is_marked_so(found, data):
    text = json.dumps(found)
    begun = text[: data.draw(st.integers(1, len(text) - 1))]
    try:
        values, truncated = read(begun.encode(), "items")
    except BadInput:
        return
    assert truncated
    assert values == found["items"][: len(values)]


def test_without_names_of_arrays_an_object_is_one():
    one = {"items": [{"a": 1}], "kind": "List"}
    assert read(json.dumps(one).encode()) == ([one], False)
    assert read(json.dumps(one).encode(), "entities", "archive") == ([one], False)


def test_what_stands_beside_an_array_is_passed_over_even_if_it_is_called_so():
    one = {"about": {"items": {"c": [2]}}, "items": [{"a": 1}, 3]}
    assert read(json.dumps([one, {"items": 7}]).encode(), "items") == ([{"a": 1}, 3, {"items": 7}], False)


@pytest.mark.parametrize("data", [b"[3]", b'{"a": 1} x', b'{"items": [] 7}'])
def test_what_is_no_object_is_refused_by_line(data):
    with pytest.raises(BadInput, match=r"x\.json, line 1: .* stands where . is needed"):
        read(data, "items")


@pytest.mark.parametrize("keys", [(), ("items",)])
def test_an_object_is_refused_from_a_length_on_however_small_its_values_are(monkeypatch, keys):
    text = json.dumps([{"a": 1}, {f"key {number}": "x" * 100 for number in range(100)}]).encode()
    monkeypatch.setattr(json_items, "_CHUNK", 1000)
    assert len(read(text, *keys)[0]) == 2
    monkeypatch.setattr(json_items, "LONGEST_LINE", 2000)
    with pytest.raises(BadInput, match=r"x\.json, line 1: an object of more than 4,000 characters"):
        read(text, *keys)


def test_a_long_text_needs_little_memory():
    text = json.dumps({"archive": [{"path": "/", "json": json.dumps(["a"] * 100_000)}]}).encode()
    read(text[:1000] + b'"}]}', "archive")  # what is made once is made
    tracemalloc.start()
    try:
        values, _ = read(text, "archive")
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert len(values[0]["json"]) == 500_000
    assert peak < 20 * len(text)  # a pattern that can go back keeps hundreds of bytes for each quote

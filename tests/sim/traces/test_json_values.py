"""Objects of a stream: of arrays within an object one at a time, wherever the stream is cut into pieces."""

from __future__ import annotations

import json
import tracemalloc

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sim.fields import BadInput
from sim.traces.formats import json_values
from sim.traces.formats.json_values import objects
from sim.traces.source import Upload, members

TEXTS = st.text(st.sampled_from('abAB {}[],:"\\\n'), max_size=8)
SCALARS = st.none() | st.booleans() | st.integers(-9, 10**12) | st.floats(-1e9, 1e9) | TEXTS
FLAT = st.dictionaries(st.sampled_from("pqr"), st.integers(0, 9))
ELEMENTS = st.dictionaries(st.sampled_from("uvw"), SCALARS | FLAT | st.lists(SCALARS, max_size=3), max_size=3)
BESIDE = st.dictionaries(st.sampled_from(["kind", "metadata", "x"]), SCALARS | FLAT, max_size=3)


def listed(before, items, after):
    return {**before, "items": items, **{f"{name}2": value for name, value in after.items()}}


LISTS = st.builds(listed, BESIDE, st.lists(ELEMENTS, max_size=4), BESIDE)


def read(data, *arrays):
    (member,) = members([Upload("x.json", data)])
    return [value for _, value in objects(member, *arrays)], member.truncated


@settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    found=st.lists(LISTS, min_size=1, max_size=3),
    indent=st.sampled_from([None, 1]),
    between=st.sampled_from(["", "\n", ",\n", "\x01\n"]),
    step=st.sampled_from([1, 7, 100, 2**16]),
)
def test_elements_of_arrays_are_yielded_as_another_reader_has_them(monkeypatch, found, indent, between, step):
    monkeypatch.setattr(json_values, "_CHUNK", step)
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


def test_an_object_with_others_in_it_beside_an_array_is_yielded_too():
    one = {"items": [{"a": 1}], "about": {"b": {"c": 2}}}
    assert read(json.dumps(one).encode(), "items") == ([{"a": 1}, {"b": {"c": 2}}], False)


def test_what_is_no_object_in_an_array_is_refused():
    with pytest.raises(BadInput, match=r"x\.json, line 1: .3\]\}. is no JSON object"):
        read(b'{"items": [3]}', "items")


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

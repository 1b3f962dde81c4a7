"""A session's values that are looked up are those that Streamlit would have copied."""

from __future__ import annotations

import pytest
from streamlit.runtime.state.safe_session_state import SafeSessionState
from streamlit.testing.v1 import AppTest

from pages.server.held import Held, values_are_looked_up

COPIED = SafeSessionState.filtered_state


def page() -> None:
    import streamlit as st

    st.session_state.setdefault("own", 3)
    st.session_state.setdefault("nothing", None)
    st.slider("a", 0, 10, key="moved")
    st.slider("without a name", 0, 10)
    st.selectbox("b", ["x", "y"], key="nothing")
    st.radio("c", [1, 2], key="chosen", index=1)
    st.session_state.seen = [
        (key, st.session_state[key]) for key in sorted(st.session_state) if key != "seen"
    ]


@pytest.fixture(params=[COPIED, property(Held)], ids=["copied", "looked up"])
def shown(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> AppTest:
    monkeypatch.setattr(SafeSessionState, "filtered_state", request.param)
    screen = AppTest.from_function(page).run()
    screen.slider(key="moved").set_value(7)
    return screen.run()


def test_pages_see_the_same_values(shown: AppTest) -> None:
    assert not shown.exception
    assert shown.session_state["seen"] == [("chosen", 2), ("moved", 7), ("nothing", None), ("own", 3)]
    assert shown.selectbox(key="nothing").value is None


def test_each_value_is_the_copied_one_and_no_other_is_there(shown: AppTest) -> None:
    safe = shown.session_state._state  # type: ignore[attr-defined]
    copied, looked_up = COPIED.fget(safe), Held(safe)  # type: ignore[attr-defined]
    assert dict(looked_up) == copied
    assert len(looked_up) == len(copied) > 4
    ids = [key for key in safe._state._keys() if key not in copied]
    assert ids
    assert not any(key in looked_up for key in [*ids, "another"])


def test_the_app_asks_for_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(SafeSessionState, "filtered_state", COPIED)
    values_are_looked_up()
    assert isinstance(SafeSessionState.filtered_state.fget(None), Held)  # type: ignore[attr-defined]

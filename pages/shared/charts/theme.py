"""What a figure must know of the theme and is not told by Streamlit.

It gives Plotly a grey of contrast 3.7:1 on white for axes and notes, too pale for small print: a figure
takes its `ink` from the palette of this theme.
"""

from __future__ import annotations

import streamlit as st


def is_dark() -> bool:
    """Tell whether this visitor sees the dark theme."""
    return st.context.theme.type == "dark"

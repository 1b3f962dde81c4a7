"""The least that a page of four charts and a slider costs: served beside ours by `tests.benchmarks.ratio`."""

from __future__ import annotations

import numpy as np
import plotly.graph_objects as go
import streamlit as st

st.set_page_config(layout="wide")
load = st.sidebar.slider("How busy the cluster is: load ρ₀", 0.05, 1.5, 0.6, 0.05)
x = np.linspace(0, 10, 200)
for number, column in enumerate([*st.columns(2), *st.columns(2)], start=1):
    column.plotly_chart(go.Figure(go.Scatter(x=x, y=np.sin(number * load * x))), key=str(number))

"""Your logs: what a visitor has dropped, or a sample, as the tab of the address shows it."""

from __future__ import annotations

from importlib import import_module

import streamlit as st

from pages.frame.menu import now
from pages.logs.controls import SECOND, has_files, open_fitting
from pages.shared.controls import file_in_link
from pages.shared.words.foreign import show_error
from sim.model.fields import BadInput

here = now()
panel = import_module(f"{here.package}.controls").PANEL
values = panel.values()
needed = [name for name in (file_in_link.NAME, SECOND) if values.get(name)]
try:
    open_fitting(here.name, values[needed[0]] if needed else "")
    import_module(f"{here.package}.layout").show(values)
except BadInput as error:
    show_error(str(error))
    panel.write(values)
    if needed and not has_files():
        file_in_link.offer_without(here.name, needed[0])
    st.stop()

"""A cluster to watch in the setting of a lesson."""

from __future__ import annotations

from itertools import islice

import streamlit as st

from pages.animation.show import few_jobs, show_runs
from pages.learn.question import Asked


def show_plain_run(asked: Asked) -> None:
    """Show the plain run, which gives nothing away."""
    _show(asked, asked.lesson.variation.default, 1)


def show_all_runs(asked: Asked, varied: object) -> None:
    """Show all runs, the plain one above."""
    _show(asked, varied, None)


def _show(asked: Asked, varied: object, most: int | None) -> None:
    watch = asked.lesson.watch
    runs = dict(islice(watch.runs(varied).items(), most))
    st.markdown(f"**Watch it.** {watch.told}")
    show_runs(runs, few_jobs(runs), st.container())

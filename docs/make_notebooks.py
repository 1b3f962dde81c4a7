"""Makes the notebooks: ``python -m docs.make_notebooks`` runs the documents in notebooks/.

A document is the source: its text and its code are the cells. A code host shows the notebook with its tables.
"""

from __future__ import annotations

import ast
import contextlib
import io
import json
import re
from pathlib import Path
from typing import Any

import pandas as pd
from plotly.graph_objects import Figure

FOLDER = Path(__file__).resolve().parent / "notebooks"
CODE = re.compile(r"^```python\n(.*?)^```\n", re.MULTILINE | re.DOTALL)
#: The line that leads from a document to its notebook.
TO_NOTEBOOK = re.compile(r"^\*As an executed notebook: .*\*\n\n", re.MULTILINE)

#: Options of pandas, so that tables are whole.
WHOLE = ("display.width", 200, "display.max_columns", 20, "display.max_colwidth", 200)

#: What a chart is, and what stands for it where none can be drawn.
PLOTLY, CHART = "application/vnd.plotly.v1+json", "A chart: open this notebook in Jupyter to see it."


def sources() -> list[Path]:
    """Return the documents that are notebooks, too."""
    return sorted(FOLDER.glob("*.md"))


def executed(text: str) -> dict[str, Any]:
    """Return a document as a notebook, its code run in order."""
    names: dict[str, Any] = {}
    cells: list[dict[str, Any]] = []
    for place, part in enumerate(CODE.split(TO_NOTEBOOK.sub("", text))):
        cell = {"id": f"cell-{place}", "metadata": {}, "source": _lines(part.strip())}
        if place % 2 == 0:
            cells += [cell | {"cell_type": "markdown"}] if part.strip() else []
            continue
        count = (place + 1) // 2
        cells.append(
            cell | {"cell_type": "code", "execution_count": count, "outputs": _run(part, names, count)}
        )
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    return {"cells": cells, "metadata": {"kernelspec": kernel}, "nbformat": 4, "nbformat_minor": 5}


def _run(code: str, names: dict[str, Any], count: int) -> list[dict[str, Any]]:
    """Run a cell; return what it prints, and the value of its last line."""
    tree = ast.parse(code)
    last = tree.body.pop() if isinstance(tree.body[-1], ast.Expr) else None
    value = None
    with contextlib.redirect_stdout(io.StringIO()) as printed:
        exec(compile(tree, "<cell>", "exec"), names)
        if isinstance(last, ast.Expr):
            value = eval(compile(ast.Expression(last.value), "<cell>", "eval"), names)
    outputs: list[dict[str, Any]] = []
    if text := printed.getvalue():
        outputs.append({"output_type": "stream", "name": "stdout", "text": _lines(text)})
    if value is not None:
        result = {"output_type": "execute_result", "execution_count": count, "data": _shown(value)}
        outputs.append(result | {"metadata": {}})
    return outputs


def _shown(value: Any) -> dict[str, Any]:
    """Return a value as a notebook shows it: a chart is drawn where the notebook is opened."""
    if isinstance(value, Figure):
        return {PLOTLY: json.loads(value.to_json()), "text/plain": [CHART]}
    with pd.option_context(*WHOLE):
        data = {"text/plain": _lines(repr(value))}
        if html := getattr(value, "_repr_html_", lambda: None)():
            data["text/html"] = _lines(html)
    return data


def _lines(text: str) -> list[str]:
    """Return a text as notebooks keep it: a list of lines with their ends."""
    return text.splitlines(keepends=True)


def main() -> None:
    """Write every notebook anew."""
    for source in sources():
        made = executed(source.read_text(encoding="utf-8"))
        target = source.with_suffix(".ipynb")
        target.write_text(json.dumps(made, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
        print(target.name, len(made["cells"]), "cells")


if __name__ == "__main__":
    main()

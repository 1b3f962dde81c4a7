"""Where the files of the app are: beside installed packages, or in the checkout."""

from __future__ import annotations

from pathlib import Path

#: Where this package is, in a checkout or among installed packages.
ROOT = Path(__file__).resolve().parents[2]
#: The folder of the app beside installed packages (`deploy/wheel.py`).
INSTALLED = "straggler_lab"


def place(root: Path = ROOT) -> Path:
    """Return the file of the app: installed beside this package, or in the checkout."""
    installed = root / INSTALLED / "app.py"
    return installed if installed.exists() else root / "app.py"

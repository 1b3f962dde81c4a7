"""Builds the wheel: beside the packages it puts the app into a folder of its own.

`app` and `pages` are names that others may have, too, so they do not lie among the packages: only the server
looks for them, in its own folder. That is beside `sim`, where `sim.shell.app` finds it however the wheel
was installed, and not below ``share/``, which is somewhere else in each scheme of installation.
"""

from __future__ import annotations

from pathlib import Path

from setuptools.command.build_py import build_py

#: The folder; and what is in it, as patterns from the top of the project. Secrets are not.
FOLDER = "straggler_lab"
APP = ("app.py", ".streamlit/config.toml", "pages/**/*")


def app_files(root: Path = Path()) -> list[str]:
    """Return the files of the app, but for what Python leaves behind."""
    found = (path for pattern in APP for path in root.glob(pattern))
    return sorted(
        path.relative_to(root).as_posix()
        for path in found
        if path.is_file() and "__pycache__" not in path.parts
    )


class Build(build_py):
    """Copies the app beside the packages; where those are left in the checkout, it is, too."""

    def run(self) -> None:
        """Build the packages, then the folder."""
        super().run()
        if not self.editable_mode:
            for name in app_files():
                target = Path(self.build_lib, FOLDER, name)
                self.mkpath(str(target.parent))
                self.copy_file(name, str(target))

    def get_source_files(self) -> list[str]:
        """Return what a source distribution needs to build the same."""
        return [*super().get_source_files(), *app_files(), "deploy/wheel.py"]

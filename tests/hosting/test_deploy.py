"""The files of `deploy/` are valid: judged by systemd, by nginx, by the shell."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

from tests.hosting.site import INSTALLED, ROOT, filled, required

pytestmark = pytest.mark.hosting
#: What `systemd-analyze security` calls 2.0: far below the 9 of a service without protection.
EXPOSURE = 20


@pytest.fixture
def unit(tmp_path: Path) -> Path:
    """Return the unit as it is installed, with programs where it looks for them."""
    prefix = Path(INSTALLED) if INSTALLED else tmp_path
    if not INSTALLED:
        for name in ("venv/bin/python", "bin/serve", "etc/straggler-lab.env"):
            (prefix / name).parent.mkdir(parents=True, exist_ok=True)
            (prefix / name).write_text("#!/bin/sh\n")
            (prefix / name).chmod(0o755)
    written = tmp_path / "straggler-lab@.service"
    written.write_text(filled(written.name, prefix))
    return written


def test_systemd_finds_nothing_wrong_with_the_unit(unit: Path) -> None:
    required("systemd-analyze")
    command = ["systemd-analyze", "verify", "--man=no", str(unit)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    remarks = [line for line in done.stderr.splitlines() if "straggler-lab" in line]
    assert (done.returncode, remarks) == (0, [])


def test_a_mistake_in_the_unit_would_be_found(unit: Path) -> None:
    required("systemd-analyze")
    unit.write_text(unit.read_text().replace("MemoryMax=2G", "MemoryMaximum=2G"))
    command = ["systemd-analyze", "verify", "--man=no", str(unit)]
    assert "MemoryMaximum" in subprocess.run(command, capture_output=True, text=True, check=False).stderr


def test_the_unit_gives_a_process_no_more_than_it_needs(unit: Path) -> None:
    required("systemd-analyze")
    command = [
        "systemd-analyze",
        "security",
        "--offline=true",
        f"--threshold={EXPOSURE}",
        "--no-pager",
        str(unit),
    ]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout.splitlines()[-1] + done.stderr


@pytest.mark.parametrize("setting", ["MemoryMax", "LimitNOFILE", "Restart", "CacheDirectory", "WatchdogSec"])
def test_the_unit_has_the_limits_the_readme_tells_of(unit: Path, setting: str) -> None:
    assert re.search(rf"^{setting}=\S", unit.read_text(), re.MULTILINE)


def test_every_process_is_named_in_each_of_the_four_places() -> None:
    text = filled("nginx.conf", Path("/prefix"))
    for port in ("8501", "8502"):
        assert text.count(f'"~:{port}$"') == 1
        assert text.count(f"server 127.0.0.1:{port} max_fails") == 2
        assert text.count(f"server 127.0.0.1:{port} backup") == 1


@pytest.mark.parametrize(
    "arguments",
    [[], ["relative"], ["/"], ["/a b"], ["/a", "host/path"], ["/a", "h", "two/words"], ["/a", "h", "x|y"]],
)
def test_the_installer_refuses_what_it_cannot_use(arguments: list[str]) -> None:
    command = [str(ROOT / "deploy" / "install.sh"), *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode != 0
    assert len(done.stderr.splitlines()) == 1


@pytest.mark.parametrize(
    "name", [".ci/run", ".ci/audit", ".ci/versions", "deploy/install.sh", "deploy/serve"]
)
def test_the_shell_can_read_a_script(name: str) -> None:
    assert subprocess.run(["bash", "-n", str(ROOT / name)], check=False).returncode == 0
    assert (ROOT / name).stat().st_mode & 0o111


@pytest.mark.skipif(not INSTALLED, reason="nothing is installed")
def test_the_installation_has_compiled_the_engines_for_a_process_that_may_not_write_there(
    tmp_path: Path,
) -> None:
    prefix = Path(INSTALLED or "")
    code = "from sim.running.compiled import is_compiled; from sim.engines.registry import ENGINES; "
    code += "print(*map(is_compiled, ENGINES))"
    environment = {"STRAGGLER_LAB_KERNELS": str(prefix / "kernels"), "XDG_CACHE_HOME": str(tmp_path)}
    for given, said in (
        (environment, "True True True"),
        ({"XDG_CACHE_HOME": str(tmp_path)}, "False False False"),
    ):
        done = subprocess.run(
            [prefix / "venv" / "bin" / "python", "-c", code],
            cwd=tmp_path,
            env=given,
            capture_output=True,
            text=True,
            check=True,
        )
        assert done.stdout.strip() == said
    unit = (prefix / "etc" / "straggler-lab@.service").read_text()
    assert f"Environment=STRAGGLER_LAB_KERNELS={prefix}/kernels" in unit


def test_the_containerfile_runs_the_installer() -> None:
    assert "RUN PORTABLE=1 deploy/install.sh /lab " in (ROOT / "deploy" / "Containerfile").read_text()

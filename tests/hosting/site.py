"""A site on this machine: what `deploy/` describes, on free ports and with a certificate of its own."""

from __future__ import annotations

import http.client
import os
import re
import shutil
import signal
import socket
import ssl
import subprocess
import sys
import time
from base64 import b64encode
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from tests.pages.server import made_site
from tests.pages.server.asking import status

ROOT = Path(__file__).resolve().parents[2]
BASE = "lab"
USER, PASSWORD = "class", "a word for all"
#: A folder that deploy/install.sh has filled, to be tried instead of this checkout and this Python.
INSTALLED = os.environ.get("STRAGGLER_LAB_PREFIX")
PROGRAMS = ("nginx", "openssl", "htpasswd", "systemd-analyze")
#: What every nginx needs around the site; as root it would read the files as somebody who may not.
AROUND = """
load_module modules/ngx_http_brotli_static_module.so;
daemon off;
{user}
pid {folder}/nginx.pid;
error_log stderr error;
worker_processes 2;
events {{ worker_connections 4096; }}
http {{
    types {{ text/html html; }}
    {paths}
    include {site};
}}
"""
#: Without addresses of other machines; the certificate is nobody's.
TRUSTING = ssl._create_unverified_context()


def required(*programs: str) -> None:
    """Skip the test where a program is missing, or fail it if this is CI."""
    if missing := [name for name in programs if shutil.which(name, path=_path()) is None]:
        reason = f"{', '.join(missing)} cannot be found"
        if os.environ.get("CI"):
            pytest.fail(f"{reason}; in CI these tests may not be skipped")
        pytest.skip(reason)


def _path() -> str:
    return f"{os.environ['PATH']}:/sbin:/usr/sbin"


@dataclass
class Answer:
    """An answer; names of headers have small letters, and of several with one name the last is kept."""

    status: int
    headers: dict[str, str]
    cookies: dict[str, str]
    body: bytes


@dataclass
class Site:
    """A running site: its folder, its ports, and its processes by the number in their cookie."""

    folder: Path
    secure: int
    plain: int
    numbers: dict[str, int]
    running: dict[str, subprocess.Popen[bytes]] = field(default_factory=dict)

    @property
    def url(self) -> str:
        """Address of the lab, without a slash at its end."""
        return f"https://localhost:{self.secure}/{BASE}"

    def port(self, which: str) -> int:
        """Return the port of a process."""
        return 8500 + self.numbers[which]

    def start(self, which: str) -> None:
        """Start a process as the unit of systemd does."""
        environment = {
            **os.environ,
            "STREAMLIT_SERVER_ALLOWED_HOSTS": "lab.example.edu localhost",
            "STREAMLIT_SERVER_BASE_URL_PATH": BASE,
            "STRAGGLER_LAB_LOG": "1",
            "STRAGGLER_LAB_KERNELS": str(self.folder / "kernels"),
            "STRAGGLER_LAB_DOCS": str(self.folder / "docs"),
            "STRAGGLER_LAB_PROCESS": which,  # `serve` would take the number of its port
        }
        command = [str(self.folder / "bin" / "serve"), str(self.numbers[which])]
        with (self.folder / f"process-{which}.log").open("ab") as log:
            self.running[which] = subprocess.Popen(command, env=environment, stdout=log, stderr=log)

    def kill(self, which: str) -> None:
        """End a process as a crash does."""
        self.running[which].send_signal(signal.SIGKILL)
        self.running[which].wait()

    def log(self, which: str) -> str:
        """Return what a process has said."""
        return (self.folder / f"process-{which}.log").read_text(errors="replace")

    def process_answers(self, which: str, path: str = "readyz") -> int:
        """Ask a process itself; return the status of its answer, 0 if there is none."""
        return status(self.port(which), f"/{BASE}/{path}")

    def wait_for(self, which: str, path: str = "readyz", patience: float = 900) -> None:
        """Wait until a process answers, by default until its engines are compiled."""
        deadline = time.monotonic() + patience
        while self.process_answers(which, path) != 200:
            if self.running[which].poll() is not None or time.monotonic() > deadline:
                raise RuntimeError(f"process {which} does not answer; it said:\n{self.log(which)}")
            time.sleep(0.2)

    def ask(
        self, path: str, *, method: str = "GET", password: bool = True, cookie: str = "", **headers: str
    ) -> Answer:
        """Ask the proxy over TLS; a path is below the base path, headers have underscores for hyphens."""
        named = {name.replace("_", "-"): text for name, text in headers.items()}
        if password:
            named["Authorization"] = "Basic " + b64encode(f"{USER}:{PASSWORD}".encode()).decode()
        if cookie:
            named["Cookie"] = f"lab_server={cookie}"
        connection = http.client.HTTPSConnection("localhost", self.secure, timeout=60, context=TRUSTING)
        return _answer(connection, method, f"/{BASE}/{path}", named)

    def ask_plain(self, path: str) -> Answer:
        """Ask the proxy without TLS, for any path."""
        return _answer(http.client.HTTPConnection("localhost", self.plain, timeout=60), "GET", path, {})


def _answer(
    connection: http.client.HTTPConnection, method: str, path: str, headers: dict[str, str]
) -> Answer:
    try:
        connection.request(method, path, headers=headers)
        answer = connection.getresponse()
        cookies = [text for name, text in answer.getheaders() if name.lower() == "set-cookie"]
        return Answer(
            answer.status,
            {name.lower(): text for name, text in answer.getheaders()},
            {text.partition("=")[0]: text for text in cookies},
            answer.read() if answer.status != 101 else b"",
        )
    finally:
        connection.close()


@contextmanager
def hosted(folder: Path, *, password: bool = True) -> Iterator[Site]:
    """Host two processes behind nginx until the block ends, all ready when it begins."""
    required(*PROGRAMS)
    ports = [_free_port() for _ in range(4)]
    site = Site(folder, ports[0], ports[1], {"1": ports[2] - 8500, "2": ports[3] - 8500})
    _lay_out(site, password=password)
    nginx = [shutil.which("nginx", path=_path()) or "nginx", "-c", str(folder / "main.conf"), "-e", "stderr"]
    try:
        compiled_ahead(site)
        for which in site.numbers:
            site.start(which)
        for which in site.numbers:
            site.wait_for(which)
        with (folder / "nginx.log").open("wb") as log:
            site.running["nginx"] = subprocess.Popen(nginx, stdout=log, stderr=log)
        _wait_for_nginx(site)
        yield site
    finally:
        for process in site.running.values():
            process.terminate()
        for process in site.running.values():
            with suppress(subprocess.TimeoutExpired):
                process.wait(timeout=20)
            process.kill()
            process.wait()


def compiled_ahead(site: Site) -> None:
    """Run what the unit of systemd runs before a process."""
    unit = (ROOT / "deploy" / "straggler-lab@.service").read_text()
    before = re.search(r"^ExecStartPre=-@PREFIX@/(.+)$", unit, re.MULTILINE)
    assert before
    program, *arguments = before[1].split()
    _run(str(site.folder / program), *arguments, cwd=site.folder / "app")


def _wait_for_nginx(site: Site) -> None:
    deadline = time.monotonic() + 60
    while True:
        try:
            site.ask_plain("/")
            return
        except OSError:
            if time.monotonic() > deadline or site.running["nginx"].poll() is not None:
                raise RuntimeError((site.folder / "nginx.log").read_text()) from None
            time.sleep(0.1)


def filled(name: str, prefix: Path) -> str:
    """Return a file of deploy/ as deploy/install.sh fills it in."""
    text = (ROOT / "deploy" / name).read_text()
    for mark, value in {"@PREFIX@": str(prefix), "@HOST@": "localhost", "@PATH@": BASE}.items():
        text = text.replace(mark, value)
    return text


def _lay_out(site: Site, *, password: bool) -> None:
    """Make the folder look as deploy/install.sh leaves one, with links to what is there already."""
    folder = site.folder
    for name in ("bin", "etc", "tmp"):
        (folder / name).mkdir()
    there = Path(INSTALLED) if INSTALLED else None
    made_site.site(folder / "docs")
    (folder / "venv").symlink_to(there / "venv" if there else sys.prefix)
    (folder / "app").symlink_to(there / "app" if there else ROOT)
    (folder / "static").symlink_to(there / "static" if there else _static())
    shutil.copy((there or ROOT / "deploy") / ("bin/serve" if there else "serve"), folder / "bin" / "serve")
    (folder / "etc" / "nginx.conf").write_text(on_free_ports(filled("nginx.conf", folder), site, password))
    user = "user root;" if os.geteuid() == 0 else ""
    kinds = ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
    paths = "\n".join(f"{kind}_temp_path {folder}/tmp/{kind};" for kind in kinds)
    around = AROUND.format(user=user, folder=folder, paths=paths, site=folder / "etc" / "nginx.conf")
    (folder / "main.conf").write_text(around)
    certificate = ("-x509", "-nodes", "-days", "2", "-subj", "/CN=localhost")
    new_key = ("-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1")
    kept = ("-keyout", f"{folder}/etc/key.pem", "-out", f"{folder}/etc/certificate.pem")
    _run("openssl", "req", *certificate, *new_key, *kept)
    _run("htpasswd", "-cbB", f"{folder}/etc/passwords", USER, PASSWORD)


def on_free_ports(text: str, site: Site, password: bool) -> str:
    """Put the site at free ports, and ask for a password as the file says in a remark."""
    text = re.sub(r"^\s*listen \[::\]:.*$", "", text, flags=re.MULTILINE)
    text = text.replace("listen 443 ", f"listen {site.secure} ").replace(
        "listen 80;", f"listen {site.plain};"
    )
    text = text.replace("https://localhost$", f"https://localhost:{site.secure}$")
    for which in site.numbers:
        text = text.replace(f":850{which}", f":{site.port(which)}")
    return text.replace("#auth_basic", "auth_basic") if password else text


def _static() -> Path:
    from streamlit import file_util

    return Path(file_util.get_static_dir()) / "static"


def _run(*command: str, cwd: Path | None = None) -> None:
    done = subprocess.run(command, cwd=cwd, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("localhost", 0))
        return int(probe.getsockname()[1])

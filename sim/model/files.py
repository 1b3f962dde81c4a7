"""Files named on a command line: only regular files are read, and writes are atomic."""

from __future__ import annotations

import contextlib
import errno
import os
import secrets
import stat
import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path
from types import TracebackType
from typing import BinaryIO, Self

from sim.model.fields import BadInput
from theory.quoting import quoted

#: How the name of a file begins that is not whole yet.
BEGUN = ".straggler-lab-"
_KINDS = {
    stat.S_IFDIR: "a folder",
    stat.S_IFIFO: "a pipe",
    stat.S_IFCHR: "a device",
    stat.S_IFBLK: "a device",
    stat.S_IFSOCK: "a socket",
}


def opened(path: str | Path) -> BinaryIO:
    """Open a file to be read; raises `OSError` for what is none.

    A pipe without a writer would never answer, and a device may have no end.
    """
    handle = os.open(
        checked_path(path), os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
    )
    kind = stat.S_IFMT(os.fstat(handle).st_mode)
    if kind != stat.S_IFREG:
        os.close(handle)
        raise OSError(errno.EINVAL, f"it is {_KINDS.get(kind, 'no file')}")
    return os.fdopen(handle, "rb")


def _nameless(folder: Path) -> int | None:
    """Open a file without a name, which vanishes if the process is killed; None where the system has none."""
    try:
        return os.open(folder, os.O_TMPFILE | os.O_WRONLY | os.O_CLOEXEC, 0o600)
    except (AttributeError, OSError):  # not Linux; a file system without such files
        return None


def _named(handle: int, place: Path) -> str:
    """Give a file without a name one beside the place where it is to be; return it."""
    folder = os.open(place.parent, os.O_RDONLY)
    try:
        beside = str(place.parent / f"{BEGUN}{secrets.token_hex(8)}")
        os.link(f"/proc/self/fd/{handle}", beside, src_dir_fd=folder)  # what the link leads to, not the link
        return beside
    finally:
        os.close(folder)


def regular(path: Path) -> os.stat_result | None:
    """Return what the system says of a regular file that is no link; None where nothing is.

    Raises
    ------
    OSError
        If something else is there: what is to be changed in place must be the file that was named.
    """
    try:
        found = os.lstat(checked_path(path))
    except FileNotFoundError:
        return None
    if stat.S_ISREG(found.st_mode):
        return found
    kind = "a link" if stat.S_ISLNK(found.st_mode) else _KINDS.get(stat.S_IFMT(found.st_mode), "no file")
    raise OSError(errno.EINVAL, f"it is {kind}")


class Output:
    """A file that is begun beside its place before a run, and put there whole when it is written.

    Until then, and if anything goes wrong, what was there stays. What is there and no file, such as
    ``/dev/null``, is written to directly.

    Parameters
    ----------
    option : str
        The option that names it.
    path : str
        ``-`` is standard output.

    Raises
    ------
    BadInput
        If it could not be written.
    """

    def __init__(self, option: str, path: str) -> None:
        self.path = path
        self.is_screen = path == "-"
        self.place: Path | None = None
        self.option = option
        self._beside = ""
        self._named_later = False
        self._file: BinaryIO | None = None
        if not self.is_screen:
            with self._refusing():
                self._begin(Path(checked_path(path)).resolve())

    def _begin(self, place: Path) -> None:
        """Open the file, or one beside it."""
        old = place.stat() if place.exists() else None
        if not self.path or (old and stat.S_ISDIR(old.st_mode)):
            raise BadInput(f"{self.option}: {quoted(self.path)} is not accepted; give the name of a file")
        if not place.parent.is_dir():
            folder = quoted(str(place.parent))
            raise BadInput(f"{self.option}: {quoted(self.path)} is not accepted; {folder} is not a folder")
        self.place = place
        if old and not stat.S_ISREG(old.st_mode):
            # a pipe that nobody reads would never open; Windows has none in a folder
            handle = os.open(place, os.O_WRONLY | getattr(os, "O_NONBLOCK", 0))
            if hasattr(os, "O_NONBLOCK"):
                os.set_blocking(handle, True)
            self._file = os.fdopen(handle, "wb", buffering=0)
            return
        if old and not os.access(place, os.W_OK):
            raise PermissionError(errno.EACCES, "Permission denied")
        mode = stat.S_IMODE(old.st_mode) if old else 0o666 & ~_umask()
        nameless = _nameless(place.parent)
        if nameless is None:
            handle, self._beside = tempfile.mkstemp(dir=place.parent, prefix=BEGUN)
            os.chmod(self._beside, mode)
        else:
            handle, self._named_later = nameless, True
            os.fchmod(handle, mode)
        self._file = os.fdopen(handle, "wb")

    def write(self, content: str | bytes) -> None:
        """Write all that the file is to hold."""
        if self.is_screen:
            print(content if isinstance(content, str) else content.decode())
            return
        assert self._file is not None, "written once"
        data = content if isinstance(content, bytes) else (content + "\n").encode()
        with self._refusing():
            _write_all(self._file, data)
            if self._beside or self._named_later:
                self._file.flush()
                os.fsync(self._file.fileno())  # a disk that is full may say so only now
            if self._named_later:
                self._beside = _named(self._file.fileno(), self.place or Path())
            self._file.close()
            self._file = None
            if self._beside:
                os.replace(self._beside, self.place or "")
                self._beside = ""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Remove what was begun and not finished."""
        if self._file is not None:
            with contextlib.suppress(OSError):
                self._file.close()
            self._file = None
        if self._beside:
            Path(self._beside).unlink(missing_ok=True)
            self._beside = ""

    @contextlib.contextmanager
    def _refusing(self) -> Iterator[None]:
        """Turn what the system says into a line that names the option."""
        try:
            yield
        except (OSError, RuntimeError) as error:  # the latter from resolving a path
            self.__exit__(None, None, None)
            reason = error.strerror if isinstance(error, OSError) else "a circle of links"
            raise BadInput(f"{self.option}: {quoted(self.path)} cannot be written ({reason})") from None


def output(option: str, path: str | None) -> Output | contextlib.nullcontext[None]:
    """Return the file of an option to be used in a ``with``, which gives None where it is not asked for."""
    return contextlib.nullcontext() if path is None else Output(option, path)


def keep_apart(outputs: Iterable[Output | None], inputs: Iterable[str]) -> None:
    """Refuse a file that is to be written if it is read, too, lies in a folder that is, or is named twice."""
    read, taken = list(inputs), set()
    for one in outputs:
        if one is not None and one.place is not None:
            not_read(one.option, one.path, read)
            if one.place in taken:
                raise BadInput(
                    f"{one.option}: {quoted(one.path)} is not accepted; another option writes the same file"
                )
            taken.add(one.place)


def not_read(option: str, path: str, inputs: Iterable[str]) -> None:
    """Refuse a file that an option writes if it is an input, or lies in a folder that is one.

    Raises
    ------
    BadInput
        Naming the option.
    """
    place = Path(path).resolve()
    for one in inputs:
        try:
            source = Path(checked_path(one)).resolve()
            inside = source.is_dir() and place.is_relative_to(source)
        except (OSError, RuntimeError):  # which is told when it is read
            continue
        if place == source:
            raise BadInput(f"{option}: {quoted(path)} is not accepted; the same file is read")
        if inside:
            raise BadInput(
                f"{option}: {quoted(path)} is not accepted; it lies in {quoted(one)}, which is read: "
                "give a file outside"
            )


def checked_path(path: str | Path) -> str:
    """Return a path that the system can be asked for."""
    if "\0" in str(path):
        raise OSError(errno.EINVAL, "it has a NUL in it")
    try:
        os.fsencode(path)
    except UnicodeEncodeError:
        raise OSError(errno.EINVAL, "it is no text") from None
    return str(path)


def _write_all(file: BinaryIO, data: bytes) -> None:
    """Write all bytes; a pipe or a device may take them in parts."""
    rest = memoryview(data)
    while rest:
        rest = rest[file.write(rest) :]


def _umask() -> int:
    """Return the modes that new files do not get, which can only be asked for by setting them."""
    umask = os.umask(0)
    os.umask(umask)
    return umask

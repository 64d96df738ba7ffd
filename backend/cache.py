"""The disk cache: bytes by kind and key, safe against crashes, other processes and damage.

    cache = Cache(default_folder())
    cache.put("kernel", key, data)
    cache.get("kernel", key)           the same bytes, or None

Two kinds are used: "program" (key: `program_key`), whose hit needs no lowering, and "kernel"
(key: `kernel_key`), the object of one kernel. A file is written under another name and renamed, so
that it is whole or absent; it carries its length and a BLAKE2 digest, so that a damaged one is
never returned. A folder that cannot be used means no caching, never an error: `status` says why.
"""

from __future__ import annotations

import os
import struct
import time
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import replace
from functools import cache
from hashlib import blake2b
from importlib.util import find_spec
from pathlib import Path

from lamina.options import CompileOptions, environment
from lamina.target import Target

MAX_BYTES = 1 << 30
_MAGIC = b"LAMINA\x001"
_DIGEST = 16
_HEADER = struct.Struct(f"<8sQ{_DIGEST}s")
_DRAFT_SECONDS = 3600.0  # a draft older than this belongs to a process that was killed


def default_folder() -> Path:
    """LAMINA_CACHE_DIR, else the user's cache folder for Lamina."""
    folder = environment("LAMINA_CACHE_DIR")
    if not folder:
        from platformdirs import user_cache_dir  # 5 ms, paid only without the variable

        folder = user_cache_dir("lamina", appauthor=False)
    return Path(os.path.expanduser(folder)).absolute()


class Cache:
    """A folder of files named after their kind and key. Any number of processes may share it."""

    def __init__(self, folder: Path, max_bytes: int = MAX_BYTES) -> None:
        """Use `folder`, made when the first file is written, for at most about `max_bytes`."""
        self.folder = folder
        self.max_bytes = max_bytes
        self.status = ""  # why the last read or write failed, "" while all goes well
        self._written = 0

    def _path(self, kind: str, key: str) -> Path:
        assert kind.isalnum() and key.isalnum() and len(key) > 2, (kind, key)
        return self.folder / kind / key[:2] / key[2:]

    def get(self, kind: str, key: str) -> bytes | None:
        """What was put under `key`, or None. A damaged file is removed."""
        path = self._path(kind, key)
        try:
            data = path.read_bytes()
        except FileNotFoundError:
            return None
        except OSError as error:
            self.status = f"cannot read {path}: {error.strerror}"
            return None
        payload = _unwrap(data, kind, key)
        with suppress(OSError):
            if payload is None:
                self.status = f"{path} was damaged"
                path.unlink()
            else:
                os.utime(path)  # the oldest are removed first: a use makes it young
        return payload

    def put(self, kind: str, key: str, data: bytes) -> None:
        """Keep `data` under `key`. Does nothing when the folder cannot be written."""
        path = self._path(kind, key)
        wrapped = _wrap(data, kind, key)
        try:
            self._write(path, wrapped)
        except OSError as error:
            self.status = f"cannot write {path}: {error.strerror}"
            return
        self._written += len(wrapped)
        # Looking at the folder's size is slow: now and then is enough, one key in 256 is drawn.
        if self._written > self.max_bytes // 8 or key.startswith("00"):
            self._written = 0
            self.trim()

    def _write(self, path: Path, data: bytes) -> None:
        """Write a draft and rename it. Its name is new, so nobody else writes or renames it."""
        draft = path.with_name(f"{path.name}.{os.urandom(8).hex()}.tmp")
        if not path.parent.is_dir():
            self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            path.parent.mkdir(parents=True, exist_ok=True)
        try:
            with draft.open("xb") as file:
                file.write(data)
            draft.replace(path)
        except BaseException:
            with suppress(OSError):
                draft.unlink()
            raise

    def trim(self) -> None:
        """Remove the files used longest ago when the folder holds more than `max_bytes`.

        A quarter of the room is made free, so that this is not done at every write.
        """
        files: list[tuple[float, int, Path]] = []
        for path in self.folder.glob("*/??/*"):
            with suppress(OSError):
                found = path.stat()
                if path.suffix == ".tmp" and found.st_mtime < time.time() - _DRAFT_SECONDS:
                    path.unlink()
                else:
                    files.append((found.st_mtime, found.st_size, path))
        total = sum(size for _, size, _ in files)
        if total <= self.max_bytes:
            return
        for _, size, path in sorted(files):
            if total <= self.max_bytes * 3 // 4:
                break
            with suppress(OSError):
                path.unlink()
                total -= size


def _digest(data: bytes, kind: str, key: str) -> bytes:
    """The digest of an entry; the key is in it, so that a file under a wrong name is foreign."""
    hashed = blake2b(f"{kind} {key} ".encode(), digest_size=_DIGEST)
    hashed.update(data)
    return hashed.digest()


def _wrap(data: bytes, kind: str, key: str) -> bytes:
    return _HEADER.pack(_MAGIC, len(data), _digest(data, kind, key)) + data


def _unwrap(data: bytes, kind: str, key: str) -> bytes | None:
    """The payload of a file, None unless it is whole and belongs to `key`."""
    if len(data) < _HEADER.size:
        return None
    magic, length, digest = _HEADER.unpack_from(data)
    payload = data[_HEADER.size :]
    if magic != _MAGIC or length != len(payload) or digest != _digest(payload, kind, key):
        return None
    return payload


def program_key(
    text: str, options: CompileOptions, target: Target, resources: Iterable[bytes | str] = ()
) -> str:
    """The key of a whole program.

    text: the module, without locations. resources: digests of the constants it refers to, in order.
    """
    plain = replace(options, cache=True)  # whether to use the cache changes no code
    return _hash(["program", text, repr(plain), repr(target), *_environment(), *resources])


def kernel_key(text: str, target: Target, pipeline: str = "auto") -> str:
    """The key of the object of one LLVM text."""
    return _hash(["kernel", text, pipeline, repr(target), *_environment()])


def _hash(parts: Iterable[str | bytes]) -> str:
    """A digest of parts; lengths are hashed too, so that no two lists of parts are confused."""
    hashed = blake2b(digest_size=20)
    for part in parts:
        data = part.encode() if isinstance(part, str) else part
        hashed.update(len(data).to_bytes(8, "little"))
        hashed.update(data)
    return hashed.hexdigest()


@cache
def _environment() -> tuple[str, ...]:
    """What a result depends on besides its input: our sources and the packages below us."""
    return (source_digest(), _version("xdsl"), _version("llvmlite"))


def _version(package: str) -> str:
    """The version of an installed package, from the name of its metadata folder.

    `importlib.metadata` would cost 60 ms, more than the rest of loading a cached program.
    """
    spec = find_spec(package)
    for location in (spec.submodule_search_locations or ()) if spec else ():
        for folder in sorted(Path(location).parent.glob(f"{package}-*.dist-info")):
            return folder.name
    from importlib.metadata import version

    return version(package)


def source_digest(root: Path = Path(__file__).parent.parent) -> str:
    """A digest of all Python files below `root`, Lamina's own by default.

    The contents are read, since an edit may keep both the size and the time of a file.
    """
    hashed = blake2b(digest_size=20)
    for path in _python_files(str(root)):
        # os.read is half the cost of open(): 100 files in 3 ms
        descriptor = os.open(path, os.O_RDONLY)
        try:
            data = os.read(descriptor, os.fstat(descriptor).st_size)
        finally:
            os.close(descriptor)
        hashed.update(f"{path[len(str(root)) :]} {len(data)} ".encode())
        hashed.update(data)
    return hashed.hexdigest()


def _python_files(folder: str) -> Iterator[str]:
    """The paths of Python files in a folder and below, in a fixed order; links are followed."""
    with os.scandir(folder) as found:
        entries = sorted(found, key=lambda entry: entry.name)
    for entry in entries:
        if entry.name.endswith(".py"):
            yield entry.path
        elif "." not in entry.name and entry.name != "__pycache__" and entry.is_dir():
            yield from _python_files(entry.path)

"""The disk cache: what goes in comes out, or nothing: damage, crashes, other processes."""

from __future__ import annotations

import errno
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from lamina.backend import cache as cache_module
from lamina.backend.cache import (
    Cache,
    default_folder,
    kernel_key,
    program_key,
    source_digest,
)
from lamina.options import CompileOptions
from lamina.target import Target

SOURCES = Path(__file__).parents[2] / "src"
KEY = "ab" + "0" * 38
DATA = bytes(range(256)) * 10


def files(folder: Path) -> list[Path]:
    return [path for path in folder.rglob("*") if path.is_file()]


def test_what_goes_in_comes_out(tmp_path: Path) -> None:
    cache = Cache(tmp_path / "new" / "folder")
    assert cache.get("kernel", KEY) is None
    cache.put("kernel", KEY, DATA)
    cache.put("program", KEY, b"")
    assert cache.get("kernel", KEY) == DATA
    assert cache.get("program", KEY) == b""
    cache.put("kernel", KEY, b"newer")
    assert cache.get("kernel", KEY) == b"newer"
    assert cache.status == ""
    assert len(files(tmp_path)) == 2


def test_200_flipped_bytes_are_never_returned(tmp_path: Path) -> None:
    cache = Cache(tmp_path)
    cache.put("kernel", KEY, DATA)
    (path,) = files(tmp_path)
    whole = path.read_bytes()
    random = np.random.default_rng(0)
    places = np.concatenate([np.arange(40), random.integers(0, len(whole), 160)])
    for place in places:
        damaged = bytearray(whole)
        damaged[place] ^= int(random.integers(1, 256))
        path.write_bytes(damaged)
        assert cache.get("kernel", KEY) is None, place
        assert not path.exists()
    path.write_bytes(whole)
    assert cache.get("kernel", KEY) == DATA


@pytest.mark.parametrize("length", [0, 1, 31, 32, 100, -1])
def test_truncated_files_are_removed(tmp_path: Path, length: int) -> None:
    cache = Cache(tmp_path)
    cache.put("kernel", KEY, DATA)
    (path,) = files(tmp_path)
    path.write_bytes(path.read_bytes()[:length])
    assert cache.get("kernel", KEY) is None
    assert not path.exists()
    assert "damaged" in cache.status


def test_longer_and_foreign_files_are_removed(tmp_path: Path) -> None:
    cache = Cache(tmp_path)
    cache.put("kernel", KEY, DATA)
    (path,) = files(tmp_path)
    path.write_bytes(path.read_bytes() + b"x")
    assert cache.get("kernel", KEY) is None
    other = KEY[:-1] + "1"
    cache.put("kernel", other, DATA)
    (found,) = files(tmp_path)
    found.rename(path)  # a whole file under the name of another key
    assert cache.get("kernel", KEY) is None


def test_a_folder_in_the_way_is_no_error(tmp_path: Path) -> None:
    cache = Cache(tmp_path)
    (tmp_path / "kernel" / KEY[:2] / KEY[2:]).mkdir(parents=True)
    assert cache.get("kernel", KEY) is None
    cache.put("kernel", KEY, DATA)
    assert "cannot write" in cache.status
    assert files(tmp_path) == []  # no draft is left


@pytest.mark.parametrize("folder", ["/proc/nowhere", "/dev/null/cache"])
def test_an_unusable_folder_means_no_caching(folder: str) -> None:
    cache = Cache(Path(folder))
    cache.put("kernel", KEY, DATA)
    assert "cannot write" in cache.status
    assert cache.get("kernel", KEY) is None
    cache.trim()


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_read_only_folder_is_still_read(tmp_path: Path) -> None:
    Cache(tmp_path).put("kernel", KEY, DATA)
    for folder, _, _ in os.walk(tmp_path):
        os.chmod(folder, 0o500)
    cache = Cache(tmp_path)
    assert cache.get("kernel", KEY) == DATA
    cache.put("kernel", "cd" + KEY, DATA)
    assert "cannot write" in cache.status


def test_a_full_disk_leaves_no_draft(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def replace(self: Path, target: Path) -> Path:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(Path, "replace", replace)
    cache = Cache(tmp_path)
    cache.put("kernel", KEY, DATA)
    assert "No space left" in cache.status
    assert files(tmp_path) == []


def test_the_longest_unused_go_first(tmp_path: Path) -> None:
    wide = Cache(tmp_path)
    keys = [f"{n:02x}" + "a" * 38 for n in range(1, 21)]
    for age, key in enumerate(keys):
        wide.put("kernel", key, bytes(968))  # 1000 with the header
        path = tmp_path / "kernel" / key[:2] / key[2:]
        os.utime(path, (1000 + age, 1000 + age))
    assert wide.get("kernel", keys[0]) is not None  # makes it the youngest
    Cache(tmp_path, max_bytes=20_000).trim()
    assert len(files(tmp_path)) == 20  # at the bound nothing goes
    Cache(tmp_path, max_bytes=19_999).trim()
    kept = [key for key in keys if wide.get("kernel", key) is not None]
    assert kept == [keys[0], *keys[-13:]]  # 14,000 bytes: three quarters of the bound at most


def test_writing_trims(tmp_path: Path) -> None:
    cache = Cache(tmp_path, max_bytes=20_000)
    for n in range(1, 100):
        cache.put("kernel", f"{n:02x}" + "a" * 38, bytes(968))
    assert 10 <= len(files(tmp_path)) <= 23


def test_drafts_of_killed_processes_are_removed(tmp_path: Path) -> None:
    cache = Cache(tmp_path)
    cache.put("kernel", KEY, DATA)
    (path,) = files(tmp_path)
    old, new = path.with_name("a.tmp"), path.with_name("b.tmp")
    old.write_bytes(b"x")
    new.write_bytes(b"x")
    os.utime(old, (time.time() - 7200, time.time() - 7200))
    cache.trim()
    assert not old.exists()
    assert new.exists()
    assert cache.get("kernel", KEY) == DATA


WRITER = """
import sys, numpy
from pathlib import Path
from lamina.backend.cache import Cache
cache = Cache(Path(sys.argv[1]), max_bytes=int(sys.argv[3]))
print("ready", flush=True)
n = int(sys.argv[2])
bad = 0
for i in range(10**9 if n < 0 else n):
    key = f"{i % 17:02x}" + "0" * 38
    data = bytes([i % 17]) * (1000 * (i % 17))
    cache.put("kernel", key, data)
    found = cache.get("kernel", key)
    bad += found is not None and found != data
print(bad)
"""


def writer(folder: Path, count: int, max_bytes: int = 1 << 30) -> subprocess.Popen[Any]:
    return subprocess.Popen(
        [sys.executable, "-c", WRITER, str(folder), str(count), str(max_bytes)],
        stdout=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": str(SOURCES)},
    )


def test_processes_at_once_see_whole_files(tmp_path: Path) -> None:
    # the small bound makes them remove files under each other's feet
    processes = [writer(tmp_path, 400, max_bytes=60_000) for _ in range(3)]
    for process in processes:
        out, _ = process.communicate(timeout=120)
        assert process.returncode == 0
        assert out.split() == [b"ready", b"0"]
    assert not [path for path in files(tmp_path) if path.suffix == ".tmp"]


def test_kill_9_leaves_whole_files_only(tmp_path: Path) -> None:
    for attempt in range(5):
        process = writer(tmp_path, -1)
        assert process.stdout is not None
        process.stdout.readline()
        time.sleep(0.05 + 0.01 * attempt)
        process.send_signal(signal.SIGKILL)
        process.wait()
        process.stdout.close()
    cache = Cache(tmp_path)
    found = 0
    for i in range(17):
        data = cache.get("kernel", f"{i:02x}" + "0" * 38)
        if data is not None:
            assert data == bytes([i]) * (1000 * i)
            found += 1
    assert found > 0
    assert cache.status == ""


def test_keys_change_with_everything_that_matters() -> None:
    target, options = Target(), CompileOptions()
    keys = [
        program_key("text", options, target),
        program_key("text ", options, target),
        program_key("text", CompileOptions(fusion=1), target),
        program_key("text", CompileOptions(fastmath=True), target),
        program_key("text", options, Target(cpu="x86-64")),
        program_key("text", options, target, ["a"]),
        program_key("text", options, target, ["a", "b"]),
        program_key("text", options, target, ["ab"]),
        kernel_key("text", target),
        kernel_key("text", target, "O2"),
        kernel_key("text", Target(features=())),
    ]
    assert len(set(keys)) == len(keys)
    assert program_key("text", CompileOptions(cache=False), target) == keys[0]
    assert all(key.isalnum() for key in keys)


def test_an_edit_that_keeps_size_and_time_is_noticed(tmp_path: Path) -> None:
    package = tmp_path / "lamina"
    (package / "transforms" / "deeper").mkdir(parents=True)
    (package / "api.py").write_text("x = 1\n")
    deep = package / "transforms" / "deeper" / "a.py"
    deep.write_text("y = 1\n")
    (package / "notes.txt").write_text("not a source\n")
    before = source_digest(package)
    (package / "notes.txt").write_text("still not\n")
    assert source_digest(package) == before
    times = deep.stat()
    deep.write_text("y = 2\n")
    os.utime(deep, ns=(times.st_atime_ns, times.st_mtime_ns))
    changed = source_digest(package)
    assert changed != before
    deep.rename(deep.with_name("b.py"))
    assert source_digest(package) not in (before, changed)


def test_the_digest_covers_all_rooms() -> None:
    root = Path(cache_module.__file__).parent.parent
    found = {path[len(str(root)) + 1 :].split("/")[0] for path in python_files(root)}
    assert {"dialects", "transforms", "lowering", "backend", "frontend", "interpreters"} <= found
    assert {"errors.py", "target.py", "options.py"} <= found


def python_files(root: Path) -> list[str]:
    return list(cache_module._python_files(str(root)))  # pyright: ignore[reportPrivateUsage]


def test_the_digest_is_fast() -> None:
    def seconds() -> float:
        start = time.perf_counter()
        source_digest()
        return time.perf_counter() - start

    count = len(python_files(Path(cache_module.__file__).parent.parent))
    best = min(seconds() for _ in range(10))
    assert best < 2e-4 * count, "0.03 ms a file when the machine rests"


def test_the_folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("LAMINA_CACHE_DIR", str(tmp_path))
    assert default_folder() == tmp_path
    monkeypatch.setenv("LAMINA_CACHE_DIR", "~/kept")
    assert default_folder() == Path.home() / "kept"
    monkeypatch.delenv("LAMINA_CACHE_DIR")
    assert default_folder().is_absolute()
    assert "lamina" in default_folder().parts


def test_loading_cached_code_imports_no_xdsl() -> None:
    """These modules on their own: an empty `lamina` stands for what its `__init__` imports."""
    code = (
        "import sys, types\n"
        "package = sys.modules['lamina'] = types.ModuleType('lamina')\n"
        "package.__path__ = [sys.argv[1]]\n"
        "import lamina.backend.cache, lamina.backend.engine, lamina.backend.codegen\n"
        "slow = ('xdsl', 'llvmlite.binding', 'numpy', 'importlib.metadata', 'subprocess')\n"
        "print([name for name in slow if name in sys.modules])\n"
    )
    run = subprocess.run(
        [sys.executable, "-c", code, str(SOURCES / "lamina")],
        capture_output=True,
        text=True,
        check=True,
    )
    assert run.stdout == "[]\n"

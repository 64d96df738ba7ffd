"""Targets by name."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from lamina.backend import host
from lamina.backend.codegen import compile_object
from lamina.backend.host import runs_here, target_for
from lamina.errors import OptionError
from lamina.target import Target
from lamina.testing.lit import mlir_tool

CACHES_OF_A_CORE = {
    "index0": ("Data", "1", "48K"),
    "index1": ("Instruction", "1", "64K"),
    "index2": ("Unified", "2", "2048K"),
    "index3": ("Unified", "3", "36M"),
}


def test_host_is_this_machine() -> None:
    flags = set(_cpu_flags())
    target = target_for("host")
    assert target is target_for("host")
    if not flags:
        pytest.skip("the system does not tell its CPU flags")
    assert target.has_fma == ("fma" in flags)
    assert target.has_f16c == ("f16c" in flags)
    wanted = 512 if "avx512f" in flags else 256 if "avx2" in flags else 128
    assert target.vector_bits == wanted
    assert 8 << 10 <= target.l1 <= target.l2 <= target.l3
    assert runs_here(target) is None


def _cpu_flags() -> list[str]:
    info = Path("/proc/cpuinfo")
    for line in info.read_text().splitlines() if info.exists() else []:
        if line.startswith("flags"):
            return line.split(":")[1].split()
    return []


@pytest.mark.parametrize(
    ("cpu", "bits", "registers", "fma"),
    [
        ("x86-64", 128, 16, False),
        ("x86-64-v2", 128, 16, False),
        ("x86-64-v3", 256, 16, True),
        ("x86-64-v4", 512, 32, True),
        ("haswell", 256, 16, True),
        ("ivybridge", 128, 16, False),
        ("skylake-avx512", 512, 32, True),
        ("znver4", 512, 32, True),
        ("neoverse-v1", 128, 32, True),
        ("apple-m1", 128, 32, True),
    ],
)
def test_named_targets(cpu: str, bits: int, registers: int, fma: bool) -> None:
    target = target_for(cpu)
    assert (target.cpu, target.vector_bits, target.vector_registers) == (cpu, bits, registers)
    assert target.has_fma == fma
    # what a named target is does not depend on the machine that asks
    assert (target.l1, target.l2, target.l3) == (Target().l1, Target().l2, Target().l3)
    assert (
        compile_object("define float @f(float %x) {\n  ret float %x\n}", target)[:4] == b"\x7fELF"
    )


def test_the_default_target_is_its_level() -> None:
    assert target_for("x86-64-v3") == Target()


@pytest.mark.parametrize("cpu", ["", "znver9", "x86-64-v5", "i386", "HOST", "native"])
def test_unknown_names_are_refused(cpu: str) -> None:
    with pytest.raises(OptionError, match="option cpu: expected a CPU name, found"):
        target_for(cpu)


def test_a_close_name_is_offered() -> None:
    with pytest.raises(OptionError, match="did you mean 'skylake-avx512'"):
        target_for("skylake_avx512")


def test_llvm_knows_all_our_names(capfd: pytest.CaptureFixture[str]) -> None:
    found = mlir_tool("mlir-opt")
    if found is None:
        pytest.skip("llc is not installed")
    libraries = found[1]
    names: set[str] = set()
    for triple in ("x86_64", "aarch64"):
        run = subprocess.run(
            [libraries.parent / "bin" / "llc", f"-mtriple={triple}", "-mcpu=help"],
            capture_output=True,
            text=True,
            check=False,
            stdin=subprocess.DEVNULL,
            env={"LD_LIBRARY_PATH": str(libraries)},
        )
        cpus = run.stderr.split("Available features")[0]
        names |= {line.split()[0] for line in cpus.splitlines() if " - " in line}
    ours = host._X86_CPUS | host._ARM_CPUS  # pyright: ignore[reportPrivateUsage]
    assert ours <= names
    for cpu in sorted(ours):
        target_for(cpu)
    assert capfd.readouterr().err == ""  # LLVM warns there about names and features


def test_code_for_other_machines_is_refused() -> None:
    arm, here = target_for("neoverse-v2"), target_for("host")
    other = arm if here.triple.startswith("x86_64") else target_for("x86-64-v3")
    assert "expected code for" in str(runs_here(other))
    if here.triple.startswith("x86_64"):
        assert runs_here(target_for("x86-64")) is None
        stranger = "znver1" if here.cpu != "znver1" else "skylake"
        assert "use cpu=" in str(runs_here(target_for(stranger)))


def test_a_level_needs_all_its_features(monkeypatch: pytest.MonkeyPatch) -> None:
    weak = Target(cpu="weak", triple=target_for("x86-64").triple, features=("+avx", "+avx2"))
    real = target_for("x86-64-v3")

    def weak_host(cpu: str) -> Target:
        return weak

    monkeypatch.setattr(host, "target_for", weak_host)
    assert "this machine lacks" in str(runs_here(real))
    assert "fma" in str(runs_here(real))


def test_cache_sizes(tmp_path: Path) -> None:
    sizes = host._cache_sizes  # pyright: ignore[reportPrivateUsage]
    assert sizes(tmp_path / "nothing") == (Target().l1, Target().l2, Target().l3)
    for index, (kind, level, size) in CACHES_OF_A_CORE.items():
        folder = tmp_path / index
        folder.mkdir()
        (folder / "type").write_text(kind + "\n")
        (folder / "level").write_text(level + "\n")
        (folder / "size").write_text(size + "\n")
    assert sizes(tmp_path) == (48 << 10, 2 << 20, 36 << 20)
    (tmp_path / "index2" / "size").write_text("garbage\n")
    (tmp_path / "index3" / "level").unlink()
    assert sizes(tmp_path) == (48 << 10, Target().l2, Target().l3)

"""Targets by name: what LLVM and the operating system know of a CPU, as a `Target`.

target_for("host")         this machine: its features and cache sizes
target_for("x86-64-v3")    the same value on every machine, whatever it has
"""

from __future__ import annotations

from functools import cache
from pathlib import Path

from lamina.backend.codegen import Text, library, to_assembly
from lamina.errors import OptionError
from lamina.target import Target

_CACHE_FOLDER = Path("/sys/devices/system/cpu/cpu0/cache")


def _words(text: str) -> list[str]:
    return text.split()


# The x86-64 levels: the features that the lowerings ask for, and all that a machine needs to run
# code of the level (System V ABI, section 3.1.1).
_V2 = _words("cx16 popcnt sahf sse3 ssse3 sse4.1 sse4.2")
_V3 = [*_V2, *_words("avx avx2 bmi bmi2 f16c fma lzcnt movbe xsave")]
_V4 = [*_V3, *_words("avx512f avx512bw avx512cd avx512dq avx512vl")]
_NEEDS = {"x86-64": [], "x86-64-v2": _V2, "x86-64-v3": _V3, "x86-64-v4": _V4}
_ASKED = ("avx", "avx2", "avx512f", "f16c", "fma")

# CPU names that LLVM 22 accepts for 64-bit code. LLVM itself only warns about an unknown name.
_X86_CPUS = frozenset(
    _words("""
    alderlake amdfam10 arrowlake arrowlake-s athlon64 athlon64-sse3 atom barcelona bdver1 bdver2
    bdver3 bdver4 bonnell broadwell btver1 btver2 cannonlake cascadelake clearwaterforest cooperlake
    core-avx-i core-avx2 core2 corei7 corei7-avx diamondrapids emeraldrapids goldmont goldmont-plus
    gracemont grandridge graniterapids graniterapids-d haswell icelake-client icelake-server
    ivybridge k8 k8-sse3 lunarlake meteorlake nehalem nocona opteron opteron-sse3 pantherlake penryn
    raptorlake rocketlake sandybridge sapphirerapids sierraforest silvermont skx skylake
    skylake-avx512 slm tigerlake tremont westmere znver1 znver2 znver3 znver4 znver5""")
)
_ARM_CPUS = frozenset(
    _words("""
    a64fx ampere1 ampere1a ampere1b apple-a10 apple-a11 apple-a12 apple-a13 apple-a14 apple-a15
    apple-a16 apple-a17 apple-a18 apple-m1 apple-m2 apple-m3 apple-m4 carmel cobalt-100 cortex-a34
    cortex-a35 cortex-a510 cortex-a53 cortex-a55 cortex-a57 cortex-a65 cortex-a710 cortex-a715
    cortex-a72 cortex-a720 cortex-a725 cortex-a73 cortex-a75 cortex-a76 cortex-a77 cortex-a78
    cortex-x1 cortex-x2 cortex-x3 cortex-x4 cortex-x925 cyclone falkor grace kryo neoverse-512tvb
    neoverse-e1 neoverse-n1 neoverse-n2 neoverse-n3 neoverse-v1 neoverse-v2 neoverse-v3 saphira
    thunderx thunderx2t99 thunderx3t110 tsv110""")
)

# Whether the code for these functions uses an instruction tells whether the CPU has it.
_PROBE = """
define float @fma(float %a, float %b, float %c) {
  %r = call float @llvm.fma(float %a, float %b, float %c)
  ret float %r
}
define float @half(half %a) {
  %r = fpext half %a to float
  ret float %r
}
define void @floats(ptr %p) {
  %a = load <16 x float>, ptr %p, align 1
  %r = fadd <16 x float> %a, %a
  store <16 x float> %r, ptr %p, align 1
  ret void
}
define <8 x i32> @ints(<8 x i32> %a) {
  %r = mul <8 x i32> %a, %a
  ret <8 x i32> %r
}
"""
_SIGNS = {
    "+avx": "vaddps",
    "+avx2": "vpmulld\t%ymm",
    "+avx512f": "%zmm",
    "+f16c": "vcvtph2ps",
    "+fma": "vfmadd",
}


@cache
def target_for(cpu: str) -> Target:
    """The target of a CPU name: "host", an x86-64 level, or a 64-bit x86 or Arm name of LLVM's.

    Raises OptionError for an unknown name.
    """
    if cpu == "host":
        return _host()
    if cpu in _NEEDS:
        asked = tuple(f"+{f}" for f in _ASKED if f in _NEEDS[cpu])
        return _described(cpu, _triple("x86_64"), asked)
    if cpu in _X86_CPUS:
        return _described(cpu, _triple("x86_64"), _probed(cpu))
    if cpu in _ARM_CPUS:
        return _described(cpu, _triple("aarch64"), _ARM_FEATURES)
    from difflib import get_close_matches

    known = sorted({"host", *_NEEDS, *_X86_CPUS, *_ARM_CPUS})
    close = get_close_matches(cpu, known, 1)
    advice = f"did you mean {close[0]!r}" if close else 'use "host" or a level such as "x86-64-v3"'
    raise OptionError(f"option cpu: expected a CPU name, found {cpu!r}; {advice}")


def runs_here(target: Target) -> str | None:
    """None when this machine can run code made for `target`, else the reason why not.

    A level is compared by its features; any other name must be this machine's own, since LLVM
    tells no program which features a name implies.
    """
    host = target_for("host")
    if target == host:
        return None
    if target.triple != host.triple:
        return f"expected code for {host.triple}, found code for {target.triple}"
    if target.cpu in _NEEDS:
        have = set(host.features)
        missing = [f for f in _NEEDS[target.cpu] if f"+{f}" not in have]
        return f"this machine lacks {', '.join(missing)}" if missing else None
    if target.cpu == host.cpu:
        return None
    return f'this machine is a {host.cpu}: use cpu="host" or a level such as "x86-64-v3"'


_ARM_FEATURES = ("+f16c", "+fma")  # in their meaning: conversions and fma are instructions


def _described(
    cpu: str, triple: str, features: tuple[str, ...], caches: tuple[int, int, int] | None = None
) -> Target:
    """The target with the vector unit that its features imply."""
    if not triple.startswith("x86_64"):
        bits, registers = 128, 32
    elif "+avx512f" in features:
        bits, registers = 512, 32
    else:
        bits, registers = (256 if "+avx2" in features else 128), 16
    plain = Target()
    l1, l2, l3 = caches or (plain.l1, plain.l2, plain.l3)
    return Target(cpu, triple, features, bits, registers, l1, l2, l3)


def _host() -> Target:
    lib = library()
    name, features = Text(), Text()
    lib.GetHostCPUName(name.ref())
    lib.GetHostCPUFeatures(features.ref())
    found = sorted(f for f in features.take().split(",") if f)
    triple = _process_triple()
    if not triple.startswith("x86_64"):
        found = sorted({*found, *_ARM_FEATURES})
    return _described(name.take(), triple, tuple(found), _cache_sizes())


@cache
def _process_triple() -> str:
    text = Text()
    library().GetProcessTriple(text.ref())
    return text.take()


def _triple(architecture: str) -> str:
    """This process's triple if it is of that architecture (its object format), else Linux's."""
    triple = _process_triple()
    return triple if triple.startswith(architecture) else f"{architecture}-unknown-linux-gnu"


def _probed(cpu: str) -> tuple[str, ...]:
    code = to_assembly(_PROBE, Target(cpu=cpu, triple=_triple("x86_64"), features=()))
    return tuple(feature for feature, sign in _SIGNS.items() if sign in code)


def _cache_sizes(folder: Path = _CACHE_FOLDER) -> tuple[int, int, int]:
    """Bytes of the first core's data caches; what is not known is as in `Target()`."""
    plain = Target()
    sizes = {1: plain.l1, 2: plain.l2, 3: plain.l3}
    for index in sorted(folder.glob("index*")):
        try:
            kind = (index / "type").read_text().strip()
            level = int((index / "level").read_text())
            size = _bytes((index / "size").read_text().strip())
        except (OSError, ValueError):
            continue
        if kind in ("Data", "Unified") and level in sizes and size:
            sizes[level] = size
    return sizes[1], sizes[2], sizes[3]


def _bytes(text: str) -> int:
    """A size such as 32K or 16M."""
    unit = {"K": 1 << 10, "M": 1 << 20}.get(text[-1:], 1)
    return int(text.rstrip("KM")) * unit

"""From a pass list as text (`-p "a,b{size=4}"`) to pass objects; named pipelines are expanded."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from importlib import import_module

from xdsl.passes import ModulePass
from xdsl.utils.arg_spec import ArgSpec, parse_pipeline
from xdsl.utils.exceptions import ArgSpecParseError

from lamina import pipeline, registry
from lamina.errors import OptionError
from lamina.registry import XDSL_PASSES


@dataclass(frozen=True)
class Step:
    """One pass to run. `ends`: a named pipeline ends with it, so the IR is verified after it."""

    module_pass: ModulePass
    ends: bool

    def __str__(self) -> str:
        return str(self.module_pass)


def pass_names() -> list[str]:
    """All passes, ours and xDSL's, sorted."""
    return sorted(registry.PASSES | XDSL_PASSES)


def load_pass(name: str) -> type[ModulePass]:
    """The class of pass `name`."""
    return registry.load((registry.PASSES | XDSL_PASSES)[name])


def add_pass(path: str) -> None:
    """Offer a pass of somebody else's for this process: `path` is "module:Class", importable.

    Raises OptionError when there is no such pass or its name is taken.
    """
    module, _, name = path.partition(":")
    try:
        found: object = getattr(import_module(module), name)
    except (ImportError, AttributeError, ValueError) as error:
        raise OptionError(f"--load-pass: expected MODULE:CLASS, found {path!r}: {error}") from error
    if not isinstance(found, type) or not issubclass(found, ModulePass):
        raise OptionError(f"--load-pass: expected a subclass of ModulePass, found {path}")
    taken = found.name in XDSL_PASSES or found.name in pipeline.PIPELINES
    if taken or registry.PASSES.get(found.name, path) != path:
        raise OptionError(f"--load-pass: expected a new name, found {found.name!r} of {path}")
    registry.PASSES[found.name] = path


def parse_passes(text: str) -> list[Step]:
    """The passes that `text` names, in order. Raises `OptionError`."""
    try:
        specs = list(parse_pipeline(text))
    except ArgSpecParseError as error:
        reason = str(error).splitlines()[-1].strip(" ^")
        expected = '"pass,pass{option=value}"'
        raise OptionError(f"-p: expected {expected}, found {text!r}: {reason}") from error
    return [step for spec in specs for step in _steps(spec, ())]


def _steps(spec: ArgSpec, inside: tuple[str, ...]) -> Iterator[Step]:
    """The steps of one element. Inside the pipeline of its own name, a name means the pass."""
    if spec.name in pipeline.PIPELINES and spec.name not in inside:
        if spec.parameters:
            raise OptionError(
                f"pipeline {spec.name}: expected no options (give them to its passes, "
                f"see --list-passes), found {spec}"
            )
        members = [m for text in pipeline.PIPELINES[spec.name] for m in parse_pipeline(text)]
        steps = [step for member in members for step in _steps(member, (*inside, spec.name))]
        yield from steps[:-1]
        yield from (Step(step.module_pass, ends=True) for step in steps[-1:])
    elif spec.name in registry.PASSES or spec.name in XDSL_PASSES:
        yield Step(_instantiate(spec), ends=False)
    else:
        raise OptionError(
            f"unknown pass {spec.name!r}: expected one of {', '.join(pass_names())}"
            f" or a pipeline ({', '.join(pipeline.PIPELINES) or 'none is defined'})"
        )


def _instantiate(spec: ArgSpec) -> ModulePass:
    try:
        return load_pass(spec.name).from_spec(spec)
    except (ValueError, TypeError) as error:
        raise OptionError(f"pass {spec.name}: {error}") from error

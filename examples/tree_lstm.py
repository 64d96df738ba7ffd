"""Train a recursive network on trees, eagerly: each tree is another graph, built by recursion.

    python examples/tree_lstm.py               # exits with 1 unless the loss falls below 0.15
    python examples/tree_lstm.py --steps 30    # a short run: better than guessing

A sentence is a binary tree of words; "not" turns the mood of what stands beside it, otherwise
moods add up. The network is the binary tree-LSTM of Tai, Socher and Manning (Improved Semantic
Representations From Tree-Structured Long Short-Term Memory Networks, 2015): a node combines the
states of its children. It learns from the mood of whole sentences whether they are good or bad.
"""

from __future__ import annotations

import argparse
import sys
import time
from typing import Any, TypeAlias

import numpy as np

import lamina as lm

Tree: TypeAlias = "int | tuple[Tree, Tree]"
"""A word, or two parts of a sentence."""
State: TypeAlias = "tuple[Any, Any]"

MOODS = {"good": 1, "fine": 1, "bad": -1, "dull": -1, "it": 0, "not": 0}
WORDS = list(MOODS)
NOT = WORDS.index("not")
SIZE, BATCH, WANTED, GUESS = 24, 8, 0.15, np.log(2)
OPTIMIZER = lm.optim.adam(0.02)


def sentence(rng: np.random.Generator, words: int) -> Tree:
    """A tree of so many words; "not" only where it has something to turn."""
    if words == 1:
        return int(rng.integers(len(WORDS) - 1))
    if rng.random() < 0.3:
        return NOT, sentence(rng, words - 1)
    left = int(rng.integers(1, words))
    return sentence(rng, left), sentence(rng, words - left)


def mood(tree: Tree) -> int:
    """The sum of the moods of the words, turned by every "not" before them."""
    if isinstance(tree, int):
        return MOODS[WORDS[tree]]
    left, right = tree
    return -mood(right) if left == NOT else mood(left) + mood(right)


def examples(rng: np.random.Generator, count: int) -> list[tuple[Tree, int]]:
    """Sentences that are good (1) or bad (0), as often."""
    found: list[tuple[Tree, int]] = []
    while len(found) < count:
        tree = sentence(rng, int(rng.integers(2, 7)))
        wanted = len(found) % 2
        if mood(tree) and (mood(tree) > 0) == bool(wanted):
            found.append((tree, wanted))
    return found


def initial(rng: np.random.Generator) -> dict[str, Any]:
    """Parameters, with a gradient."""
    shapes = {"words": (len(WORDS), 2 * SIZE), "w": (2 * SIZE, 5 * SIZE), "out": (SIZE,)}
    params: dict[str, Any] = {
        name: rng.normal(size=shape).astype(np.float32) * 0.3 for name, shape in shapes.items()
    }
    params["b"] = np.zeros(5 * SIZE, np.float32)
    return {name: lm.asarray(x, requires_grad=True) for name, x in params.items()}


def encode(params: dict[str, Any], tree: Tree) -> State:
    """The state (h, c) of a tree."""
    if isinstance(tree, int):
        word = params["words"][tree]
        return lm.tanh(word[:SIZE]), word[SIZE:]
    (h1, c1), (h2, c2) = (encode(params, part) for part in tree)
    gates = lm.concat([h1, h2]) @ params["w"] + params["b"]
    opened = lm.sigmoid(gates[: 4 * SIZE])
    i, f1, f2, o = (opened[k * SIZE : (k + 1) * SIZE] for k in range(4))
    c = i * lm.tanh(gates[4 * SIZE :]) + f1 * c1 + f2 * c2
    return o * lm.tanh(c), c


def loss_of(params: dict[str, Any], tree: Tree, label: int) -> Any:
    """-log of the probability of the label."""
    score = lm.sum(encode(params, tree)[0] * params["out"])
    return lm.softplus(-score if label else score)


def step(params: dict[str, Any], state: Any, batch: list[tuple[Tree, int]]) -> tuple[Any, Any, Any]:
    """New parameters and state of the optimizer, and the mean loss before."""
    total: Any = sum(loss_of(params, tree, label) for tree, label in batch) / len(batch)
    total.backward()
    with lm.no_grad():
        slopes = {name: x.grad for name, x in params.items()}
        params, state = OPTIMIZER.update(params, slopes, state)
    for x in params.values():
        x.requires_grad = True
    return params, state, float(total)


def main() -> int:
    """0 when the loss falls far enough, else 1."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0] if __doc__ else None)
    parser.add_argument("--steps", type=int, default=100)
    steps: int = parser.parse_args().steps
    rng = np.random.default_rng(0)
    params, start = initial(rng), time.perf_counter()
    state, losses = OPTIMIZER.init(params), list[float]()
    for _ in range(steps):
        params, state, loss = step(params, state, examples(rng, BATCH))
        losses.append(loss)
    test = examples(rng, 100)
    with lm.no_grad():
        last = float(sum(loss_of(params, tree, label) for tree, label in test)) / len(test)
    wanted = WANTED if steps >= 100 else GUESS
    print(f"{steps} steps in {time.perf_counter() - start:.1f} s, first loss {losses[0]:.3f}")
    print(f"loss on {len(test)} new sentences {last:.3f} (wanted: below {wanted:.3f})")
    return 0 if last < wanted else 1


if __name__ == "__main__":
    sys.exit(main())

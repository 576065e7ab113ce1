"""Train the networks of ``microtorch.py`` with one framework, in this process.

``python benchmarks/microtorch_frameworks.py NAME TASK WEIGHTS``: ``microtorch_peers.py`` starts one
process for each, with an interpreter that has it. The first line of the output tells of the
framework; then each line of the input is a number of steps, and is answered by the processor
seconds that one took.
"""

from __future__ import annotations

import importlib.metadata
import itertools
import json
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks.microtorch import CHAIN_LENGTH, STEPS, make_step

# Losses that are compared before the clock runs; compilers are done by then.
NUM_LOSSES = 5
LEARNING_RATE = {"mlp": 0.1, "cnn": 1e-3}
BETA1, BETA2, EPS = 0.9, 0.999, 1e-8
# No turn of a slow framework takes much longer.
TURN_SECONDS = 0.5

Given = dict[str, Any]


def parameters_of(given: Given) -> list[Any]:
    """Return the weights in their order."""
    return [given[f"p{number}"] for number in range(len(given) - 2)]


def add_often(x: Any) -> Any:
    """Make a chain of additions."""
    y = x
    for _ in range(CHAIN_LENGTH):
        y = y + x
    return y


def mygrad_step(task: str, given: Given) -> Callable[[], float]:
    """Train with mygrad."""
    import mygrad as mg
    import numpy as np
    from mygrad.nnet.activations import relu
    from mygrad.nnet.layers import conv_nd, max_pool
    from mygrad.nnet.losses import softmax_crossentropy

    mg.turn_memory_guarding_off()
    if task == "chain":
        one = mg.tensor(np.ones(1, np.float32))

        def chain() -> float:
            add_often(one).backward()
            assert one.grad is not None
            return float(one.grad[0])

        return chain
    params = [mg.tensor(each) for each in parameters_of(given)]
    x, labels = given["x"], given["labels"]

    def linear(y: Any, number: int) -> Any:
        return mg.matmul(y, params[number].T) + params[number + 1]

    def convolve(y: Any, number: int) -> Any:
        bias = params[number + 1].reshape(1, -1, 1, 1)
        y = conv_nd(y, params[number], stride=1, padding=1) + bias
        return max_pool(relu(y), (2, 2), 2)

    def forward() -> Any:
        if task == "mlp":
            return linear(relu(linear(relu(linear(x, 0)), 2)), 4)
        return linear(convolve(convolve(x, 0), 2).reshape(len(x), -1), 4)

    update = descent(params) if task == "mlp" else adam(params)

    def step() -> float:
        loss = softmax_crossentropy(forward(), labels)
        loss.backward()
        update()
        return float(loss.item())

    return step


def descent(params: list[Any]) -> Callable[[], None]:
    """Step against the gradient, in NumPy: mygrad has no optimisers."""

    def update() -> None:
        for param in params:
            param.data -= LEARNING_RATE["mlp"] * param.grad

    return update


def adam(params: list[Any]) -> Callable[[], None]:
    """Step as Adam does, in NumPy."""
    import numpy as np

    means = [(np.zeros_like(each.data), np.zeros_like(each.data)) for each in params]
    counts = itertools.count(1)

    def update() -> None:
        count = next(counts)
        lr = LEARNING_RATE["cnn"] / (1 - BETA1**count)
        for param, (mean, square) in zip(params, means, strict=True):
            mean += (1 - BETA1) * (param.grad - mean)
            square += (1 - BETA2) * (param.grad * param.grad - square)
            param.data -= lr * mean / (np.sqrt(square / (1 - BETA2**count)) + EPS)

    return update


def tinygrad_step(task: str, given: Given) -> Callable[[], float]:
    """Train with tinygrad, compiled by its TinyJit."""
    from tinygrad import Context, Tensor, TinyJit, nn

    if task == "chain":
        one = Tensor([1.0]).realize()
        return lambda: float(add_often(one).sum().gradient(one)[0].item())
    params = [Tensor(each).realize() for each in parameters_of(given)]
    make = nn.optim.SGD if task == "mlp" else nn.optim.Adam
    optimizer = make(params, lr=LEARNING_RATE[task])
    x, labels = Tensor(given["x"]).realize(), Tensor(given["labels"].astype("int32")).realize()

    def forward(y: Any) -> Any:
        if task == "mlp":
            y = y.linear(params[0].T, params[1]).relu().linear(params[2].T, params[3]).relu()
        else:
            y = y.conv2d(params[0], params[1], padding=1).relu().max_pool2d()
            y = y.conv2d(params[2], params[3], padding=1).relu().max_pool2d().flatten(1)
        return y.linear(params[4].T, params[5])

    def train() -> Any:
        with Context(TRAINING=1):
            optimizer.zero_grad()
            loss = forward(x).sparse_categorical_crossentropy(labels).backward()
            loss.realize(*optimizer.schedule_step())
        return loss

    compiled = TinyJit(train)
    return lambda: float(compiled().item())


def jax_step(task: str, given: Given) -> Callable[[], float]:
    """Train with jax, compiled by its jit."""
    import jax
    import jax.numpy as jnp

    if task == "chain":
        gradient, one = jax.grad(lambda x: add_often(x)[0]), jnp.ones(1)
        return lambda: float(gradient(one)[0])
    x, labels = jnp.asarray(given["x"]), jnp.asarray(given["labels"])

    def convolve(y: Any, weight: Any, bias: Any) -> Any:
        y = jax.lax.conv_general_dilated(y, weight, (1, 1), ((1, 1), (1, 1)))
        y, window = jax.nn.relu(y + bias.reshape(1, -1, 1, 1)), (1, 1, 2, 2)
        return jax.lax.reduce_window(y, -jnp.inf, jax.lax.max, window, window, "VALID")

    def loss(params: list[Any], x: Any, labels: Any) -> Any:
        y = x
        if task == "mlp":
            y = jax.nn.relu(y @ params[0].T + params[1])
            y = jax.nn.relu(y @ params[2].T + params[3])
        else:
            y = convolve(convolve(y, *params[:2]), *params[2:4]).reshape(len(x), -1)
        scores = jax.nn.log_softmax(y @ params[4].T + params[5])
        return -jnp.take_along_axis(scores, labels[:, None], 1).mean()

    def update(state: Any, x: Any, labels: Any) -> Any:
        params, means, squares, count = state
        value, grads = jax.value_and_grad(loss)(params, x, labels)
        lr, count, tree = LEARNING_RATE[task], count + 1, jax.tree.map
        if task == "mlp":
            return value, (tree(lambda p, g: p - lr * g, params, grads), means, squares, count)
        means = tree(lambda m, g: m + (1 - BETA1) * (g - m), means, grads)
        squares = tree(lambda s, g: s + (1 - BETA2) * (g * g - s), squares, grads)
        rates = lr / (1 - BETA1**count), 1 - BETA2**count
        descend = lambda p, m, s: p - rates[0] * m / (jnp.sqrt(s / rates[1]) + EPS)  # noqa: E731
        return value, (tree(descend, params, means, squares), means, squares, count)

    compiled = jax.jit(update, donate_argnums=0)
    params = [jnp.array(each) for each in parameters_of(given)]
    state = params, [0 * p for p in params], [0 * p for p in params], jnp.zeros(())

    def step() -> float:
        nonlocal state
        value, state = compiled(state, x, labels)
        return float(value)

    return step


def torch_step(task: str, given: Given) -> Callable[[], float]:
    """Train with PyTorch."""
    import torch

    torch.set_num_threads(1)
    return make_step(torch, task)


def microtorch_step(task: str, given: Given) -> Callable[[], float]:
    """Train with MicroTorch."""
    import torchstone.microtorch as micro

    return make_step(micro, task)


# Name -> how a step is made, and the package whose version is given.
FRAMEWORKS: dict[str, tuple[Callable[[str, Given], Callable[[], Any]], str]] = {
    "torch": (torch_step, "torch"),
    "microtorch": (microtorch_step, "torchstone"),
    "jax": (jax_step, "jax"),
    "mygrad": (mygrad_step, "mygrad"),
    "tinygrad": (tinygrad_step, "tinygrad"),
}


def work(name: str, task: str, path: str) -> None:
    """Train in this process as many steps as each line of the input says, and say how long."""
    import numpy as np

    make, package = FRAMEWORKS[name]
    with np.load(path) as arrays:
        step = make(task, dict(arrays))
    # PyTorch's chain says nothing; the gradient of the others must be this.
    losses = [step() or CHAIN_LENGTH + 1 for _ in range(NUM_LOSSES)]
    begun = time.process_time()
    step()
    about = time.process_time() - begun
    answer: Any = {
        "version": importlib.metadata.version(package),
        "losses": losses,
        "steps": max(1, min(STEPS[task], int(TURN_SECONDS / max(about, 1e-9)))),
    }
    sys.stdout.write(json.dumps(answer) + "\n")
    sys.stdout.flush()
    for line in sys.stdin:
        begun = time.process_time()
        for _ in range(int(line)):
            step()
        sys.stdout.write(f"{(time.process_time() - begun) / int(line)}\n")
        sys.stdout.flush()


if __name__ == "__main__":
    if len(sys.argv) != 4:
        raise SystemExit("microtorch_peers.py starts this with FRAMEWORK TASK PATH")
    work(*sys.argv[1:])

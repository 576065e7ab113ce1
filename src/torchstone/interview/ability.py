"""Ability in four dimensions: maximum a posteriori estimate from scored answers, with its error.

An answer to an item is evidence on dimension d with the item's weight q_d ("split credit"):

    log L = sum over items and d of  n q_d [s log p_d + (1 - s) log(1 - p_d)],
    p_d = sigmoid(A (theta_d - b)),  n = 0.6 x number of key points.

The Hessian is then an M-matrix: its inverse has no negative entry, so no better answer can lower
the estimate of any dimension. With one probability for the mixture, sigmoid(A (q . theta - b)), a
better answer lowers some dimension in most items.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

Vector = tuple[float, float, float, float]
Matrix = tuple[Vector, Vector, Vector, Vector]

DIMENSIONS = ("foundations", "practice", "optimisation", "innovation")
WEIGHTS: Vector = (0.25, 0.30, 0.25, 0.20)
SLOPE = 1.3
# Key points of one answer are correlated: each counts as this fraction of an observation.
DAMPING = 0.6
_CORRELATION = 0.6
_REFERENCE = tuple(-1.2 + 0.4 * step for step in range(7))
_MOST_STEPS = 30
_NEAR = 1e-6


@dataclass(frozen=True, slots=True, kw_only=True)
class Response:
    """Scored answer, as input of the estimate.

    Args:
        loads: q, the share of each dimension; they sum to 1.
        b: Difficulty.
        n: Effective number of observations.
        score: Score from 0 to 1.
    """

    loads: Vector
    b: float
    n: float
    score: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Ability:
    """Estimate of theta, and its covariance."""

    theta: Vector
    covariance: Matrix


@dataclass(frozen=True, slots=True, kw_only=True)
class Scale:
    """Expected percentages on the reference items of a level, with their standard errors."""

    dimensions: Vector
    errors: Vector
    total: float
    error: float


def sigmoid(x: float) -> float:
    """Return 1 / (1 + exp(-x)) without overflow."""
    if x >= 0:
        return 1 / (1 + math.exp(-x))
    grown = math.exp(x)
    return grown / (1 + grown)


def prior(mean: float) -> Ability:
    """Return the prior: variance 1, correlation 0.6."""
    rows = [
        tuple(1.0 if i == j else _CORRELATION for j in range(len(WEIGHTS)))
        for i in range(len(WEIGHTS))
    ]
    return Ability(theta=(mean, mean, mean, mean), covariance=_matrix(rows))


def estimate(responses: Sequence[Response], mean: float, *, start: Vector | None = None) -> Ability:
    """Compute the posterior mode by Newton's method, and its covariance by Laplace's approximation.

    Args:
        responses: The scored answers.
        mean: The prior mean of every dimension: that of the level.
        start: Initial value, such as the estimate before the last answer.
    """
    precision = _prior_precision()
    theta = list(start or (mean,) * 4)
    for _ in range(_MOST_STEPS):
        gradient, hessian = _slopes(responses, theta, mean, precision)
        step = _solve(hessian, gradient)
        theta = [each + max(-1.0, min(1.0, move)) for each, move in zip(theta, step, strict=True)]
        if max(abs(move) for move in step) < _NEAR:
            break
    _, hessian = _slopes(responses, theta, mean, precision)
    columns = [_solve(hessian, [float(i == j) for i in range(4)]) for j in range(4)]
    return Ability(theta=_vector(theta), covariance=_matrix(columns))


def place(ability: Ability, mean: float) -> Scale:
    """Convert an ability to percentages on the reference items of a level (delta method)."""
    shares, slopes = [], []
    for theta in ability.theta:
        at = [sigmoid(SLOPE * (theta - mean - offset)) for offset in _REFERENCE]
        shares.append(100 * sum(at) / len(at))
        slopes.append(100 * sum(SLOPE * p * (1 - p) for p in at) / len(at))
    c = ability.covariance
    errors = [slope * math.sqrt(c[d][d]) for d, slope in enumerate(slopes)]
    pulls = [weight * slope for weight, slope in zip(WEIGHTS, slopes, strict=True)]
    variance = sum(pulls[i] * c[i][j] * pulls[j] for i in range(4) for j in range(4))
    return Scale(
        dimensions=_vector(shares),
        errors=_vector(errors),
        total=sum(weight * share for weight, share in zip(WEIGHTS, shares, strict=True)),
        error=math.sqrt(variance),
    )


def chance_above(value: float, error: float, bound: float) -> float:
    """Return the probability that a normal variable exceeds a bound."""
    return 0.5 * math.erfc((bound - value) / (error * math.sqrt(2)))


def _slopes(
    responses: Iterable[Response], theta: Sequence[float], mean: float, precision: list[list[float]]
) -> tuple[list[float], list[list[float]]]:
    away = [each - mean for each in theta]
    gradient = [-sum(row[j] * away[j] for j in range(4)) for row in precision]
    hessian = [list(row) for row in precision]
    for each in responses:
        for d, load in enumerate(each.loads):
            if load:
                p = sigmoid(SLOPE * (theta[d] - each.b))
                gradient[d] += SLOPE * load * each.n * (each.score - p)
                hessian[d][d] += SLOPE * SLOPE * load * each.n * p * (1 - p)
    return gradient, hessian


def _prior_precision() -> list[list[float]]:
    # The inverse of a I + c J is I / a - c / (a (a + 4 c)) J.
    a, c = 1 - _CORRELATION, _CORRELATION
    off = -c / (a * (a + 4 * c))
    return [[1 / a + off if i == j else off for j in range(4)] for i in range(4)]


def _solve(matrix: Sequence[Sequence[float]], right: Sequence[float]) -> list[float]:
    """Solve a symmetric positive definite system by Gaussian elimination."""
    rows = [[*row, value] for row, value in zip(matrix, right, strict=True)]
    size = len(rows)
    for i in range(size):
        for j in range(i + 1, size):
            factor = rows[j][i] / rows[i][i]
            for k in range(i, size + 1):
                rows[j][k] -= factor * rows[i][k]
    solution = [0.0] * size
    for i in reversed(range(size)):
        rest = sum(rows[i][k] * solution[k] for k in range(i + 1, size))
        solution[i] = (rows[i][size] - rest) / rows[i][i]
    return solution


def _vector(values: Sequence[float]) -> Vector:
    a, b, c, d = values
    return a, b, c, d


def _matrix(rows: Sequence[Sequence[float]]) -> Matrix:
    a, b, c, d = (_vector(row) for row in rows)
    return a, b, c, d

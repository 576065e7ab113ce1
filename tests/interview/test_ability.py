import random

import numpy as np
import pytest

from torchstone.interview.ability import (
    DIMENSIONS,
    Response,
    Vector,
    estimate,
    place,
    prior,
)

pytestmark = pytest.mark.pure

LOADS: tuple[Vector, ...] = (
    (0.8, 0.1, 0.05, 0.05),
    (0.5, 0.3, 0.2, 0.0),
    (0.1, 0.6, 0.3, 0.0),
    (0.15, 0.15, 0.0, 0.7),
)


def drawn(num: int, seed: int) -> list[Response]:
    given = random.Random(seed)
    return [
        Response(loads=given.choice(LOADS), b=given.gauss(0, 1), n=2.4, score=given.random())
        for _ in range(num)
    ]


def test_no_better_answer_lowers_any_dimension_or_the_total() -> None:
    for seed in range(5):
        responses = drawn(12, seed)
        before = place(estimate(responses, 0.0), 0.0)
        for index, response in enumerate(responses):
            better = [*responses]
            better[index] = Response(
                loads=response.loads, b=response.b, n=response.n,
                score=min(1.0, response.score + 0.25),
            )  # fmt: skip
            after = place(estimate(better, 0.0), 0.0)
            assert after.total >= before.total
            for d in range(len(DIMENSIONS)):
                assert after.dimensions[d] >= before.dimensions[d] - 1e-9


def test_the_estimate_is_the_mode_of_the_posterior() -> None:
    responses = drawn(15, 3)
    found = estimate(responses, 0.5)
    cov = np.full((4, 4), 0.6) + 0.4 * np.eye(4)
    precision = np.linalg.inv(cov)

    def log_posterior(theta: np.ndarray) -> float:
        away = theta - 0.5
        value = -0.5 * away @ precision @ away
        for each in responses:
            p = 1 / (1 + np.exp(-1.3 * (theta - each.b)))
            loads = np.array(each.loads) * each.n
            value += (loads * (each.score * np.log(p) + (1 - each.score) * np.log(1 - p))).sum()
        return float(value)

    at = np.array(found.theta)
    best = log_posterior(at)
    for move in np.eye(4) * 1e-3:
        assert log_posterior(at + move) < best
        assert log_posterior(at - move) < best


def test_answers_shrink_the_error_and_the_start_of_the_search_does_not_matter() -> None:
    responses = drawn(15, 5)
    assert place(estimate(responses, 0.0), 0.0).error < place(prior(0.0), 0.0).error
    one, other = estimate(responses, 0.0), estimate(responses, 0.0, start=(2.0, -2.0, 1.0, 0.0))
    assert np.allclose(one.theta, other.theta, atol=1e-6)

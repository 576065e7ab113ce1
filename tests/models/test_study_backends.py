"""The study of attention's backends: how bytes grow, which no clock can change."""

import json
from pathlib import Path
from typing import Any

import pytest
import torch

from torchstone.models.studies import backends as study
from torchstone.models.studies.backends import LONG, SHORT, Case

pytestmark = pytest.mark.torch

SIZES = {"float32": 4, "bfloat16": 2}


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> dict[tuple[str, str, int], Any]:
    path = tmp_path_factory.mktemp("study") / "results.json"
    assert study.main(["--short", "--json", str(path)]) == 0
    whole = json.loads(path.read_text(encoding="utf-8"))
    return {(each["backend"], each["dtype"], each["seq_len"]): each for each in whole["results"]}


def test_each_backend_stands_at_each_length(results: dict[tuple[str, str, int], Any]) -> None:
    places = SHORT.seq_lens
    assert set(results) == {(n, d, t) for n in study.NAMES for d in SIZES for t in places}
    times = [each[f"{way}_ms"] for each in results.values() for way in ("forward", "backward")]
    assert min(times) > 0


@pytest.mark.parametrize("dtype", SIZES)
@pytest.mark.parametrize("backend", ["flash", "sdpa"])
def test_a_result_and_a_number_a_row_are_held(
    results: dict[tuple[str, str, int], Any], backend: str, dtype: str
) -> None:
    for seq_len in SHORT.seq_lens:
        rows = SHORT.num_heads * seq_len
        # The sums are float32, whatever the type.
        want = rows * (SHORT.head_dim * SIZES[dtype] + 4)
        assert results[backend, dtype, seq_len]["held_bytes"] == want


@pytest.mark.parametrize("dtype", SIZES)
def test_scores_are_held_by_the_definition(
    results: dict[tuple[str, str, int], Any], dtype: str
) -> None:
    for seq_len in SHORT.seq_lens:
        size, pairs = SIZES[dtype], SHORT.num_heads * seq_len**2
        vectors = SHORT.num_heads * seq_len * SHORT.head_dim
        # Weights before and after the hidden ones are set to 0, of all heads; what is hidden, a
        # byte for each pair of places; copies of keys and values, and the result.
        want = 2 * pairs * size + seq_len**2 + 3 * vectors * size
        assert results["math", dtype, seq_len]["held_bytes"] == want


@pytest.mark.parametrize("dtype", SIZES)
def test_the_worst_grows_with_the_length_or_with_its_square(
    results: dict[tuple[str, str, int], Any], dtype: str
) -> None:
    def peaks(backend: str) -> list[int]:
        return [results[backend, dtype, seq_len]["peak_bytes"] for seq_len in SHORT.seq_lens]

    one, two, four = peaks("flash")
    assert (two, four) == (2 * one, 4 * one)
    # a T^2 + b T through two of them goes through the third.
    one, two, four = peaks("math")
    square = (two - 2 * one) // 2
    assert four == 16 * square + 4 * (one - square)
    assert square > (one - square) / 2


@pytest.mark.parametrize("dtype", study.DTYPES)
def test_all_that_is_timed_gives_the_same(dtype: torch.dtype) -> None:
    found = {}
    for name in study.NAMES:
        case = Case(SHORT, name, dtype, 32)
        found[name] = [case.forward().detach(), *case.backward()]
    for name in ("flash", "sdpa"):
        close = 1e-4 if dtype == torch.float32 else 5e-2
        torch.testing.assert_close(found[name], found["math"], rtol=close, atol=close)


def test_backward_wants_a_forward() -> None:
    case = Case(SHORT, "flash", torch.float32, 8)
    case.forward()
    case.backward()
    with pytest.raises(AssertionError, match="there was no forward"):
        case.backward()


def test_the_table_says_what_is_left_out() -> None:
    assert "triton" not in study.NAMES
    assert study.table([]).splitlines()[-1].startswith("triton is left out")


def test_what_is_kept_in_the_repository_is_of_this_study() -> None:
    path = Path(__file__).parents[2] / "benchmarks" / "studies" / "backends.json"
    whole = json.loads(path.read_text(encoding="utf-8"))
    cases = {(each["backend"], each["dtype"], each["seq_len"]) for each in whole["results"]}
    assert cases == {(n, d, t) for n in study.NAMES for d in SIZES for t in LONG.seq_lens}
    assert "load" in whole["machine"]

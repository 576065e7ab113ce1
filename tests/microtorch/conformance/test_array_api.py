"""What the standard of arrays says is kept, save where PyTorch says something else."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.errors import HypothesisWarning
from hypothesis.extra.array_api import make_strategies_namespace

import torchstone.microtorch as micro
from tests.kept_results import MICROTORCH
from tests.microtorch.conformance import array_namespace as xp
from tests.microtorch.conformance.array_api import checks, measure, read_failures, reason_of
from torchstone.microtorch import Tensor

pytestmark = [pytest.mark.torch, pytest.mark.kept(MICROTORCH, "tests/microtorch/conformance")]
EXACT = ("has_names", "signatures", "special_cases", "constants")


def failures(examples: int, *files: str) -> dict[str, str]:
    found = measure(examples, list(files))
    assert found
    return {name: wrong for name, wrong in found.items() if wrong is not None}


def test_names_signatures_and_special_cases_are_the_standards_where_they_are_not_pytorchs() -> None:
    known = {name for name in read_failures() if name.startswith(EXACT)}
    assert failures(1, *EXACT).keys() == known


@pytest.mark.slow
def test_every_function_agrees_with_numpy_where_the_table_does_not_say_why_it_does_not() -> None:
    failed = failures(20)
    assert failed.keys() == read_failures().keys(), failed


def test_nine_tests_in_ten_of_a_public_run_would_pass() -> None:
    assert len(read_failures()) <= 0.1 * len(checks())


def test_no_check_counts_twice() -> None:
    names = [check.id for check in checks()]
    assert len(set(names)) == len(names) > 1200


def test_every_failure_has_a_reason_that_is_pytorchs() -> None:
    for name, reason in read_failures().items():
        assert reason == reason_of(name) != "unknown", name


@settings(max_examples=30, deadline=None, derandomize=True)
@given(st.data())
def test_hypothesis_draws_arrays_from_the_namespace(data: st.DataObject) -> None:
    # Its tensors do not name it, as PyTorch's name no namespace.
    with pytest.warns(HypothesisWarning, match="Could not determine"):
        strategies = make_strategies_namespace(xp, api_version="2024.12")
    x = data.draw(strategies.arrays(strategies.scalar_dtypes(), strategies.array_shapes()))
    assert isinstance(x, Tensor)


def _shifted(right: Any) -> Any:
    return lambda *args, **kwargs: right(*args, **kwargs) + 1


def _doubled(right: Any) -> Any:
    return lambda *args, **kwargs: micro.stack([right(*args, **kwargs)] * 2)


def _widened(right: Any) -> Any:
    def wrong(*args: Any, **kwargs: Any) -> Any:
        found = right(*args, **kwargs)
        return found.to(micro.complex128 if found.dtype is not micro.complex128 else micro.float64)

    return wrong


def _unwrapped(right: Any) -> Any:
    return lambda *args, **kwargs: right(*args, **kwargs).numpy()


class TestTheDriver:
    """It would see a difference: a judge that accepts everything would pass all of the above."""

    @pytest.mark.parametrize("spoil", [_shifted, _doubled, _widened, _unwrapped])
    @pytest.mark.parametrize(
        ("name", "check"),
        [
            ("sin", "operators_and_elementwise_functions::sin"),
            ("add", "operators_and_elementwise_functions::add[add(x1, x2)]"),
            ("add", "operators_and_elementwise_functions::binary_with_scalars_real[add]"),
            ("clip", "operators_and_elementwise_functions::clip"),
            ("sum", "statistical_functions::sum"),
            ("cumulative_sum", "statistical_functions::cumulative_sum"),
            ("argsort", "sorting_functions::argsort"),
            ("take_along_axis", "indexing_functions::take_along_axis"),
            ("concat", "manipulation_functions::concat"),
            ("where", "searching_functions::where"),
            ("eye", "creation_functions::eye"),
            ("astype", "data_type_functions::astype"),
            ("from_dlpack", "dlpack::from_dlpack"),
            ("vecdot", "linalg::vecdot"),
        ],
    )
    def test_a_wrong_value_shape_type_or_class_is_no_pass(
        self, monkeypatch: pytest.MonkeyPatch, name: str, check: str, spoil: Callable[[Any], Any]
    ) -> None:
        assert not failures(10, check)
        monkeypatch.setattr(xp, name, spoil(getattr(xp, name)))
        assert failures(10, check)

    @pytest.mark.parametrize(
        ("name", "wrong", "check"),
        [
            ("signbit", lambda x: x < 0, "special_cases::unary[signbit(-0) -> True]"),
            ("atan", lambda x: x * 1.5, "special_cases::unary[atan(+inf) -> ~pi/2]"),
            ("round", lambda x: micro.floor(x + 0.5), "special_cases::unary[round(half) -> even]"),
            ("hypot", micro.maximum, "special_cases::binary[hypot(inf any) -> +inf]"),
            ("multiply", lambda x, y: abs(x * y), "special_cases::binary[multiply(opposite"),
            ("mean", lambda x: micro.nanmean(x), "special_cases::nan_propagation[mean]"),
        ],
    )
    def test_a_special_case_that_is_missed_is_no_pass(
        self, monkeypatch: pytest.MonkeyPatch, name: str, wrong: Callable[..., Any], check: str
    ) -> None:
        assert not failures(1, check)
        monkeypatch.setattr(xp, name, wrong)
        assert failures(1, check)

    @pytest.mark.parametrize(
        ("given", "is_right"),
        [
            (lambda x, /, *, axis=None: x, False),
            (lambda *, axis=None, keepdims=False: axis, False),
            (lambda x, /, *, axis=None, keepdims=False: x, True),
            (lambda x, axis=None, keepdims=False, more=1: x, True),
        ],
    )
    def test_a_signature_passes_where_every_call_of_the_standard_binds(
        self, monkeypatch: pytest.MonkeyPatch, given: Callable[..., Any], is_right: bool
    ) -> None:
        monkeypatch.setattr(xp, "max", given)
        assert bool(failures(1, "signatures::func_signature[max]")) is not is_right

    def test_an_argument_that_is_named_otherwise_is_no_pass(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(xp, "squeeze", lambda x, /, dim: micro.squeeze(x, dim))
        assert failures(1, "signatures::func_signature[squeeze]")

    def test_a_name_that_is_gone_is_no_pass(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.delattr(xp, "tanh")
        lost = failures(
            1,
            "has_names::has_names[elementwise-tanh]",
            "signatures::func_signature[tanh]",
            "operators_and_elementwise_functions::tanh",
            "special_cases::unary[tanh",
        )
        assert len(lost) == 8

    def test_a_promotion_that_is_wrong_is_no_pass(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(xp, "result_type", lambda *operands: micro.float32)
        assert len(failures(10, "data_type_functions::result_type")) == 3

    def test_an_array_that_is_copied_though_it_must_not_is_no_pass(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        right = xp.asarray
        monkeypatch.setattr(xp, "asarray", lambda obj, **options: right(obj, **options).clone())
        assert failures(20, "creation_functions::asarray_arrays")


def test_the_namespace_tells_where_a_value_of_a_set_first_stands() -> None:
    x = xp.asarray([3, 1, 3, 2, 1])
    found = xp.unique_all(x)
    assert found.values.tolist() == [1, 2, 3]
    assert found.indices.tolist() == [1, 3, 0]
    assert found.inverse_indices.tolist() == [2, 0, 2, 1, 0]
    assert found.counts.tolist() == [2, 1, 2]
    np.testing.assert_array_equal(x[found.indices].numpy(), found.values.numpy())

import pytest

from torchstone.bank.schema import Kind
from torchstone.judge.proof.budgets import budget_cpu_ms

pytestmark = pytest.mark.pure


def test_what_is_built_or_has_processes_may_take_longer() -> None:
    plain = budget_cpu_ms(Kind.FUNCTION)
    assert plain == budget_cpu_ms(Kind.MODULE) < budget_cpu_ms(Kind.CUDA)
    assert plain < min(map(budget_cpu_ms, (Kind.LOADER, Kind.DISTRIBUTED, Kind.SCRIPT)))

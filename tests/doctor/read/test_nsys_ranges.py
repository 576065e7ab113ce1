"""What the text of a range says."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from torchstone.doctor.events import NONE
from torchstone.doctor.read.kinds import Kind
from torchstone.doctor.read.nsys_ranges import Emitted, kind_of_range, parse, words_of

pytestmark = pytest.mark.pure


@pytest.mark.parametrize(
    ("text", "name", "sequence", "operator", "sizes"),
    [
        ("aten::mm", "aten::mm", NONE, NONE, ""),
        ("aten::mm, seq = 3", "aten::mm", 3, NONE, ""),
        ("aten::mm, op_id = 17", "aten::mm", NONE, 17, ""),
        ("aten::t, seq = 0, op_id = 1, sizes = [[2, 3]]", "aten::t", 0, 1, "[[2, 3]]"),
        (
            "MmBackward0, seq = 4, op_id = 9, sizes = [[2, 3], []], input_op_ids = [(1,0)]",
            *("MmBackward0", 4, 9, "[[2, 3], []]"),
        ),
        ("aten::t, sizes = [[2, 3]]", "aten::t", NONE, NONE, "[[2, 3]]"),
        ("load, then train", "load, then train", NONE, NONE, ""),
        ("epoch 3, seq = x", "epoch 3, seq = x", NONE, NONE, ""),
        ("a, op_id = " + "9" * 30, "a, op_id = " + "9" * 30, NONE, NONE, ""),
        ("", "", NONE, NONE, ""),
    ],
)
def test_the_text_of_emit_nvtx_is_read(
    text: str, name: str, sequence: int, operator: int, sizes: str
) -> None:
    wanted = Emitted(name=name, sequence=sequence, operator=operator, sizes=sizes)
    assert parse(text) == wanted


@given(st.text())
def test_any_text_is_read(text: str) -> None:
    assert isinstance(kind_of_range(parse(text).name, has_sequence=False), Kind)


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        *(("aten::mm", Kind.OPERATOR), ("c10d::allreduce_", Kind.OPERATOR)),
        ("torch.distributed.ddp.reducer::copy_bucket_to_grad", Kind.OPERATOR),
        *(("MmBackward0", Kind.OPERATOR), ("detach_", Kind.OPERATOR)),
        ("autograd::engine::evaluate_function: MmBackward0", Kind.OPERATOR),
        *(("FSDP::pre_forward (blocks.1)", Kind.ANNOTATION), ("nccl:all_to_all", Kind.ANNOTATION)),
        *(("forward", Kind.ANNOTATION), ("ResNet", Kind.ANNOTATION), ("", Kind.ANNOTATION)),
        *(("ProfilerStep#12", Kind.STEP), ("ProfilerStep*", Kind.ANNOTATION)),
        ("enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__", Kind.LOADER),
        *(("data", Kind.LOADER), ("Data Loading", Kind.LOADER), ("load_batch", Kind.LOADER)),
        *(("get_batch", Kind.LOADER), ("dataloader", Kind.LOADER), ("next_batch", Kind.LOADER)),
        ("[_TrainingEpochLoop].train_dataloader_next", Kind.LOADER),
        *(("data to device", Kind.ANNOTATION), ("load model", Kind.ANNOTATION)),
        *(("init dataloader", Kind.ANNOTATION), ("load weights", Kind.ANNOTATION)),
        *(("batch 3", Kind.ANNOTATION), ("training_step", Kind.ANNOTATION)),
        *(("Optimizer.step#SGD.step", Kind.OPTIMIZER), ("optimizer", Kind.OPTIMIZER)),
        *(("opt.step", Kind.OPTIMIZER), ("optimizer_step", Kind.OPTIMIZER)),
        *(("## optimizer ##", Kind.OPTIMIZER), ("build optimizer", Kind.ANNOTATION)),
        *(("Python GC", Kind.GC), ("gc: collect", Kind.GC)),
    ],
)
def test_names_say_what_a_range_is(name: str, kind: Kind) -> None:
    assert kind_of_range(name, has_sequence=False) == kind


def test_what_has_a_sequence_number_is_an_operator() -> None:
    assert kind_of_range("AllToAll4D", has_sequence=True) == Kind.OPERATOR
    assert kind_of_range("AllToAll4D", has_sequence=False) == Kind.ANNOTATION


def test_words_are_split_where_a_programmer_splits_them() -> None:
    assert words_of("trainStep_3: getNextBatch") == {"train", "step", "get", "next", "batch"}
    assert words_of("NCCLWait") == {"nccl", "wait"}

import pytest
import torch

from torchstone.distributed.comm.calls import Call, check_tensors, num_bytes

pytestmark = [pytest.mark.torch]


@pytest.mark.parametrize(
    ("op", "sent"),
    [
        ("all_reduce", 2 * 3 * 3 * 4),
        ("reduce_scatter", 3 * 3 * 4),
        ("all_to_all", 3 * 3 * 4),
        ("all_gather", 3 * 10 * 4),
        ("barrier", 0),
    ],
)
def test_the_bytes_are_those_of_theory_with_equal_parts(op, sent):
    # Ten elements of four bytes on four ranks: parts of three.
    assert num_bytes(op, torch.ones(10), 4) == (sent, sent)
    assert num_bytes(op, torch.ones(10), 1) == (0, 0)
    assert num_bytes(op, torch.ones(0), 4) == (0, 0)


def test_a_message_is_sent_by_one_side_and_received_by_the_other():
    assert num_bytes("send", torch.ones(5), 3) == (20, 0)
    assert num_bytes("recv", torch.ones(5), 3) == (0, 20)


@pytest.mark.parametrize("size", range(1, 17))
def test_a_broadcast_reaches_every_rank_once_along_a_tree(size):
    for src in (0, size - 1):
        both = [num_bytes("broadcast", torch.ones(1), size, rank=each, src=src)
                for each in range(size)]  # fmt: skip
        assert sum(sent for sent, _ in both) == 4 * (size - 1)
        assert [received for _, received in both] == [4 * (each != src) for each in range(size)]
        assert max(sent for sent, _ in both) == 4 * (size - 1).bit_length()


def test_the_signature_is_what_ranks_must_agree_on():
    x = torch.ones(3, dtype=torch.bfloat16)
    assert Call(op="all_reduce", tensor=x, out=x).signature() == (
        "3 elements of bfloat16, sum in the order 'rank'"
    )
    assert Call(op="broadcast", tensor=x, out=x, peer=2).signature().endswith("from rank 2")
    send = Call(op="send", tensor=x, out=x, peer=1)
    assert send.is_message
    assert send.signature() == Call(op="recv", tensor=x, out=x, peer=0).signature()


def test_tensors_that_cannot_be_written_are_refused_and_others_are_not():
    for good in (torch.ones(1).expand(1), torch.ones(0, 3), torch.ones(()), torch.ones(3, 1).t()):
        check_tensors("all_reduce", good, good, out_parts=1, parts=1)
    bad = torch.ones(1).expand(2)
    with pytest.raises(ValueError, match=r"all_reduce: .*expanded tensor; clone it first"):
        check_tensors("all_reduce", bad, bad, out_parts=1, parts=1)

import pytest

from torchstone.distributed.comm.positions import Position, describe

pytestmark = [pytest.mark.torch]

AT = Position(op="all_reduce", number=14, axis="dp")
OTHER = Position(op="all_gather", number=14, axis="dp")


def test_ranks_in_one_collective_are_named_together_and_those_alone_first():
    assert describe({0: AT, 1: AT, 2: OTHER, 3: AT}) == (
        "rank 2 is in all_gather #14, ranks 0, 1, 3 in all_reduce #14"
    )
    assert describe({0: AT, 1: AT}) == "ranks 0, 1 are in all_reduce #14"


def test_a_second_queue_of_the_ranks_is_named():
    other = Position(op="barrier", number=2, axis="dp.1")
    assert describe({0: AT, 1: other, 2: other}) == (
        "rank 0 is in all_reduce #14, ranks 1, 2 in barrier #2 of dp.1"
    )


def test_messages_name_the_other_rank_and_the_tag():
    send = Position(op="send", number=3, axis="pp", peer=1, tag=9)
    recv = Position(op="recv", number=0, axis="pp", peer=0)
    assert describe({0: send, 1: recv}) == (
        "rank 0 is in send to rank 1 with tag 9 of pp, rank 1 in recv from rank 0 with tag 0"
    )


@pytest.mark.parametrize(
    ("state", "one", "two"),
    [
        ("has ended", "rank 1 has ended", "ranks 1, 2 have ended"),
        ("says nothing", "rank 1 says nothing", "ranks 1, 2 say nothing"),
        ("is past barrier #0 of dp", "rank 1 is past barrier #0 of dp", "ranks 1, 2 are past"),
    ],
)
def test_states_in_words_agree_with_the_number_of_ranks(state, one, two):
    assert describe({0: AT, 1: state, 3: AT}).startswith(one + ", ranks 0, 3 are in all_reduce")
    assert two in describe({0: AT, 1: state, 2: state})

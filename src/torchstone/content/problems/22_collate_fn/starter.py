from collections.abc import Sequence


def pad_collate(
    batch: Sequence,
    *,
    padding_value: float = 0,
    pad_to_multiple_of: int = 1,
    batch_first: bool = True,
):
    """Collate samples of equal structure; pad tensors along their first dimension.

    A tensor field becomes ``{"data": ..., "lengths": ..., "mask": ...}``; the mask is True where
    there is data.
    """
    raise NotImplementedError

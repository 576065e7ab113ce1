from torch import Tensor, nn


class TransformerEncoder(nn.Module):
    """Apply ``num_layers`` layers of self-attention and feed-forward network."""

    def __init__(
        self,
        d_model: int,
        nhead: int,
        num_layers: int,
        dim_feedforward: int = 2048,
        dropout: float = 0.1,
        activation: str = "relu",
        norm_first: bool = False,
        layer_norm_eps: float = 1e-5,
        final_norm: bool = False,
    ) -> None:
        """Make the parameters, named as those of ``nn.TransformerEncoder``.

        Raises:
            ValueError: ``nhead`` is below 1 or does not divide ``d_model``; ``activation`` is
                neither "relu" nor "gelu"; ``dropout`` is outside [0, 1].
        """
        super().__init__()
        raise NotImplementedError

    def forward(
        self, src: Tensor, mask: Tensor | None = None, src_key_padding_mask: Tensor | None = None
    ) -> Tensor:
        """Return the encoded sequences.

        Shapes:
            src: (B, L, d_model) -> same shape and dtype.
            mask: (L, L) or (B * nhead, L, L); True blocks, floats are added to the scores.
            src_key_padding_mask: (B, L); True blocks a key, floats are added to its scores.
        """
        raise NotImplementedError

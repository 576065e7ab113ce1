"""The model of language: its cache, its tied table, what it draws, and GPT-2's names."""

import math

import pytest
import torch
import torch.nn.functional as F
from torch import Tensor, nn

from torchstone.models import Alibi, LanguageModel, Layer, Learned, Rotary, Sinusoidal
from torchstone.models.states import language_model_from_gpt2, language_model_to_gpt2

pytestmark = pytest.mark.torch

TOKENS, WIDTH, HEADS, LIMIT = 31, 24, 4, 40


def model(position: str = "learned", **named: object) -> LanguageModel:
    added = {"learned": Learned(WIDTH, LIMIT), "sinusoidal": Sinusoidal(WIDTH, LIMIT)}
    turned = {"rotary": Rotary(WIDTH // HEADS, LIMIT), "alibi": Alibi(HEADS)}
    layers = [
        Layer(WIDTH, HEADS, activation="gelu_tanh", position=turned.get(position), **named)  # type: ignore[arg-type]
        for _ in range(2)
    ]
    return LanguageModel(TOKENS, layers, norm=nn.LayerNorm(WIDTH), position=added.get(position))


@pytest.mark.parametrize("position", ["learned", "sinusoidal", "rotary", "alibi", "none"])
def test_caches_give_what_the_whole_text_gives(position: str) -> None:
    language = model(position, num_key_heads=2).eval()
    text = torch.randint(TOKENS, (2, 12))
    whole = language(text)
    caches = language.stack.caches()
    parts = [language(part, caches) for part in text.split([5, 1, 1, 5], 1)]
    torch.testing.assert_close(torch.cat(parts, 1), whole, rtol=1e-4, atol=1e-5)


def test_a_token_sees_none_that_comes_later() -> None:
    language = model().eval()
    text = torch.randint(TOKENS, (1, 9))
    changed = text.clone()
    changed[0, 5:] = (changed[0, 5:] + 1) % TOKENS
    before, after = language(text), language(changed)
    torch.testing.assert_close(before[:, :5], after[:, :5], rtol=1e-4, atol=1e-5)
    assert not torch.allclose(before[:, 5:], after[:, 5:])


def test_the_table_of_tokens_is_one() -> None:
    language = model()
    assert language.scores.weight is language.tokens.weight
    apart = LanguageModel(TOKENS, [Layer(WIDTH, HEADS)], is_tied=False)
    assert apart.scores.weight is not apart.tokens.weight
    names = [name for name, _ in language.named_parameters()]
    assert "tokens.weight" in names
    assert "scores.weight" not in names


def test_what_is_drawn_follows_the_scores() -> None:
    language = model().eval()
    text = torch.randint(TOKENS, (2, 3))
    best = language.generate(text, 6, temperature=0)
    assert torch.equal(best[:, :3], text)
    for end in range(3, 9):
        assert torch.equal(language(best[:, :end])[:, -1].argmax(-1), best[:, end])
    assert torch.equal(language.generate(text, 6, top_k=1), best)

    def draw(seed: int) -> Tensor:
        generator = torch.Generator().manual_seed(seed)
        return language.generate(text, 20, temperature=2.0, generator=generator)

    assert torch.equal(draw(1), draw(1))
    assert not torch.equal(draw(1), draw(2))


def gpt2(state: dict[str, Tensor], tokens: Tensor) -> Tensor:
    """Compute GPT-2 from a state in its own names, in plain torch."""
    places = torch.arange(tokens.shape[1])
    x = state["wte.weight"][tokens] + state["wpe.weight"][places]

    def norm(x: Tensor, name: str) -> Tensor:
        return F.layer_norm(x, (WIDTH,), state[f"{name}.weight"], state[f"{name}.bias"])

    def product(x: Tensor, name: str) -> Tensor:
        return x @ state[f"{name}.weight"] + state[f"{name}.bias"]

    for h in ("h.0", "h.1"):
        q, k, v = (
            each.unflatten(-1, (HEADS, -1)).transpose(1, 2)
            for each in product(norm(x, f"{h}.ln_1"), f"{h}.attn.c_attn").chunk(3, -1)
        )
        scores = q @ k.mT / math.sqrt(q.shape[-1])
        hidden = torch.ones(scores.shape[-2:], dtype=torch.bool).triu(1)
        heads = scores.masked_fill(hidden, -torch.inf).softmax(-1) @ v
        x = x + product(heads.transpose(1, 2).flatten(2), f"{h}.attn.c_proj")
        inner = F.gelu(product(norm(x, f"{h}.ln_2"), f"{h}.mlp.c_fc"), approximate="tanh")
        x = x + product(inner, f"{h}.mlp.c_proj")
    return norm(x, "ln_f") @ state["wte.weight"].t()


def test_it_is_gpt_2_with_its_state() -> None:
    language = model()
    for parameter in language.parameters():
        nn.init.normal_(parameter, std=0.3)
    state = language_model_to_gpt2(language.state_dict())
    assert state["h.0.attn.c_attn.weight"].shape == (WIDTH, 3 * WIDTH)
    tokens = torch.randint(TOKENS, (2, 7))
    torch.testing.assert_close(language(tokens), gpt2(state, tokens), rtol=1e-3, atol=1e-3)
    # As it is published: with masks beside the parameters, and the table not repeated.
    state = {f"transformer.{name}": each for name, each in state.items() if "lm_head" not in name}
    state["transformer.h.0.attn.bias"] = torch.ones(1)
    other = model()
    other.load_state_dict(language_model_from_gpt2(state))
    assert torch.equal(other(tokens), language(tokens))
    del state["transformer.h.1.ln_2.bias"]
    with pytest.raises(ValueError, match=r"there is no 'ln_2\.bias'"):
        language_model_from_gpt2(state)


def test_it_learns_a_text_by_heart() -> None:
    torch.manual_seed(0)
    language = model("rotary", norm="rms", num_key_heads=1)
    optimizer = torch.optim.AdamW(language.parameters(), lr=1e-2)
    text = torch.randint(TOKENS, (1, 17))
    for _ in range(60):
        loss = F.cross_entropy(language(text[:, :-1]).flatten(0, 1), text[0, 1:])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    assert loss.item() < 0.1
    assert torch.equal(language.eval().generate(text[:, :4], 13, temperature=0), text)


def test_beyond_its_limit_it_goes_on_with_the_last_half() -> None:
    torch.manual_seed(0)
    language = model("rotary").eval()
    start = torch.randint(TOKENS, (2, 5))
    limit = 12
    made = language.generate(start, 30, temperature=0, limit=limit)
    assert made.shape == (2, 35)
    # As long as there is room, nothing is forgotten.
    assert torch.equal(made[:, :13], language.generate(start, 8, temperature=0))
    # The first one drawn beyond it follows from half as many places as there are.
    scores = language(made[:, 13 - limit // 2 : 13])[:, -1]
    assert torch.equal(made[:, 13], scores.argmax(-1))
    with pytest.raises(ValueError, match="limit is 1"):
        language.generate(start, 1, limit=1)


def test_bad_arguments_are_named() -> None:
    language = model()
    with pytest.raises(ValueError, match="the text is empty"):
        language.generate(torch.zeros(1, 0, dtype=torch.int64), 3)
    with pytest.raises(ValueError, match=r"tokens is torch\.float32 of shape"):
        language(torch.zeros(1, 2))
    with pytest.raises(ValueError, match="the sequence ends at place 41; the limit is 40"):
        language(torch.zeros(1, 41, dtype=torch.int64))
    with pytest.raises(ValueError, match="temperature is -1"):
        language.generate(torch.zeros(1, 2, dtype=torch.int64), 3, temperature=-1)
    with pytest.raises(ValueError, match="there are no layers"):
        LanguageModel(5, [])

"""
A small transformer that begins as the static table: each block adds nothing before it has learned to, so a text is still
the sum of its tokens' rows, and whatever context gives comes on top.
"""

from dataclasses import dataclass
from typing import Callable

import numpy as np
import torch
from torch import nn
from torch.nn import functional as F

from batches import BatchSampler
from evaluation import unit_rows
from table_model import PREFIXES, QUERY_TO_PASSAGE, SCALE, Pairs, Stage, rate_at
from vocabulary import TokenLists

CHUNK_TOKENS = 16_384


@dataclass(frozen=True)
class Shape:
    layers: int
    heads: int
    width: int
    inner: int
    max_tokens: int


class Block(nn.Module):
    """Attention and feed-forward, each normed before and added after."""

    def __init__(self, shape: Shape):
        super().__init__()
        self.heads = shape.heads
        self.attention_norm = nn.LayerNorm(shape.width)
        self.mix = nn.Linear(shape.width, 3 * shape.width)
        self.attention_out = nn.Linear(shape.width, shape.width)
        self.inner_norm = nn.LayerNorm(shape.width)
        self.inner = nn.Linear(shape.width, shape.inner)
        self.inner_out = nn.Linear(shape.inner, shape.width)
        for last in (self.attention_out, self.inner_out):
            nn.init.zeros_(last.weight)
            nn.init.zeros_(last.bias)

    def forward(self, stream: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        batch, length, width = stream.shape
        mixed = self.mix(self.attention_norm(stream)).view(batch, length, 3, self.heads, width // self.heads)
        query, key, value = mixed.permute(2, 0, 3, 1, 4)
        seen = F.scaled_dot_product_attention(query, key, value, attn_mask=mask[:, None, None, :])
        stream = stream + self.attention_out(seen.transpose(1, 2).reshape(batch, length, width))
        return stream + self.inner_out(F.gelu(self.inner(self.inner_norm(stream)), approximate="tanh"))


class ContextModel(nn.Module):
    """Token numbers (batch, length) and their mask to one vector per token; rows that are masked are zero."""

    def __init__(self, table: np.ndarray, shape: Shape):
        super().__init__()
        self.shape = shape
        self.tokens = nn.Embedding.from_pretrained(torch.from_numpy(table.copy()), freeze=False)
        self.places = nn.Embedding(shape.max_tokens, shape.width)
        nn.init.normal_(self.places.weight, std=0.02)
        self.blocks = nn.ModuleList(Block(shape) for _ in range(shape.layers))
        # What the blocks read: directions of rows and places; what they add goes onto the rows themselves.
        self.gate = nn.Parameter(torch.ones(()))

    def forward(self, tokens: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        rows = self.tokens(tokens)
        first = F.normalize(rows, dim=-1) + self.places.weight[: tokens.shape[1]]
        stream = first
        for block in self.blocks:
            stream = block(stream, mask)
        return (rows + self.gate * (stream - first)) * mask[..., None]


def pad(texts: TokenLists, chosen: np.ndarray, longest: int, dropout: float, random: np.random.Generator):
    """Token numbers and mask (texts, length); dropped tokens are left out, at least one stays."""
    parts = []
    for number in chosen:
        tokens = texts.tokens[texts.starts[number] : texts.starts[number + 1]][: 2 * longest]
        if dropout > 0 and len(tokens) > 1:
            kept = random.random(len(tokens)) >= dropout
            tokens = tokens[kept] if kept.any() else tokens[:1]
        parts.append(tokens[:longest])
    length = max(1, max(len(tokens) for tokens in parts))
    padded = np.zeros((len(parts), length), dtype=np.int64)
    mask = np.zeros((len(parts), length), dtype=bool)
    for row, tokens in enumerate(parts):
        padded[row, : len(tokens)] = tokens
        mask[row, : len(tokens)] = True
    mask[:, 0] = True
    return torch.from_numpy(padded), torch.from_numpy(mask)


def embed(model: ContextModel, texts: TokenLists, chosen: np.ndarray, dropout: float, random) -> torch.Tensor:
    """Sums over tokens, float32 (texts, width), in the order of `chosen`; texts of like length are read together."""
    order = np.argsort(texts.lengths[chosen], kind="stable")
    vectors, first = [], 0
    while first < len(order):
        last = first + 1
        while last < len(order) and (last - first) * min(model.shape.max_tokens, texts.lengths[chosen[order[last]]]) < CHUNK_TOKENS:
            last += 1
        tokens, mask = pad(texts, chosen[order[first:last]], model.shape.max_tokens, dropout, random)
        with torch.autocast("cpu", dtype=torch.bfloat16):
            hidden = model(tokens, mask)
        vectors.append(hidden.float().sum(dim=1))
        first = last
    back = np.empty_like(order)
    back[order] = np.arange(len(order))
    return torch.cat(vectors)[torch.from_numpy(back)]


def encode(model: ContextModel, texts: TokenLists, width: int = PREFIXES[0]) -> np.ndarray:
    """Unit rows, float32 (texts, width)."""
    random = np.random.default_rng(0)
    model.eval()
    with torch.no_grad():
        rows = embed(model, texts, np.arange(len(texts)), 0.0, random).numpy()
    model.train()
    return unit_rows(rows[:, :width])


def train_context(
    model: ContextModel,
    pairs: Pairs,
    stage: Stage,
    table_rate: float,
    seed: int,
    report: Callable[[int, float, ContextModel], None],
    every: int = 100,
) -> None:
    """Contrastive training of all weights, the table's at `table_rate` of the others' learning rate."""
    torch.manual_seed(seed)
    random = np.random.default_rng(seed)
    table = [model.tokens.weight]
    others = [weight for name, weight in model.named_parameters() if name != "tokens.weight"]
    groups = [
        {"params": others, "lr": stage.learning_rate},
        {"params": table, "lr": stage.learning_rate * table_rate},
    ]
    optimiser = torch.optim.AdamW(groups, weight_decay=0.0)
    schedule = torch.optim.lr_scheduler.LambdaLR(optimiser, lambda step: rate_at(step, stage))
    sampler = BatchSampler(pairs.sources, stage.batch, random)
    for step in range(stage.steps):
        loss = contrast(model, pairs, sampler.next(), stage.dropout, random)
        optimiser.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(others, 1.0)
        optimiser.step()
        schedule.step()
        if (step + 1) % every == 0 or step + 1 == stage.steps:
            report(step + 1, loss.item(), model)


def contrast(model: ContextModel, pairs: Pairs, chosen: np.ndarray, dropout: float, random) -> torch.Tensor:
    queries = embed(model, pairs.queries, chosen, dropout, random)
    wanted = chosen
    if pairs.negatives is not None:
        wrong = pairs.negatives[chosen, random.integers(pairs.negatives.shape[1], size=len(chosen))]
        wanted = np.concatenate([chosen, wrong[wrong >= 0]])
    passages = embed(model, pairs.passages, wanted, dropout, random)
    target = torch.arange(len(chosen))
    loss = torch.zeros(())
    for width in PREFIXES:
        similarity = SCALE * F.normalize(queries[:, :width], dim=1) @ F.normalize(passages[:, :width], dim=1).T
        forward = F.cross_entropy(similarity, target)
        backward = F.cross_entropy(similarity[:, : len(chosen)].T, target)
        loss = loss + QUERY_TO_PASSAGE * forward + (1 - QUERY_TO_PASSAGE) * backward
    return loss / len(PREFIXES)

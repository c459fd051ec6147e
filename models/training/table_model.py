"""The static model: a text is the weighed sum of its tokens' rows, scaled to unit length."""

from dataclasses import dataclass
from typing import Callable, Optional

import numpy as np
import torch
from torch import nn
from torch.nn import functional as F

from batches import Bags, BatchSampler, gather, keep
from evaluation import unit_rows
from vocabulary import TokenLists
from weighing import PLAIN, Weighing, weigh

"""Each prefix of a vector works on its own (Matryoshka representation learning, Kusupati et al., 2022)."""
PREFIXES = (256, 128, 64)
QUERY_TO_PASSAGE = 0.6
SCALE = 20.0


@dataclass(frozen=True)
class Stage:
    """One round of contrastive training."""

    steps: int
    batch: int
    learning_rate: float
    warm_up: int
    """Share of the tokens left out on either side: without it the table learns its pairs by heart."""
    dropout: float
    """How far each step pulls the table back to where it started."""
    pull: float
    weighing: Weighing = PLAIN


@dataclass(frozen=True)
class Pairs:
    queries: TokenLists
    passages: TokenLists
    sources: list[str]
    """For each pair the numbers of passages that look right and are wrong; None before they are mined."""
    negatives: Optional[np.ndarray] = None


def train_table(
    start: np.ndarray,
    pairs: Pairs,
    stage: Stage,
    seed: int,
    report: Callable[[int, float, np.ndarray], None],
) -> np.ndarray:
    """Contrastive training with the other passages of a batch, and mined ones, as negatives. `report` hears every 100 steps."""
    torch.manual_seed(seed)
    random = np.random.default_rng(seed)
    anchor = torch.from_numpy(start)
    bag = nn.EmbeddingBag.from_pretrained(anchor.clone(), freeze=False, mode="sum")
    optimiser = torch.optim.Adam(bag.parameters(), lr=stage.learning_rate)
    schedule = torch.optim.lr_scheduler.LambdaLR(optimiser, lambda step: rate_at(step, stage))
    sampler = BatchSampler(pairs.sources, stage.batch, random)
    for step in range(stage.steps):
        loss = contrast(bag, pairs, sampler.next(), stage, random)
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
        schedule.step()
        with torch.no_grad():
            bag.weight.lerp_(anchor, stage.pull)
        if (step + 1) % 100 == 0 or step + 1 == stage.steps:
            report(step + 1, loss.item(), bag.weight.detach().numpy())
    return bag.weight.detach().numpy().copy()


def rate_at(step: int, stage: Stage) -> float:
    """Linear warm-up, then linear decay to zero."""
    if step < stage.warm_up:
        return (step + 1) / stage.warm_up
    return max(0.0, (stage.steps - step) / (stage.steps - stage.warm_up))


def contrast(
    bag: nn.EmbeddingBag, pairs: Pairs, chosen: np.ndarray, stage: Stage, random: np.random.Generator
) -> torch.Tensor:
    queries = embed(bag, gather(pairs.queries, chosen), stage)
    wanted = chosen
    if pairs.negatives is not None:
        wrong = pairs.negatives[chosen, random.integers(pairs.negatives.shape[1], size=len(chosen))]
        wanted = np.concatenate([chosen, wrong[wrong >= 0]])
    passages = embed(bag, gather(pairs.passages, wanted), stage)
    target = torch.arange(len(chosen))
    loss = torch.zeros(())
    for width in PREFIXES:
        left = F.normalize(queries[:, :width], dim=1)
        right = F.normalize(passages[:, :width], dim=1)
        similarity = SCALE * left @ right.T
        forward = F.cross_entropy(similarity, target)
        backward = F.cross_entropy(similarity[:, : len(chosen)].T, target)
        loss = loss + QUERY_TO_PASSAGE * forward + (1 - QUERY_TO_PASSAGE) * backward
    return loss / len(PREFIXES)


def embed(bag: nn.EmbeddingBag, bags: Bags, stage: Stage) -> torch.Tensor:
    weights = torch.empty(len(bags.tokens)).bernoulli_(1 - stage.dropout)
    if stage.weighing != PLAIN:
        bags = keep(bags, weights > 0)
        weights = weigh(bag.weight, bags, stage.weighing)
    return bag(bags.tokens, bags.offsets, per_sample_weights=weights)


def encode(table: np.ndarray, texts: TokenLists, width: int = PREFIXES[0], weighing: Weighing = PLAIN) -> np.ndarray:
    """Unit rows, float32 (texts, width)."""
    rows = torch.from_numpy(table)
    parts = []
    with torch.no_grad():
        for first in range(0, len(texts), 2048):
            bags = gather(texts, np.arange(first, min(first + 2048, len(texts))))
            weights = weigh(rows, bags, weighing)
            sums = F.embedding_bag(bags.tokens, rows, bags.offsets, mode="sum", per_sample_weights=weights)
            parts.append(sums.numpy()[:, :width])
    return unit_rows(np.concatenate(parts))


def mine_negatives(
    table: np.ndarray, pairs: Pairs, ranks: tuple[int, int], ceiling: float, seed: int, each: int = 4
) -> np.ndarray:
    """
    For each query passages of these ranks that are not too close to be right: none above `ceiling` of the pair's own
    score. int64 (pairs, each); -1 where there were too few. Looked for among a sixteenth of all passages at a time.
    """
    random = np.random.default_rng(seed)
    queries = encode(table, pairs.queries)
    passages = encode(table, pairs.passages)
    own = np.einsum("ij,ij->i", queries, passages)
    mined = np.full((len(queries), each), -1, dtype=np.int64)
    shuffled = random.permutation(len(queries))
    for pool in np.array_split(shuffled, 16):
        among = torch.from_numpy(passages[pool])
        for part in np.array_split(pool, max(1, len(pool) // 2048)):
            scores, order = (torch.from_numpy(queries[part]) @ among.T).topk(ranks[1], dim=1)
            candidates = pool[order.numpy()[:, ranks[0] :]]
            fits = scores.numpy()[:, ranks[0] :] < ceiling * own[part, None]
            fits &= candidates != part[:, None]
            for row, number in enumerate(part):
                usable = candidates[row][fits[row]]
                if len(usable) == 0:
                    continue
                mined[number] = random.choice(usable, each, replace=len(usable) < each)
    return mined

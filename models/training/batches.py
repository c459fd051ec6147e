"""Which pairs are learned from together."""

from dataclasses import dataclass

import numpy as np
import torch

from vocabulary import TokenLists

SINGLE_SOURCE_SHARE = 0.35
SOURCE_EXPONENT = 0.75


class BatchSampler:
    """
    Batches of pair numbers. A source counts by its size to the power of .75, so that no big one drowns the rest; a third
    of the batches come from one source, where the other passages are harder to tell apart.
    """

    def __init__(self, sources: list[str], batch: int, random: np.random.Generator):
        names, numbers = np.unique(np.asarray(sources), return_inverse=True)
        self._members = [np.flatnonzero(numbers == number) for number in range(len(names))]
        sizes = np.asarray([len(members) for members in self._members], dtype=np.float64)
        self._shares = sizes**SOURCE_EXPONENT / (sizes**SOURCE_EXPONENT).sum()
        big = sizes >= batch
        self._big = np.flatnonzero(big)
        self._big_shares = self._shares[big] / self._shares[big].sum() if big.any() else None
        self._batch = batch
        self._random = random

    def next(self) -> np.ndarray:
        if self._big_shares is not None and self._random.random() < SINGLE_SOURCE_SHARE:
            source = self._random.choice(self._big, p=self._big_shares)
            return self._random.choice(self._members[source], self._batch, replace=False)
        counts = self._random.multinomial(self._batch, self._shares)
        parts = [
            self._random.choice(members, min(count, len(members)), replace=False)
            for members, count in zip(self._members, counts)
            if count > 0
        ]
        return np.concatenate(parts)


@dataclass(frozen=True)
class Bags:
    """Token lists as an embedding bag takes them: all tokens end to end, and where each text begins."""

    tokens: torch.Tensor
    offsets: torch.Tensor


def gather(texts: TokenLists, chosen: np.ndarray) -> Bags:
    lengths = texts.lengths[chosen]
    offsets = np.zeros(len(chosen), dtype=np.int64)
    np.cumsum(lengths[:-1], out=offsets[1:])
    positions = np.repeat(texts.starts[chosen] - offsets, lengths) + np.arange(lengths.sum())
    return Bags(torch.from_numpy(texts.tokens[positions].astype(np.int64)), torch.from_numpy(offsets))


def keep(bags: Bags, kept: torch.Tensor) -> Bags:
    """The tokens for which `kept` is true; a text may be left empty."""
    before = torch.cat([torch.zeros(1, dtype=torch.int64), kept.cumsum(0)])
    return Bags(bags.tokens[kept], before[bags.offsets])

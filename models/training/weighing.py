"""
What each token of a text counts for. A sum of rows alone lets a text's commonest theme drown the rest of it; here a token
counts for less the more the whole text says the same already, the oftener it stands there, and the later in a long text.
"""

from dataclasses import dataclass

import numpy as np
import torch
from torch.nn import functional as F

from batches import Bags

CHUNK_TOKENS = 32_768


@dataclass(frozen=True)
class Weighing:
    """
    A token that stands `count` times in a text of n tokens, here at `place`, counts
    count^-repeats · (1 + lead · exp(-place / lead_tokens) · n / (n + lead_half)) · exp(-theme · cosine),
    where the cosine is that of its row and of the sum of all rows, these weighed by the factors before it.
    """

    repeats: float = 0.0
    theme: float = 0.0
    lead: float = 0.0
    lead_tokens: float = 25.0
    lead_half: float = 20.0


PLAIN = Weighing()


def weigh(table: torch.Tensor, bags: Bags, weighing: Weighing) -> torch.Tensor:
    """float32 (tokens): what each token counts for. No gradient passes through it."""
    with torch.no_grad():
        weights = torch.from_numpy(repeat_and_lead(bags, len(table), weighing))
        if weighing.theme == 0:
            return weights
        owners = torch.from_numpy(owners_of(bags))
        themes = F.embedding_bag(bags.tokens, table, bags.offsets, mode="sum", per_sample_weights=weights)
        themes = F.normalize(themes, dim=1)
        cosines = torch.empty(len(bags.tokens))
        for first in range(0, len(bags.tokens), CHUNK_TOKENS):
            part = slice(first, first + CHUNK_TOKENS)
            cosines[part] = (table[bags.tokens[part]] * themes[owners[part]]).sum(dim=1)
        cosines /= table.norm(dim=1).clamp(min=1e-9)[bags.tokens]
        return weights * torch.exp(-weighing.theme * cosines)


def repeat_and_lead(bags: Bags, vocabulary: int, weighing: Weighing) -> np.ndarray:
    owners = owners_of(bags)
    keys = owners * vocabulary + bags.tokens.numpy()
    _, kinds, counts = np.unique(keys, return_inverse=True, return_counts=True)
    offsets = bags.offsets.numpy()
    places = np.arange(len(owners)) - offsets[owners]
    lengths = np.bincount(owners, minlength=len(offsets))[owners]
    lead = weighing.lead * np.exp(-places / weighing.lead_tokens) * lengths / (lengths + weighing.lead_half)
    return (counts[kinds] ** -weighing.repeats * (1 + lead)).astype(np.float32)


def owners_of(bags: Bags) -> np.ndarray:
    """For each token the number of its text."""
    offsets = bags.offsets.numpy()
    return np.repeat(np.arange(len(offsets)), np.diff(offsets, append=len(bags.tokens)))

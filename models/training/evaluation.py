"""nDCG@10 of a model alone on the development set; the service's own fusion is measured by its search benchmark."""

import numpy as np

from corpus import DevelopmentSet

CUTOFF = 10


def ndcg_at_10(queries: np.ndarray, passages: np.ndarray, development: DevelopmentSet) -> float:
    """Mean over queries; `queries` and `passages` are unit rows of equal width, ranked by their dot product."""
    discounts = 1 / np.log2(np.arange(2, CUTOFF + 2))
    total = 0.0
    for first in range(0, len(queries), 512):
        scores = queries[first : first + 512] @ passages.T
        top = np.argpartition(-scores, CUTOFF, axis=1)[:, :CUTOFF]
        for offset, candidates in enumerate(top):
            order = candidates[np.argsort(-scores[offset, candidates], kind="stable")]
            relevant = development.relevant[first + offset]
            gains = np.fromiter((passage in relevant for passage in order), dtype=bool)
            total += discounts[gains].sum() / discounts[: len(relevant)].sum()
    return total / len(queries)


def unit_rows(rows: np.ndarray) -> np.ndarray:
    return rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-9)

"""The table before it has seen a question: which tokens keep company with which."""

import numpy as np
from scipy import sparse

from vocabulary import SPECIAL_TOKENS, TokenLists

WINDOW = 5
CONTEXT_SMOOTHING = 0.75
SIF = 1e-3
OVERSAMPLING = 32
POWER_STEPS = 3


def count_neighbours(texts: TokenLists, vocabulary: int) -> sparse.csr_matrix:
    """Symmetric counts of tokens at most WINDOW apart, each weighed by 1 / distance."""
    owners = np.repeat(np.arange(len(texts), dtype=np.int32), texts.lengths)
    tokens = texts.tokens.astype(np.int64)
    total = sparse.csr_matrix((vocabulary, vocabulary), dtype=np.float64)
    step = 8_000_000
    for distance in range(1, WINDOW + 1):
        for first in range(0, len(tokens) - distance, step):
            last = min(first + step, len(tokens) - distance)
            same = owners[first:last] == owners[first + distance : last + distance]
            left = tokens[first:last][same]
            right = tokens[first + distance : last + distance][same]
            keys, counts = np.unique(left * vocabulary + right, return_counts=True)
            rows, columns = np.divmod(keys, vocabulary)
            part = sparse.csr_matrix(
                (counts / distance, (rows, columns)), shape=(vocabulary, vocabulary)
            )
            total = total + part
    return (total + total.T).tocsr()


def positive_pmi(counts: sparse.csr_matrix) -> sparse.csr_matrix:
    """max(0, log(p(x, y) / (p(x) p'(y)))) with p' smoothed, so that rare contexts say less (Levy et al., 2015)."""
    rows = np.asarray(counts.sum(axis=1)).ravel()
    smoothed = rows**CONTEXT_SMOOTHING
    smoothed /= smoothed.sum()
    entries = counts.tocoo()
    expected = rows[entries.row] * smoothed[entries.col]
    values = np.log(entries.data / expected)
    kept = values > 0
    return sparse.csr_matrix(
        (values[kept].astype(np.float32), (entries.row[kept], entries.col[kept])), shape=counts.shape
    )


def truncated_svd(matrix: sparse.csr_matrix, dimensions: int, seed: int) -> np.ndarray:
    """U √Σ of the leading singular triplets, by randomised subspace iteration (Halko et al., 2011)."""
    random = np.random.default_rng(seed)
    basis = random.standard_normal((matrix.shape[1], dimensions + OVERSAMPLING), dtype=np.float32)
    basis = matrix @ basis
    for _ in range(POWER_STEPS):
        basis, _ = np.linalg.qr(basis)
        basis = matrix @ (matrix.T @ basis)
    basis, _ = np.linalg.qr(basis)
    left, values, _ = np.linalg.svd(basis.T @ matrix, full_matrices=False)
    return (basis @ left)[:, :dimensions] * np.sqrt(values[:dimensions])


def make_start_table(texts: TokenLists, vocabulary: int, dimensions: int, seed: int) -> np.ndarray:
    """float32 (vocabulary, dimensions): directions by PPMI and SVD, lengths by smooth inverse frequency (Arora et al., 2017)."""
    table = truncated_svd(positive_pmi(count_neighbours(texts, vocabulary)), dimensions, seed)
    table /= np.maximum(np.linalg.norm(table, axis=1, keepdims=True), 1e-9)
    frequency = np.bincount(texts.tokens, minlength=vocabulary) / len(texts.tokens)
    table *= (SIF / (SIF + frequency))[:, None]
    table[: len(SPECIAL_TOKENS)] = 0
    return table.astype(np.float32)

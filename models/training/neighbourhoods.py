"""Batches whose passages are hard to tell apart, because they lie near each other by the vectors of the table."""

from pathlib import Path

import numpy as np
import onnxruntime
from tokenizers import Tokenizer

from export import MODEL_FILE

"""Of a batch, how much comes from neighbourhoods of one source, how large one is, and among how many it is looked for."""
NEAR_SHARE, NEIGHBOURS, POOL = 0.75, 64, 3_000
SOURCE_EXPONENT = 0.75
PASSAGE_TOKENS = 128


class NeighbourhoodSampler:
    """Pair numbers: most from neighbourhoods of 64 pairs of one source, the rest from anywhere; each pair once before any twice."""

    def __init__(self, sources: list[str], vectors: np.ndarray, batch: int, seed: int) -> None:
        _, numbers = np.unique(np.asarray(sources), return_inverse=True)
        self._members = [np.flatnonzero(numbers == number) for number in range(numbers.max() + 1)]
        sizes = np.asarray([len(members) for members in self._members], dtype=np.float64)
        self._shares = sizes**SOURCE_EXPONENT / (sizes**SOURCE_EXPONENT).sum()
        self._vectors = vectors
        self._batch = batch
        self._random = np.random.default_rng(seed)
        self._used = np.zeros(len(sources), dtype=bool)

    def next(self) -> np.ndarray:
        near: list[int] = []
        while len(near) < NEAR_SHARE * self._batch:
            near += list(self._neighbourhood())
        near = near[: int(NEAR_SHARE * self._batch)]
        others = self._random.integers(0, len(self._used), self._batch - len(near))
        chosen = np.unique(np.concatenate([np.asarray(near, dtype=np.int64), others]))
        self._used[chosen] = True
        return chosen

    def state(self) -> dict:
        return {"random": self._random.bit_generator.state, "used": np.packbits(self._used)}

    def restore(self, state: dict) -> None:
        self._random.bit_generator.state = state["random"]
        self._used = np.unpackbits(state["used"], count=len(self._used)).astype(bool)

    def _neighbourhood(self) -> np.ndarray:
        members = self._members[self._random.choice(len(self._members), p=self._shares)]
        unused = members[~self._used[members]]
        members = unused if len(unused) > 3 * NEIGHBOURS else members
        pool = self._random.choice(members, min(len(members), POOL), replace=False)
        vectors = self._vectors[pool].astype(np.float32)
        nearness = vectors @ vectors[self._random.integers(len(pool))]
        return pool[np.argsort(-nearness, kind="stable")[:NEIGHBOURS]]


def read_table_vectors(folder: Path, texts: list[str], kept: Path) -> np.ndarray:
    """float16 unit rows of all texts by a model folder whose graph weighs and adds tokens up; made once, then read from `kept`."""
    if kept.exists():
        return np.load(kept)
    session = onnxruntime.InferenceSession(str(folder / MODEL_FILE), providers=["CPUExecutionProvider"])
    tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
    tokenizer.enable_truncation(PASSAGE_TOKENS)
    tokenizer.no_padding()
    lists = [encoding.ids for encoding in tokenizer.encode_batch(texts)]
    vectors = np.zeros((len(texts), session.get_outputs()[0].shape[2]), dtype=np.float16)
    order = sorted(range(len(lists)), key=lambda number: len(lists[number]))
    for first in range(0, len(order), 64):
        chosen = order[first : first + 64]
        longest = max(len(lists[number]) for number in chosen)
        ids = np.asarray([lists[number] + [0] * (longest - len(lists[number])) for number in chosen], dtype=np.int64)
        mask = np.asarray([[1] * len(lists[number]) + [0] * (longest - len(lists[number])) for number in chosen], dtype=np.int64)
        rows = session.run(None, {"input_ids": ids, "attention_mask": mask})[0].sum(1)
        vectors[chosen] = rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-9)
    np.save(kept, vectors)
    return vectors

"""Training pairs and the retrieval development set, as they lie on disk."""

import gzip
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Iterator


@dataclass(frozen=True)
class Pair:
    """A question, title or claim and the passage that answers it; `source` names where both come from."""

    source: str
    query: str
    passage: str


@dataclass(frozen=True)
class DevelopmentSet:
    """Questions over passages that no training pair was cut from."""

    passage_ids: list[str]
    passages: list[str]
    queries: list[str]
    """For each query the positions of its relevant passages."""
    relevant: list[set[int]]


def read_pairs(folder: Path) -> list[Pair]:
    """All pairs of `train-*.jsonl.gz`, in the order of the files; repeated ones once."""
    seen: set[tuple[str, str]] = set()
    pairs = []
    for path in sorted(folder.glob("train-*.jsonl.gz")):
        for row in _read_lines(path):
            key = (row["q"], row["p"])
            if key in seen:
                continue
            seen.add(key)
            pairs.append(Pair(row["s"], row["q"], row["p"]))
    if not pairs:
        raise FileNotFoundError(f"{folder} holds no train-*.jsonl.gz with training pairs.")
    return pairs


def read_development_set(folder: Path) -> DevelopmentSet:
    """`dev-docs.jsonl.gz` and `dev-queries.jsonl.gz`."""
    documents = list(_read_lines(folder / "dev-docs.jsonl.gz"))
    positions = {row["id"]: index for index, row in enumerate(documents)}
    queries = list(_read_lines(folder / "dev-queries.jsonl.gz"))
    return DevelopmentSet(
        passage_ids=[row["id"] for row in documents],
        passages=[row["text"] for row in documents],
        queries=[row["q"] for row in queries],
        relevant=[{positions[passage] for passage in row["rel"]} for row in queries],
    )


def _read_lines(path: Path) -> Iterator[dict]:
    with gzip.open(path, "rt", encoding="utf8") as lines:
        for line in lines:
            yield json.loads(line)

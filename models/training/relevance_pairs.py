"""What the judge learns from that a passage answers a question: questions written for passages, and pairs with mined negatives."""

import json
from pathlib import Path
from typing import Iterator

import numpy as np

from claim_pairs import HELD_AUTHORS, ClaimPair, list_authors
from corpus import Pair

"""A question that a passage answers in part is worth so much of an answer."""
PARTLY = 0.4
"""Negatives of a mined pair: passages of the same source that are this near by the table, the nearest left out as they may answer too."""
RANKS, POOL, MOST_ALIKE = (3, 40), 3_000, 0.93
NEGATIVES = 2
SEED = 20261123


def read_written_questions(folder: Path, pairs: list[Pair]) -> list[ClaimPair]:
    """`bench/labelled/answerability`: questions by the number of the passage in the training pairs."""
    found = []
    for path in sorted(folder.glob("questions-*.jsonl")):
        for line in path.read_text(encoding="utf8").splitlines():
            row = json.loads(line)
            passage = pairs[row["pair"]].passage
            for name, answers in (("answered", 1.0), ("partly", PARTLY), ("unanswered", 0.0)):
                found += [ClaimPair(passage, question, "", name, None, answers) for question in row[name]]
    return found


def read_group_questions(folder: Path) -> list[ClaimPair]:
    """Questions beside the claim groups of training authors; they hold for the passage before the change."""
    found = []
    for author in list_authors(folder):
        if author in HELD_AUTHORS:
            continue
        for line in (folder / f"author-{author:02d}.jsonl").read_text(encoding="utf8").splitlines():
            group = json.loads(line)
            if "questions" in group:
                answered, unanswered = group["questions"]["answered"], group["questions"]["unanswered"]
                found.append(ClaimPair(group["passage"], answered, "", "answered", None, 1.0))
                found.append(ClaimPair(group["passage"], unanswered, "", "unanswered", None, 0.0))
    return found


def mine_pairs(pairs: list[Pair], vectors: np.ndarray, count: int) -> Iterator[ClaimPair]:
    """`count` questions with their own passage, and each with passages near it that are another question's."""
    random = np.random.default_rng(SEED)
    sources = np.asarray([pair.source for pair in pairs])
    members = {source: np.flatnonzero(sources == source) for source in np.unique(sources)}
    for number in random.choice(len(pairs), count, replace=False):
        pair = pairs[number]
        pool = members[pair.source]
        pool = random.choice(pool, min(len(pool), POOL), replace=False)
        nearness = vectors[pool].astype(np.float32) @ vectors[number].astype(np.float32)
        near = pool[np.argsort(-nearness)][RANKS[0] : RANKS[1]]
        near = [other for other in near if other != number and pairs[other].passage != pair.passage]
        near = [other for other in near if float(vectors[other] @ vectors[number]) < MOST_ALIKE]
        yield ClaimPair(pair.passage, pair.query, "", "mined", None, 1.0)
        for other in random.permutation(near)[:NEGATIVES]:
            yield ClaimPair(pairs[other].passage, pair.query, "", "mined", None, 0.0)

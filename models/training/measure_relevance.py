"""
How well a checkpoint of the judge tells questions that a passage answers from those on the same subject that it does not:

    python measure_relevance.py --base <folder> --questions <bench/labelled/answerability/held> --pairs <folder> --checkpoint second.pt

Prints the area under the curve of answered against unanswered questions, and how many answered ones are kept where so many of the others pass.
"""

import argparse
from pathlib import Path

import numpy as np
import torch

from bert import load_bert
from corpus import read_pairs
from relevance_pairs import read_written_questions
from train_judge import RELEVANCE, Encoded, Judge
from vocabulary import read_tokenizer

PASSED = (0.02, 0.05, 0.1, 0.2)
BATCH = 32


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("base", "questions", "pairs", "checkpoint"):
        parser.add_argument(f"--{name}", type=Path, required=True)
    options = parser.parse_args()
    model = Judge(load_bert(options.base))
    model.load_state_dict(torch.load(options.checkpoint, map_location="cpu", weights_only=False)["model"])
    data = Encoded(read_written_questions(options.questions, read_pairs(options.pairs)), read_tokenizer(options.base))
    scores = read_scores(model.eval(), data)
    kinds = np.array([pair.kind for pair in data.pairs])
    answered, unanswered = scores[kinds == "answered"], scores[kinds == "unanswered"]
    print(f"{len(answered)} answered, {len(unanswered)} unanswered: AUC {area(answered, unanswered):.4f}")
    for share in PASSED:
        limit = np.quantile(unanswered, 1 - share)
        print(f"{share:.0%} of the unanswered pass: {(answered >= limit).mean():.3f} of the answered, from {1 / (1 + np.exp(-limit)):.3f} on")


def read_scores(model: Judge, data: Encoded) -> np.ndarray:
    scores = np.zeros(len(data.rows))
    order = sorted(range(len(data.rows)), key=lambda number: len(data.rows[number]))
    with torch.no_grad():
        for first in range(0, len(order), BATCH):
            chosen = order[first : first + BATCH]
            scores[chosen] = model(*data.batch(chosen, "cpu"))[:, RELEVANCE].numpy()
    return scores


def area(higher: np.ndarray, lower: np.ndarray) -> float:
    """How often one of the first is above one of the second."""
    return float((higher[:, None] > lower[None]).mean() + 0.5 * (higher[:, None] == lower[None]).mean())


if __name__ == "__main__":
    main()

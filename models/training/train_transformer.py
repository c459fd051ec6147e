"""
Trains a small transformer from the table that train_table.py made, in the same work folder:

    python train_transformer.py --pairs <folder> --dev <folder> --work <folder> --out <folder> [--layers 2] [--steps 1000]

What is exported are the weights that were best on the development set; they are kept in the work folder, too.
"""

import argparse
import time
from dataclasses import replace

import numpy as np
import torch

from context_model import ContextModel, Shape, encode, train_context
from evaluation import ndcg_at_10
from export import save_checksums, save_config
from export_context import save_context_model
from table_model import PREFIXES, Stage
from train_table import MAX_TOKENS, SEED, VOCABULARY, option_parser, read_corpus, say
from vocabulary import save_tokenizer, tokenize

LONGEST = 128
STAGE = Stage(steps=1_000, batch=512, learning_rate=1e-3, warm_up=50, dropout=0.1, pull=0.0)
TABLE_RATE = 0.3


def main() -> None:
    options = read_options()
    tokenizer, pairs, development = read_corpus(options)
    learned = replace(pairs, negatives=np.load(options.work / "negatives.npy"))
    questions = tokenize(tokenizer, development.queries, MAX_TOKENS)
    passages = tokenize(tokenizer, development.passages, MAX_TOKENS)
    shape = Shape(options.layers, heads=4, width=PREFIXES[0], inner=4 * PREFIXES[0], max_tokens=LONGEST)
    torch.manual_seed(SEED)
    model = ContextModel(np.load(options.work / "second.npy"), shape)
    kept = options.work / f"transformer-{options.layers}.pt"
    best = 0.0
    began = time.monotonic()

    def judge(step: int, loss: float, model: ContextModel) -> None:
        nonlocal best
        score = ndcg_at_10(encode(model, questions), encode(model, passages), development)
        say(f"{options.layers} layers, step {step}: loss {loss:.3f} nDCG@10 {score:.4f} {time.monotonic() - began:.0f} s")
        if score > best:
            best = score
            torch.save(model.state_dict(), kept)

    judge(0, float("nan"), model)
    stage = replace(STAGE, steps=options.steps, batch=options.batch)
    train_context(model, learned, stage, TABLE_RATE, SEED, judge, every=options.every)
    model.load_state_dict(torch.load(kept))
    save_context_model(model, options.out)
    save_tokenizer(tokenizer, options.out, MAX_TOKENS)
    save_config(
        options.out, vocabulary=VOCABULARY, width=shape.width, layers=shape.layers, heads=shape.heads, max_tokens=MAX_TOKENS
    )
    save_checksums(options.out)
    say(f"best {best:.4f}, written to {options.out}")


def read_options() -> argparse.Namespace:
    parser = option_parser(__doc__)
    parser.add_argument("--layers", type=int, default=2)
    parser.add_argument("--steps", type=int, default=STAGE.steps)
    parser.add_argument("--batch", type=int, default=STAGE.batch)
    parser.add_argument("--every", type=int, default=100, help="steps between looks at the development set")
    return parser.parse_args()


if __name__ == "__main__":
    main()

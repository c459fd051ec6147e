"""
Trains the bundled static model from nothing but text:

    python train_table.py --pairs <folder> --dev <folder> --work <folder> --out <folder>

What is made on the way is kept in the work folder, so that a second run goes on where the first one ended.
"""

import argparse
import json
import time
from dataclasses import asdict, replace
from pathlib import Path
from typing import Callable

import numpy as np
import torch
from tokenizers import Tokenizer

from corpus import DevelopmentSet, read_development_set, read_pairs
from evaluation import ndcg_at_10
from export import save_checksums, save_config, save_table_model
from start_table import make_start_table
from known_similarities import save_table_similarities
from table_model import PREFIXES, Pairs, Stage, encode, mine_negatives, train_table
from vocabulary import TokenLists, save_tokenizer, tokenize, train_vocabulary
from weighing import Weighing

SEED = 20260711
VOCABULARY = 24_000
MAX_TOKENS = 512
FIRST = Stage(steps=1_131, batch=2_048, learning_rate=3e-3, warm_up=30, dropout=0.3, pull=5e-4)
SECOND = Stage(steps=1_072, batch=1_280, learning_rate=1.5e-3, warm_up=30, dropout=0.25, pull=5e-4)
"""Chosen on the development set, with the table of the second stage."""
WEIGHING = Weighing(repeats=0.2, theme=1.2, lead=0.7, lead_tokens=25, lead_half=20)
THIRD = Stage(
    steps=300, batch=1_280, learning_rate=1e-3, warm_up=30, dropout=0.25, pull=5e-4, weighing=WEIGHING
)
NEGATIVE_RANKS = (4, 40)
NEGATIVE_CEILING = 0.93


def main() -> None:
    options = option_parser(__doc__).parse_args()
    tokenizer, learned, development = read_corpus(options)
    judge = make_judge(tokenizer, development)

    start = once(options.work / "start.npy", lambda: make_start(learned))
    say(f"start: {judge(start)}")
    first = once(options.work / "first.npy", lambda: run_stage("first", start, learned, FIRST, judge))
    say(f"first: {judge(first)}")
    negatives = once(
        options.work / "negatives.npy",
        lambda: mine_negatives(first, learned, NEGATIVE_RANKS, NEGATIVE_CEILING, SEED),
    )
    harder = replace(learned, negatives=negatives)
    second = once(options.work / "second.npy", lambda: run_stage("second", first, harder, SECOND, judge))
    say(f"second: {judge(second)}")
    third = once(options.work / "third.npy", lambda: run_stage("third", second, harder, THIRD, judge))
    say(f"third: {judge(third)}")
    # Half way is better on the development set than either end (weights averaged as in Wortsman et al., 2022).
    final = (second + third) / 2
    scores = judge(final)
    say(f"mean of second and third: {scores}")
    save(options.out, tokenizer, final)
    stages = {"first": asdict(FIRST), "second": asdict(SECOND), "third": asdict(THIRD)}
    recipe = {"seed": SEED, "vocabulary": VOCABULARY, **stages}
    print(json.dumps({"recipe": recipe, "ndcg_at_10": scores}))


def read_corpus(options: argparse.Namespace) -> tuple[Tokenizer, Pairs, DevelopmentSet]:
    """The vocabulary, the pairs as tokens, without negatives, and the development set; sets the threads, too."""
    torch.set_num_threads(options.threads)
    options.work.mkdir(parents=True, exist_ok=True)
    pairs = read_pairs(options.pairs)
    development = read_development_set(options.dev)
    say(f"{len(pairs):,} pairs, {len(development.queries):,} development queries")
    tokenizer = once_tokenizer(options.work, pairs)
    learned = Pairs(
        queries=once_tokens(options.work / "queries.npz", tokenizer, [pair.query for pair in pairs]),
        passages=once_tokens(options.work / "passages.npz", tokenizer, [pair.passage for pair in pairs]),
        sources=[pair.source for pair in pairs],
    )
    return tokenizer, learned, development


def make_start(learned: Pairs) -> np.ndarray:
    texts = join(learned.queries, learned.passages)
    return make_start_table(texts, VOCABULARY, PREFIXES[0], SEED)


def run_stage(
    name: str, start: np.ndarray, pairs: Pairs, stage: Stage, judge: Callable[[np.ndarray], dict]
) -> np.ndarray:
    began = time.monotonic()

    def report(step: int, loss: float, table: np.ndarray) -> None:
        seconds = time.monotonic() - began
        say(f"{name} {step}/{stage.steps} loss {loss:.3f} {judge(table)} {seconds:.0f} s")

    return train_table(start, pairs, stage, SEED, report)


def make_judge(tokenizer: Tokenizer, development: DevelopmentSet) -> Callable[[np.ndarray], dict]:
    queries = tokenize(tokenizer, development.queries, MAX_TOKENS)
    passages = tokenize(tokenizer, development.passages, MAX_TOKENS)

    def judge(table: np.ndarray) -> dict:
        return {
            str(width): round(
                ndcg_at_10(
                    encode(table, queries, width, WEIGHING), encode(table, passages, width, WEIGHING), development
                ),
                4,
            )
            for width in PREFIXES[:2]
        }

    return judge


def save(folder: Path, tokenizer: Tokenizer, table: np.ndarray) -> None:
    save_table_model(table, WEIGHING, folder)
    save_tokenizer(tokenizer, folder, MAX_TOKENS)
    save_config(folder, vocabulary=VOCABULARY, width=PREFIXES[0], layers=0, heads=1, max_tokens=MAX_TOKENS)
    save_checksums(folder)
    save_table_similarities(table, WEIGHING, tokenizer, folder)
    say(f"written to {folder}")


def once_tokenizer(work: Path, pairs: list) -> Tokenizer:
    path = work / "tokenizer.json"
    if not path.exists():
        say("vocabulary: reading all text")
        texts = (text for pair in pairs for text in (pair.query, pair.passage))
        train_vocabulary(texts, VOCABULARY).save(str(path))
    return Tokenizer.from_file(str(path))


def once_tokens(path: Path, tokenizer: Tokenizer, texts: list[str]) -> TokenLists:
    if not path.exists():
        say(f"tokens: {path.stem}")
        made = tokenize(tokenizer, texts, MAX_TOKENS)
        np.savez(path, tokens=made.tokens, starts=made.starts)
    stored = np.load(path)
    return TokenLists(stored["tokens"], stored["starts"])


def once(path: Path, make: Callable[[], np.ndarray]) -> np.ndarray:
    if not path.exists():
        say(f"making {path.stem}")
        np.save(path, make())
    return np.load(path)


def join(first: TokenLists, second: TokenLists) -> TokenLists:
    starts = np.concatenate([first.starts, second.starts[1:] + first.starts[-1]])
    return TokenLists(np.concatenate([first.tokens, second.tokens]), starts)


def say(text: str) -> None:
    print(f"{time.strftime('%H:%M:%S')} {text}", flush=True)


def option_parser(description: str) -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pairs", type=Path, required=True, help="folder with train-*.jsonl.gz")
    parser.add_argument("--dev", type=Path, required=True, help="folder with dev-docs and dev-queries")
    parser.add_argument("--work", type=Path, required=True, help="folder for what is made on the way")
    parser.add_argument("--out", type=Path, required=True, help="folder for the model")
    parser.add_argument("--threads", type=int, default=2)
    return parser


if __name__ == "__main__":
    main()

"""
Fine-tunes a pretrained BERT as the encoder and writes the model folder:

    python train_encoder.py --base <folder> --pairs <folder> --dev <folder> --work <folder> --out <folder>

`--base` holds config.json, model.safetensors and tokenizer.json; `--table` a model folder made by train_table.py, whose vectors say which
passages are near each other. It runs on a GPU where there is one, else on processor cores, in bf16 either way. The
work folder holds a checkpoint: a run that was stopped goes on from there.
"""

import argparse
import time
from pathlib import Path

import numpy as np
import torch
from tokenizers import Tokenizer
from torch import Tensor
from torch.nn import functional as F

from bert import Bert, load_bert
from corpus import DevelopmentSet, read_development_set, read_pairs
from evaluation import ndcg_at_10, unit_rows
from export_bert import save_encoder
from known_similarities import save_encoder_similarities
from neighbourhoods import NeighbourhoodSampler, read_table_vectors
from vocabulary import TokenLists, read_tokenizer, tokenize

SEED = 20261123
QUERY_TOKENS, PASSAGE_TOKENS, LONGEST = 48, 128, 256
"""Each prefix of a vector works on its own (Matryoshka representation learning), with the weight of its loss."""
PREFIXES = ((384, 1.0), (256, 0.3), (128, 0.2))
TEMPERATURE = 0.05
QUERY_TO_PASSAGE = 0.6
"""Passages this alike, by the table, are taken for the same: they are no negatives of each other."""
SAME = 0.93
DROPOUT = 0.05
FRAME = (101, 102)


def main() -> None:
    options = read_options()
    torch.manual_seed(SEED)
    device = "cuda" if torch.cuda.is_available() else "cpu"
    tokenizer = read_tokenizer(options.base)
    pairs = read_pairs(options.pairs)
    queries = tokenize(tokenizer, [pair.query for pair in pairs], QUERY_TOKENS - 2)
    passages = tokenize(tokenizer, [pair.passage for pair in pairs], PASSAGE_TOKENS - 2)
    vectors = read_table_vectors(options.table, [pair.passage for pair in pairs], options.work / "table.npy")
    sampler = NeighbourhoodSampler([pair.source for pair in pairs], vectors, options.batch, SEED)
    development = Development(read_development_set(options.dev), tokenizer)

    model = load_bert(options.base).to(device).train()
    model.dropout = DROPOUT
    optimiser = torch.optim.AdamW(parameter_groups(model), lr=options.rate)
    checkpoint = options.work / "encoder.pt"
    first = resume(checkpoint, model, optimiser, sampler)
    began = time.monotonic()
    for step in range(first, options.steps):
        for group in optimiser.param_groups:
            group["lr"] = options.rate * rate_at(step, options.steps, options.warm_up)
        chosen = sampler.next()
        alike = torch.from_numpy(vectors[chosen].astype(np.float32))
        loss = contrast(
            encode(model, queries, chosen, device),
            encode(model, passages, chosen, device),
            (alike @ alike.T > SAME).to(device),
        )
        optimiser.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimiser.step()
        if (step + 1) % 20 == 0:
            say(f"step {step + 1}: loss {loss.item():.3f}, {time.monotonic() - began:.0f} s")
        if (step + 1) % options.every == 0 or step + 1 == options.steps:
            save_checkpoint(checkpoint, model, optimiser, sampler, step + 1)
            say(f"step {step + 1}: nDCG@10 {development.ndcg(model, device):.4f}")
    model.cpu().eval()
    save_encoder(model, options.base, options.out, LONGEST)
    save_encoder_similarities(options.out, LONGEST)
    say(f"written to {options.out}")


def contrast(queries: Tensor, passages: Tensor, same: Tensor) -> Tensor:
    """InfoNCE in both directions over the other pairs of the batch, for each prefix."""
    wanted = torch.arange(len(queries), device=queries.device)
    hidden = same & ~torch.eye(len(queries), dtype=torch.bool, device=queries.device)
    loss = queries.new_zeros(())
    for width, weight in PREFIXES:
        left, right = F.normalize(queries[:, :width], dim=1), F.normalize(passages[:, :width], dim=1)
        scores = (left @ right.T / TEMPERATURE).masked_fill(hidden, -1e4)
        forward, back = F.cross_entropy(scores, wanted), F.cross_entropy(scores.T, wanted)
        loss = loss + weight * (QUERY_TO_PASSAGE * forward + (1 - QUERY_TO_PASSAGE) * back)
    return loss / sum(weight for _, weight in PREFIXES)


def encode(model: Bert, texts: TokenLists, chosen: np.ndarray, device: str, chunk: int = 64) -> Tensor:
    """(texts, width): the mean of each text's token vectors. Texts of like length go together, which saves padding."""
    order = np.argsort(texts.lengths[chosen], kind="stable")
    parts = []
    for first in range(0, len(order), chunk):
        ids, mask = pad(texts, chosen[order[first : first + chunk]])
        ids, mask = ids.to(device), mask.to(device)
        with torch.autocast(device, torch.bfloat16):
            tokens = model(ids, mask)
        seen = mask[..., None].float()
        parts.append((tokens.float() * seen).sum(1) / seen.sum(1))
    return torch.cat(parts)[torch.from_numpy(np.argsort(order, kind="stable")).to(device)]


def pad(texts: TokenLists, chosen: np.ndarray) -> tuple[Tensor, Tensor]:
    """Token numbers with [CLS] and [SEP] around each text, and 1 where there is one."""
    longest = int(texts.lengths[chosen].max()) + 2
    ids = np.zeros((len(chosen), longest), dtype=np.int64)
    mask = np.zeros_like(ids)
    for row, number in enumerate(chosen):
        start, length = texts.starts[number], texts.lengths[number]
        ids[row, 0], ids[row, length + 1] = FRAME
        ids[row, 1 : length + 1] = texts.tokens[start : start + length]
        mask[row, : length + 2] = 1
    return torch.from_numpy(ids), torch.from_numpy(mask)


class Development:
    """nDCG@10 over the whole development set, whose texts are cut once."""

    def __init__(self, development: DevelopmentSet, tokenizer: Tokenizer) -> None:
        self._set = development
        self._queries = tokenize(tokenizer, development.queries, LONGEST - 2)
        self._passages = tokenize(tokenizer, development.passages, LONGEST - 2)

    def ndcg(self, model: Bert, device: str) -> float:
        model.eval()
        with torch.no_grad():
            queries, passages = (
                unit_rows(encode(model, texts, np.arange(len(texts.lengths)), device, 128).cpu().numpy())
                for texts in (self._queries, self._passages)
            )
        model.train()
        return ndcg_at_10(queries, passages, self._set)


def parameter_groups(model: torch.nn.Module) -> list[dict]:
    """Matrices are pulled to zero a little, biases and norms are not."""
    weights = [weight for weight in model.parameters() if weight.dim() > 1]
    others = [weight for weight in model.parameters() if weight.dim() <= 1]
    return [{"params": weights, "weight_decay": 0.01}, {"params": others, "weight_decay": 0.0}]


def rate_at(step: int, steps: int, warm_up: int) -> float:
    """Linear warm-up, then linear decay to zero."""
    return (step + 1) / warm_up if step < warm_up else max(0.0, (steps - step) / (steps - warm_up))


def resume(path: Path, model: Bert, optimiser: torch.optim.Optimizer, sampler: NeighbourhoodSampler) -> int:
    """The number of steps that are done."""
    if not path.exists():
        return 0
    kept = torch.load(path, map_location="cpu", weights_only=False)
    model.load_state_dict(kept["model"])
    optimiser.load_state_dict(kept["optimiser"])
    sampler.restore(kept["sampler"])
    say(f"goes on from step {kept['step']}")
    return kept["step"]


def save_checkpoint(
    path: Path, model: Bert, optimiser: torch.optim.Optimizer, sampler: NeighbourhoodSampler, step: int
) -> None:
    kept = {"model": model.state_dict(), "optimiser": optimiser.state_dict(), "sampler": sampler.state(), "step": step}
    torch.save(kept, path.with_suffix(".new"))
    path.with_suffix(".new").replace(path)


def read_options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("base", "table", "pairs", "dev", "work", "out"):
        parser.add_argument(f"--{name}", type=Path, required=True)
    parser.add_argument("--steps", type=int, default=600)
    parser.add_argument("--batch", type=int, default=256)
    parser.add_argument("--rate", type=float, default=8e-5)
    parser.add_argument("--warm-up", type=int, default=40)
    parser.add_argument("--every", type=int, default=100, help="steps between checkpoints and looks at the development set")
    options = parser.parse_args()
    options.work.mkdir(parents=True, exist_ok=True)
    return options


def say(text: str) -> None:
    print(text, flush=True)


if __name__ == "__main__":
    main()

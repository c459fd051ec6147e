"""
Fine-tunes a pretrained BERT to judge pairs of texts and writes the model folder:

    python train_judge.py --base <folder> --groups <folder> --edits edits.jsonl.gz --sets <folder> --work <folder> --out <folder>

One cross-encoder over `[CLS] claim [SEP] passage [SEP]` with one layer on top: relevance | supports, refutes, open. Relevance is not trained yet.
First the inference sets and the edits, then the written groups with as many edits. Runs on a GPU where there is one, else on processor
cores; the work folder holds a checkpoint after each look, and a run that was stopped goes on from there.
"""

import argparse
import json
import time
from pathlib import Path

import numpy as np
import torch
from tokenizers import Tokenizer
from torch import Tensor, nn
from torch.nn import functional as F

from bert import load_bert
from claim_pairs import LABELS, ClaimPair, read_edits, read_groups, read_inference_sets
from export_bert import save_judge
from train_encoder import parameter_groups, rate_at, say
from vocabulary import read_tokenizer

SEED = 20261123
TRAIN_AUTHORS, CALIBRATION_AUTHORS = (1, 2, 3, 4, 5, 9, 10, 11, 12), (6,)
PAIR_TOKENS, CLAIM_TOKENS = 160, 64
CLS, SEP = 101, 102
STANCE = slice(1, 4)
SMOOTHING = 0.1
"""How far a claim's score with the passage that supports (or refutes) it lies above that with its other version, at least."""
MARGIN = 1.0
BUCKET = 1_500


class Judge(nn.Module):
    def __init__(self, bert: nn.Module) -> None:
        super().__init__()
        self.bert = bert
        self.head = nn.Linear(bert.config["hidden_size"], 1 + len(LABELS))
        nn.init.normal_(self.head.weight, std=0.02)
        nn.init.zeros_(self.head.bias)

    def forward(self, ids: Tensor, mask: Tensor, segments: Tensor) -> Tensor:
        """(pairs, 4): relevance, then the stances in the order of LABELS."""
        return self.head(self.bert(ids, mask, segments)[:, 0].float()).float()


class Encoded:
    """Pairs as token numbers; the passage is cut, never the claim's end or the closing mark."""

    def __init__(self, pairs: list[ClaimPair], tokenizer: Tokenizer) -> None:
        self.pairs = pairs
        claims = tokenizer.encode_batch([pair.claim for pair in pairs], add_special_tokens=False)
        passages = tokenizer.encode_batch([pair.passage for pair in pairs], add_special_tokens=False)
        self.rows, self.seconds = [], []
        for claim, passage in zip(claims, passages):
            first = [CLS, *claim.ids[:CLAIM_TOKENS], SEP]
            self.rows.append([*first, *passage.ids[: PAIR_TOKENS - len(first) - 1], SEP])
            self.seconds.append(len(first))

    def batch(self, chosen: list[int], device: str) -> tuple[Tensor, Tensor, Tensor]:
        longest = max(len(self.rows[number]) for number in chosen)
        ids, mask, segments = (torch.zeros(len(chosen), longest, dtype=torch.long) for _ in range(3))
        for row, number in enumerate(chosen):
            length = len(self.rows[number])
            ids[row, :length] = torch.tensor(self.rows[number])
            mask[row, :length] = 1
            segments[row, self.seconds[number] : length] = 1
        return ids.to(device), mask.to(device), segments.to(device)

    def plan(self, tokens: int, random: np.random.Generator) -> list[list[int]]:
        """Every pair once: batches of some `tokens` and of like lengths, with the versions of a claim in one batch."""
        twins: dict[object, list[int]] = {}
        for number, pair in enumerate(self.pairs):
            twins.setdefault(pair.twin or number, []).append(number)
        groups = list(twins.values())
        random.shuffle(groups)
        batches: list[list[int]] = []
        for first in range(0, len(groups), BUCKET):
            length = lambda group: max(len(self.rows[number]) for number in group)
            batch: list[int] = []
            for group in sorted(groups[first : first + BUCKET], key=length):
                if batch and length(group) * (len(batch) + len(group)) > tokens:
                    batches.append(batch)
                    batch = []
                batch = batch + group
            batches.append(batch)
        random.shuffle(batches)
        return batches


def stance_loss(logits: Tensor, pairs: list[ClaimPair]) -> Tensor:
    """Cross-entropy; where a pair is only known not to be supported, of refuted and open together."""
    shares = F.log_softmax(logits[:, STANCE], 1)
    known = [row for row, pair in enumerate(pairs) if pair.label in LABELS]
    other = [row for row, pair in enumerate(pairs) if pair.label not in LABELS]
    loss = logits.new_zeros(())
    if known:
        wanted = torch.tensor([LABELS.index(pairs[row].label) for row in known], device=logits.device)
        loss = loss + F.cross_entropy(logits[known][:, STANCE], wanted, label_smoothing=SMOOTHING, reduction="sum")
    if other:
        loss = loss - torch.logsumexp(shares[other][:, 1:], 1).sum()
    return loss / len(pairs)


def twin_loss(logits: Tensor, pairs: list[ClaimPair]) -> Tensor:
    """Mean of max(0, MARGIN − (score with this version − score with the other)) over claims whose versions differ."""
    rows: dict[tuple, list[int]] = {}
    for row, pair in enumerate(pairs):
        if pair.twin:
            rows.setdefault(pair.twin, []).append(row)
    gaps = [
        F.relu(MARGIN - (logits[one, 1 + place] - logits[other, 1 + place]))
        for versions in rows.values()
        for one in versions
        for other in versions
        for place, label in enumerate(LABELS[:2])
        if pairs[one].label == label and pairs[other].label != label
    ]
    return torch.stack(gaps).mean() if gaps else logits.new_zeros(())


def measure(model: Judge, data: Encoded, device: str) -> dict:
    """Accuracy, share of claims with both versions right, and how many of the surest verdicts are right."""
    shares = torch.zeros(len(data.pairs), len(LABELS))
    model.eval()
    with torch.no_grad():
        order = sorted(range(len(data.rows)), key=lambda number: len(data.rows[number]))
        for first in range(0, len(order), 64):
            chosen = order[first : first + 64]
            with torch.autocast(device, torch.bfloat16):
                logits = model(*data.batch(chosen, device))
            shares[chosen] = F.softmax(logits[:, STANCE].float(), 1).cpu()
    model.train()
    wanted = torch.tensor([LABELS.index(pair.label) for pair in data.pairs])
    right = shares.argmax(1) == wanted
    sureness, verdict = shares[:, :2].max(1)
    surest = sureness.argsort(descending=True)
    versions: dict[tuple, list[int]] = {}
    for number, pair in enumerate(data.pairs):
        versions.setdefault(pair.twin, []).append(number)
    turned = [numbers for numbers in versions.values() if len({data.pairs[number].label for number in numbers}) > 1]
    return {
        "accuracy": round(right.float().mean().item(), 4),
        "both_versions": round(float(np.mean([bool(right[numbers].all()) for numbers in turned])), 4),
        "right_of_surest": {
            share: round((verdict == wanted)[surest[: int(share * len(surest))]].float().mean().item(), 3)
            for share in (0.1, 0.2, 0.3, 0.4, 0.55)
        },
    }


def main() -> None:
    options = read_options()
    torch.manual_seed(SEED)
    device = "cuda" if torch.cuda.is_available() else "cpu"
    tokenizer = read_tokenizer(options.base)
    edits = read_edits(options.edits)
    groups = read_groups(options.groups, TRAIN_AUTHORS)
    stages = [
        Encoded(read_inference_sets(options.sets) + edits[: options.edits_used], tokenizer),
        Encoded(groups * options.repeats + edits[options.edits_used :][: len(groups)], tokenizer),
    ]
    calibration = Encoded(read_groups(options.groups, CALIBRATION_AUTHORS), tokenizer)
    random = np.random.default_rng(SEED)
    plan = [(stage, batch) for stage in range(len(stages)) for batch in stages[stage].plan(options.tokens, random)]
    model = Judge(load_bert(options.base)).to(device).train()
    optimiser = torch.optim.AdamW(parameter_groups(model), lr=options.rate)
    first = resume(options.work / "judge.pt", model, optimiser)
    began = time.monotonic()
    for step in range(first, len(plan)):
        for group in optimiser.param_groups:
            group["lr"] = options.rate * rate_at(step, len(plan), len(plan) // 16)
        stage, chosen = plan[step]
        pairs = [stages[stage].pairs[number] for number in chosen]
        with torch.autocast(device, torch.bfloat16):
            logits = model(*stages[stage].batch(chosen, device)).float()
        loss = stance_loss(logits, pairs) + options.twins * twin_loss(logits, pairs)
        optimiser.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimiser.step()
        if (step + 1) % options.every == 0 or step + 1 == len(plan):
            kept = {"model": model.state_dict(), "optimiser": optimiser.state_dict(), "step": step + 1}
            torch.save(kept, options.work / "judge.new")
            (options.work / "judge.new").replace(options.work / "judge.pt")
            figures = measure(model, calibration, device)
            say(json.dumps({"step": step + 1, "of": len(plan), "seconds": round(time.monotonic() - began), **figures}))
    model.cpu().eval()
    save_judge(model.bert, model.head, options.out)


def resume(path: Path, model: Judge, optimiser: torch.optim.Optimizer) -> int:
    """The number of steps that are done."""
    if not path.exists():
        return 0
    kept = torch.load(path, map_location="cpu", weights_only=False)
    model.load_state_dict(kept["model"])
    optimiser.load_state_dict(kept["optimiser"])
    say(f"goes on from step {kept['step']}")
    return kept["step"]


def read_options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("base", "groups", "edits", "sets", "work", "out"):
        parser.add_argument(f"--{name}", type=Path, required=True)
    parser.add_argument("--edits-used", type=int, default=200_000, help="edits in the first stage")
    parser.add_argument("--repeats", type=int, default=3, help="how often the second stage sees every group")
    parser.add_argument("--tokens", type=int, default=5_500, help="of one step")
    parser.add_argument("--rate", type=float, default=7e-5)
    parser.add_argument("--twins", type=float, default=0.5, help="weight of the loss over versions")
    parser.add_argument("--every", type=int, default=200, help="steps between checkpoints")
    options = parser.parse_args()
    options.work.mkdir(parents=True, exist_ok=True)
    return options


if __name__ == "__main__":
    main()

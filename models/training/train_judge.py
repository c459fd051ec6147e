"""
Fine-tunes a pretrained BERT to judge pairs of texts and writes the model folder, in two stages:

    python train_judge.py first --base <folder> --sets <folder> --edits edits.jsonl.gz --groups <folder> --work <folder>
    python train_judge.py second --base <folder> --sets <folder> --edits edits.jsonl.gz --groups <folder> --questions <folder> \\
        --pairs <folder> --table ../table --work <folder> --out <folder>

One cross-encoder over `[CLS] claim [SEP] passage [SEP]` with one layer on top: relevance | supports, refutes, open.
The first stage learns to compare two short texts, from inference sets and from edits of single sentences; many small steps matter
more there than many pairs a step. The second learns from the written groups and questions, edits within longer passages, and pairs with mined negatives. Runs on a GPU where there is
one, else on processor cores; the work folder holds a checkpoint of each stage, and a run that was stopped goes on from there.
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
from claim_pairs import HELD_AUTHORS, LABELS, NOT_SUPPORTED, ClaimPair, list_authors, read_edits, read_groups, read_inference_sets
from corpus import read_pairs
from export_bert import read_judge, save_judge
from neighbourhoods import read_table_vectors
from near_copies import read_near_copies
from relevance_pairs import mine_pairs, read_group_questions, read_written_questions
from train_encoder import parameter_groups, rate_at, say
from vocabulary import read_tokenizer

SEED = 20261123
CALIBRATION_AUTHORS = (6,)
PAIR_TOKENS, CLAIM_TOKENS = 160, 64
CLS, SEP = 101, 102
RELEVANCE, STANCE = 0, slice(1, 4)
SMOOTHING = 0.1
"""How far a claim's score with the passage that supports (or refutes) it lies above that with its other version, at least."""
MARGIN = 1.0
BUCKET = 1_500
"""Words of a passage that the first stage may see."""
SHORT = 45


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
    other = [row for row, pair in enumerate(pairs) if pair.label == NOT_SUPPORTED]
    loss = logits.new_zeros(())
    if known:
        wanted = torch.tensor([LABELS.index(pairs[row].label) for row in known], device=logits.device)
        loss = loss + F.cross_entropy(logits[known][:, STANCE], wanted, label_smoothing=SMOOTHING, reduction="sum")
    if other:
        loss = loss - torch.logsumexp(shares[other][:, 1:], 1).sum()
    return loss / len(pairs)


def relevance_loss(logits: Tensor, pairs: list[ClaimPair]) -> Tensor:
    rows = [row for row, pair in enumerate(pairs) if pair.answers is not None]
    if not rows:
        return logits.new_zeros(())
    wanted = torch.tensor([pairs[row].answers for row in rows], device=logits.device)
    return F.binary_cross_entropy_with_logits(logits[rows, RELEVANCE], wanted, reduction="sum") / len(pairs)


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
    torch.manual_seed(options.seed)
    torch.set_num_threads(options.threads)
    device = "cuda" if torch.cuda.is_available() else "cpu"
    tokenizer = read_tokenizer(options.base)
    data = Encoded(read_first(options) if options.stage == "first" else read_second(options), tokenizer)
    calibration = Encoded(read_groups(options.groups, CALIBRATION_AUTHORS), tokenizer)
    random = np.random.default_rng(options.seed)
    plan = data.plan(options.tokens, random)[: options.steps]
    say(f"{len(data.pairs)} pairs, {len(plan)} steps")
    model = Judge(load_bert(options.base)).to(device).train()
    model.bert.tokens.weight.requires_grad_(False)
    optimiser = torch.optim.AdamW(parameter_groups(model), lr=options.rate, fused=True)
    checkpoint = options.work / f"{options.stage}.pt"
    if options.start:
        model.load_state_dict(read_judge(options.start))
    elif options.stage == "second" and not checkpoint.exists():
        model.load_state_dict(torch.load(options.work / "first.pt", map_location=device, weights_only=False)["model"])
    first = resume(checkpoint, options.seed, model, optimiser)
    began = time.monotonic()
    for step in range(first, len(plan)):
        for group in optimiser.param_groups:
            group["lr"] = options.rate * rate_at(step, len(plan), len(plan) // 20)
        pairs = [data.pairs[number] for number in plan[step]]
        with torch.autocast(device, torch.bfloat16):
            logits = model(*data.batch(plan[step], device)).float()
        loss = stance_loss(logits, pairs) + relevance_loss(logits, pairs) + options.twins * twin_loss(logits, pairs)
        optimiser.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimiser.step()
        if (step + 1) % options.every == 0 or step + 1 == len(plan):
            kept = {"model": model.state_dict(), "optimiser": optimiser.state_dict(), "step": step + 1, "seed": options.seed}
            torch.save(kept, checkpoint.with_suffix(".new"))
            checkpoint.with_suffix(".new").replace(checkpoint)
            figures = measure(model, calibration, device)
            say(json.dumps({"step": step + 1, "seconds": round(time.monotonic() - began), "loss": round(loss.item(), 3), **figures}))
    if options.stage == "second":
        model.cpu().eval()
        save_judge(model.bert, model.head, options.base, options.out, PAIR_TOKENS)


def read_first(options: argparse.Namespace) -> list[ClaimPair]:
    short = [pair for pair in read_edits(options.edits) if len(pair.passage.split()) <= SHORT]
    return read_inference_sets(options.sets) + short[: options.edits_used]


def read_second(options: argparse.Namespace) -> list[ClaimPair]:
    """The edits come from the far end of the file, which the first stage has not seen; the inference sets are seen again, some of them."""
    authors = [author for author in list_authors(options.groups) if author not in HELD_AUTHORS]
    groups = read_groups(options.groups, authors)
    copies = list(read_near_copies(options.groups, authors, options.copies, options.seed))
    known = read_edits(options.edits)[-len(groups) // 2 :] + read_inference_sets(options.sets)[:: options.every_inference]
    pairs = read_pairs(options.pairs)
    written = read_written_questions(options.questions, pairs) + read_group_questions(options.groups)
    vectors = read_table_vectors(options.table, [pair.passage for pair in pairs], options.work / "table.npy")
    return groups * options.repeats + copies + written * options.repeats + known + list(mine_pairs(pairs, vectors, options.mined))


def resume(path: Path, seed: int, model: Judge, optimiser: torch.optim.Optimizer) -> int:
    """The number of steps that are done. Ends the program where they were in the order of another seed."""
    if not path.exists():
        return 0
    kept = torch.load(path, map_location="cpu", weights_only=False)
    if kept["seed"] != seed:
        raise SystemExit(f"{path} is of a run with the seed {kept['seed']}: name another work folder.")
    model.load_state_dict(kept["model"])
    optimiser.load_state_dict(kept["optimiser"])
    say(f"goes on from step {kept['step']}")
    return kept["step"]


def read_options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("stage", choices=("first", "second"))
    for name in ("base", "groups", "edits", "work"):
        parser.add_argument(f"--{name}", type=Path, required=True)
    parser.add_argument("--sets", type=Path, help="inference sets, for the first stage")
    parser.add_argument("--out", type=Path, help="model folder, for the second stage")
    parser.add_argument("--edits-used", type=int, default=80_000, help="edits in the first stage")
    for name, what in (("pairs", "training pairs"), ("questions", "bench/labelled/answerability"), ("table", "folder of the table")):
        parser.add_argument(f"--{name}", type=Path, help=f"{what}, for the second stage")
    parser.add_argument("--mined", type=int, default=8_000, help="questions of the training pairs in the second stage")
    parser.add_argument("--every-inference", type=int, default=3, help="one in so many of the inference sets in the second stage")
    parser.add_argument("--copies", type=float, default=0.5, help="share of the groups that claims in the passage's own words are made from, in the second stage")
    parser.add_argument("--repeats", type=int, default=3, help="how often the second stage sees what was written")
    parser.add_argument("--start", type=Path, help="folder of a judge to begin from, instead of the first stage")
    parser.add_argument("--seed", type=int, default=SEED, help="another one gives another order of the pairs")
    parser.add_argument("--threads", type=int, default=1, help="of the processor; two runs of one thread each do more than one of two")
    parser.add_argument("--tokens", type=int, default=2_000, help="of one step")
    parser.add_argument("--steps", type=int, help="at most so many; the rate falls to zero by then")
    parser.add_argument("--rate", type=float, default=6e-5)
    parser.add_argument("--twins", type=float, default=0.5, help="weight of the loss over versions")
    parser.add_argument("--every", type=int, default=400, help="steps between checkpoints")
    options = parser.parse_args()
    options.work.mkdir(parents=True, exist_ok=True)
    return options


if __name__ == "__main__":
    main()

"""What the judge learns a passage's stance from: groups written for it, sets labelled by people, and edits of sentences."""

import csv
import gzip
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Iterable, Optional

LABELS = ("S", "R", "O")
"""Not supported: refuted or open, the passage alone does not say which."""
NOT_SUPPORTED = "N"


@dataclass(frozen=True)
class ClaimPair:
    passage: str
    claim: str
    """One of LABELS, or NOT_SUPPORTED."""
    label: str
    kind: str
    """The same claim beside the other version of its passage has the same one; None where there is no other version."""
    twin: Optional[tuple] = None


def read_groups(folder: Path, authors: Iterable[int]) -> list[ClaimPair]:
    """Both versions of every group of these authors (bench/labelled/claim-groups)."""
    pairs = []
    for author in authors:
        for line in (folder / f"author-{author:02d}.jsonl").read_text(encoding="utf8").splitlines():
            group = json.loads(line)
            versions = {"before": group["passage"], "after": group["passage"].replace(group["old"], group["new"])}
            for place, claim in enumerate(group["claims"]):
                for side, passage in versions.items():
                    twin = (group["id"], place)
                    pairs.append(ClaimPair(passage, claim["text"], claim[side], claim["kind"], twin))
    return pairs


def read_edits(path: Path) -> list[ClaimPair]:
    """What edits.py wrote, in its order."""
    with gzip.open(path, "rt", encoding="utf8") as lines:
        rows = [json.loads(line) for line in lines]
    return [ClaimPair(row["passage"], row["claim"], row["label"], row["kind"]) for row in rows]


"""Parts of nyu-mll/semi-automatic-nli whose premises are from Wikipedia (CC BY-SA); those from newswire are left out."""
CROWD_PARTS = ("base_wiki", "sim_wiki", "translate_wiki")
CROWD_LABELS = {"e": "S", "c": "R", "n": "O"}
GOLD_LABELS = {"entailment": "S", "contradiction": "R", "neutral": "O"}


def read_inference_sets(folder: Path) -> list[ClaimPair]:
    """
    Labelled by people: `semi-automatic-nli/data` (Vania, Chen and Bowman 2020), `HELP/output_en` and `MED/MED.tsv` (Yanaka and others 2019,
    CC BY-SA 4.0), each as its repository has it. Sets that are missing are left out.
    """
    pairs = []
    for part in CROWD_PARTS:
        for row in read_json_lines(folder / "semi-automatic-nli" / "data" / part / "train.jsonl"):
            if row["label"] in CROWD_LABELS:
                pairs.append(ClaimPair(row["premise"], row["hypothesis"], CROWD_LABELS[row["label"]], "inference"))
    for path in sorted((folder / "HELP" / "output_en").glob("*.tsv")):
        pairs += read_table(path, "ori_sentence", "new_sentence")
    return pairs + read_table(folder / "MED" / "MED.tsv", "sentence1", "sentence2")


def read_json_lines(path: Path) -> Iterable[dict]:
    if not path.exists():
        return []
    return (json.loads(line) for line in path.read_text(encoding="utf8").splitlines())


def read_table(path: Path, passage: str, claim: str) -> list[ClaimPair]:
    if not path.exists():
        return []
    with path.open(encoding="utf8", newline="") as lines:
        rows = csv.DictReader(lines, delimiter="\t", quoting=csv.QUOTE_NONE)
        return [
            ClaimPair(row[passage], row[claim], GOLD_LABELS[row["gold_label"]], "inference")
            for row in rows
            if row.get("gold_label") in GOLD_LABELS
        ]

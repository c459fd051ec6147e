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
    """One of LABELS, or NOT_SUPPORTED; empty where only relevance is known."""
    label: str
    kind: str
    """The same claim beside the other version of its passage has the same one; None where there is no other version."""
    twin: Optional[tuple] = None
    """How far the passage answers the text, a question then, 0 to 1; None where only the stance is known."""
    answers: Optional[float] = None


"""Authors whose groups are for calibration (6) and test (7, 8): nothing is trained on them."""
HELD_AUTHORS = (6, 7, 8)


def list_authors(folder: Path) -> list[int]:
    return sorted(int(path.stem.removeprefix("author-")) for path in folder.glob("author-*.jsonl"))


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
    """What edits.py wrote, in its order. A claim that stands beside an edited passage and beside the passage as it was has two versions."""
    with gzip.open(path, "rt", encoding="utf8") as lines:
        rows = [json.loads(line) for line in lines]
    return [ClaimPair(row["passage"], row["claim"], row["label"], row["kind"], ("edit", row["claim"])) for row in rows]


"""Parts of nyu-mll/semi-automatic-nli whose premises are from Wikipedia (CC BY-SA); those from newswire are left out."""
CROWD_PARTS = ("base_wiki", "sim_wiki", "translate_wiki")
CROWD_LABELS = {"e": "S", "c": "R", "n": "O"}
GOLD_LABELS = {"entailment": "S", "contradiction": "R", "neutral": "O"}


def read_inference_sets(folder: Path) -> list[ClaimPair]:
    """
    Sets of sentence pairs, each as its repository has it; those that are missing are left out. Labelled by people: `semi-automatic-nli`
    (Vania, Chen and Bowman 2020), `HELP` and `MED` (Yanaka and others 2019, CC BY-SA 4.0), `counterfactually-augmented-data` (Kaushik, Hovy
    and Lipton 2020, Apache-2.0), the development and test parts of SNLI (Bowman and others 2015, CC BY-SA 4.0) as `e-SNLI` has them. Made by
    replacing conjuncts: `ConjNLI` (Saha, Nie and Bansal 2020, MIT).
    """
    pairs = []
    for part in CROWD_PARTS:
        for row in read_json_lines(folder / "semi-automatic-nli" / "data" / part / "train.jsonl"):
            if row["label"] in CROWD_LABELS:
                pairs.append(ClaimPair(row["premise"], row["hypothesis"], CROWD_LABELS[row["label"]], "inference"))
    for path in sorted((folder / "HELP" / "output_en").glob("*.tsv")):
        pairs += read_table(path, "ori_sentence", "new_sentence", "gold_label")
    pairs += read_table(folder / "MED" / "MED.tsv", "sentence1", "sentence2", "gold_label")
    revised = folder / "counterfactually-augmented-data" / "NLI" / "all_combined"
    for part in ("train", "dev", "test"):
        pairs += read_table(revised / f"{part}.tsv", "sentence1", "sentence2", "gold_label")
    conjuncts = folder / "ConjNLI" / "data" / "NLI"
    for name in ("adversarial_train_15k", "conj_dev"):
        pairs += read_table(conjuncts / f"{name}.tsv", "Premise", "Hypothesis", "Label")
    return pairs + read_columns(folder / "e-SNLI" / "dataset" / "eSNLI")


def read_columns(folder: Path) -> list[ClaimPair]:
    """One file a column, tokens apart from their punctuation."""
    pairs = []
    for part in ("dev", "test"):
        columns = [folder / f"{name}.{part}" for name in ("s1", "s2", "labels")]
        if all(column.exists() for column in columns):
            rows = zip(*(column.read_text(encoding="utf8").splitlines() for column in columns))
            pairs += [
                ClaimPair(passage.replace(" .", "."), claim.replace(" .", "."), GOLD_LABELS[label.strip()], "inference")
                for passage, claim, label in rows
                if label.strip() in GOLD_LABELS
            ]
    return pairs


def read_json_lines(path: Path) -> Iterable[dict]:
    if not path.exists():
        return []
    return (json.loads(line) for line in path.read_text(encoding="utf8").splitlines())


def read_table(path: Path, passage: str, claim: str, label: str) -> list[ClaimPair]:
    """Tab-separated, with these columns."""
    if not path.exists():
        return []
    with path.open(encoding="utf-8-sig", newline="") as lines:
        rows = csv.DictReader(lines, delimiter="\t", quoting=csv.QUOTE_NONE)
        return [
            ClaimPair(row[passage].strip('"'), row[claim].strip('"'), GOLD_LABELS[row[label]], "inference")
            for row in rows
            if row.get(label) in GOLD_LABELS
        ]

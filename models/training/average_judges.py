"""
Averages the weights of judges that were trained from one start, calibrates the mean and writes the model folder:

    python average_judges.py --base <folder> --checkpoints one/second.pt other/second.pt --temperature 1.1 --scale 1.25 --shift .6 --out <folder>

Runs that see the same pairs in another order end in one basin, and the mean of their weights is better than each (Wortsman et al.
2022, Model soups): what an ensemble gains, at the cost of one model. Calibrated is by the weights of the head, so that whoever reads the
model's scores reads probabilities: stances by temperature scaling (Guo and others 2017), relevance by a line (Platt 1999), both fitted
on authors that the model was not trained on.
"""

import argparse
from pathlib import Path

import torch

from bert import load_bert
from export_bert import read_judge, save_judge
from train_judge import PAIR_TOKENS, RELEVANCE, STANCE, Judge


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--base", type=Path, required=True)
    parser.add_argument("--checkpoints", type=Path, nargs="+", required=True, help="of the second stage, or model folders; all count alike")
    parser.add_argument("--temperature", type=float, default=1, help="scores of the stances are divided by it")
    parser.add_argument("--scale", type=float, default=1, help="log odds of relevance are multiplied by it")
    parser.add_argument("--shift", type=float, default=0, help="and this is added to them")
    parser.add_argument("--out", type=Path, required=True, help="model folder; also mean.pt, a checkpoint of the mean")
    options = parser.parse_args()
    states = [read_state(path) for path in options.checkpoints]
    mean = {name: sum(state[name] for state in states) / len(states) for name in states[0]}
    model = Judge(load_bert(options.base))
    model.load_state_dict(mean)
    options.out.mkdir(parents=True, exist_ok=True)
    torch.save({"model": mean}, options.out / "mean.pt")
    calibrate(model, options.temperature, options.scale, options.shift)
    save_judge(model.bert.eval(), model.head, options.base, options.out, PAIR_TOKENS)


def read_state(path: Path) -> dict[str, torch.Tensor]:
    return read_judge(path) if path.is_dir() else torch.load(path, map_location="cpu", weights_only=False)["model"]


def calibrate(model: Judge, temperature: float, scale: float, shift: float) -> None:
    with torch.no_grad():
        for part in (model.head.weight, model.head.bias):
            part[STANCE] /= temperature
            part[RELEVANCE] *= scale
        model.head.bias[RELEVANCE] += shift


if __name__ == "__main__":
    main()

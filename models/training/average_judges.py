"""
Averages the weights of judges that were trained from one start and writes the model folder:

    python average_judges.py --base <folder> --checkpoints one/second.pt other/second.pt --out <folder>

Runs that see the same pairs in another order end in one basin, and the mean of their weights is better than each (Wortsman et al.
2022, Model soups): what an ensemble gains, at the cost of one model.
"""

import argparse
from pathlib import Path

import torch

from bert import load_bert
from export_bert import save_judge
from train_judge import PAIR_TOKENS, Judge


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--base", type=Path, required=True)
    parser.add_argument("--checkpoints", type=Path, nargs="+", required=True, help="of the second stage; all count alike")
    parser.add_argument("--out", type=Path, required=True, help="model folder; also mean.pt, a checkpoint of the mean")
    options = parser.parse_args()
    states = [torch.load(path, map_location="cpu", weights_only=False)["model"] for path in options.checkpoints]
    mean = {name: sum(state[name] for state in states) / len(states) for name in states[0]}
    model = Judge(load_bert(options.base))
    model.load_state_dict(mean)
    options.out.mkdir(parents=True, exist_ok=True)
    torch.save({"model": mean}, options.out / "mean.pt")
    save_judge(model.bert.eval(), model.head, options.base, options.out, PAIR_TOKENS)


if __name__ == "__main__":
    main()

"""
The weights of a BERT out of a float32 ONNX file, as a base folder for the trainings:

    python weights_from_onnx.py --graph model.onnx --tokenizer tokenizer.json --config config.json --out base

Exporters leave matrices without their names: each gets the name of the node that multiplies by it, transposed as PyTorch keeps it.
`--config` is the config.json of a BERT of the same width; the number of layers is counted. Throws when a layer lacks a matrix.
"""

import argparse
import json
import shutil
from pathlib import Path

import numpy as np
import onnx
from onnx import numpy_helper
from safetensors.numpy import save_file

"""Matrices of one layer: query, key, value, what attention gives, and both of the perceptron."""
MATRICES = 6


def read_weights(graph: onnx.GraphProto) -> dict[str, np.ndarray]:
    stored = {tensor.name: numpy_helper.to_array(tensor) for tensor in graph.initializer}
    weights = {name: array for name, array in stored.items() if name.startswith(("embeddings.", "encoder."))}
    for node in graph.node:
        if node.op_type != "MatMul":
            continue
        for matrix in (stored[name] for name in node.input if name in stored):
            name = node.name.strip("/").removesuffix("/MatMul").replace("/", ".")
            weights[f"{name}.weight"] = matrix.T
    return {
        name: np.ascontiguousarray(array, dtype=np.float32)
        for name, array in weights.items()
        if not name.endswith("position_ids")
    }


def count_layers(weights: dict[str, np.ndarray]) -> int:
    layers: dict[str, int] = {}
    for name, array in weights.items():
        if name.startswith("encoder.layer.") and array.ndim == 2:
            layer = name.split(".")[2]
            layers[layer] = layers.get(layer, 0) + 1
    broken = [layer for layer, matrices in layers.items() if matrices != MATRICES]
    if broken or not layers:
        raise ValueError(f"layers without all of their {MATRICES} matrices: {', '.join(broken) or 'all'}")
    return len(layers)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("graph", "tokenizer", "config", "out"):
        parser.add_argument(f"--{name}", type=Path, required=True)
    options = parser.parse_args()
    weights = read_weights(onnx.load(options.graph).graph)
    config = json.loads(options.config.read_text()) | {"num_hidden_layers": count_layers(weights)}
    options.out.mkdir(parents=True, exist_ok=True)
    save_file(weights, options.out / "model.safetensors")
    (options.out / "config.json").write_text(json.dumps(config, indent=1) + "\n")
    shutil.copyfile(options.tokenizer, options.out / "tokenizer.json")


if __name__ == "__main__":
    main()

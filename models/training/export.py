"""The files that transformers.js loads."""

import hashlib
import json
from pathlib import Path

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

OPSET = 17
IR_VERSION = 9
MODEL_FILE = "onnx/model_quantized.onnx"
FILES = ("config.json", "tokenizer.json", "tokenizer_config.json", MODEL_FILE)


def quantise_rows(table: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """int8 rows and one float32 scale each: row = int8 × scale."""
    scales = np.abs(table).max(axis=1, keepdims=True) / 127
    safe = np.where(scales == 0, 1, scales)
    rows = np.clip(np.rint(table / safe), -127, 127).astype(np.int8)
    return rows, scales.astype(np.float32)


def save_table_model(table: np.ndarray, folder: Path) -> None:
    """A graph that looks rows up and scales them; pooling and unit length are the runtime's part."""
    rows, scales = quantise_rows(table)
    node = helper.make_node
    graph = helper.make_graph(
        [
            node("Gather", ["q", "input_ids"], ["g"]),
            node("Cast", ["g"], ["gf"], to=TensorProto.FLOAT),
            node("Gather", ["s", "input_ids"], ["gs"]),
            node("Mul", ["gf", "gs"], ["x"]),
            node("Cast", ["attention_mask"], ["mf"], to=TensorProto.FLOAT),
            node("Unsqueeze", ["mf", "ax"], ["m3"]),
            node("Mul", ["x", "m3"], ["last_hidden_state"]),
        ],
        "static-table",
        [
            helper.make_tensor_value_info("input_ids", TensorProto.INT64, ["b", "t"]),
            helper.make_tensor_value_info("attention_mask", TensorProto.INT64, ["b", "t"]),
        ],
        [helper.make_tensor_value_info("last_hidden_state", TensorProto.FLOAT, ["b", "t", table.shape[1]])],
        [
            numpy_helper.from_array(rows, "q"),
            numpy_helper.from_array(scales, "s"),
            numpy_helper.from_array(np.asarray([2], dtype=np.int64), "ax"),
        ],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", OPSET)], ir_version=IR_VERSION)
    onnx.checker.check_model(model)
    (folder / "onnx").mkdir(parents=True, exist_ok=True)
    onnx.save(model, folder / MODEL_FILE)


def save_config(folder: Path, *, vocabulary: int, width: int, layers: int, heads: int, max_tokens: int) -> None:
    config = {
        "architectures": ["BertModel"],
        "model_type": "bert",
        "hidden_size": width,
        "num_hidden_layers": layers,
        "num_attention_heads": heads,
        "intermediate_size": width if layers == 0 else 4 * width,
        "max_position_embeddings": max_tokens,
        "vocab_size": vocabulary,
        "pad_token_id": 0,
    }
    (folder / "config.json").write_text(json.dumps(config, indent=1) + "\n")


def save_checksums(folder: Path) -> None:
    """`SHA256SUMS` as the service checks it at every start."""
    lines = [f"{hashlib.sha256((folder / name).read_bytes()).hexdigest()}  {name}\n" for name in FILES]
    (folder / "SHA256SUMS").write_text("".join(lines))

"""The files that transformers.js loads."""

import hashlib
import json
from pathlib import Path

import numpy as np
import onnx
from onnx import NodeProto, TensorProto, helper, numpy_helper

from vocabulary import SPECIAL_TOKENS
from weighing import Weighing

OPSET = 17
IR_VERSION = 9
CLS = SPECIAL_TOKENS.index("[CLS]")
SILENCE = 1e-6
MODEL_FILE = "onnx/model_quantized.onnx"
FILES = ("config.json", "tokenizer.json", "tokenizer_config.json", MODEL_FILE)


def quantise_rows(table: np.ndarray, largest: int = 127) -> tuple[np.ndarray, np.ndarray]:
    """int8 rows of values up to `largest` and one float32 scale each: row = int8 × scale."""
    scales = np.abs(table).max(axis=1, keepdims=True) / largest
    safe = np.where(scales == 0, 1, scales)
    rows = np.clip(np.rint(table / safe), -largest, largest).astype(np.int8)
    return rows, scales.astype(np.float32)


def speak_for_silence(table: np.ndarray) -> np.ndarray:
    """
    With a row for [CLS] too faint to matter beside a word. A text without a word that the model knows has the direction
    that the table uses least, instead of a sum of nothing that no scaling gives unit length.
    """
    least = np.linalg.svd(table, full_matrices=False)[2][-1]
    heard = table.copy()
    heard[CLS] = SILENCE * least * np.sign(least[np.abs(least).argmax()])
    return heard


def save_table_model(table: np.ndarray, weighing: Weighing, folder: Path) -> None:
    """A graph that looks rows up, scales and weighs them; pooling and unit length are the runtime's part."""
    rows, scales = quantise_rows(speak_for_silence(table))
    lengths = np.linalg.norm(rows * scales, axis=1)
    inverse = np.where(lengths == 0, 0, 1 / np.maximum(lengths, 1e-9)).astype(np.float32)
    graph = helper.make_graph(
        [*look_up(), *weigh_repeats_and_lead(), *weigh_theme(), helper.make_node("Mul", ["x", "w"], ["last_hidden_state"])],
        "static-table",
        [
            helper.make_tensor_value_info("input_ids", TensorProto.INT64, ["b", "t"]),
            helper.make_tensor_value_info("attention_mask", TensorProto.INT64, ["b", "t"]),
        ],
        [helper.make_tensor_value_info("last_hidden_state", TensorProto.FLOAT, ["b", "t", table.shape[1]])],
        [
            numpy_helper.from_array(rows, "q"),
            numpy_helper.from_array(scales, "s"),
            numpy_helper.from_array(inverse[:, None], "inverse_lengths"),
            *constants_of(weighing),
        ],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", OPSET)], ir_version=IR_VERSION)
    onnx.checker.check_model(model, full_check=True)
    (folder / "onnx").mkdir(parents=True, exist_ok=True)
    onnx.save(model, folder / MODEL_FILE)


def constants_of(weighing: Weighing) -> list[TensorProto]:
    numbers = {
        "one": 1.0,
        "special_tokens": 2.0,
        "minus_repeats": -weighing.repeats,
        "minus_theme": -weighing.theme,
        "lead": weighing.lead,
        "minus_lead_tokens": -weighing.lead_tokens,
        "lead_half": weighing.lead_half,
        "least": 1e-9,
    }
    tensors = [numpy_helper.from_array(np.asarray(value, dtype=np.float32), name) for name, value in numbers.items()]
    axes = {"axis_1": [1], "axis_2": [2], "axis": 1}
    return tensors + [numpy_helper.from_array(np.asarray(value, dtype=np.int64), name) for name, value in axes.items()]


def look_up() -> list[NodeProto]:
    """x: (b, t, width), the rows of the tokens, zero where the mask is."""
    node = helper.make_node
    return [
        node("Gather", ["q", "input_ids"], ["g"]),
        node("Cast", ["g"], ["gf"], to=TensorProto.FLOAT),
        node("Gather", ["s", "input_ids"], ["gs"]),
        node("Cast", ["attention_mask"], ["mask"], to=TensorProto.FLOAT),
        node("Unsqueeze", ["mask", "axis_2"], ["mask_column"]),
        node("Mul", ["gs", "mask_column"], ["masked_scale"]),
        node("Mul", ["gf", "masked_scale"], ["x"]),
    ]


def weigh_repeats_and_lead() -> list[NodeProto]:
    """w0: (b, t, 1), as weighing.py defines it; places and lengths are counted without [CLS] and [SEP]."""
    node = helper.make_node
    return [
        node("Unsqueeze", ["input_ids", "axis_2"], ["id_column"]),
        node("Unsqueeze", ["input_ids", "axis_1"], ["id_row"]),
        node("Equal", ["id_column", "id_row"], ["same"]),
        node("Cast", ["same"], ["same_float"], to=TensorProto.FLOAT),
        node("ReduceSum", ["same_float", "axis_2"], ["count"], keepdims=1),
        node("Pow", ["count", "minus_repeats"], ["repeat_weight"]),
        node("CumSum", ["mask_column", "axis"], ["nth"]),
        node("Sub", ["nth", "special_tokens"], ["place"]),
        node("Div", ["place", "minus_lead_tokens"], ["lateness"]),
        node("Exp", ["lateness"], ["earliness"]),
        node("ReduceSum", ["mask_column", "axis_1"], ["with_special"], keepdims=1),
        node("Sub", ["with_special", "special_tokens"], ["length"]),
        node("Add", ["length", "lead_half"], ["length_and_half"]),
        node("Div", ["length", "length_and_half"], ["long"]),
        node("Mul", ["long", "lead"], ["long_lead"]),
        node("Mul", ["earliness", "long_lead"], ["extra"]),
        node("Add", ["extra", "one"], ["lead_weight"]),
        node("Mul", ["repeat_weight", "lead_weight"], ["w0"]),
    ]


def weigh_theme() -> list[NodeProto]:
    """w: (b, t, 1), w0 times what is left of a token beside the theme of its text."""
    node = helper.make_node
    return [
        node("Transpose", ["w0"], ["w0_row"], perm=[0, 2, 1]),
        node("MatMul", ["w0_row", "x"], ["sum"]),
        node("ReduceL2", ["sum"], ["sum_length"], axes=[2], keepdims=1),
        node("Max", ["sum_length", "least"], ["safe_length"]),
        node("Div", ["sum", "safe_length"], ["theme"]),
        node("Transpose", ["theme"], ["theme_column"], perm=[0, 2, 1]),
        node("MatMul", ["x", "theme_column"], ["along"]),
        node("Gather", ["inverse_lengths", "input_ids"], ["inverse_length"]),
        node("Mul", ["along", "inverse_length"], ["cosine"]),
        node("Mul", ["cosine", "minus_theme"], ["exponent"]),
        node("Exp", ["exponent"], ["theme_weight"]),
        node("Mul", ["w0", "theme_weight"], ["w"]),
    ]


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
        "matryoshka_dimensions": [size for size in (256, 128, 64) if size <= width],
    }
    (folder / "config.json").write_text(json.dumps(config, indent=1) + "\n")


def save_checksums(folder: Path) -> None:
    """`SHA256SUMS` as the service checks it at every start."""
    lines = [f"{hashlib.sha256((folder / name).read_bytes()).hexdigest()}  {name}\n" for name in FILES]
    (folder / "SHA256SUMS").write_text("".join(lines))

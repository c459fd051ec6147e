"""
A BERT as an ONNX graph with int8 weights, written node by node.

Activations are quantised with one scale for each token: dynamic quantisation as runtimes do it takes one scale for the whole
batch, padding included, so that a text's vector would depend on its neighbours. Weights use 63 steps to either side: on
processors without VNNI, sums of two products of full-range values overflow their 16 bits, and a verdict would depend on the machine.
"""

import json
import shutil
from pathlib import Path

import numpy as np
import onnx
import torch
from onnx import TensorProto, helper, numpy_helper

from bert import Bert
from export import IR_VERSION, MODEL_FILE, OPSET, quantise_rows, save_checksums

"""Largest integer of a weight."""
WEIGHT_STEPS = 63
"""Of an activation; the runtime multiplies them as unsigned bytes around ZERO."""
STEPS, ZERO = 127, 128
LEAST_SCALE = 1e-9
MARKS = {"unk_token": "[UNK]", "sep_token": "[SEP]", "pad_token": "[PAD]", "cls_token": "[CLS]", "mask_token": "[MASK]"}


class GraphWriter:
    """Collects nodes and weights; every method returns the name of what it made."""

    def __init__(self) -> None:
        self.nodes: list[onnx.NodeProto] = []
        self.weights: list[onnx.TensorProto] = []

    def weight(self, array: np.ndarray) -> str:
        name = f"w{len(self.weights)}"
        self.weights.append(numpy_helper.from_array(np.asarray(array, order="C"), name))
        return name

    def number(self, value: float) -> str:
        return self.weight(np.asarray(value, dtype=np.float32))

    def integers(self, *values: int) -> str:
        return self.weight(np.asarray(values, dtype=np.int64))

    def node(self, kind: str, *inputs: str, outputs: int = 1, **attributes) -> str | tuple[str, ...]:
        names = tuple(f"n{len(self.nodes)}_{index}" for index in range(outputs))
        self.nodes.append(helper.make_node(kind, list(inputs), list(names), **attributes))
        return names[0] if outputs == 1 else names

    def quantise(self, stream: str) -> tuple[str, str]:
        """uint8 values around 128 and one scale for each token, so that no token's value depends on its neighbours."""
        largest = self.node("ReduceMax", self.node("Abs", stream), axes=[-1], keepdims=1)
        scale = self.node("Max", self.node("Mul", largest, self.number(1 / STEPS)), self.number(LEAST_SCALE))
        shifted = self.node("Floor", self.node("Add", self.node("Div", stream, scale), self.number(ZERO + 0.5)))
        return self.node("Cast", shifted, to=TensorProto.UINT8), scale

    def linear(self, values: str, scale: str, layer) -> str:
        """x Wᵀ + b with W in integers, one scale for each output."""
        rows, steps = quantise_rows(array_of(layer.weight), WEIGHT_STEPS)
        zero = self.weight(np.asarray(ZERO, dtype=np.uint8))
        product = self.node("MatMulInteger", values, self.weight(rows.T), zero)
        # One after the other: of the product of both scales the runtime makes a fused node that knows one scale a batch only.
        scaled = self.node("Mul", self.node("Cast", product, to=TensorProto.FLOAT), scale)
        scaled = self.node("Mul", scaled, self.weight(steps.ravel()))
        return self.node("Add", scaled, self.weight(array_of(layer.bias)))

    def float_linear(self, stream: str, layer) -> str:
        return self.node("Add", self.node("MatMul", stream, self.weight(array_of(layer.weight).T)), self.weight(array_of(layer.bias)))

    def norm(self, stream: str, layer) -> str:
        scale, shift = self.weight(array_of(layer.weight)), self.weight(array_of(layer.bias))
        return self.node("LayerNormalization", stream, scale, shift, axis=-1, epsilon=layer.eps)

    def gelu(self, stream: str) -> str:
        inner = self.node("Erf", self.node("Div", stream, self.number(float(np.sqrt(2)))))
        half = self.node("Mul", stream, self.node("Add", inner, self.number(1)))
        return self.node("Mul", half, self.number(0.5))


def write_body(writer: GraphWriter, model: Bert, *, pairs: bool) -> str:
    """(b, t, width) from input_ids, attention_mask and, for pairs, token_type_ids."""
    rows, scales = quantise_rows(array_of(model.tokens.weight))
    looked_up = writer.node("Cast", writer.node("Gather", writer.weight(rows), "input_ids"), to=TensorProto.FLOAT)
    words = writer.node("Mul", looked_up, writer.node("Gather", writer.weight(scales), "input_ids"))
    count = writer.node("Gather", writer.node("Shape", "input_ids"), writer.weight(np.asarray(1, dtype=np.int64)), axis=0)
    zero, one = (writer.weight(np.asarray(value, dtype=np.int64)) for value in (0, 1))
    place = writer.node("Range", zero, count, one)
    places = array_of(model.places.weight)
    stream = writer.node("Add", words, writer.node("Gather", writer.weight(places), place))
    segments = array_of(model.segments.weight)
    if pairs:
        stream = writer.node("Add", stream, writer.node("Gather", writer.weight(segments), "token_type_ids"))
    else:
        stream = writer.node("Add", stream, writer.weight(segments[0]))
    stream = writer.norm(stream, model.norm)
    mask = writer.node("Cast", "attention_mask", to=TensorProto.FLOAT)
    bias = writer.node("Mul", writer.node("Sub", writer.number(1), mask), writer.number(-1e9))
    bias = writer.node("Unsqueeze", bias, writer.integers(1, 2))
    for block in model.blocks:
        stream = write_block(writer, stream, bias, block)
    return stream


def write_block(writer: GraphWriter, stream: str, bias: str, block) -> str:
    width = block.query.in_features
    values, scale = writer.quantise(stream)
    shape = writer.integers(0, 0, block.heads, width // block.heads)
    query, key, value = (
        writer.node("Transpose", writer.node("Reshape", writer.linear(values, scale, layer), shape), perm=order)
        for layer, order in ((block.query, [0, 2, 1, 3]), (block.key, [0, 2, 3, 1]), (block.value, [0, 2, 1, 3]))
    )
    scores = writer.node("Mul", writer.node("MatMul", query, key), writer.number((width // block.heads) ** -0.5))
    shares = writer.node("Softmax", writer.node("Add", scores, bias), axis=-1)
    mixed = writer.node("Transpose", writer.node("MatMul", shares, value), perm=[0, 2, 1, 3])
    mixed = writer.node("Reshape", mixed, writer.integers(0, 0, width))
    out = writer.linear(*writer.quantise(mixed), block.attention_out)
    stream = writer.norm(writer.node("Add", stream, out), block.attention_norm)
    inner = writer.gelu(writer.linear(*writer.quantise(stream), block.inner))
    out = writer.linear(*writer.quantise(inner), block.inner_out)
    return writer.norm(writer.node("Add", stream, out), block.inner_norm)


def save_encoder(model: Bert, base: Path, folder: Path, max_tokens: int) -> None:
    """Vectors of tokens; the runtime takes their mean and gives it unit length."""
    writer = GraphWriter()
    stream = write_body(writer, model, pairs=False)
    save(writer, stream, "last_hidden_state", ["b", "t", model.config["hidden_size"]], ("input_ids", "attention_mask"), folder)
    save_folder(model, base, folder, max_tokens, matryoshka_dimensions=[384, 256, 128])


def save_folder(model: Bert, base: Path, folder: Path, max_tokens: int, **config) -> None:
    """The files beside the graph that the service loads; the tokenizer is the base's."""
    kept = {name: value for name, value in model.config.items() if not name.startswith(("_", "transformers"))}
    (folder / "config.json").write_text(json.dumps({**kept, **config}, indent=1) + "\n")
    tokenizer = {"tokenizer_class": "BertTokenizer", "do_lower_case": True, "model_max_length": max_tokens, **MARKS}
    (folder / "tokenizer_config.json").write_text(json.dumps(tokenizer, indent=1) + "\n")
    shutil.copyfile(base / "tokenizer.json", folder / "tokenizer.json")
    save_checksums(folder)


def save_judge(model: Bert, head, base: Path, folder: Path, max_tokens: int) -> None:
    """logits (b, outputs) of the first token, for pairs of texts."""
    writer = GraphWriter()
    stream = write_body(writer, model, pairs=True)
    first = writer.node("Gather", stream, writer.weight(np.asarray(0, dtype=np.int64)), axis=1)
    logits = writer.float_linear(first, head)
    save(writer, logits, "logits", ["b", head.out_features], ("input_ids", "attention_mask", "token_type_ids"), folder)
    architecture = {"architectures": ["BertForSequenceClassification"], "num_labels": head.out_features}
    save_folder(model, base, folder, max_tokens, **architecture)


def read_judge(folder: Path) -> dict[str, torch.Tensor]:
    """What save_judge wrote, as the state of train_judge.Judge: integers times their scales, so a further training may begin from it."""
    arrays = (numpy_helper.to_array(weight) for weight in onnx.load(folder / MODEL_FILE).graph.initializer)
    parts = iter(array for array in arrays if array.ndim > 1 or (array.ndim == 1 and array.dtype == np.float32))
    state: dict[str, np.ndarray] = {"bert.tokens.weight": next(parts) * next(parts)}
    for name in ("places.weight", "segments.weight", "norm.weight", "norm.bias"):
        state[f"bert.{name}"] = next(parts)
    for block in range(json.loads((folder / "config.json").read_text())["num_hidden_layers"]):
        for name in ("query", "key", "value", "attention_out", "attention_norm", "inner", "inner_out", "inner_norm"):
            weight = next(parts)
            if not name.endswith("norm"):
                weight = (weight * next(parts)).T
            state |= {f"bert.blocks.{block}.{name}.weight": weight, f"bert.blocks.{block}.{name}.bias": next(parts)}
    state |= {"head.weight": next(parts).T, "head.bias": next(parts)}
    return {name: torch.tensor(np.asarray(array, dtype=np.float32)) for name, array in state.items()}


def save(writer: GraphWriter, result: str, name: str, shape: list, inputs: tuple[str, ...], folder: Path) -> None:
    writer.nodes.append(helper.make_node("Identity", [result], [name]))
    texts = [helper.make_tensor_value_info(text, TensorProto.INT64, ["b", "t"]) for text in inputs]
    output = helper.make_tensor_value_info(name, TensorProto.FLOAT, shape)
    graph = helper.make_graph(writer.nodes, "bert", texts, [output], writer.weights)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", OPSET)], ir_version=IR_VERSION)
    onnx.checker.check_model(model)
    (folder / "onnx").mkdir(parents=True, exist_ok=True)
    onnx.save(model, folder / MODEL_FILE)


def array_of(weight) -> np.ndarray:
    return weight.detach().float().numpy()

"""The transformer as an ONNX graph with int8 weights, written node by node: nothing of a framework's export to trust."""

from pathlib import Path

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

from context_model import ContextModel
from export import IR_VERSION, MODEL_FILE, OPSET, quantise_rows

"""The runtime's tokenizer frames every text; the model was trained without the frame and does not see it."""
FRAME_TOKENS = (2, 3)


class GraphWriter:
    """Collects nodes and weights; every method returns the name of what it made."""

    def __init__(self) -> None:
        self.nodes: list[onnx.NodeProto] = []
        self.weights: list[onnx.TensorProto] = []

    def weight(self, array: np.ndarray) -> str:
        name = f"w{len(self.weights)}"
        self.weights.append(numpy_helper.from_array(np.ascontiguousarray(array), name))
        return name

    def number(self, value: float) -> str:
        return self.weight(np.asarray(value, dtype=np.float32))

    def integers(self, *values: int) -> str:
        return self.weight(np.asarray(values, dtype=np.int64))

    def node(self, kind: str, *inputs: str, outputs: int = 1, **attributes) -> str | tuple[str, ...]:
        names = tuple(f"n{len(self.nodes)}_{index}" for index in range(outputs))
        self.nodes.append(helper.make_node(kind, list(inputs), list(names), **attributes))
        return names[0] if outputs == 1 else names

    def linear(self, stream: str, weight: np.ndarray, bias: np.ndarray) -> str:
        """x Wᵀ + b with W in int8, one scale for each output, and x quantised as it comes."""
        rows, scales = quantise_rows(weight)
        values, scale, zero = self.node("DynamicQuantizeLinear", stream, outputs=3)
        product = self.node("MatMulInteger", values, self.weight(rows.T), zero)
        product = self.node("Cast", product, to=TensorProto.FLOAT)
        factor = self.node("Mul", scale, self.weight(scales.ravel()))
        return self.node("Add", self.node("Mul", product, factor), self.weight(bias))

    def norm(self, stream: str, layer) -> str:
        scale, shift = self.weight(array_of(layer.weight)), self.weight(array_of(layer.bias))
        return self.node("LayerNormalization", stream, scale, shift, axis=-1, epsilon=layer.eps)

    def gelu(self, stream: str) -> str:
        """The tanh form: x/2 (1 + tanh(√(2/π) (x + 0.044715 x³)))."""
        cube = self.node("Mul", self.node("Mul", stream, stream), stream)
        inner = self.node("Add", stream, self.node("Mul", cube, self.number(0.044715)))
        bent = self.node("Tanh", self.node("Mul", inner, self.number(float(np.sqrt(2 / np.pi)))))
        return self.node("Mul", self.node("Mul", stream, self.number(0.5)), self.node("Add", bent, self.number(1)))


def save_context_model(model: ContextModel, folder: Path) -> None:
    """Writes the model file; the same vectors as the trained model's, up to int8."""
    writer = GraphWriter()
    seen = visible_tokens(writer)
    rows = table_rows(writer, array_of(model.tokens.weight))
    first = writer.node("Add", directions(writer, rows), places(writer, model))
    bias = attention_bias(writer, seen)
    stream = first
    for block in model.blocks:
        stream = write_block(writer, stream, bias, block)
    added = writer.node("Mul", writer.node("Sub", stream, first), writer.number(model.gate.item()))
    mask = writer.node("Unsqueeze", seen, writer.integers(2))
    writer.nodes.append(
        helper.make_node("Mul", [writer.node("Add", rows, added), mask], ["last_hidden_state"])
    )
    save_graph(writer, model.shape.width, folder)


def visible_tokens(writer: GraphWriter) -> str:
    """float (b, t): 1 for tokens of the text, 0 for padding and frame."""
    seen = writer.node("Cast", "attention_mask", to=TensorProto.FLOAT)
    for token in FRAME_TOKENS:
        other = writer.node("Not", writer.node("Equal", "input_ids", writer.integers(token)))
        seen = writer.node("Mul", seen, writer.node("Cast", other, to=TensorProto.FLOAT))
    return seen


def table_rows(writer: GraphWriter, table: np.ndarray) -> str:
    values, scales = quantise_rows(table)
    looked_up = writer.node("Cast", writer.node("Gather", writer.weight(values), "input_ids"), to=TensorProto.FLOAT)
    return writer.node("Mul", looked_up, writer.node("Gather", writer.weight(scales), "input_ids"))


def directions(writer: GraphWriter, rows: str) -> str:
    length = writer.node("ReduceL2", rows, axes=[-1], keepdims=1)
    return writer.node("Div", rows, writer.node("Max", length, writer.number(1e-12)))


def places(writer: GraphWriter, model: ContextModel) -> str:
    """Place of each token without the frame's first; beyond the longest text of the training the last place."""
    shape = writer.node("Shape", "input_ids")
    count = writer.node("Gather", shape, writer.weight(np.asarray(1, dtype=np.int64)), axis=0)
    zero, one = (writer.weight(np.asarray(value, dtype=np.int64)) for value in (0, 1))
    place = writer.node("Sub", writer.node("Range", zero, count, one), one)
    place = writer.node("Max", place, zero)
    last = writer.weight(np.asarray(model.shape.max_tokens - 1, dtype=np.int64))
    place = writer.node("Min", place, last)
    return writer.node("Gather", writer.weight(array_of(model.places.weight)), place)


def attention_bias(writer: GraphWriter, seen: str) -> str:
    hidden = writer.node("Sub", writer.number(1), seen)
    return writer.node("Unsqueeze", writer.node("Mul", hidden, writer.number(-1e9)), writer.integers(1, 2))


def write_block(writer: GraphWriter, stream: str, bias: str, block) -> str:
    width = block.mix.in_features
    mixed = writer.linear(writer.norm(stream, block.attention_norm), array_of(block.mix.weight), array_of(block.mix.bias))
    parts = writer.node("Split", mixed, writer.integers(width, width, width), outputs=3, axis=-1)
    shape = writer.integers(0, 0, block.heads, width // block.heads)
    query, key, value = (
        writer.node("Transpose", writer.node("Reshape", part, shape), perm=[0, 2, 1, 3]) for part in parts
    )
    turned = writer.node("Transpose", key, perm=[0, 1, 3, 2])
    scores = writer.node("Mul", writer.node("MatMul", query, turned), writer.number((width // block.heads) ** -0.5))
    shares = writer.node("Softmax", writer.node("Add", scores, bias), axis=-1)
    mixed = writer.node("Transpose", writer.node("MatMul", shares, value), perm=[0, 2, 1, 3])
    mixed = writer.node("Reshape", mixed, writer.integers(0, 0, width))
    out = writer.linear(mixed, array_of(block.attention_out.weight), array_of(block.attention_out.bias))
    stream = writer.node("Add", stream, out)
    inner = writer.linear(writer.norm(stream, block.inner_norm), array_of(block.inner.weight), array_of(block.inner.bias))
    out = writer.linear(writer.gelu(inner), array_of(block.inner_out.weight), array_of(block.inner_out.bias))
    return writer.node("Add", stream, out)


def save_graph(writer: GraphWriter, width: int, folder: Path) -> None:
    texts = [helper.make_tensor_value_info(name, TensorProto.INT64, ["b", "t"]) for name in ("input_ids", "attention_mask")]
    vectors = helper.make_tensor_value_info("last_hidden_state", TensorProto.FLOAT, ["b", "t", width])
    graph = helper.make_graph(writer.nodes, "context-on-table", texts, [vectors], writer.weights)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", OPSET)], ir_version=IR_VERSION)
    onnx.checker.check_model(model)
    (folder / "onnx").mkdir(parents=True, exist_ok=True)
    onnx.save(model, folder / MODEL_FILE)


def array_of(weight) -> np.ndarray:
    return weight.detach().float().numpy()

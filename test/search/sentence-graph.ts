/** The bytes of the smallest ONNX graph that gives a vector per text itself. */

const FLOAT = 1;
const INT64 = 7;

/** Mean of the token numbers times a row of weights: `sentence_embedding` [batch, dimensions] of `input_ids` [batch, tokens]. */
export function sentenceGraph(dimensions: number): Uint8Array {
	const weights = Float32Array.from({ length: dimensions }, (_, index) => Math.sin(index + 1));
	const offsets = Float32Array.from({ length: dimensions }, (_, index) => 5_000 * Math.cos(index));
	const graph = [
		...bytes(1, node("Cast", ["input_ids"], "ids", intAttribute("to", FLOAT))),
		...bytes(1, node("ReduceMean", ["ids"], "mean", intsAttribute("axes", [1]))),
		...bytes(1, node("MatMul", ["mean", "weights"], "scaled")),
		...bytes(1, node("Add", ["scaled", "offsets"], "sentence_embedding")),
		...bytes(2, text("sentence")),
		...bytes(5, tensor("weights", [1, dimensions], weights)),
		...bytes(5, tensor("offsets", [dimensions], offsets)),
		...bytes(11, valueInfo("input_ids", INT64, ["batch", "tokens"])),
		...bytes(12, valueInfo("sentence_embedding", FLOAT, ["batch", dimensions])),
	];
	const opset = bytes(8, integer(2, 13));
	return Uint8Array.from([...integer(1, 7), ...opset, ...bytes(7, graph)]);
}

function node(kind: string, inputs: readonly string[], output: string, attribute: number[] = []) {
	return [
		...inputs.flatMap((name) => bytes(1, text(name))),
		...bytes(2, text(output)),
		...bytes(4, text(kind)),
		...attribute,
	];
}

function intAttribute(name: string, value: number): number[] {
	return bytes(5, [...bytes(1, text(name)), ...integer(3, value), ...integer(20, 2)]);
}

function intsAttribute(name: string, values: readonly number[]): number[] {
	const each = values.flatMap((value) => integer(8, value));
	return bytes(5, [...bytes(1, text(name)), ...each, ...integer(20, 7)]);
}

function tensor(name: string, shape: readonly number[], values: Float32Array): number[] {
	return [
		...shape.flatMap((size) => integer(1, size)),
		...integer(2, FLOAT),
		...bytes(8, text(name)),
		...bytes(9, [...new Uint8Array(values.buffer)]),
	];
}

function valueInfo(name: string, element: number, shape: readonly (number | string)[]): number[] {
	const sizes = shape.flatMap((size) =>
		bytes(1, typeof size === "number" ? integer(1, size) : bytes(2, text(size))),
	);
	const type = bytes(1, [...integer(1, element), ...bytes(2, sizes)]);
	return [...bytes(1, text(name)), ...bytes(2, type)];
}

/** Protocol buffers: a field of bytes, and one with a number. */
function bytes(field: number, content: readonly number[]): number[] {
	return [...varint((field << 3) | 2), ...varint(content.length), ...content];
}

function integer(field: number, value: number): number[] {
	return [...varint(field << 3), ...varint(value)];
}

function varint(value: number): number[] {
	const low = value & 0x7f;
	return value < 0x80 ? [low] : [low | 0x80, ...varint(value >>> 7)];
}

function text(content: string): number[] {
	return [...Buffer.from(content, "utf8")];
}

const UTF_16 = [
	{ mark: [0xff, 0xfe], label: "utf-16le" },
	{ mark: [0xfe, 0xff], label: "utf-16be" },
] as const;

/** As much of a file as shows how it is encoded. */
const SAMPLE_BYTES = 4_096;
/** Least share of zero bytes on one side of the pairs of a Latin text in UTF-16, and the most on the other side. */
const ZEROS_MIN = 0.4;
const ZEROS_MAX = 0.05;

/** The text of a file in UTF-8, UTF-16 or a Western 8-bit code; undefined for what is no text. */
export function decodeText(bytes: Uint8Array): string | undefined {
	const wide = wideLabelOf(bytes);
	if (wide !== undefined) return new TextDecoder(wide).decode(bytes);
	if (bytes.includes(0)) return undefined;
	try {
		return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
	} catch {
		// Every byte has a meaning in this code, which is that of the older files of the West.
		return hasControls(bytes) ? undefined : new TextDecoder("windows-1252").decode(bytes);
	}
}

/** The same text in UTF-8, the same bytes where they are that already; undefined for what is no text. */
export function toUtf8(bytes: Uint8Array): Uint8Array | undefined {
	if (wideLabelOf(bytes) === undefined && !bytes.includes(0) && isUtf8(bytes)) return bytes;
	const text = decodeText(bytes);
	return text === undefined ? undefined : new TextEncoder().encode(text);
}

function isUtf8(bytes: Uint8Array): boolean {
	try {
		new TextDecoder("utf-8", { fatal: true }).decode(bytes);
		return true;
	} catch {
		return false;
	}
}

function wideLabelOf(bytes: Uint8Array): string | undefined {
	const marked = UTF_16.find(({ mark }) => bytes[0] === mark[0] && bytes[1] === mark[1]);
	if (marked) return bytes[2] === 0 && bytes[3] === 0 ? undefined : marked.label;
	const sample = [...bytes.subarray(0, SAMPLE_BYTES)];
	if (sample.length < 8) return undefined;
	const zerosAt = (side: number) =>
		sample.filter((byte, at) => at % 2 === side && byte === 0).length / (sample.length / 2);
	const [even, odd] = [zerosAt(0), zerosAt(1)];
	if (odd >= ZEROS_MIN && even <= ZEROS_MAX) return "utf-16le";
	return even >= ZEROS_MIN && odd <= ZEROS_MAX ? "utf-16be" : undefined;
}

/** Text has tabs and line breaks, and hardly any other control character. */
function hasControls(bytes: Uint8Array): boolean {
	const sample = [...bytes.subarray(0, SAMPLE_BYTES)];
	const controls = sample.filter((byte) => byte < 32 && (byte < 9 || byte > 13)).length;
	return controls > sample.length / 100;
}

import fc from "fast-check";
import t from "tap";
import {
	CorruptFile,
	decodeSectionFile,
	encodeSectionFile,
	type SectionFile,
} from "../../src/search/index/segment-codec.js";

const contents = fc.record({
	header: fc.record({ graph: fc.string() }),
	sections: fc
		.uniqueArray(fc.tuple(fc.string(), fc.uint8Array({ maxLength: 200 })), {
			maxLength: 4,
			selector: ([name]) => name,
		})
		.map((entries) => new Map<string, Uint8Array>(entries)),
});

async function encode(content: SectionFile): Promise<Uint8Array> {
	const pieces: Uint8Array[] = [];
	for await (const piece of encodeSectionFile(content)) pieces.push(piece);
	return new Uint8Array(Buffer.concat(pieces));
}

t.test("a file is read back as it was written, its sections aligned", async () => {
	await fc.assert(
		fc.asyncProperty(contents, async ({ header, sections }) => {
			const read = decodeSectionFile(await encode({ header, sections }));
			const isSame = [...sections].every(([name, bytes]) => {
				const found = read.sections.get(name);
				return (
					found && found.byteOffset % 64 === 0 && Buffer.from(found).equals(Buffer.from(bytes))
				);
			});
			return isSame && JSON.stringify(read.header) === JSON.stringify(header);
		}),
	);
});

t.test("one flipped bit anywhere is noticed", async () => {
	await fc.assert(
		fc.asyncProperty(contents, fc.nat(), fc.nat({ max: 7 }), async (content, place, bit) => {
			const file = await encode(content);
			const at = place % file.length;
			file[at] = (file[at] ?? 0) ^ (1 << bit);
			return isRefused(file);
		}),
		{ numRuns: 500 },
	);
});

t.test("a file that is cut short or has something appended is refused", async () => {
	await fc.assert(
		fc.asyncProperty(contents, fc.nat(), async (content, place) => {
			const file = await encode(content);
			const longer = new Uint8Array(file.length + 1 + (place % 64));
			longer.set(file);
			return isRefused(file.slice(0, place % file.length)) && isRefused(longer);
		}),
	);
});

function isRefused(file: Uint8Array): boolean {
	try {
		decodeSectionFile(file);
		return false;
	} catch (error) {
		return error instanceof CorruptFile;
	}
}

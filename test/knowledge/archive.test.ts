import { zipSync } from "fflate";
import t from "tap";
import { packArchive, unpackArchive } from "../../src/knowledge/bundle/archive.js";
import { BUNDLE_LIMITS } from "../../src/knowledge/bundle/bundle-limits.js";
import { filesOf } from "./sample-bundle.js";

const CENTRAL_ENTRY = Buffer.from([0x50, 0x4b, 0x01, 0x02]);

/** Overwrites a field of the n-th entry in the list of contents, which is what readers go by. */
function forge(archive: Uint8Array, n: number, offset: number, value: number): Uint8Array {
	const bytes = Buffer.from(archive);
	let at = -1;
	for (let i = 0; i <= n; i++) at = bytes.indexOf(CENTRAL_ENTRY, at + 1);
	bytes.writeUInt32LE(value, at + offset);
	return bytes;
}

const all = () => true;
const REFUSED = { code: "INVALID_ARGUMENT" };
const stored = (texts: Readonly<Record<string, string>>) =>
	zipSync(Object.fromEntries(filesOf(texts)), { level: 0 });

t.test("what was packed is unpacked, and only what is wanted", async (t) => {
	const packed = packArchive(filesOf({ "a.md": "one", "b.png": "two" }));
	const heard: unknown[] = [];
	const files = unpackArchive(packed, (path, sizeBytes) => {
		heard.push([path, sizeBytes > 0]);
		return path.endsWith(".md");
	});
	t.same([...files.keys()], ["a.md"]);
	t.same(heard, [
		["a.md", true],
		["b.png", true],
	]);
});

t.test("a stored file that declares another length than it has is refused", async (t) => {
	const packed = stored({ "a.md": "x".repeat(5_000) });
	t.equal(unpackArchive(packed, all).size, 1);
	t.throws(() => unpackArchive(forge(packed, 0, 24, 0), all), REFUSED);
});

t.test("files that share their bytes are refused", async (t) => {
	const packed = stored({ "a.md": "x".repeat(3_000), "b.md": "" });
	const overlapping = forge(forge(forge(packed, 1, 20, 3_000), 1, 24, 3_000), 1, 42, 0);
	t.throws(() => unpackArchive(overlapping, all), { ...REFUSED, message: /b\.md/ });
});

t.test(
	"a file above the limit is refused before it is unpacked, and may be left out",
	async (t) => {
		const packed = stored({ "a.md": "x".repeat(BUNDLE_LIMITS.fileBytes + 1), "b.md": "x" });
		t.throws(() => unpackArchive(packed, all), REFUSED);
		const isSmall = (_: string, sizeBytes: number) => sizeBytes < 1_000;
		t.same([...unpackArchive(packed, isSmall).keys()], ["b.md"]);
	},
);

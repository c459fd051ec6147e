import { createHash } from "node:crypto";
import t from "tap";
import { createAuditor } from "../../store/journal/audit.js";
import { readFrame } from "../../store/journal/frame.js";
import type { JournalReader } from "../../store/journal/journal-reader.js";
import type { FrameBody } from "../../store/journal/operation.js";
import type { SegmentFacts } from "../../store/journal/segments.js";
import { createFakeDisk } from "./fake-disk.js";
import { FOLDER, openOn, tokenRow } from "./open-test-store.js";

const link = (sequence: number) => ({ sequence, crc: sequence * 7 });

function body(id: string, cents: bigint): FrameBody {
	const entries = [
		{ account: "cash:manual", amountMicros: -cents },
		{ account: "cust:a", amountMicros: cents },
	];
	const transaction = { id, key: id, kind: "credit" as const, at: 0, ref: "a", entries };
	return { at: 0, transactions: [[{ kind: "post", transaction }]] };
}

/** Two segments of three frames each, read through the port. */
function journalOf(bodies: readonly FrameBody[]) {
	const read: number[] = [];
	const reader: Pick<JournalReader, "readFrames"> = {
		async *readFrames({ number }) {
			read.push(number);
			const before = (number - 1) * 3;
			for (const [index, body] of bodies.slice(before, before + 3).entries()) {
				yield { link: link(before + index + 1), bytes: () => Buffer.alloc(0), body: () => body };
			}
		},
	};
	const segments = (count: number): SegmentFacts[] =>
		Array.from({ length: Math.ceil(count / 3) }, (_, index) => ({
			number: index + 1,
			start: link(index * 3),
			bytes: 0,
			coldRange: undefined,
		}));
	return { reader: reader as JournalReader, segments, read };
}

const target = (segments: SegmentFacts[], count: number, total: bigint) => ({
	head: link(count),
	segments,
	state: {
		transactions: count,
		balances: [
			["cash:manual", -total],
			["cust:a", total],
		] as const,
	},
});

t.test("an audit since the last one reads only what came after it", async (t) => {
	const bodies: FrameBody[] = [1n, 2n, 3n, 4n].map((cents, index) => body(`t${index}`, cents));
	const { reader, segments, read } = journalOf(bodies);
	const auditor = createAuditor(reader, "folder");
	t.same(await auditor.audit(target(segments(4), 4, 10n)), { transactions: 4, frames: 4 });
	t.same(read.splice(0), [1, 2]);
	bodies.push(body("t4", 5n));
	t.same(await auditor.audit(target(segments(5), 5, 15n), { sinceLast: true }), {
		transactions: 5,
		frames: 5,
	});
	t.same(read.splice(0), [2], "the closed segment is not read again");
	await auditor.audit(target(segments(5), 5, 15n), { sinceLast: true });
	t.same(read.splice(0), [], "nothing new, nothing read");
	await auditor.audit(target(segments(5), 5, 15n));
	t.same(read, [1, 2], "in full on demand");
});

t.test(
	"a balance in use that the journal does not add up to is a breach, and stays one",
	async (t) => {
		const bodies = [1n, 2n].map((cents, index) => body(`t${index}`, cents));
		const { reader, segments } = journalOf(bodies);
		const auditor = createAuditor(reader, "folder");
		await t.rejects(auditor.audit(target(segments(2), 2, 4n)), {
			code: "UNAVAILABLE",
			message: /other balances/,
		});
		await t.rejects(auditor.audit(target(segments(2), 2, 4n), { sinceLast: true }), {
			code: "UNAVAILABLE",
		});
		t.same(await auditor.audit(target(segments(2), 2, 3n)), { transactions: 2, frames: 2 });
	},
);

t.test(
	"the digest of a frame is that of all bytes up to it, in whichever segment it lies",
	async (t) => {
		const disk = createFakeDisk();
		const store = await openOn(disk);
		const digests = new Map<number, unknown>();
		for (let payment = 1; payment <= 14; payment++) {
			const label = "x".repeat(400_000);
			await store.transaction((tx) => tx.put("tokens", tokenRow(`tok_${payment}`, { label })));
			const digest = await store.digest();
			digests.set(digest?.sequence ?? 0, digest);
		}
		const names = (await disk.list(`${FOLDER}/segments`)).filter((name) =>
			name.endsWith(".journal"),
		);
		t.ok(names.length > 1, `${names.length} segments`);
		for (const [sequence, digest] of digests) t.same(await store.digest(sequence), digest);
		const last = Math.max(...digests.keys());
		t.equal(await store.digest(last + 1), undefined, "there is no such frame");
		const seen = new Set([...digests.values()].map((digest) => JSON.stringify(digest)));
		t.equal(seen.size, digests.size, "each has its own");
		const first = (await disk.read(`${FOLDER}/segments/00000001.journal`)) ?? Buffer.alloc(0);
		const { end } = readFrame(first, 0, { sequence: 0, crc: 0 }) as { end: number };
		const sha256 = createHash("sha256").update(first.subarray(0, end)).digest("hex");
		t.same(await store.digest(1), { sequence: 1, sha256 });
	},
);

const OTHER_BALANCES = {
	...{ code: "UNAVAILABLE", retryable: false },
	message:
		'The journal in "folder" adds up to other balances than the ones in use. Stop the service and start it again: it then works from the journal.',
};

t.test("each sum of the journal is compared with what is in use", async (t) => {
	const bodies = [1n, 2n].map((cents, index) => body(`t${index}`, cents));
	const sound = target(journalOf(bodies).segments(2), 2, 3n);
	const { state } = sound;
	const [cash, cust] = state.balances;
	const audit = (changed: Parameters<ReturnType<typeof createAuditor>["audit"]>[0]) =>
		createAuditor(journalOf(bodies).reader, "folder").audit(changed);
	t.same(await audit(sound), { transactions: 2, frames: 2 });
	for (const changes of [
		{ transactions: 3 },
		{ balances: [cash] },
		{ balances: [cash, ["cust:a", 4n] as const] },
		{ balances: [["cash:manual", -4n] as const, cust] },
		{ balances: [cash, cust, ["cust:b", 0n] as const] },
	])
		await t.rejects(audit({ ...sound, state: { ...state, ...changes } }), OTHER_BALANCES);
	await t.rejects(audit({ ...sound, head: link(3) }), OTHER_BALANCES);
});

t.test("a segment behind another chain does not follow", async (t) => {
	const bodies = [1n, 2n, 3n, 4n].map((cents, index) => body(`t${index}`, cents));
	for (const start of [
		{ sequence: 3, crc: 99 },
		{ sequence: 4, crc: 21 },
	]) {
		const { reader, segments } = journalOf(bodies);
		const [first, second] = segments(4);
		if (!first || !second) throw new Error("There are two segments.");
		const auditor = createAuditor(reader, "folder");
		await t.rejects(auditor.audit(target([first, { ...second, start }], 4, 10n)), {
			...{ code: "UNAVAILABLE", retryable: false },
			message:
				/^The store is damaged: in "folder\/00000002\.journal", at byte 0, the segment does not follow the one before\. /,
		});
	}
});

t.test("what was added up is given to the caller, transaction by transaction", async (t) => {
	const bodies = [1n, 2n].map((cents, index) => body(`t${index}`, cents));
	const { reader, segments } = journalOf(bodies);
	const seen: unknown[] = [];
	await createAuditor(reader, "folder").audit(target(segments(2), 2, 3n), {
		onTransaction: ({ postings }) => void seen.push(postings.map(({ id }) => id)),
	});
	t.same(seen, [["t0"], ["t1"]]);
});

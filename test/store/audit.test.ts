import t from "tap";
import { createAuditor } from "../../store/journal/audit.js";
import type { JournalReader } from "../../store/journal/journal-reader.js";
import type { FrameBody } from "../../store/journal/operation.js";
import type { SegmentFacts } from "../../store/journal/segments.js";

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

import fc from "fast-check";
import t from "tap";
import { type ErrorBody, post, rawRequest } from "./raw-request.js";
import { startRest } from "./start-rest.js";

const SEARCH = "/v1/graphs/web-payments/search";

t.test("whatever the body is, the answer is a sale or a named mistake", async (t) => {
	const { baseUrl, calls, unexpected } = await startRest(t);
	const valid = fc.record(
		{ query: fc.string({ maxLength: 30 }), limit: fc.integer({ min: -2, max: 60 }) },
		{ requiredKeys: ["query"] },
	);
	const body = fc.oneof(
		valid.map((value) => JSON.stringify(value)),
		fc.json({ maxDepth: 4 }),
		fc.string({ maxLength: 60, unit: "binary" }),
	);
	await fc.assert(
		fc.asyncProperty(body, async (text) => {
			const sold = calls.length;
			const reply = await post(`${baseUrl}${SEARCH}`, text);
			const answer = (await reply.json()) as { ok?: boolean } & Partial<ErrorBody>;
			if (reply.status === 200) return answer.ok === true && calls.length === sold + 1;
			return reply.status === 400 && calls.length === sold && answer.error?.retryable === false;
		}),
		{ numRuns: 150 },
	);
	t.same(unexpected, []);
});

t.test(
	"whatever the path is, nothing is sold under it that was not asked for by name",
	async (t) => {
		const { baseUrl, calls, unexpected } = await startRest(t);
		const piece = fc.constantFrom(
			..."/ // v1 V1 graphs web-payments search SEARCH %2F %0A %00 .. . ; ? # %E2%80%A8 \\ @".split(
				" ",
			),
		);
		const path = fc.array(piece, { maxLength: 9 }).map((pieces) => `/${pieces.join("")}`);
		await fc.assert(
			fc.asyncProperty(path, async (probe) => {
				const sold = calls.length;
				const reply = await rawRequest(baseUrl, {
					method: "POST",
					path: probe,
					headers: ["Content-Type", "application/json"],
					body: '{"query":"x"}',
				});
				const isSale = probe.split(/[?#]/)[0] === SEARCH;
				if (isSale) return [400, 402].includes(reply.status);
				return reply.status >= 400 && calls.length === sold;
			}),
			{ numRuns: 150, examples: [[SEARCH], [`${SEARCH}?`], [`${SEARCH}?v1`], [`${SEARCH}#v1`]] },
		);
		t.same(unexpected, []);
	},
);

import fc from "fast-check";
import t from "tap";
import { embeddings } from "../../skills/models/embeddings.operations.js";
import { rerank } from "../../skills/models/rerank.operations.js";
import { ANONYMOUS } from "../../src/contract/call.js";
import { unavailable } from "../../src/kernel/errors.js";
import type { PairJudge } from "../../src/search/judge/pair-judge.js";
import type { Embedder, TextKind } from "../../src/search/model/embedder.js";
import { boundSkill } from "../support/bound-skill.js";
import { ask } from "./asked-skill.js";

const WIDTH = 16;
const PIECE_CHARS = 8_000;

interface Piece {
	readonly kind?: TextKind;
	readonly texts: readonly string[];
}

/** A vector that tells its text, and not of unit length when cut. */
function vectorOf(text: string): Float32Array {
	const numbers = Float32Array.from({ length: WIDTH }, (_, at) => {
		const code = text.charCodeAt((at * 7) % text.length);
		return Math.sin(code * (at + 1) + text.length) + 1.5;
	});
	const length = Math.hypot(...numbers);
	return numbers.map((value) => value / length);
}

/** A model as the engine offers it, which tells what it was asked, and how many pieces it had at a time. */
function openModels(onPiece: (count: number) => void = () => undefined) {
	const pieces: Piece[] = [];
	let running = 0;
	const seen = { runningMost: 0 };
	const work = async <T>(piece: Piece, answer: () => T): Promise<T> => {
		pieces.push(piece);
		seen.runningMost = Math.max(seen.runningMost, ++running);
		await new Promise(setImmediate);
		onPiece(pieces.length);
		running--;
		return answer();
	};
	const identity = { id: "small", sha256: "ab", dimensions: WIDTH, pooling: "mean" } as const;
	const embedder: Pick<Embedder, "identity" | "embed"> = {
		identity: { ...identity, matryoshka: [WIDTH, 8, 4] },
		embed: (texts, kind) => work({ texts, kind }, () => texts.map(vectorOf)),
	};
	const judge: Pick<PairJudge, "identity" | "read"> = {
		identity,
		read: (pairs) =>
			work({ texts: pairs.map(({ passage }) => passage) }, () =>
				pairs.map(({ text, passage }) => ({
					answers: passage.includes(text) ? 0.9 : 1 / (2 + passage.length),
					...{ supports: 0, refutes: 0, open: 1 },
				})),
			),
	};
	return { pieces, seen, search: { embedder, judge } };
}

interface Embedded {
	readonly data: { readonly dimensions: number; readonly embeddings: number[][] };
}
interface Reranked {
	readonly data: { readonly results: { readonly index: number; readonly score: number }[] };
}

const textArbitrary = fc.oneof(
	fc.string({ minLength: 1, maxLength: 40, unit: "binary" }),
	fc.string({ minLength: 1_000, maxLength: 8_000 }),
);

t.test(
	"vectors come in the order of their texts, of unit length and the width asked",
	async (t) => {
		await fc.assert(
			fc.asyncProperty(
				fc.array(textArbitrary, { minLength: 1, maxLength: 60 }),
				fc.constantFrom(undefined, WIDTH, 8, 4),
				fc.constantFrom("query", "passage"),
				async (input, dimensions, kind) => {
					const { pieces, seen, search } = openModels();
					const skill = boundSkill(embeddings, { search });
					const { data } = await ask<Embedded>(skill)({ input, kind, dimensions });
					const width = dimensions ?? WIDTH;
					t.equal(data.dimensions, width);
					t.equal(data.embeddings.length, input.length);
					for (const [at, vector] of data.embeddings.entries()) {
						const expected = vectorOf(input[at] ?? "").subarray(0, width);
						const length = Math.hypot(...expected);
						t.ok(Math.abs(Math.hypot(...vector) - 1) < 1e-5);
						t.ok(vector.every((value, n) => Math.abs(value - (expected[n] ?? 0) / length) < 1e-5));
						t.ok(vector.every((value) => Number(value.toFixed(6)) === value));
					}
					t.ok(pieces.every((piece) => piece.kind === kind));
					t.ok(
						pieces.every(({ texts }) => texts.length === 1 || texts.join("").length <= PIECE_CHARS),
					);
					t.equal(seen.runningMost, 1);
				},
			),
			{ numRuns: 40 },
		);
	},
);

t.test(
	"documents come best first, each by the best of its parts, and the price counts all",
	async (t) => {
		const documentArbitrary = fc
			.tuple(fc.nat(3_900), fc.boolean(), fc.boolean())
			.map(([chars, holds, hasWords]) => {
				const filler = (hasWords ? "some words of it. " : "x").repeat(4_000).slice(0, chars + 1);
				return holds ? `${filler} needle` : filler;
			});
		await fc.assert(
			fc.asyncProperty(
				fc.array(documentArbitrary, { minLength: 1, maxLength: 80 }),
				fc.option(fc.integer({ min: 1, max: 200 }), { nil: undefined }),
				async (documents, top_n) => {
					const { pieces, search } = openModels();
					const skill = boundSkill(rerank, { search });
					const { data } = await ask<Reranked>(skill)({ query: "needle", documents, top_n });
					const { results } = data;
					t.equal(results.length, Math.min(top_n ?? documents.length, documents.length));
					t.equal(new Set(results.map(({ index }) => index)).size, results.length);
					for (const [at, { index, score }] of results.entries()) {
						t.equal(score === 0.9, documents[index]?.includes("needle"), "however deep it stands");
						const before = results[at - 1];
						if (before)
							t.ok(before.score > score || (before.score === score && before.index < index));
					}
					t.ok(pieces.every(({ texts }) => texts.length <= 4));
					const input = skill.input.parse({ query: "needle", documents });
					t.equal(skill.units?.countOf(input), documents.length);
				},
			),
			{ numRuns: 40 },
		);
	},
);

t.test("however long its documents, a call reads a bounded number of parts", async (t) => {
	const { pieces, search } = openModels();
	const documents = Array.from({ length: 200 }, () => "word ".repeat(800));
	await ask<Reranked>(boundSkill(rerank, { search }))({ query: "needle", documents });
	t.equal(pieces.flatMap(({ texts }) => texts).length, 400);
});

t.test("a text counts as ten at least, more as many as they are", (t) => {
	const skill = boundSkill(embeddings, openModels());
	const unitsOf = (input: unknown) => skill.units?.countOf(skill.input.parse({ input }));
	t.equal(unitsOf("one"), 10);
	t.equal(unitsOf(["one", "two"]), 10);
	t.equal(unitsOf(Array.from({ length: 11 }, () => "one")), 11);
	t.end();
});

t.test(
	"after its caller has left no piece is begun, and a short call passes a long one",
	async (t) => {
		const caller = new AbortController();
		const { pieces, search, seen } = openModels((count) => {
			if (count === 5) caller.abort(new Error("The caller left."));
		});
		const skill = boundSkill(embeddings, { search });
		const contextOf = (signal: AbortSignal) => ({
			signal,
			requestId: "req_test",
			callId: "req_test",
		});
		const input = Array.from({ length: 256 }, () => "long ".repeat(1_500));
		const long = skill.run(skill.input.parse({ input }), contextOf(caller.signal));
		const short = skill.run(skill.input.parse({ input: "short" }), contextOf(AbortSignal.any([])));
		t.match(await short, { kind: "answer" });
		t.ok(pieces.length <= 4, "it waited for a piece of the other");
		await t.rejects(long, { message: "The caller left." });
		const begun = pieces.length;
		await new Promise((resolve) => setTimeout(resolve, 20));
		t.equal(pieces.length, begun);
		t.ok(begun <= 6);
		t.equal(seen.runningMost, 1);
	},
);

t.test("a model that fails is told without the folders it names", async (t) => {
	const failed = async () => {
		throw unavailable("The model failed: /srv/models/x cannot be read.");
	};
	const { search } = openModels();
	const broken = {
		embedder: { ...search.embedder, embed: failed },
		judge: { ...search.judge, read: failed },
	};
	await t.rejects(ask(boundSkill(embeddings, { search: broken }))({ input: "x" }), {
		code: "UNAVAILABLE",
		message: "The embedding model of this server gives no answer right now; try again in a moment.",
	});
	await t.rejects(ask(boundSkill(rerank, { search: broken }))({ query: "x", documents: ["x"] }), {
		code: "UNAVAILABLE",
		message: "The judge of this server gives no answer right now; try again in a moment.",
	});
});

t.test(
	"without a model nothing is offered, and only those who would pay are told why",
	async (t) => {
		const search = { embedder: undefined, judge: undefined };
		for (const [operation, setting] of [
			[embeddings, /the setting "model"/],
			[rerank, /sets "judge" to bundled/],
		] as const) {
			const skill = boundSkill(operation, { search });
			const input = skill.input.parse(skill.exampleInput);
			t.equal(skill.isOffered?.(), false);
			await t.resolves(async () => skill.prepare?.(input), "the price is the same");
			await t.rejects(async () => skill.prepare?.(input, ANONYMOUS), {
				code: "UNAVAILABLE",
				message: setting,
				retryable: false,
			});
		}
	},
);

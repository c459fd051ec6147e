import t from "tap";
import {
	evaluateClaims,
	type JudgedClaim,
	toEqualMassBins,
} from "../../bench/claims-evaluation.js";
import {
	CLAIM_PARTS,
	LABELLED_CLAIM_KINDS,
	loadLabelledClaims,
} from "../../bench/labelled/labelled-claims.js";
import type { Verdict } from "../../src/contract/verdicts.js";

const LEAST = { tune: { all: 113, kind: 8 }, "held-back": { all: 57, kind: 4 } } as const;
/** Drawn together, before a claim had words. */
const DRAWN = ["tune", "held-back"] as const;
/** The sample catalog has hardly any conflict; the others came with later sets. */
const NOT_DRAWN: ReadonlySet<string> = new Set([
	"conflict",
	"compound",
	"role",
	"modality",
	"condition",
	"cause",
	"relation",
]);

t.test(
	"both drawn parts have enough claims of every kind, and no claim is there twice",
	async (t) => {
		for (const part of DRAWN) {
			const claims = loadLabelledClaims(part);
			t.ok(claims.length >= LEAST[part].all, `${part}: ${claims.length}`);
			for (const kind of LABELLED_CLAIM_KINDS.filter((kind) => !NOT_DRAWN.has(kind))) {
				const count = claims.filter((claim) => claim.kind === kind).length;
				t.ok(count >= LEAST[part].kind, `${part} ${kind}: ${count}`);
			}
		}
		const all = CLAIM_PARTS.flatMap(loadLabelledClaims);
		t.equal(new Set(all.map(({ id }) => id)).size, all.length);
		t.equal(new Set(all.map(({ claim }) => claim.toLowerCase())).size, all.length);
	},
);

t.test("verdicts are balanced alike in both parts", async (t) => {
	for (const part of DRAWN) {
		const claims = loadLabelledClaims(part);
		for (const [verdict, share] of [
			["SUPPORTED", 0.38],
			["REFUTED", 0.31],
			["NOT_ENOUGH_EVIDENCE", 0.17],
			["NOT_CHECKABLE", 0.12],
		] as const) {
			const got = claims.filter((claim) => claim.verdict === verdict).length / claims.length;
			t.ok(Math.abs(got - share) < 0.03, `${part} ${verdict}: ${got}`);
		}
	}
});

const judged = (label: Verdict, verdict: Verdict, confidence = 0.95): JudgedClaim => ({
	labelled: { id: "number-01", kind: "number", verdict: label },
	verdict,
	qualifier: undefined,
	confidence,
});

t.test("figures are those of their definitions", async (t) => {
	const figures = evaluateClaims([
		judged("SUPPORTED", "SUPPORTED", 0.75),
		judged("SUPPORTED", "REFUTED", 0.75),
		judged("SUPPORTED", "NOT_ENOUGH_EVIDENCE"),
		judged("REFUTED", "REFUTED", 1),
		judged("NOT_ENOUGH_EVIDENCE", "NOT_ENOUGH_EVIDENCE"),
		judged("NOT_CHECKABLE", "NOT_CHECKABLE"),
	]);
	t.match(figures, {
		claims: 6,
		accuracy: 0.667,
		macro_f1: 0.611,
		coverage: 0.75,
		accuracy_where_covered: 0.667,
		abstention: 0.4,
		// Each in a bin of its own: .25 and .75 off, and not at all.
		calibration_error: 0.333,
	});
	t.same(figures.classes["SUPPORTED"], { precision: 1, recall: 0.333, f1: 0.5, claims: 3 });
	t.same(figures.confusion["SUPPORTED"], { SUPPORTED: 1, REFUTED: 1, NOT_ENOUGH_EVIDENCE: 1 });
});

t.test("bins hold as many each, and err by how far confidence is from what is right", (t) => {
	const told = Array.from({ length: 100 }, (_, at) => ({
		confidence: 0.5 + at / 1_000,
		isRight: at % 2 === 0,
	}));
	const { bins, error } = toEqualMassBins(told);
	t.same(
		bins.map(({ claims, accuracy }) => [claims, accuracy]),
		Array.from({ length: 10 }, () => [10, 0.5]),
	);
	t.ok(Math.abs(error - 0.0495) < 0.001, String(error));
	t.same(toEqualMassBins([]), { bins: [], error: 0 });
	t.end();
});

t.test("abstaining always covers nothing and breaks no figure", async (t) => {
	const silent = ["SUPPORTED", "REFUTED"] as const;
	const figures = evaluateClaims(silent.map((label) => judged(label, "NOT_ENOUGH_EVIDENCE")));
	t.match(figures, { coverage: 0, abstention: 1, accuracy_where_covered: 1, calibration_error: 0 });
	t.ok(Number.isFinite(evaluateClaims([]).macro_f1));
});

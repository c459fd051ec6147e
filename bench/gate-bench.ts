/** What the gate of written answers lets through: sensible sentences on the evidence they cite, and lies of twelve kinds. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { passCitationGate } from "../skills/answers/citation-gate.js";
import { type CitedSentence, toCitedSentences } from "../src/evidence/cited-sentences.js";
import { systemClock } from "../src/kernel/clock.js";
import { PACKAGE_ROOT } from "../src/kernel/package-info.js";
import type { Graph } from "../src/knowledge/model/graph.js";
import { createPairJudge } from "../src/search/judge/pair-judge.js";
import { round } from "./figures.js";
import { JUDGE_FOLDER, weightsOf } from "./judge-weights.js";
import { loadFirstCatalog } from "./labelled/first-catalog.js";
import { atLeast, atMost, type Bar } from "./search/bars.js";

const pieceSchema = z.strictObject({
	id: z.string(),
	/** The concept that the evidence stands in, `graph:concept`. */
	trend_id: z.string(),
	evidence: z.array(z.string()).min(1),
	drafts: z.array(z.strictObject({ kind: z.string(), text: z.string() })).min(1),
});

export interface GateReport {
	/** SHA-256 of the judge's weights. */
	readonly weights: string;
	readonly pieces: number;
	/** Share passed, by kind; "good" are sensible paraphrases, all others lies. */
	readonly passed: Readonly<Record<string, number>>;
	readonly bars: readonly Bar[];
}

type Piece = z.infer<typeof pieceSchema>;

export async function benchGate(judgeFolder = JUDGE_FOLDER): Promise<GateReport> {
	const graphs = await loadFirstCatalog();
	const weights = weightsOf(judgeFolder);
	const judge = await createPairJudge(systemClock, { folder: judgeFolder, sums: "if-there" });
	const { signal } = new AbortController();
	const file = join(PACKAGE_ROOT, "bench", "labelled", "gate", "drafts.jsonl");
	const pieces = readFileSync(file, "utf8").trimEnd().split("\n");
	const counts = new Map<string, { drafts: number; passed: number }>();
	try {
		for (const line of pieces) {
			const piece = pieceSchema.parse(JSON.parse(line));
			const offered = toOffered(graphs, piece);
			const evidenceIds = offered.map(({ evidenceId }) => evidenceId);
			const judged = await Promise.all(
				piece.drafts.map(({ text }) =>
					passCitationGate([{ text, evidenceIds }], { offered, judge, signal }),
				),
			);
			for (const [place, { kind }] of piece.drafts.entries()) {
				const { drafts, passed } = counts.get(kind) ?? { drafts: 0, passed: 0 };
				const dropped = judged[place]?.dropped ?? [];
				// A judge that fails lets no lie pass either: that is no figure of the gate.
				if (dropped.some(({ reason }) => reason === "not read"))
					throw new Error(`${piece.id}: not read.`);
				const isPassed = dropped.length === 0;
				counts.set(kind, { drafts: drafts + 1, passed: passed + Number(isPassed) });
			}
		}
	} finally {
		await judge.close();
	}
	const passed = Object.fromEntries(
		[...counts].map(([kind, { drafts, passed }]) => [kind, round(passed / drafts)]),
	);
	const bars = Object.entries(passed).map(([kind, share]) =>
		kind === "good" ? atLeast("good, passed", share, 0.85) : atMost(`${kind}, passed`, share, 0.03),
	);
	return { weights, pieces: pieces.length, passed, bars };
}

/** The evidence of a piece as it stands in the catalog, with what stands around it. */
function toOffered(graphs: readonly Graph[], { id, trend_id, evidence }: Piece) {
	const [graphId = "", conceptId = ""] = trend_id.split(":");
	const graph = graphs.find(({ record }) => record.id === graphId);
	const concept = graph?.concepts.find(
		(one) => one.id === conceptId || one.path === `${conceptId}.md`,
	);
	if (!graph || !concept) throw new Error(`${id}: there is no concept ${trend_id}.`);
	const all = toCitedSentences(graph, concept);
	return evidence.map((text, place): CitedSentence => {
		const at = { place, paragraph: place, heading: undefined };
		const alone = { evidenceId: `${trend_id}~${all.length + place}`, graph, concept, text, ...at };
		return all.find((one) => one.text === text) ?? { ...alone, sources: concept.evidence };
	});
}

/** What the gate of written answers lets through: sensible sentences on the evidence they cite, and lies of twelve kinds. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { passCitationGate } from "../skills/answers/citation-gate.js";
import { catalogFolders, loadGraphs } from "../src/app/content.js";
import type { CitedSentence } from "../src/evidence/cited-sentences.js";
import { PACKAGE_ROOT } from "../src/kernel/package-info.js";
import { round } from "./figures.js";
import { atLeast, atMost, type Bar } from "./search/bars.js";

const pieceSchema = z.strictObject({
	id: z.string(),
	/** The concept that the evidence stands in, `graph:concept`. */
	trend_id: z.string(),
	evidence: z.array(z.string()).min(1),
	drafts: z.array(z.strictObject({ kind: z.string(), text: z.string() })).min(1),
});

export interface GateReport {
	readonly pieces: number;
	/** Share passed, by kind; "good" are sensible paraphrases, all others lies. */
	readonly passed: Readonly<Record<string, number>>;
	readonly bars: readonly Bar[];
}

export async function benchGate(): Promise<GateReport> {
	const silent = { info: () => undefined, error: () => undefined };
	const graphs = await loadGraphs(catalogFolders("sample", ""), silent);
	const file = join(PACKAGE_ROOT, "bench", "labelled", "gate", "drafts.jsonl");
	const pieces = readFileSync(file, "utf8").trimEnd().split("\n");
	const counts = new Map<string, { drafts: number; passed: number }>();
	for (const line of pieces) {
		const { id, trend_id, evidence, drafts } = pieceSchema.parse(JSON.parse(line));
		const [graphId = "", conceptId = ""] = trend_id.split(":");
		const graph = graphs.find(({ record }) => record.id === graphId);
		const concept = graph?.concepts.find(
			(one) => one.id === conceptId || one.path === `${conceptId}.md`,
		);
		if (!graph || !concept) throw new Error(`${id}: there is no concept ${trend_id}.`);
		const offered = evidence.map(
			(text, place): CitedSentence => ({
				...{ evidenceId: `${trend_id}~${place}`, graph, concept, place, text },
				sources: concept.evidence,
			}),
		);
		for (const { kind, text } of drafts) {
			const evidenceIds = offered.map(({ evidenceId }) => evidenceId);
			const { dropped } = passCitationGate([{ text, evidenceIds }], offered);
			const count = counts.get(kind) ?? { drafts: 0, passed: 0 };
			counts.set(kind, {
				drafts: count.drafts + 1,
				passed: count.passed + Number(dropped.length === 0),
			});
		}
	}
	const passed = Object.fromEntries(
		[...counts].map(([kind, { drafts, passed }]) => [kind, round(passed / drafts)]),
	);
	const bars = Object.entries(passed).map(([kind, share]) =>
		kind === "good" ? atLeast("good, passed", share, 0.85) : atMost(`${kind}, passed`, share, 0.03),
	);
	return { pieces: pieces.length, passed, bars };
}

import type { SkillContext, SkillServices } from "../../src/contract/contract.js";
import { toIsoDay } from "../../src/kernel/kernel.js";
import { toAnswerModel } from "../experts/experts.js";
import { type CompiledDossier, compileDossier, type DossierBody } from "./compose-dossier.js";
import { DOSSIER_LIMITS, type DossierMeta, type DossierWire } from "./dossier-wire.js";

/** What dossiers and their refreshing share: how they are compiled, and what their meta says of it. */

/** Services of what compiles a dossier. */
export type DossierServices = Pick<SkillServices, "search" | "catalog" | "clock" | "research">;

interface DossierQuestion {
	readonly topic: string;
	/** Null: those that cover the topic. */
	readonly graphs: readonly string[] | null;
	/** `YYYY-MM-DD`; today where absent. */
	readonly asOf?: string | undefined;
}

/** Compiles a dossier and its meta; without evidence its body is empty. */
export async function askDossier(
	{ search, catalog, clock, research }: DossierServices,
	{ topic, graphs, asOf = toIsoDay(clock.now()) }: DossierQuestion,
	{ signal }: SkillContext,
) {
	const startedMs = clock.monotonicMs();
	const { writer, feeds } = research;
	const suggestFeeds = async (asked: string) => {
		const found = await feeds.suggest(asked, DOSSIER_LIMITS.feedsMax);
		return found.map(({ feed: { id, title, provider }, reason }) => {
			return { feed_id: id, title, provider, reason };
		});
	};
	const compiled = await compileDossier(
		{ search, writer, suggestFeeds },
		{
			topic,
			graphs: graphs ? graphs.map(catalog.get) : catalog.list(),
			isRouted: graphs === null,
			asOf,
			signal,
		},
	);
	const body = compiled.body ?? emptyBody(topic, asOf);
	const meta: DossierMeta = {
		query: topic,
		decision: compiled.decision,
		dataStatus: statusOf(compiled),
		as_of: asOf,
		graphs_used: body.graphs,
		model: toAnswerModel({ ...compiled, embedder: research.embedder() }),
		warnings: [...compiled.warnings],
		execution_time_ms: Math.round(clock.monotonicMs() - startedMs),
	};
	return { isAnswer: compiled.body !== undefined, body, meta };
}

/** The dossier with its sources, for agents that read text alone. */
export function toDossierText({ summary, findings, citations }: DossierWire): string {
	const cited = ({ text, ids }: { text: string; ids: readonly number[] }) =>
		`${text} ${ids.map((n) => `[${n}]`).join("")}`;
	return [
		...summary.map(({ text, citation_ids: ids }) => cited({ text, ids })),
		...findings.map(({ statement: text, citation_ids: ids }) => `- ${cited({ text, ids })}`),
		...citations.map(({ n, title, source_url: url }) => `[${n}] ${title} ${url}`),
	].join("\n");
}

function statusOf({ body, decision }: CompiledDossier): DossierMeta["dataStatus"] {
	if (!body) return "NO_MATCH";
	return decision === "ANSWER" ? "EVIDENCE_MATCH" : "WEAK_MATCH";
}

function emptyBody(topic: string, asOf: string): DossierBody {
	return {
		topic,
		graphs: [],
		summary: [],
		findings: [],
		evidence_table: [],
		timeline: [],
		entities: [],
		source_profile: {
			tiers: {},
			authority: [],
			sources: 0,
			independent_groups: 0,
			publishers: [],
			date_span: { oldest: null, newest: null },
			undated: 0,
		},
		contradictions: [],
		gaps: [{ kind: "not_covered", message: "No graph covers the topic.", citation_ids: [] }],
		supplemental: [],
		method: "",
		as_of: asOf,
		citations: [],
	};
}

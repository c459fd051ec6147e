import { z } from "zod";
import { type Clock, invalidArgument, notFound, toIsoDay } from "../../kernel/kernel.js";
import {
	type ExpertConsent,
	type GraphCatalog,
	type GraphRecord,
	RECORD_PATH,
	readMemory,
	toPercent,
	toRecordFile,
} from "../../knowledge/knowledge.js";
import type { GraphRepository } from "../publication/graph-repository.js";
import { changeTerms } from "./graph-prices.js";

export const expertCommand = z.strictObject({
	/** The expert's agent_id, or the id of a graph of type expert that has none yet. */
	expert_id: z.string().min(1).max(100),
	name: z.string().trim().min(1).max(200).optional(),
	headline: z.string().trim().max(400).optional(),
	is_ai_twin: z.boolean().optional(),
	disclosure: z.string().trim().max(2_000).optional(),
	/** "synthetic", or where the person's consent is recorded; null withdraws it. */
	consent: z
		.strictObject({ basis: z.string().trim().min(1).max(500), until: z.iso.date().optional() })
		.nullable()
		.optional(),
	/** Percent of the revenue by owner, all of them at once. */
	owners: z.record(z.string(), z.string().max(40)).optional(),
});
type ExpertRequest = z.output<typeof expertCommand>;

/** Who a graph of type expert speaks for, on what grounds, and who shares in what it earns. */
export function createExpertEditor({
	catalog,
	repository,
	clock,
	inTurn,
}: {
	readonly catalog: GraphCatalog;
	readonly repository: GraphRepository;
	readonly clock: Pick<Clock, "now">;
	/** Runs one thing at a time that changes imported files. */
	readonly inTurn: <T>(work: () => Promise<T>) => Promise<T>;
}) {
	/** Throws NOT_FOUND, and INVALID_ARGUMENT for a graph that is no expert's or whose files are someone else's. */
	return (request: ExpertRequest) =>
		inTurn(async () => {
			const graph = repository.getOwn(graphOf(catalog, request.expert_id));
			await readMemory(graph);
			const { record } = graph;
			if (record.type !== "expert") {
				throw invalidArgument(
					`The graph "${record.id}" is of type ${record.type}; only one of type expert speaks for someone.`,
				);
			}
			const { owners } = request;
			const next: GraphRecord = {
				...record,
				expert: toProfile(record, request),
				terms: owners ? changeTerms(record.terms, { owners }) : record.terms,
				updated: toIsoDay(clock.now()),
			};
			const bytes = new TextEncoder().encode(toRecordFile(next));
			return toWire(
				(await repository.change(graph, new Map([[RECORD_PATH, bytes]]), "settings")).record,
			);
		});
}

function graphOf(catalog: GraphCatalog, id: string): string {
	const known = [...catalog.list(), ...catalog.drafts()].find(
		({ record }) => record.expert?.agentId === id,
	);
	const graph = known ?? catalog.findHeld(id);
	if (graph) return graph.record.id;
	throw notFound(
		`No expert is called "${id}"; make a graph of type expert first, and name its id.`,
	);
}

function toProfile({ id, expert }: GraphRecord, given: ExpertRequest): GraphRecord["expert"] {
	const agentId = expert?.agentId ?? id;
	return {
		agentId,
		name: given.name ?? expert?.name ?? agentId,
		headline: given.headline ?? expert?.headline ?? "",
		isAiTwin: given.is_ai_twin ?? expert?.isAiTwin ?? true,
		disclosure: given.disclosure ?? expert?.disclosure ?? "",
		consent: given.consent === undefined ? expert?.consent : toConsent(given.consent),
	};
}

function toConsent(given: ExpertRequest["consent"]): ExpertConsent | undefined {
	return given ? { basis: given.basis, until: given.until } : undefined;
}

function toWire({ id, expert, terms }: GraphRecord) {
	return {
		expert_id: expert?.agentId ?? id,
		graph_id: id,
		name: expert?.name,
		headline: expert?.headline,
		is_ai_twin: expert?.isAiTwin,
		disclosure: expert?.disclosure,
		consent: expert?.consent ?? null,
		owners: Object.fromEntries(
			(terms?.owners ?? []).map(({ owner, basisPoints }) => [owner, toPercent(basisPoints)]),
		),
	};
}

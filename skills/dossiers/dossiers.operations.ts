import { z } from "zod";
import {
	answer,
	type Caller,
	keptUntil,
	LIMITS,
	noAnswer,
	ownerOperation,
	pageQueryUpTo,
	paidOperation,
	REPORT_FORMATS,
	type Services,
	type SkillContext,
	toReply,
} from "../../src/contract/contract.js";
import {
	askDossier,
	type DossierQuestion,
	type DossierServices,
	notKept,
} from "./dossier-archive.js";
import { compareDossiers } from "./dossier-changes.js";
import { toDossierText } from "./dossier-presentation.js";
import {
	DOSSIER_LIMITS,
	type DossierWire,
	deletedDossierSchema,
	dossierIdField,
	dossierInput,
	dossierListSchema,
	dossierOutput,
	dossierSchema,
	refreshInput,
	refreshOutput,
} from "./dossier-wire.js";

const params = z.strictObject({ dossier_id: dossierIdField });
const DOSSIER_ID = "dos_01kg9yz3v0f6x2m8q4t7w1ab2c";
const EXAMPLE_TOPIC = "Gasless transfers with signed authorizations";
const example = { params: { dossier_id: DOSSIER_ID } };
const callsPerMinute = LIMITS.accountReadsPerMinute;
const BILLING = "Paid per call; a topic that nothing covers costs nothing.";
const WHOSE =
	"For whoever paid for it, until kept_until; what a wallet paid for is opened by its id. Unknown ids, those of others and past ones are answered alike.";

/** A dossier that is kept where it is an answer, and what is said of how it came about. */
async function compile(
	services: DossierServices,
	asked: DossierQuestion,
	origin: Pick<DossierWire, "version" | "previous_id">,
	context: SkillContext,
) {
	const { research, clock } = services;
	const { isAnswer, body, meta } = await askDossier(services, asked, context);
	const data = {
		dossier_id: research.resultIds("dos", context),
		...origin,
		graphs_asked: asked.graphs,
		...body,
		kept_until: isAnswer ? keptUntil(clock, context) : null,
	};
	const keep = { kind: "dossier" as const, id: data.dossier_id, data };
	return { isAnswer, data, meta, options: data.kept_until === null ? {} : { keep } };
}

/** What the graphs hold on a topic, put together so that it can be checked. Spec: Endpoints, paid operations. */
export const dossier = paidOperation({
	id: "intelligence.dossier",
	at: "POST /v1/intelligence/dossier",
	agent: {
		name: "dossier",
		aliases: ["evidence_dossier"],
		tool: {
			title: "Evidence dossier",
			description:
				"The answer on a topic, findings with confidence, contradictions, a table, events, sources and gaps.",
			fields: {
				topic: "Topic in a few words",
				graphs: "Only these graph ids",
				as_of: "As of this day, YYYY-MM-DD; today if left out",
			},
		},
	},
	summary: "Evidence dossier",
	description: `The answer first, a table where things are compared, findings part by part with confidence and what contradicts them, events that texts date, each source once, and gaps on a topic; every passage cited and printed once. Kept for a day. ${BILLING}`,
	body: dossierInput,
	reply: toReply("DossierReply", dossierOutput),
	about:
		"A dossier on a topic from up to six graphs that cover it: the answer first, a table where things are compared, findings with confidence and what contradicts them, events that texts date, sources, and what is not known; every passage cited and printed once. Kept for a day, to be read, exported and refreshed. Not charged when nothing covers the topic.",
	tags: ["dossier", "evidence", "research"],
	examples: ["Put together what is known about gasless transfers, with sources."],
	output: dossierOutput,
	graphsOf: ({ graphs = [] }) => graphs,
	toText: ({ data }) => toDossierText(data),
	create: (services: DossierServices) => ({
		exampleInput: () => ({ topic: EXAMPLE_TOPIC }),
		isOffered: () => services.catalog.list().length > 0,
		prepare({ graphs = [] }) {
			for (const id of graphs) services.catalog.assertKnown(id);
		},
		async run({ topic, graphs, as_of: asOf }, context) {
			const asked = { topic, graphs: graphs ? [...new Set(graphs)] : null, asOf };
			const origin = { version: 1, previous_id: null };
			const { isAnswer, data, meta, options } = await compile(services, asked, origin, context);
			const result = { ok: true as const, data, meta };
			return isAnswer ? answer(result, options) : noAnswer(result);
		},
	}),
	example: { body: { topic: EXAMPLE_TOPIC } },
});

/** Asks the same again today, and says what is new. Additive to the contract. */
export const dossierRefresh = paidOperation({
	id: "intelligence.dossier.refresh",
	at: "POST /v1/intelligence/dossiers/{dossier_id}/refresh",
	summary: "Refresh a dossier",
	description: `A new version as of today, with what was added, removed and changed. ${BILLING} ${WHOSE}`,
	params,
	reply: toReply("DossierRefreshReply", refreshOutput),
	about:
		"A new version of a dossier that is still kept, on the same topic and graphs as of today, with what was added, removed and changed since. The earlier version stays until its time is over; a paid call that is sent again needs it as well, what it made is then read under its own id. Not charged when the dossier is unknown or nothing covers the topic any more.",
	tags: ["dossier", "evidence", "changes"],
	examples: ["What is new since this dossier was made?"],
	input: refreshInput,
	output: refreshOutput,
	toText: ({ data }) => toDossierText(data),
	create: (services: DossierServices) => ({
		exampleInput: () => ({ dossier_id: DOSSIER_ID }),
		isOffered: () => services.catalog.list().length > 0,
		async prepare({ dossier_id: id }, caller) {
			if (!caller) return;
			const { graphs_asked: graphs } = await getKept(services, caller, id);
			for (const graph of graphs ?? []) services.catalog.assertKnown(graph);
		},
		async run({ dossier_id: previousId }, context) {
			const { caller = { owner: "anonymous" } } = context;
			const before = await getKept(services, caller, previousId);
			const asked = { topic: before.topic, graphs: before.graphs_asked };
			const origin = { version: before.version + 1, previous_id: previousId };
			const { isAnswer, data, meta, options } = await compile(services, asked, origin, context);
			const diff = compareDossiers(before, data);
			const result = { ok: true as const, data: { ...data, diff }, meta };
			return isAnswer ? answer(result, options) : noAnswer(result);
		},
	}),
	example,
});

async function getKept(
	{ research }: DossierServices,
	caller: Pick<Caller, "owner" | "access">,
	id: string,
): Promise<DossierWire> {
	const kept = await research.artifacts.find(caller, "dossier", id);
	if (kept) return kept.data as DossierWire;
	throw notKept(id);
}

type Kept = Pick<Services, "dossiers">;
const KEPT = { callsPerMinute, opensById: true, params };

/** Dossiers that can be read again. Additive to the contract. */
export const dossierList = ownerOperation({
	id: "intelligence.dossiers.list",
	at: "GET /v1/intelligence/dossiers",
	summary: "List dossiers",
	description: "Those of the caller that are still kept, newest first.",
	callsPerMinute,
	query: z.strictObject(pageQueryUpTo(DOSSIER_LIMITS.dossiersMax, DOSSIER_LIMITS.dossiersDefault)),
	isList: true,
	data: dossierListSchema,
	answer: (services: Kept, request) => services.dossiers.list(request.caller, request.query),
	example: { query: { limit: "20" } },
});

export const keptDossier = ownerOperation({
	id: "intelligence.dossiers.get",
	at: "GET /v1/intelligence/dossiers/{dossier_id}",
	summary: "Read a dossier again",
	description: WHOSE,
	...KEPT,
	data: dossierSchema,
	answer: ({ dossiers }: Kept, { caller, params }) => dossiers.get(caller, params.dossier_id),
	example,
});

export const dossierExport = ownerOperation({
	id: "intelligence.dossiers.export",
	at: "GET /v1/intelligence/dossiers/{dossier_id}/export",
	summary: "Export a dossier",
	description: `As a file: Markdown with numbered citations, JSON, or one HTML page without script. ${WHOSE}`,
	...KEPT,
	query: z.strictObject({
		format: z
			.enum(REPORT_FORMATS, `must be one of ${REPORT_FORMATS.join(", ")}`)
			.default("md")
			.describe("Format of the file"),
	}),
	sends: {
		kind: "document",
		mediaTypes: ["text/markdown", "application/json", "text/html"],
	},
	data: z.string().describe("The file"),
	answer: ({ dossiers }: Kept, { caller, params, query }) =>
		dossiers.export(caller, params.dossier_id, query.format),
	example: { ...example, query: { format: "md" } },
});

export const dossierDeletion = ownerOperation({
	id: "intelligence.dossiers.delete",
	at: "DELETE /v1/intelligence/dossiers/{dossier_id}",
	summary: "Delete a dossier",
	description: `At once and for good. ${WHOSE}`,
	...KEPT,
	callsPerMinute: LIMITS.accountChangesPerMinute,
	data: deletedDossierSchema,
	answer: ({ dossiers }: Kept, { caller, params }) => dossiers.remove(caller, params.dossier_id),
	example,
});

import { z } from "zod";
import {
	DOSSIER_LIMITS,
	dossierFields,
	dossierIdField,
	dossierOutput,
	dossierSchema,
	findingSchema,
	refreshOutput,
} from "../../skills/dossiers/dossiers.js";
import {
	cursorField,
	digitsField,
	LIMITS,
	type OwnerOperationId,
	type PaidOperationId,
	REPORT_FORMATS,
	replyComponent,
	requestComponent,
	toDataReply,
	toReply,
} from "../contract/contract.js";
import { ownerRoute } from "./define-route.js";
import {
	DOSSIER,
	DOSSIER_DIFF,
	DOSSIER_ID,
	DOSSIER_ITEM,
	DOSSIER_MARKDOWN,
	DOSSIER_META,
} from "./dossier-examples.js";
import type { OwnerRoute, PaidRoute } from "./route.js";

type PaidDossierId = Extract<PaidOperationId, `intelligence.dossier${string}`>;
type DossierId = Extract<OwnerOperationId, `intelligence.dossiers.${string}`>;

replyComponent("DossierFinding", findingSchema);
const dossierData = replyComponent("Dossier", dossierSchema);
const itemSchema = replyComponent(
	"DossierItem",
	z.object({
		dossier_id: z.string(),
		topic: z.string(),
		version: z.int(),
		previous_id: z.string().nullable(),
		as_of: z.string(),
		created_at: z.iso.datetime(),
		kept_until: z.iso.datetime(),
	}),
);

const nothing = z.strictObject({});
const path = z.strictObject({ dossier_id: dossierIdField });
const example = { path: { dossier_id: DOSSIER_ID } };
const callsPerMinute = LIMITS.accountReadsPerMinute;
const BILLING = "Paid per call; a topic that nothing covers costs nothing.";
const WHOSE =
	"For whoever paid for it, until kept_until; what a wallet paid for is opened by its id. Unknown ids, those of others and past ones are answered alike.";

/** Dossiers. Spec: Endpoints, paid operations; refreshing is additive to the contract. */
export const DOSSIER_ROUTES: Readonly<Record<PaidDossierId, PaidRoute>> = {
	"intelligence.dossier": {
		kind: "paid",
		operationId: "intelligence.dossier",
		summary: "Evidence dossier",
		description: `Summary, findings with confidence and what contradicts them, evidence table, timeline, entities, source profile, contradictions and gaps on a topic; every sentence cited. Kept for a day. ${BILLING}`,
		path: nothing,
		query: nothing,
		body: requestComponent("DossierRequest", z.strictObject(dossierFields)),
		reply: toReply("DossierReply", dossierOutput),
		example: {
			body: { topic: DOSSIER.topic },
			reply: toDataReply(DOSSIER, DOSSIER_META),
		},
	},
	"intelligence.dossier.refresh": {
		kind: "paid",
		operationId: "intelligence.dossier.refresh",
		summary: "Refresh a dossier",
		description: `A new version as of today, with what was added, removed and changed. ${BILLING} ${WHOSE}`,
		path,
		query: nothing,
		reply: toReply("DossierRefreshReply", refreshOutput),
		example: {
			...example,
			reply: toDataReply(
				{ ...DOSSIER, version: 2, previous_id: DOSSIER_ID, diff: DOSSIER_DIFF },
				DOSSIER_META,
			),
		},
	},
};

/** Dossiers that can be read again. Additive to the contract. */
export const KEPT_DOSSIER_ROUTES: Readonly<Record<DossierId, OwnerRoute>> = {
	"intelligence.dossiers.list": ownerRoute({
		operationId: "intelligence.dossiers.list",
		summary: "List dossiers",
		description: "Those of the caller that are still kept, newest first.",
		callsPerMinute,
		path: nothing,
		query: z.strictObject({
			limit: digitsField(DOSSIER_LIMITS.dossiersMax)
				.default(DOSSIER_LIMITS.dossiersDefault)
				.describe("Items on a page"),
			cursor: cursorField.optional(),
		}),
		isList: true,
		data: replyComponent("DossierList", z.object({ items: z.array(itemSchema) })),
		answer: (owner, { caller, query }) => owner.dossiers.list(caller, query),
		example: { query: { limit: "20" }, data: { items: [DOSSIER_ITEM] } },
	}),
	"intelligence.dossiers.get": ownerRoute({
		operationId: "intelligence.dossiers.get",
		summary: "Read a dossier again",
		description: WHOSE,
		callsPerMinute,
		opensById: true,
		path,
		query: nothing,
		isList: false,
		data: dossierData,
		answer: (owner, { caller, path }) => owner.dossiers.get(caller, path.dossier_id),
		example: { ...example, data: DOSSIER },
	}),
	"intelligence.dossiers.export": ownerRoute({
		operationId: "intelligence.dossiers.export",
		summary: "Export a dossier",
		description: `As a file: Markdown with numbered citations, JSON, or one HTML page without script. ${WHOSE}`,
		callsPerMinute,
		opensById: true,
		path,
		query: z.strictObject({
			format: z
				.enum(REPORT_FORMATS, `must be one of ${REPORT_FORMATS.join(", ")}`)
				.default("md")
				.describe("Format of the file"),
		}),
		isList: false,
		sends: {
			kind: "document",
			mediaTypes: ["text/markdown", "application/json", "text/html"],
		},
		data: z.string().describe("The file"),
		answer: (owner, { caller, path, query }) =>
			owner.dossiers.export(caller, path.dossier_id, query.format),
		example: { ...example, query: { format: "md" }, data: DOSSIER_MARKDOWN },
	}),
	"intelligence.dossiers.delete": ownerRoute({
		operationId: "intelligence.dossiers.delete",
		summary: "Delete a dossier",
		description: `At once and for good. ${WHOSE}`,
		callsPerMinute: LIMITS.accountChangesPerMinute,
		opensById: true,
		path,
		query: nothing,
		isList: false,
		data: replyComponent(
			"DeletedDossier",
			z.object({ dossier_id: z.string(), status: z.literal("deleted") }),
		),
		answer: (owner, { caller, path }) => owner.dossiers.remove(caller, path.dossier_id),
		example: { ...example, data: { dossier_id: DOSSIER_ID, status: "deleted" } },
	}),
};

import { LIMITS } from "../../contract/contract.js";
import { conceptCommands } from "../graphs/concept-editor.js";
import { expertCommand } from "../graphs/graph-expert.js";
import { graphCommands } from "../graphs/graph-owner.js";
import { graphPricesCommand } from "../graphs/graph-prices.js";
import { publishCommands } from "../graphs/publish-commands.js";
import { importCommand } from "../imports/import-command.js";
import { importJobCommands } from "../imports/import-jobs.js";
import { gapCommand } from "../reports/gap-report.js";
import { command, editor, FILES, itemOf, nothing, owner, reads } from "./command-row.js";
import { type Operator, operatorCommands } from "./operator-interface.js";

/** Graphs, their concepts and prices, and what publishers do with their own. */

const ofGraph = {
	target: ({ graph_id }: { readonly graph_id: string }) => `graph/${graph_id}`,
	state: (operator: Operator, { graph_id }: { readonly graph_id: string }) =>
		itemOf(operator.listGraphs(), graph_id),
	unrehearsed: FILES,
};

export const GRAPH_ROWS = {
	listGraphs: command(nothing, {
		...reads,
		at: "GET /graphs",
		summary: "Graphs on sale, and drafts",
	}),
	importGraph: command(importCommand, {
		...editor,
		at: "POST /imports",
		summary: "Import a folder or a zip as a graph",
		kind: "long",
		archive: "source",
		changes: {
			target: (input) => `graph/${input.as}`,
			unrehearsed: FILES,
			isRead: (input) => input.dry_run === true,
		},
	}),
	listVersions: command(graphCommands.named, {
		...reads,
		at: "GET /graphs/{graph_id}/versions",
		also: ["GET /v1/publish/graphs/{graph_id}/versions"],
		summary: "Versions of an imported graph that are kept",
	}),
	rollBack: command(graphCommands.rollBack, {
		...editor,
		at: "POST /graphs/{graph_id}/rollback",
		also: ["POST /v1/publish/graphs/{graph_id}/rollback"],
		summary: "Put an earlier version on sale again, or a graph that was removed",
		isSlow: true,
		changes: ofGraph,
	}),
	removeGraph: command(graphCommands.named, {
		...editor,
		at: "DELETE /graphs/{graph_id}",
		also: ["DELETE /v1/publish/graphs/{graph_id}"],
		summary: "Take an imported graph off sale",
		isSlow: true,
		changes: ofGraph,
	}),
	renameGraph: command(graphCommands.rename, {
		...editor,
		at: "POST /graphs/{graph_id}/rename",
		summary: "Give an imported graph another id",
		isSlow: true,
		changes: ofGraph,
	}),
	setGraph: command(graphCommands.set, {
		...editor,
		at: "PATCH /graphs/{graph_id}",
		also: ["PATCH /v1/publish/graphs/{graph_id}"],
		summary: "Change what an imported graph says of itself",
		isSlow: true,
		changes: ofGraph,
	}),
	checkGraph: command(graphCommands.named, {
		...reads,
		at: "GET /graphs/{graph_id}/check",
		also: ["GET /v1/publish/graphs/{graph_id}/lint"],
		summary: "What is in a graph, what is missing, and what it answers",
		isSlow: true,
	}),
	priceGraph: command(graphPricesCommand, {
		...owner,
		at: "POST /graphs/{graph_id}/prices",
		also: ["PUT /v1/publish/graphs/{graph_id}/price"],
		summary: "What a graph costs and who shares in its revenue, changed where something is given",
		isSlow: true,
		changes: {
			...ofGraph,
			isRead: ({ graph_id: _, ...given }) =>
				Object.values(given).every((value) => value === undefined || value === false),
		},
	}),
	// They wait for an import that runs.
	putConcept: command(conceptCommands.put, {
		...editor,
		at: "PUT /graphs/{graph_id}/concepts",
		summary: "Add or replace a concept of an imported graph",
		isSlow: true,
		// A concept's file is longer than any other command.
		bodyBytes: LIMITS.conceptBodyBytes,
		changes: {
			target: ({ graph_id, path }) => `graph/${graph_id}/${path}`,
			unrehearsed: FILES,
		},
	}),
	removeConcept: command(conceptCommands.remove, {
		...editor,
		at: "DELETE /graphs/{graph_id}/concepts/{concept_id}",
		also: ["DELETE /v1/publish/graphs/{graph_id}/nodes/{concept_id}"],
		summary: "Remove a concept of an imported graph",
		isSlow: true,
		changes: {
			target: ({ graph_id, concept_id }) => `graph/${graph_id}/${concept_id}`,
			unrehearsed: FILES,
		},
	}),
	reindex: command(nothing, {
		...editor,
		at: "POST /reindex",
		summary: "Build the index of search again",
		kind: "long",
		changes: { target: () => "index", unrehearsed: FILES },
	}),
	reportWriter: command(nothing, {
		...reads,
		at: "GET /writer",
		summary: "What the language model took since the server was started",
	}),
	tryWriter: command(operatorCommands.tryWriter, {
		...editor,
		at: "POST /writer/trials",
		summary: "Have the language model answer questions, at the operator's cost",
		kind: "long",
		changes: { target: () => "writer", unrehearsed: "it is a trial itself" },
	}),
	reportGaps: command(gapCommand, {
		...reads,
		at: "GET /gaps",
		also: ["GET /v1/publish/graphs/{graph}/gaps"],
		summary: "What could not be answered",
		isSlow: true,
	}),
};

export const PUBLISH_ROWS = {
	createGraph: command(graphCommands.create, {
		...editor,
		at: "POST /v1/publish/graphs",
		summary: "A draft: a graph without concepts, which is sold once it has one",
		changes: ofGraph,
	}),
	putNodes: command(publishCommands.putNodes, {
		...editor,
		at: "POST /v1/publish/graphs/{graph_id}/nodes",
		summary: "Add or replace concepts of an imported graph, all that are given or none",
		isSlow: true,
		bodyBytes: LIMITS.conceptBodyBytes,
		changes: ofGraph,
	}),
	putEdges: command(publishCommands.putEdges, {
		...editor,
		at: "POST /v1/publish/graphs/{graph_id}/edges",
		summary: "Add or replace typed relations between concepts of an imported graph",
		isSlow: true,
		changes: ofGraph,
	}),
	removeEdge: command(publishCommands.removeEdge, {
		...editor,
		at: "DELETE /v1/publish/graphs/{graph_id}/edges/{edge_id}",
		summary: "Remove a typed relation, named source:type:target",
		isSlow: true,
		changes: ofGraph,
	}),
	startImport: command(importJobCommands.start, {
		...editor,
		at: "POST /v1/publish/graphs/{graph_id}/imports",
		summary: "Bring a graph in line with a folder, a zip or files, behind the reply",
		bodyBytes: LIMITS.conceptBodyBytes,
		changes: {
			target: ({ graph_id }, result) => `graph/${graph_id}/import/${result?.["id"] ?? "new"}`,
			unrehearsed: FILES,
		},
	}),
	getImport: command(importJobCommands.one, {
		...reads,
		at: "GET /v1/publish/graphs/{graph_id}/imports/{import_id}",
		summary: "How far an import is, and what became of its files",
	}),
	cancelImport: command(importJobCommands.one, {
		...editor,
		at: "DELETE /v1/publish/graphs/{graph_id}/imports/{import_id}",
		summary: "Stop an import that is under way",
		changes: {
			target: ({ graph_id, import_id }) => `graph/${graph_id}/import/${import_id}`,
			unrehearsed: FILES,
		},
	}),
	setExpert: command(expertCommand, {
		...owner,
		at: "PUT /v1/publish/experts/{expert_id}",
		summary:
			"Who an imported graph of type expert speaks for, on whose consent, and who shares in it",
		isSlow: true,
		changes: { target: ({ expert_id }) => `expert/${expert_id}`, unrehearsed: FILES },
	}),
	listDuplicates: command(graphCommands.named, {
		...reads,
		at: "GET /v1/publish/graphs/{graph_id}/duplicates",
		summary: "Concepts that may be one: of one title, or much alike",
		isSlow: true,
	}),
	mergeNodes: command(publishCommands.mergeNodes, {
		...editor,
		at: "POST /v1/publish/graphs/{graph_id}/merges",
		summary: "Make two concepts one: text, sources and edges of the one go to the other",
		isSlow: true,
		changes: ofGraph,
	}),
	releaseGraph: command(graphCommands.release, {
		...editor,
		at: "POST /v1/publish/graphs/{graph_id}/release",
		summary: "Name the version on sale, with notes",
		isSlow: true,
		changes: ofGraph,
	}),
	addEvidence: command(publishCommands.addEvidence, {
		...editor,
		at: "POST /v1/publish/graphs/{graph_id}/evidence",
		summary: "Name a source of a concept, or of one of its sentences",
		isSlow: true,
		changes: ofGraph,
	}),
};

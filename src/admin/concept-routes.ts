import type { Router } from "express";
import { z } from "zod";
import { graphIdField, LIMITS } from "../contract/contract.js";
import type { Operator } from "../operator/operator.js";
import { quickAt, readCommand } from "./command-handler.js";

const putRequest = z.strictObject({
	graph_id: graphIdField,
	path: z.string().min(1).max(4_096),
	markdown: z.string(),
});
const removal = z.strictObject({
	graph_id: graphIdField,
	concept_id: z.string().min(1).max(4_096),
});

/** One concept at a time; its file is longer than any other command, so these routes read their own body. */
export function addConceptRoutes(router: Router, operator: Operator): void {
	router.put(
		"/graphs/:graph_id/concepts",
		readCommand(LIMITS.conceptBodyBytes),
		quickAt(putRequest, (input) => operator.putConcept(input)),
	);
	router.delete(
		"/graphs/:graph_id/concepts/:concept_id",
		quickAt(removal, (input) => operator.removeConcept(input)),
	);
}

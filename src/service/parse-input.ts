import type { z } from "zod";
import { type ErrorDetail, ServiceError } from "../core/errors.js";

/** The input as the schema reads it. Throws INVALID_ARGUMENT with one detail for each field that is wrong or unknown. */
export function parseInput<T>(schema: z.ZodType<T>, raw: unknown): T {
	const parsed = schema.safeParse(raw);
	if (parsed.success) return parsed.data;
	const details = parsed.error.issues.flatMap(toDetails);
	const first = details[0];
	const where = first?.path
		? `"${first.path}" ${first.message}`
		: (first?.message ?? "is not valid");
	throw new ServiceError("INVALID_ARGUMENT", `The input is not valid: ${where}.`, { details });
}

function toDetails(issue: z.core.$ZodIssue): readonly ErrorDetail[] {
	const path = issue.path.map(String).join(".");
	if (issue.code === "unrecognized_keys") {
		return issue.keys.map((key) => ({
			path: path ? `${path}.${key}` : key,
			message: "is not a known field",
		}));
	}
	return [{ path, message: toPredicate(issue) }];
}

/** Zod's own sentences start with "Invalid input: …"; ours continue the field's name. */
function toPredicate(issue: z.core.$ZodIssue): string {
	// Our own schemas say what they want; only zod's stock sentence is put into ours.
	if (issue.code !== "invalid_type" || !issue.message.startsWith("Invalid input"))
		return issue.message;
	return issue.message.includes("received undefined")
		? "is required"
		: `must be of type ${issue.expected}`;
}

import type { z } from "zod";
import { type ErrorDetail, invalidArgument, type ServiceError } from "../kernel/kernel.js";

const DETAILS_MAX = 20;

/**
 * The input as the schema gives it back (defaults filled in, text trimmed).
 * Throws INVALID_ARGUMENT with one detail for each complaint, and one for each unknown field.
 */
export function parseInput<S extends z.ZodType>(schema: S, raw: unknown): z.output<S> {
	const parsed = schema.safeParse(raw);
	if (parsed.success) return parsed.data;
	throw invalidInput(parsed.error.issues.flatMap((issue) => toDetails(issue, raw)));
}

/** The error of an input that failed; its message is the first complaint as a sentence. */
export function invalidInput(details: readonly ErrorDetail[]): ServiceError {
	const [first] = details;
	const complaint = first ? `${first.path ? `"${first.path}"` : "the input"} ${first.message}` : "";
	return invalidArgument(`The request is not valid: ${complaint}.`, {
		details: details.slice(0, DETAILS_MAX),
	});
}

function toDetails(issue: z.core.$ZodIssue, raw: unknown): ErrorDetail[] {
	if (issue.code === "unrecognized_keys") {
		return issue.keys.map((key) => ({
			path: toPath([...issue.path, key]),
			message: "is not a known field",
		}));
	}
	return [{ path: toPath(issue.path), message: toMessage(issue, raw) }];
}

function toMessage(issue: z.core.$ZodIssue, raw: unknown): string {
	if (valueAt(raw, issue.path) === undefined) return "is required";
	// Our own schemas say what they want; only zod's stock sentence is put into ours.
	const isStock = issue.code === "invalid_type" && issue.message.startsWith("Invalid input");
	if (!isStock) return issue.message;
	return `must be ${article(issue.expected)} ${issue.expected}`;
}

function article(noun: string): string {
	return /^[aeiou]/.test(noun) ? "an" : "a";
}

function toPath(path: readonly PropertyKey[]): string {
	return path.map((part) => String(part).slice(0, 80)).join(".");
}

function valueAt(raw: unknown, path: readonly PropertyKey[]): unknown {
	return path.reduce<unknown>(
		(value, key) =>
			typeof value === "object" && value !== null && Object.hasOwn(value, key)
				? (value as Record<PropertyKey, unknown>)[key]
				: undefined,
		raw,
	);
}

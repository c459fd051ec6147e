import { z } from "zod";
import { invalidArgument } from "../kernel/kernel.js";
import type { SentHeaders } from "./credential.js";
import { EVIDENCE_LIMITS, LIMITS } from "./limits.js";
import { cursorField, graphIdField } from "./wire.js";

/** What a request line can say of an input: its fields as text. */

/** A whole number from 1 on, in plain digits only: "1e1", "0x10" and "" are numbers to JavaScript, not to callers. */
export function digitsField(max: number) {
	return z.preprocess(
		(text) => (typeof text === "string" && /^\d{1,3}$/.test(text) ? Number(text) : text),
		z
			.number("must be a whole number")
			.int("must be a whole number")
			.min(1, "must be at least 1")
			.max(max, `must be at most ${max}`),
	);
}

const LIST_CHARS = LIMITS.filterValues * (LIMITS.filterChars + 1);

/** A list as one parameter, its values parted by commas. */
export function listField<S extends z.ZodType<readonly string[] | undefined>>(values: S) {
	return z
		.string()
		.max(LIST_CHARS, `must have at most ${LIST_CHARS} characters`)
		.transform((text): readonly string[] => text.split(","))
		.pipe(values as unknown as z.ZodType<string[], readonly string[]>);
}

export const limitQuery = digitsField(LIMITS.rowsMax)
	.default(LIMITS.rowsDefault)
	.describe("Number of items wanted");

export const pageQuery = { limit: limitQuery, cursor: cursorField.optional() };

/** Query of lists with pages of a size of their own. */
export const pageQueryUpTo = (max: number, usual: number) => ({
	limit: digitsField(max).default(usual).describe("Items on a page"),
	cursor: cursorField.optional(),
});

/** Query of lists that read every graph or one of them. */
export const catalogPageQuery = {
	graph_id: graphIdField.optional().describe("Of this graph only"),
	...pageQueryUpTo(EVIDENCE_LIMITS.listMax, EVIDENCE_LIMITS.listDefault),
};

/** The id of an event, as callers write it. */
export const AFTER = /^\d{1,6}$/;

/** Query of every operation that streams: where to go on, and with which stream. */
export const resumeQuery = {
	after: z
		.string()
		.regex(AFTER, "must be the id of an event, in digits")
		.describe("Goes on behind this event instead of beginning; costs nothing")
		.optional(),
	stream_id: z
		.string()
		.regex(/^str_[a-z0-9]{1,36}$/, "must be a stream_id that research.created gave")
		.describe("Goes on with this stream; wallets have no other way to name theirs")
		.optional(),
};

/** What a browser says by itself when it connects again; it is newer than the address it connects to. */
export function readLastEventId(headers: SentHeaders): string | undefined {
	const [value, ...others] = headers.get("last-event-id") ?? [];
	if (value === undefined || (others.length === 0 && AFTER.test(value))) return value;
	throw invalidArgument(
		'The header "Last-Event-ID" must be sent once and hold the id of an event, in digits.',
	);
}

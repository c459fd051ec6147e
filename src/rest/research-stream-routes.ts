import { z } from "zod";
import { type PaidOperationId, queryField, resumeQuery } from "../contract/contract.js";
import type { PaidRoute } from "./route.js";

const CREATED = {
	stream_id: "str_01kg9yz3v0f6x2m8q4t7w1ab2c",
	request_id: "req_01kg9yz3v0f6x2m8q4t7w1ab2c",
	operation: "research.stream",
	created_at: "2026-11-22T12:00:00.000Z",
	kept_until: "2026-11-23T12:00:00.000Z",
};

/** How a stream begins, as it travels. */
export const toEventsExample = (operation: PaidOperationId): string =>
	`retry: 3000\nid: 1\nevent: research.created\ndata: ${JSON.stringify({ ...CREATED, operation })}\n\n`;

/** A search with events. Spec: Endpoints, paid operations. */
export const RESEARCH_STREAM_ROUTES: Readonly<Record<"research.stream", PaidRoute>> = {
	"research.stream": {
		kind: "paid",
		streams: true,
		operationId: "research.stream",
		summary: "Research as a stream of events",
		description:
			"Answers a question over the graphs that cover it and tells each step as it happens, every sentence with its citations. One charge, before the first event; none where there is no evidence. Whoever is cut off goes on with Last-Event-ID or after, within 24 hours, without a second charge, by the same credential and query, or by stream_id; once the stream is over, 204. The work is finished and kept even when its caller leaves, unless the account keeps no text.",
		path: z.strictObject({}),
		query: z.strictObject({ query: queryField, ...resumeQuery }),
		reply: z.string(),
		example: {
			query: { query: "Which HTTP status code asks for payment?" },
			reply: toEventsExample("research.stream"),
		},
	},
};

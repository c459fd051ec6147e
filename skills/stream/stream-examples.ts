import type { PaidOperationId } from "../../src/contract/contract.js";

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

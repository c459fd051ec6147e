import { type ListTasksRequest, TaskState, taskStateToJSON } from "@a2a-js/sdk";
import { RequestMalformedError } from "@a2a-js/sdk/errors";
import type { TaskRow } from "../../store/store.js";

export interface TaskPage {
	readonly rows: readonly TaskRow[];
	/** Empty on the last page. */
	readonly nextPageToken: string;
	readonly pageSize: number;
	/** Rows that match, on all pages. */
	readonly totalSize: number;
}

const DEFAULT_PAGE_SIZE = 50;

/**
 * One page of the rows a request asks for, last changed first; its context is compared as the rows write theirs.
 * Throws RequestMalformedError for a token that is not ours.
 */
export function pageOf(rows: readonly TaskRow[], request: ListTasksRequest): TaskPage {
	const pageSize = request.pageSize ?? DEFAULT_PAGE_SIZE;
	const matching = rows.filter((row) => matches(row, request)).sort(byLastChange);
	const cursor = request.pageToken ? fromToken(request.pageToken) : undefined;
	const left = cursor ? matching.filter((row) => byLastChange(cursor, row) < 0) : matching;
	const page = left.slice(0, pageSize);
	const last = page.at(-1);
	return {
		rows: page,
		nextPageToken: last && left.length > page.length ? toToken(last) : "",
		pageSize,
		totalSize: matching.length,
	};
}

function matches(
	row: TaskRow,
	{ contextId, status, statusTimestampAfter }: ListTasksRequest,
): boolean {
	if (contextId && row.contextId !== contextId) return false;
	if (status !== TaskState.TASK_STATE_UNSPECIFIED && row.state !== taskStateToJSON(status)) {
		return false;
	}
	return !statusTimestampAfter || row.updatedAt >= Date.parse(statusTimestampAfter);
}

type Position = Pick<TaskRow, "id" | "updatedAt">;

function byLastChange(a: Position, b: Position): number {
	if (a.updatedAt !== b.updatedAt) return b.updatedAt - a.updatedAt;
	if (a.id === b.id) return 0;
	return a.id < b.id ? 1 : -1;
}

function toToken({ id, updatedAt }: Position): string {
	return Buffer.from(`${updatedAt}|${id}`).toString("base64url");
}

function fromToken(token: string): Position {
	const match = /^(\d{1,15})\|(.+)$/.exec(Buffer.from(token, "base64url").toString());
	if (!match?.[1] || !match[2]) {
		throw new RequestMalformedError("The page token is not one this server has given.");
	}
	return { updatedAt: Number(match[1]), id: match[2] };
}

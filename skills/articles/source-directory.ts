import { type Json, readCursor, toCursor } from "../../src/contract/contract.js";
import { findNearNames } from "../../src/evidence/evidence.js";
import { ServiceError } from "../../src/kernel/kernel.js";
import type { GraphCatalog } from "../../src/knowledge/knowledge.js";
import { type SourceHost, sourceHostsOf } from "./source-hosts.js";

export interface SourceListRequest {
	readonly graph_id?: string | undefined;
	readonly limit: number;
	readonly cursor?: string | undefined;
}

/** Hosts whose pages the graphs cite, in numbers; which pages is for sale. */
export interface SourceDirectory {
	/** In the order of their names. Throws INVALID_ARGUMENT for a cursor of another list, NOT_FOUND for an unknown graph. */
	list(request: SourceListRequest): Promise<Json>;
	/** Throws NOT_FOUND, with near names. */
	get(host: string): Promise<Json>;
}

export function createSourceDirectory({
	catalog,
}: {
	readonly catalog: GraphCatalog;
}): SourceDirectory {
	return {
		async list({ graph_id: id, limit, cursor }) {
			if (id !== undefined) catalog.assertKnown(id);
			const identity = { list: "sources", asked: { graph_id: id ?? null } };
			const [after = ""] = cursor === undefined ? [] : readCursor(cursor, identity, 1);
			const hosts = await sourceHostsOf(catalog);
			const rest = hosts.filter(
				({ host, graphs }) =>
					host > after && (id === undefined || graphs.some(({ graphId }) => graphId === id)),
			);
			const page = rest.slice(0, limit);
			const last = page.at(-1);
			const next = last && rest.length > limit ? toCursor(identity, [last.host]) : null;
			return { items: page.map(toItem), next_cursor: next };
		},

		async get(name) {
			const wanted = name.toLowerCase().replace(/^www\./, "");
			const hosts = await sourceHostsOf(catalog);
			const found = hosts.find(({ host }) => host === wanted);
			if (found) return toDetail(found);
			const near = await findNearNames(
				wanted,
				hosts.map(({ host }) => host),
			);
			throw notFound(name, near);
		},
	};
}

function toItem({ graphs, ...counts }: SourceHost) {
	return { ...counts, graphs: graphs.map(({ graphId }) => graphId) };
}

function toDetail({ graphs, ...counts }: SourceHost) {
	return {
		...counts,
		graphs: graphs.map(({ graphId, articles, mentions }) => ({
			graph_id: graphId,
			articles,
			mentions,
		})),
	};
}

function notFound(name: string, near: readonly string[]): ServiceError {
	const hint = near.length === 0 ? "GET /v1/sources lists them" : `near it ${near.join(", ")}`;
	return new ServiceError("NOT_FOUND", `No graph cites the host "${name.slice(0, 80)}"; ${hint}.`);
}

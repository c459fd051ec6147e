import type { Request, Response, Router } from "express";
import { LRUCache } from "lru-cache";
import type { ServedDocument, Services } from "../contract/contract.js";
import { sendDocument, toDocument } from "../http/http.js";
import type { Graph } from "../knowledge/knowledge.js";
import type { Service } from "../service/service.js";
import { explorerDataOf } from "./explorer-data.js";
import { hostsOf, previewOf } from "./graph-overview.js";
import { renderExplorer } from "./pages/explorer.js";
import { type ExplorerData, readFilter } from "./pages/explorer-model.js";
import type { Site } from "./pages/layout.js";

interface ExplorerDeps {
	readonly service: Pick<Service, "free" | "info" | "prices"> & {
		readonly services: Pick<Services, "catalog">;
	};
	/** Changes with the catalog and the prices. */
	readonly revision: () => unknown;
	readonly send: (
		req: Request,
		res: Response,
		path: string,
		render: (
			site: Site,
		) => Promise<string | { readonly page: string; readonly isProvisional: true }>,
	) => Promise<void>;
}

interface Explored {
	readonly data: ExplorerData;
	readonly document: ServedDocument;
	/** True while the graph is indexed: what a search of it finds is not there yet. */
	readonly isProvisional: boolean;
}

/** The explorer of each graph, and the one document that its drawing is made of. */
export function addExplorer(router: Router, deps: ExplorerDeps): void {
	const { service, send } = deps;
	const explore = createExplorers(deps);
	router.get("/graphs/:name/explore", (req, res) => {
		const graph = service.services.catalog.getNamed(req.params.name);
		const path = `/graphs/${graph.record.slug}/explore`;
		if (req.params.name !== graph.record.slug) return res.redirect(301, path);
		const { search, searchParams } = new URL(req.url, "http://localhost");
		return send(req, res, path + search, async (site) => {
			const { data, isProvisional } = await explore(graph);
			const page = renderExplorer(site, {
				data,
				filter: readFilter(searchParams),
				sent: searchParams,
				hasDemoToken: service.info.profile === "demo",
			});
			// Anybody can write filters without end: those pages are not kept.
			return isProvisional || search !== "" ? { page, isProvisional: true } : page;
		});
	});
	router.get("/graphs/:name/explore.json", async (req, res) => {
		const graph = service.services.catalog.getNamed(req.params.name);
		sendDocument(req, res, (await explore(graph)).document);
	});
}

const GRAPHS_KEPT = 200;

/** Each graph is read once for the catalog and the prices as they are. */
function createExplorers({ service, revision }: ExplorerDeps) {
	const known = new LRUCache<string, Promise<Explored>>({ max: GRAPHS_KEPT });
	return (graph: Graph): Promise<Explored> => {
		const key = `${revision()} ${graph.record.id}`;
		const made = known.get(key) ?? make(service, graph);
		known.set(key, made);
		made.then(
			({ isProvisional }) => isProvisional && known.delete(key),
			() => known.delete(key),
		);
		return made;
	};
}

async function make(service: ExplorerDeps["service"], graph: Graph): Promise<Explored> {
	const preview = await previewOf(service, graph.record.id);
	const data = await explorerDataOf(service, graph, { preview, hosts: hostsOf(graph) });
	return {
		data,
		document: toDocument("application/json", JSON.stringify(data)),
		isProvisional: preview === "indexing",
	};
}

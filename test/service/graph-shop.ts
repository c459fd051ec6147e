import { realpathSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Test } from "tap";
import type { PostgresCluster } from "../support/postgres-cluster.js";
import { type GraphNode, type NodeOptions, openNode } from "./graph-node.js";

export const as = "tides";
export const NOTES = {
	"moon.md": "# Moon\n\nThe moon pulls the sea.",
	"sun.md": "# Sun\n\nThe sun pulls less.",
	"wind.md": "# Wind\n\nWind raises the water at the coast.",
};

export type Shop = ReturnType<typeof createShop>;

/** Nodes on one database, and a folder of notes that they import. */
export function createShop(t: Test, cluster: PostgresCluster) {
	const root = realpathSync(t.testdir({ notes: NOTES }));
	const source = join(root, "notes");
	const nodes: GraphNode[] = [];
	t.teardown(() => Promise.all(nodes.map((node) => node.close())));
	return {
		cluster,
		root,
		source,
		async open(name: string, options: Partial<NodeOptions> = {}): Promise<GraphNode> {
			const node = await openNode({ url: cluster.url, folder: join(root, name), ...options });
			nodes.push(node);
			return node;
		},
		write: (name: string, text: string) => writeFileSync(join(source, name), text),
		rows: (text: string) => cluster.sql(text) as Promise<readonly Record<string, unknown>[]>,
	};
}

import { join, resolve } from "node:path";
import t from "tap";
import { probeServer } from "../../src/cli/probe/probe-server.js";
import { createConfiguredEgress } from "../../src/delivery/configured-egress.js";
import { startApp } from "../support/start-app.js";

interface Card {
	readonly skills: readonly { readonly id: string }[];
	readonly capabilities: {
		readonly extensions: readonly {
			readonly params: { readonly offers: readonly { readonly id: string }[] };
		}[];
	};
}

const NOTE = {
	"graph.md":
		"---\ntype: domain\nid: one-note\ntitle: One note\nversion: 1.0.0\nupdated: '2020-01-01'\n---\nOne note.\n",
	"index.md": '---\nokf_version: "0.2"\n---\n# One note\n\n* [Tides](tides.md) - the sea\n',
	"tides.md":
		"---\ntype: Concept\ntitle: Tides\ndescription: The moon pulls.\n---\nThe moon pulls the sea.\n",
};

t.test("a shop with one note and no source advertises nothing that it cannot answer", async (t) => {
	const root = t.testdir({ graphs: { "one-note": NOTE } });
	const settings = { catalog: join(root, "graphs"), model: "none" } as const;
	const { baseUrl, app } = await startApp(t, { folder: join(root, "data"), settings });
	const report = await probeServer({
		egress: createConfiguredEgress({ urls: [baseUrl] }),
		origin: baseUrl,
		timeoutMs: 5_000,
		routesMax: 100,
	});
	t.same(
		report.routes.filter(({ status }) => status === "problem"),
		[],
	);
	t.ok(report.routes.filter(({ status }) => status === "ok").length > 10);
	const listing = (await (await fetch(`${baseUrl}/.well-known/x402`)).json()) as {
		items: { operation: string }[];
	};
	t.notOk(listing.items.some(({ operation }) => operation === "articles.get"));

	const skills = async () => {
		const card = await fetch(`${baseUrl}/.well-known/agent-card.json`);
		const { skills, capabilities } = (await card.json()) as Card;
		const ids = skills.map(({ id }) => id);
		t.same(
			capabilities.extensions[0]?.params.offers.map(({ id }) => id),
			ids,
			"what is named is what is priced",
		);
		return ids;
	};
	const before = await skills();
	t.ok(before.includes("search_graph"));
	t.notOk(before.includes("consult_expert"));
	const source = resolve("graphs", "api-design-desk");
	await app.operator.importGraph({ source, as: "api-design-desk" });
	t.ok((await skills()).includes("consult_expert"), "as soon as somebody answers");
});

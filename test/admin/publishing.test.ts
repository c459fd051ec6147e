import { readFileSync } from "node:fs";
import { join } from "node:path";
import t from "tap";
import { type Answer, startApp, type TestApp } from "../support/start-app.js";

function publisherOf(shop: TestApp, key: string = shop.app.adminToken) {
	return (method: string, path: string, body?: object, more: object = {}): Promise<Answer> =>
		shop.send(`/v1/publish${path}`, {
			method,
			headers: { Authorization: `Bearer ${key}`, "Content-Type": "application/json", ...more },
			...(body && { body: JSON.stringify(body) }),
		});
}

async function openShop(t: Parameters<typeof startApp>[0], catalog = "none") {
	const shop = await startApp(t, { settings: { model: "none", catalog } });
	return { shop, send: publisherOf(shop) };
}

const MOON = {
	id: "bodies.moon",
	title: "The moon",
	body: "The moon pulls the sea. A month has two springs.",
	tags: ["sky"],
	sources: [{ title: "Tide tables", url: "https://tides.example/tables", date: "2020-05" }],
};
const BORE = {
	path: "bore.md",
	markdown: "---\ntype: Wave\ntitle: Tidal bore\n---\nA mascaret.\n",
};

async function makeTides(send: ReturnType<typeof publisherOf>): Promise<void> {
	await send("POST", "/graphs", { graph_id: "tides", title: "Tides" });
	await send("POST", "/graphs/tides/nodes", { nodes: [MOON, BORE] });
}

t.test("an owner makes a graph, sells it, changes it and takes it off sale", async (t) => {
	const { shop, send } = await openShop(t);
	const made = await send("POST", "/graphs", {
		graph_id: "tides",
		title: "Tides",
		topics: ["sea"],
	});
	t.match(made, { status: 200, body: { graph_id: "tides", state: "draft" } });
	const { token, id: token_id } = await shop.issueSpt("5");
	const balance = async () => Number((await shop.app.operator.getSpt({ token_id })).balance_usd);
	const search = (query: string) => shop.search({ graph: "tides", body: { query }, token });
	const early = await search("mascaret");
	t.match(early, { status: 404, body: { error: { message: /draft: it is sold once/ } } });
	t.match((await send("GET", "/graphs/tides/lint")).body, { concepts: 0 });

	const added = await send("POST", "/graphs/tides/nodes", { nodes: [MOON, BORE] });
	t.match(added, {
		status: 200,
		body: {
			nodes: 2,
			items: [
				{ id: "bodies.moon", change: "added" },
				{ id: "bore", change: "added" },
			],
		},
	});
	t.equal((await search("mascaret")).body.rows[0].name, "Tidal bore");

	const edge = { source: "bore", type: "Pulled by", target: "bodies.moon", weight: 2 };
	const edges = await send("POST", "/graphs/tides/edges", { edges: [edge] });
	t.match(edges.body, { items: [{ id: "bore:pulled-by:bodies.moon" }] });
	await send("POST", "/graphs/tides/edges", { edges: [{ ...edge, weight: 3 }] });
	const boreOf = () => shop.app.catalog.get("tides").concepts.find(({ id }) => id === "bore");
	t.match(boreOf()?.edges, [{ type: "pulled-by", target: "bodies.moon", weight: 3 }]);
	t.equal(boreOf()?.edges.length, 1, "one of a type between the same two");

	const noted = await send("POST", "/graphs/tides/evidence", {
		concept_id: "bodies.moon",
		title: "Almanac",
		url: "https://almanac.example/2021",
		date: "2021",
		sentence: "A month has two springs.",
	});
	t.match(noted.body, { id: "s2" });
	const file = readFileSync(join(shop.folder, "graphs", "tides", "bodies", "moon.md"), "utf8");
	t.match(file, /two springs\.\[\^s2\]/);
	const moon = shop.app.catalog.get("tides").concepts.find(({ id }) => id === "bodies.moon");
	t.match(moon?.evidence, [
		{ articleId: "s1", publishedAt: "2020-05-01", datePrecision: "month" },
		{ articleId: "s2", title: "Almanac", publishedAt: "2021-01-01" },
	]);

	const removed = await send("DELETE", "/graphs/tides/edges/bore:pulled-by:bodies.moon");
	t.match(removed, { status: 200, body: { change: "removed" } });
	t.same(boreOf()?.edges, []);
	const back = await send("POST", "/graphs/tides/rollback", {});
	t.equal(back.status, 200);
	t.equal(boreOf()?.edges.length, 1);

	t.match(await send("PUT", "/graphs/tides/price", { price: "0.25" }), { status: 200 });
	const before = await balance();
	t.equal((await search("mascaret")).status, 200);
	t.equal(await balance(), before - 0.25, "a search costs what its owner set");
	t.equal((await send("PATCH", "/graphs/tides", { title: "Tides of the sea" })).status, 200);
	t.equal(shop.app.catalog.get("tides").record.title, "Tides of the sea");
	t.match((await send("GET", "/graphs/tides/gaps")).body, { graph: "tides" });
	t.match((await send("DELETE", "/graphs/tides/nodes/bore")).body, { nodes: 1 });
	t.equal((await send("DELETE", "/graphs/tides")).status, 200);
	t.equal((await search("moon")).status, 404);
	const { items } = await shop.app.operator.listAudit({ limit: "50" });
	t.ok(items.some(({ command, target }) => command === "putEdges" && target === "graph/tides"));
});

t.test("two concepts that say the same are made one, and a rollback parts them", async (t) => {
	const { shop, send } = await openShop(t);
	await makeTides(send);
	const head = (title: string, more = "") => `---\ntype: Wave\ntitle: ${title}\n${more}---\n`;
	const again = `${head("Tidal Bore", "sources:\n  - id: s1\n    resource: https://bores.example/\n    title: Bores\nverified:\n  - by: human:ann\n")}The [moon](../bodies/moon.md) makes a pororoca.[^s1]\n`;
	const river = `${head("River", "relations:\n  - type: carries\n    target: /waves/bore.md\n")}It has a [bore](waves/bore.md#names) that [is](waves/bore.md) loud.\n`;
	await send("POST", "/graphs/tides/nodes", {
		nodes: [
			{ path: "waves/bore.md", markdown: again },
			{ path: "river.md", markdown: river },
		],
	});
	const listed = await send("GET", "/graphs/tides/duplicates");
	t.match(listed.body.items, [{ because: "title", nodes: [{ id: "bore" }, { id: "waves.bore" }] }]);
	await send("POST", "/graphs/tides/evidence", {
		concept_id: "bore",
		url: "https://other.example/",
		sentence: "A mascaret.",
	});
	const merge = { from: "waves.bore", into: "bore" };
	const merged = await send("POST", "/graphs/tides/merges", merge);
	t.match(merged, { status: 200, body: { id: "bore", redirected: 1, nodes: 3 } }, merged.body);
	const conceptOf = (id: string) =>
		shop.app.catalog.get("tides").concepts.find((one) => one.id === id);
	const bore = conceptOf("bore");
	t.match(bore?.body, /A mascaret\.\[\^s1\]/);
	t.match(bore?.body, /The \[moon\]\(\/bodies\/moon\.md\) makes a pororoca\.\[\^s1-2\]/);
	t.match(bore?.evidence, [
		{ articleId: "s1", sourceUrl: "https://other.example/" },
		{ articleId: "s1-2", sourceUrl: "https://bores.example/" },
	]);
	t.match(bore?.edges, [{ target: "bodies.moon" }]);
	t.match(conceptOf("river")?.edges, [{ type: "carries", target: "bore" }]);
	t.match(conceptOf("river")?.body, /\[bore\]\(\/bore\.md#names\) that \[is\]\(\/bore\.md\)/);
	const { token } = await shop.issueSpt("5");
	const read = await shop.send("/v1/graphs/tides/nodes/waves.bore", {
		headers: { "X-Pay-SPT": token },
	});
	t.equal(read.status, 200, "the old id leads to what it is now");
	t.match(JSON.stringify(read.body), /pororoca/);
	t.match((await send("POST", "/graphs/tides/merges", merge)).body.error.message, /into itself/);

	const { version_before: to } = merged.body;
	t.equal((await send("POST", "/graphs/tides/rollback", { to })).status, 200);
	t.match(conceptOf("waves.bore")?.trust, "human-reviewed");
	t.match(conceptOf("river")?.edges, [{ target: "waves.bore" }]);
});

t.test("a version is released under a label of its own", async (t) => {
	const { send } = await openShop(t);
	await makeTides(send);
	const release = (label: string) =>
		send("POST", "/graphs/tides/release", { label, notes: "Spring tides." });
	t.match((await release("2026-1")).body, { version: 2, label: "2026-1", notes: "Spring tides." });
	await send("POST", "/graphs/tides/nodes", { nodes: [{ id: "sun", title: "Sun" }] });
	t.match((await release("2026-1")).body.error.message, /Version 2 .* already/);
	t.equal((await release("")).status, 400);
	t.match((await send("GET", "/graphs/tides/versions")).body.items, [
		{ number: 3, release: undefined },
		{ number: 2, release: { label: "2026-1" } },
		{ number: 1 },
	]);
});

t.test("files are imported behind the reply, and a job says what became of them", async (t) => {
	const { shop, send } = await openShop(t);
	await send("POST", "/graphs", { graph_id: "tides", title: "Tides" });
	const finished = async (body: object) => {
		const started = await send("POST", "/graphs/tides/imports", body);
		t.match(started, { status: 200, body: { state: "running" } }, started.body);
		for (;;) {
			const { body: job } = await send("GET", `/graphs/tides/imports/${started.body.id}`);
			if (job.state !== "running") return job;
			await new Promise((resolve) => setImmediate(resolve));
		}
	};
	const sun = { path: "sky/sun.md", text: "# Sun\n\nIt pulls less." };
	const empty = { path: "empty.md", text: "" };
	t.match(await finished({ files: [sun, empty] }), {
		state: "done",
		report: { nodes: 1, changed: { added: 1 }, skipped: [{ file: "empty.md", reason: /empty/ }] },
	});
	t.match(shop.app.catalog.get("tides").concepts, [{ id: "sky.sun", title: "Sun" }]);
	const failed = await finished({ files: [empty] });
	t.match(failed, { state: "failed", error: { message: /Nothing in "the files"/ } });
	t.equal(shop.app.catalog.get("tides").concepts.length, 1, "what was on sale is on sale");
	for (const [body, status, message] of [
		[{}, 400, /either "source"/],
		[{ files: [sun], source: "/somewhere" }, 400, /either "source"/],
		[{ files: [{ ...sun, path: "../../evil.md" }] }, 400, /leaves/],
		[{ files: [sun, sun] }, 400, /same path/],
	] as const) {
		const answer = await send("POST", "/graphs/tides/imports", body);
		t.equal(answer.status, status);
		t.match(answer.body.error.message, message);
	}
	const none = await send("GET", "/graphs/tides/imports/job_none");
	t.match(none, { status: 404, body: { error: { message: /forgotten when the server stops/ } } });
	const big = { path: "big.md", text: "The sea rises.\n".repeat(20_000) };
	const begun = (await send("POST", "/graphs/tides/imports", { files: [sun, big] })).body;
	t.equal((await send("DELETE", `/graphs/tides/imports/${begun.id}`)).status, 200);
});

t.test("an owner says who an expert is, on whose consent, and who shares in it", async (t) => {
	const { shop, send } = await openShop(t);
	await makeTides(send);
	await send("POST", "/graphs", { graph_id: "ann-graph", title: "Ann", type: "expert" });
	await send("POST", "/graphs/ann-graph/nodes", { nodes: [MOON] });
	const set = (body: object, id = "ann-graph") => send("PUT", `/experts/${id}`, body);
	const profile = {
		name: "Ann",
		headline: "Tides",
		consent: { basis: "contract 7", until: "2030-01-31" },
	};
	t.match(await set({ ...profile, owners: { ann: "60", operator: "40" } }), {
		status: 200,
		body: { graph_id: "ann-graph", is_ai_twin: true, owners: { ann: "60" }, ...profile },
	});
	t.match(shop.app.catalog.get("ann-graph").record, {
		expert: { agentId: "ann-graph", consent: { basis: "contract 7" } },
		terms: { owners: [{ owner: "ann" }, { owner: "operator" }] },
	});
	t.match((await set({ consent: null })).body, { name: "Ann", consent: null });
	for (const [answer, status, message] of [
		[set(profile, "none"), 404, /No expert/],
		[set(profile, "tides"), 400, /of type domain/],
		[set({ owners: { ann: "60" } }), 400, /100/],
		[set({ consent: {} }), 400, /consent/],
	] as const) {
		const { status: found, body } = await answer;
		t.equal(found, status, JSON.stringify(body));
		t.match(body.error.message, message);
	}
});

t.test("a draft stays one over a restart, and an import fills it", async (t) => {
	const root = t.testdir({
		notes: { "sun.md": "---\ntype: Star\ntitle: Sun\n---\nIt pulls less." },
	});
	const folder = join(root, "data");
	const settings = { model: "none", catalog: "none" } as const;
	const first = await startApp(t, { folder, settings });
	await publisherOf(first)("POST", "/graphs", { graph_id: "tides", title: "Tides" });
	await first.close();
	const shop = await startApp(t, { folder, settings });
	t.same(shop.app.catalog.list(), []);
	t.match((await shop.app.operator.listGraphs()).items, [{ id: "tides", nodes: 0 }]);
	await shop.app.operator.importGraph({ source: join(root, "notes"), as: "tides", update: true });
	const { record, concepts } = shop.app.catalog.get("tides");
	t.match([record.title, concepts.length], ["Tides", 1], "with the title its owner gave it");
});

t.test("what cannot be published is refused, says why and changes nothing", async (t) => {
	const { shop, send } = await openShop(t, "sample");
	await makeTides(send);
	const before = shop.app.catalog.get("tides");
	const nodes = (...list: object[]) => ["POST", "/graphs/tides/nodes", { nodes: list }] as const;
	const edges = (edge: object) => ["POST", "/graphs/tides/edges", { edges: [edge] }] as const;
	const evidence = (more: object) =>
		["POST", "/graphs/tides/evidence", { concept_id: "bore", ...more }] as const;
	const url = "https://a.example/";
	for (const [[method, path, body], status, message] of [
		[["POST", "/graphs", { graph_id: "tides", title: "Again" }], 400, /is there already/],
		[["POST", "/graphs", { graph_id: "catalog", title: "X" }], 400, /name of the interface/],
		[["POST", "/graphs", { graph_id: "new-one" }], 400, /title/],
		[["POST", "/graphs/none/nodes", { nodes: [MOON] }], 404, /No graph is called "none"/],
		[["POST", "/graphs/agent-payments/nodes", { nodes: [MOON] }], 400, /was not imported/],
		[["DELETE", "/graphs/agent-payments", {}], 400, /was not imported/],
		[nodes(), 400, /nodes/],
		[nodes({ ...MOON, id: "new" }, { ...BORE, path: "../evil.md" }), 400, /leaves the bundle/],
		[nodes({ ...MOON, id: "a" }, { ...MOON, id: "a" }), 400, /same path/],
		[nodes({ ...MOON, id: "a" }, { ...BORE, path: "a.md/b.md" }), 400, /a file and a folder/],
		[nodes({ ...BORE, markdown: "No type." }), 400, /no type/],
		[nodes({ title: "X", sources: [{ url: "file:///etc/passwd" }] }), 400, /http or https/],
		[nodes({ title: "X", sources: [{ url, date: "soon" }] }), 400, /no date/],
		[edges({ source: "bore", type: "x", target: "none" }), 404, /no concept "none"/],
		[edges({ source: "bore", type: "x", target: "bore" }), 400, /to itself/],
		[edges({ source: "bore", type: "x:y", target: "bodies.moon" }), 400, /colon/],
		[["DELETE", "/graphs/tides/edges/bore:x:bodies.moon", {}], 404, /source:type:target/],
		[evidence({ url: "javascript:alert(1)" }), 400, /http or https/],
		[evidence({ url, sentence: "Not in it." }), 400, /exactly once/],
		[evidence({ url, concept_id: "none" }), 404, /no concept/],
	] as const) {
		const answer = await send(method, path, body);
		t.equal(answer.status, status, JSON.stringify([path, body, answer.body]));
		t.match(answer.body.error.message, message);
	}
	t.equal(shop.app.catalog.get("tides"), before);
});

t.test("a change is tied to the state it was made for, and to its retry key", async (t) => {
	const { send } = await openShop(t);
	await makeTides(send);
	const put = (title: string, headers: object) =>
		send("POST", "/graphs/tides/nodes", { nodes: [{ id: "sun", title }] }, headers);
	const first = await put("Sun", { "Idempotency-Key": "one" });
	const etag = first.headers.get("etag") ?? "";
	t.equal(
		(await put("Sun", { "Idempotency-Key": "one" })).headers.get("idempotent-replayed"),
		"true",
	);
	t.equal((await put("The sun", { "If-Match": etag })).status, 200);
	t.equal((await put("A sun", { "If-Match": etag })).status, 412);
});

t.test("keys of operators publish as far as their roles go", async (t) => {
	const { shop, send } = await openShop(t);
	await makeTides(send);
	const keyOf = async (role: "reader" | "editor") =>
		publisherOf(shop, (await shop.app.operator.addOperator({ name: role, role })).key);
	const [reader, editor] = [await keyOf("reader"), await keyOf("editor")];
	t.equal((await reader("GET", "/graphs/tides/lint")).status, 200);
	t.equal((await reader("POST", "/graphs/tides/nodes", { nodes: [MOON] })).status, 403);
	t.equal((await editor("POST", "/graphs/tides/nodes", { nodes: [MOON] })).status, 200);
	t.equal((await editor("PUT", "/graphs/tides/price", { price: "9" })).status, 403);
	t.equal((await shop.send("/v1/publish/graphs/tides/lint")).status, 401);
});

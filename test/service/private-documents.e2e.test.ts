import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import t from "tap";
import { privateFolder } from "../knowledge/private-folder.js";
import { startApp } from "../support/start-app.js";

const marker = (place: number) => `qzx${String(place).padStart(3, "0")}qzx`;
const MARKER = /qzx\d{3}qzx/i;
const QUESTION = "Who buys the lighthouse on Monday, and what is the plan?";

/** What requests ask for: a private document by its name, and a public one that names private ones. */
const WANTED = [
	{ node: "coast:notes.closed-0", question: QUESTION },
	{ node: "coast:tides", question: "How often does the water rise a day, with rope?" },
];
type Wanted = (typeof WANTED)[number];

/** Values for what requests ask for. */
function valueFor(name: string, { node, question }: Wanted): unknown {
	if (/graph_ids/.test(name)) return ["coast"];
	if (/graph/.test(name)) return "coast";
	if (/node_id|trend_id|concept/.test(name)) return node;
	if (/limit|count|depth|page/.test(name)) return 5;
	if (/texts|documents|claims|questions/.test(name)) return [question];
	return question;
}

interface OpenApiOperation {
	readonly parameters?: readonly {
		readonly name: string;
		readonly in: string;
		readonly required?: boolean;
	}[];
	readonly requestBody?: {
		readonly content?: Readonly<
			Record<string, { readonly schema?: Schema; readonly example?: object }>
		>;
	};
}

interface Schema {
	readonly properties?: Readonly<Record<string, unknown>>;
	readonly required?: readonly string[];
}

/** A request that the operation may answer. */
function toRequest(method: string, path: string, operation: OpenApiOperation, wanted: Wanted) {
	const query = (operation.parameters ?? [])
		.filter((one) => one.in === "query" && (one.required || /^q|query|graph/.test(one.name)))
		.map(({ name }) => `${name}=${encodeURIComponent(String(valueFor(name, wanted)))}`);
	const place = path.replace(/\{([^}]+)\}/g, (_, name: string) =>
		encodeURIComponent(String(valueFor(name, wanted))),
	);
	const { schema, example } = operation.requestBody?.content?.["application/json"] ?? {};
	const names = [...(schema?.required ?? []), ...Object.keys(schema?.properties ?? {})].filter(
		(name) => /query|question|claim|text|message|topic|graph/.test(name),
	);
	const body = {
		...example,
		...Object.fromEntries(names.map((name) => [name, valueFor(name, wanted)])),
	};
	return {
		method: method.toUpperCase(),
		address: `${place}?${query.join("&")}`,
		body: method === "post" ? JSON.stringify(body) : undefined,
	};
}

const nameOf = (path: string) =>
	path
		.split("/")
		.at(-1)
		?.replace(/\.\w+$/, "") ?? "";

/** Every way in which front matter names another document. */
const headNaming = (paths: readonly string[]) =>
	`---
prev: ${paths[0]}
related: [${paths.map((path) => `"[[${nameOf(path)}]]"`).join(", ")}]
requires: ${paths.map(nameOf).join(", ")}
see: { also: "${paths[1]}" }
relations: [${paths.map((path) => `{ type: needs, target: /${path} }`).join(", ")}]
---
`;

/** Every way in which text names one. */
const linksTo = (paths: readonly string[]) =>
	paths
		.map((path, at) => {
			const name = nameOf(path);
			return [
				`A [[${name}]] b [[${name}|rope]] c ![[${path}]] d [${name}](${path}) e [rope](</${path}> "${name}")`,
				`f [The ${name.replace("-", " ")}](/${path.replace(/\.\w+$/, "/")}) g [rope][${at}] h [\`${name}\`](${path}#part)`,
				`\n[${at}]: ${path} "${name}"`,
			].join("\n");
		})
		.join("\n\n");

t.test("nothing of 120 private documents is readable, whatever is asked", async (t) => {
	const root = t.testdir({});
	const { files, count, linked } = privateFolder(marker);
	t.ok(count >= 120, `${count} documents`);
	const write = (path: string, text: string) => {
		const file = join(root, "notes", path);
		mkdirSync(dirname(file), { recursive: true });
		writeFileSync(file, text);
	};
	for (const [path, text] of Object.entries(files)) write(path, text);
	write(
		"tides.md",
		`${headNaming(linked)}# Tides\n\nWater rises twice a day. See [the plan](notes/closed-0.md) and [[closed-1]].\n\n${linksTo(linked)}\n`,
	);
	write(
		"lamp.md",
		`# Lamp\n\nIt turns. %% ${marker(900)} %%\n<!-- ${marker(901)} -->\n![[closed-2]]\n`,
	);
	writeFileSync(join(root, "outside.md"), `# Outside\n\n${marker(902)}\n`);
	symlinkSync(join(root, "outside.md"), join(root, "notes", "linked.md"));

	const shop = await startApp(t, {
		folder: join(root, "data"),
		settings: { model: "none", catalog: "none" },
	});
	const report = await shop.app.operator.importGraph({
		source: join(root, "notes"),
		as: "coast",
		exclude: ["excluded/"],
		edge_keys: ["requires"],
	});
	t.equal(report.imported, 2, "Tides and Lamp");
	t.equal(report.left_out.private + report.left_out.ignored, count - 3 + 1, "hidden ones apart");
	t.equal(report.skipped.filter(({ reason }) => /dot|link/.test(reason)).length >= 4, true);
	t.equal(shop.app.catalog.get("coast").concepts.length, 2);

	const spt = await shop.issueSpt("400");
	const document = (await shop.send("/openapi.json")).body;
	const requests = Object.entries<Record<string, OpenApiOperation>>(document.paths).flatMap(
		([path, methods]) =>
			Object.entries(methods)
				.filter(([method]) => ["get", "post"].includes(method))
				.flatMap(([method, operation]) =>
					WANTED.map((wanted) => toRequest(method, path, operation, wanted)),
				),
	);
	t.ok(requests.length > 200, `${requests.length} operations are asked`);
	let answered = 0;
	for (const { method, address, body } of requests) {
		const response = await fetch(`${shop.baseUrl}${address}`, {
			method,
			headers: { "Content-Type": "application/json", "X-Pay-SPT": spt.token },
			...(body && { body }),
			signal: AbortSignal.timeout(5_000),
		}).catch(() => undefined);
		if (response?.status === 200) answered += 1;
		const text = (await response?.text().catch(() => "")) ?? "";
		if (MARKER.test(text)) t.fail(`${method} ${address}: ${MARKER.exec(text)?.[0]}`);
	}
	t.ok(answered > 100, `${answered} of them have an answer`);

	for (const address of [
		"/sitemap.xml",
		"/llms.txt",
		"/v1/catalog.okf",
		"/v1/readmes/index.md",
		"/v1/graphs/coast/readme",
	]) {
		const { status, body } = await shop.send(address);
		t.equal(status, 200, address);
		t.notMatch(String(body), MARKER, address);
	}
	for (const format of ["json", "jsonl", "csv", "graphml", "jsonld"]) {
		const { body } = await shop.send(`/v1/graphs/coast/export?format=${format}`, {
			headers: { "X-Pay-SPT": spt.token },
		});
		t.notMatch(JSON.stringify(body), MARKER, format);
	}
	for (let place = 0; place < count; place += 10) {
		const { body } = await shop.search({
			graph: "coast",
			body: { query: `the ${marker(place)} plan of the lighthouse` },
			token: spt.token,
		});
		const { query: _query, ...rest } = body;
		t.notMatch(JSON.stringify(rest).replaceAll(marker(place), ""), MARKER);
	}
});

t.test("a document that becomes private leaves the graph at the next update", async (t) => {
	const root = t.testdir({
		notes: {
			"a.md": "# A\n\nOpen [shore](c.md).",
			"b.md": `# B\n\nThe ${marker(1)}.`,
			"c.md": "# C\n\n[B](b.md).",
		},
	});
	const shop = await startApp(t, {
		folder: join(root, "data"),
		settings: { model: "none", catalog: "none" },
	});
	const { operator, catalog } = shop.app;
	const source = join(root, "notes");
	await operator.importGraph({ source, as: "coast" });
	writeFileSync(join(source, "b.md"), `---\nprivate: true\n---\n# B\n\nThe ${marker(1)}.`);
	const report = await operator.importGraph({ source, as: "coast", update: true });
	t.match(report, { left_out: { private: 1 }, changed: { removed: 1 } });
	t.notMatch(JSON.stringify(catalog.get("coast").concepts), MARKER);
	const served = () => JSON.stringify(catalog.get("coast").concepts.map(({ body }) => body));
	t.match(served(), /c\.md/);
	t.notMatch(served(), /b\.md/, "what links to it is read again");
	writeFileSync(join(source, ".tollgraphignore"), "c.md\n");
	const next = await operator.importGraph({ source, as: "coast", update: true });
	t.match(next, { left_out: { private: 1, ignored: 1 }, nodes: 1 });
	t.notMatch(served(), /c\.md/);
	t.match(served(), /Open shore\./);
});

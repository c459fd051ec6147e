import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import t from "tap";
import { privateFolder } from "../knowledge/private-folder.js";
import { startApp } from "../support/start-app.js";

const marker = (place: number) => `qzx${String(place).padStart(3, "0")}qzx`;
const MARKER = /qzx\d{3}qzx/i;
const QUESTION = "Who buys the lighthouse on Monday, and what is the plan?";

/** Values for what requests ask for; what is private is asked for by every name it could have. */
function valueFor(name: string): unknown {
	if (/graph_ids/.test(name)) return ["coast"];
	if (/graph/.test(name)) return "coast";
	if (/node_id|trend_id|concept/.test(name)) return "coast:notes.closed-0";
	if (/limit|count|depth|page/.test(name)) return 5;
	if (/texts|documents|claims|questions/.test(name)) return [QUESTION];
	return QUESTION;
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
function toRequest(method: string, path: string, operation: OpenApiOperation) {
	const query = (operation.parameters ?? [])
		.filter((one) => one.in === "query" && (one.required || /^q|query|graph/.test(one.name)))
		.map(({ name }) => `${name}=${encodeURIComponent(String(valueFor(name)))}`);
	const place = path.replace(/\{([^}]+)\}/g, (_, name: string) =>
		encodeURIComponent(String(valueFor(name))),
	);
	const { schema, example } = operation.requestBody?.content?.["application/json"] ?? {};
	const names = [...(schema?.required ?? []), ...Object.keys(schema?.properties ?? {})].filter(
		(name) => /query|question|claim|text|message|topic|graph/.test(name),
	);
	const body = { ...example, ...Object.fromEntries(names.map((name) => [name, valueFor(name)])) };
	return {
		method: method.toUpperCase(),
		address: `${place}?${query.join("&")}`,
		body: method === "post" ? JSON.stringify(body) : undefined,
	};
}

t.test("nothing of 120 private documents is readable, whatever is asked", async (t) => {
	const root = t.testdir({});
	const { files, count } = privateFolder(marker);
	t.ok(count >= 120, `${count} documents`);
	const write = (path: string, text: string) => {
		const file = join(root, "notes", path);
		mkdirSync(dirname(file), { recursive: true });
		writeFileSync(file, text);
	};
	for (const [path, text] of Object.entries(files)) write(path, text);
	write(
		"tides.md",
		"# Tides\n\nWater rises twice a day. See [the plan](notes/closed-0.md) and [[closed-1]].\n",
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
				.map(([method, operation]) => toRequest(method, path, operation)),
	);
	t.ok(requests.length > 100, `${requests.length} operations are asked`);
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
	t.ok(answered > 50, `${answered} of them have an answer`);

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
			"a.md": "# A\n\nOpen.",
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
	writeFileSync(join(source, ".tollgraphignore"), "c.md\n");
	const next = await operator.importGraph({ source, as: "coast", update: true });
	t.match(next, { left_out: { private: 1, ignored: 1 }, nodes: 1 });
});

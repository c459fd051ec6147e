import { writeFileSync } from "node:fs";
import { join } from "node:path";
import t, { type Test } from "tap";
import { createCountingEmbedder } from "../search/sample-graph.js";
import { startPostgres, WITHOUT_POSTGRES } from "../support/postgres-cluster.js";
import { type GraphNode, until, untilAlike } from "./graph-node.js";
import { as, createShop, NOTES, type Shop } from "./graph-shop.js";

const ROUNDS = Number(process.env["SHARED_GRAPHS_ROUNDS"] ?? 20);
t.test("graphs that several processes sell", { skip: WITHOUT_POSTGRES }, async (t) => {
	const cluster = await startPostgres();
	t.teardown(() => cluster.stop());
	for (const [name, test] of Object.entries(TESTS)) {
		await t.test(name, async (t) => test(t, createShop(t, cluster)));
		await cluster.sql("DROP SCHEMA tollgraph CASCADE");
	}
});

async function inRounds(t: Test, { open, source, write }: Shop): Promise<void> {
	const a = await open("a");
	let b = await open("b");
	await a.importer.import({ source, as });
	const tookMs: number[] = [];
	for (let round = 1; round <= ROUNDS; round++) {
		write("moon.md", `# Moon\n\nThe moon pulls the sea for the ${round}. time.`);
		// In the rounds between, B is started again and notices are lost.
		if (ROUNDS > 20 && round % 5 === 0) {
			await b.close();
			b = await open("b", { isDeaf: round % 2 === 0 });
		}
		await a.importer.import({ source, as, update: true });
		tookMs.push(await untilAlike(a, b));
		const { names } = await b.find(as, `moon ${round}. time`);
		t.equal(names[0], "Moon");
	}
	tookMs.sort((one, other) => one - other);
	const at = (part: number) => Math.round(tookMs[Math.floor((tookMs.length - 1) * part)] ?? 0);
	t.comment(`on sale after ms: median ${at(0.5)}, p90 ${at(0.9)}, most ${at(1)}`);
	t.ok(at(1) < 5_000);
	t.same(b.errors, []);
}

async function everyChange(t: Test, { open, source, write }: Shop): Promise<void> {
	const [a, b] = [await open("a"), await open("b")];
	await a.importer.import({ source, as });
	await untilAlike(a, b);
	const put = {
		graph_id: as,
		path: "ebb.md",
		markdown: "---\ntype: Concept\n---\n# Ebb\n\nIt falls.",
	};
	await b.concepts.put(put);
	await untilAlike(b, a);
	t.match(a.onSale(), /It falls/);
	await a.price({ graph_id: as, price: "0.25" });
	await until(
		() => b.catalog.get(as).record.terms?.prices !== undefined,
		() => "no price",
	);
	write("sun.md", "# Sun\n\nThe sun pulls half as much.");
	await b.importer.import({ source, as, update: true, removals_max: 9 });
	await untilAlike(b, a);
	const versions = await a.owner.listVersions({ graph_id: as });
	t.same(await b.owner.listVersions({ graph_id: as }), versions, "both count alike");
	t.same(
		versions.items.map(({ cause }) => cause),
		["update", "settings", "concept", "import"],
	);
	await a.owner.rollBack({ graph_id: as, to: 2 });
	await untilAlike(a, b);
	t.match(b.onSale(), /It falls/);

	await b.owner.renameGraph({ graph_id: as, new_id: "seas" });
	await untilAlike(b, a);
	t.throws(() => a.catalog.get(as), { message: /is called "seas" now/ });
	t.same((await a.find("seas", "ebb")).names[0], "Ebb");
	t.same(
		await a.owner.listVersions({ graph_id: "seas" }),
		await b.owner.listVersions({ graph_id: "seas" }),
	);
	await a.owner.removeGraph({ graph_id: "seas" });
	await until(
		() => b.catalog.list().length === 0,
		() => b.onSale(),
	);
	t.throws(() => b.catalog.get("seas"), { message: /was taken off sale/ });
	await b.owner.rollBack({ graph_id: "seas" });
	await untilAlike(b, a);
	t.equal(a.catalog.list().length, 1, "what was removed is back");
	await a.owner.createGraph({ graph_id: "draft", title: "Draft", type: "domain" });
	await until(
		() => b.catalog.findHeld("draft") !== undefined,
		() => "no draft",
	);
	t.same([...a.errors, ...b.errors], []);
}

async function bothAtOnce(t: Test, { open, source, root }: Shop): Promise<void> {
	const [a, b] = [await open("a", { isIdle: true }), await open("b", { isIdle: true })];
	const [one, other] = await Promise.allSettled([
		a.importer.import({ source, as }),
		b.importer.import({ source, as }),
	]);
	const [lost, loser, winner] = one.status === "rejected" ? [one, a, b] : [other, b, a];
	t.match(lost, {
		status: "rejected",
		reason: {
			code: "CONFLICT",
			message:
				/The graph "tides" was changed by another process meanwhile \(version 1; this change began from none\)\. Nothing has changed here/,
		},
	});
	t.equal(loser.catalog.list().length, 0, "nothing of it is on sale");
	await loser.replication.step();
	t.equal(loser.onSale(), winner.onSale());

	writeFileSync(join(root, "notes", "sun.md"), "# Sun\n\nThe sun shines.");
	await winner.importer.import({ source, as, update: true });
	const before = loser.onSale();
	const put = {
		graph_id: as,
		path: "ebb.md",
		markdown: "---\ntype: Concept\n---\n# Ebb\n\nIt falls.",
	};
	await t.rejects(loser.concepts.put(put), { code: "CONFLICT" });
	t.equal(loser.onSale(), before, "what was on sale is on sale");
	t.same((await loser.find(as, "ebb falls")).names, []);
	await loser.replication.step();
	await loser.concepts.put(put);
	await winner.replication.step();
	t.equal(winner.onSale(), loser.onSale());
	t.match(winner.onSale(), /shines.*falls|falls.*shines/);
}

async function vectorsOnce(t: Test, { open, source, write, cluster }: Shop): Promise<void> {
	const models = {
		a: createCountingEmbedder(),
		b: createCountingEmbedder(),
		c: createCountingEmbedder(),
	};
	const [a, b] = [await open("a", { model: models.a }), await open("b", { model: models.b })];
	const hybrid = (node: GraphNode) =>
		until(
			() => node.search.status().mode === "hybrid" && node.search.status().concepts > 0,
			() => JSON.stringify(node.search.status()),
		);
	await a.importer.import({ source, as });
	await untilAlike(a, b);
	await hybrid(b);
	t.equal(models.a.passages(), 2 * Object.keys(NOTES).length, "title and text of each");
	t.equal((await b.find(as, "which star pulls less")).mode, "hybrid");
	write("sun.md", "# Sun\n\nThe sun pulls half as much as the moon.");
	await a.importer.import({ source, as, update: true });
	await untilAlike(a, b);
	await hybrid(b);
	t.same((await b.find(as, "half as much")).names[0], "Sun");
	await a.owner.rollBack({ graph_id: as, to: 1 });
	await untilAlike(a, b);
	await hybrid(b);
	const c = await open("c", { model: models.c });
	t.equal(c.onSale(), a.onSale());
	t.equal(c.search.status().mode, "hybrid", "a node that starts late has them before it is ready");
	await b.close();
	const again = await open("b", { model: models.b });
	t.equal(again.search.status().mode, "hybrid");
	t.equal(models.b.passages() + models.c.passages(), 0, "only A has made vectors");

	await t.test("one that stops while it makes them is followed by another", async (t) => {
		models.a.fail(true);
		models.b.fail(true);
		write("sun.md", "# Sun\n\nThe sun pulls again.");
		await a.importer.import({ source, as, update: true });
		await untilAlike(a, c);
		await a.close();
		await again.close();
		t.equal(models.c.passages(), 0, "the claim of the other is waited for");
		await cluster.sql("UPDATE tollgraph.graph_indexes SET until = now() WHERE NOT is_made");
		await hybrid(c);
		t.equal(models.c.passages(), 2);
	});
}

async function damaged(t: Test, { open, source, write, cluster }: Shop): Promise<void> {
	const [a, b] = [await open("a"), await open("b", { isIdle: true })];
	await a.importer.import({ source, as });
	await b.replication.step();
	const before = b.onSale();
	write("sun.md", "# Sun\n\nThe sun shines.");
	await a.importer.import({ source, as, update: true });
	await cluster.sql(
		"UPDATE tollgraph.graph_file_parts SET body = overlay(body placing '\\x00'::bytea from 9) WHERE file = (SELECT max(archive) FROM tollgraph.graph_versions)",
	);
	await b.replication.step();
	await b.replication.step();
	t.equal(b.onSale(), before, "the old one stays on sale");
	t.match(b.replication.status(), { version: 2, newest: 2, refused: [as] });
	t.match(b.errors, [/damaged; the one before it stays on sale .*"version":2.*SHA-256 differs/]);
	t.equal(b.errors.length, 1, "it is said once");
	const late = await open("late", { isIdle: true });
	t.equal(late.catalog.list().length, 0);
	t.equal(late.errors.length, 1);

	write("moon.md", "# Moon\n\nThe moon shines, too.");
	await b.importer.import({ source, as, update: true });
	await a.replication.step();
	await late.replication.step();
	t.equal(a.onSale(), b.onSale());
	t.equal(late.onSale(), b.onSale());
	t.match(late.replication.status(), { refused: [] });
}

async function late(t: Test, { open, source, write, root }: Shop): Promise<void> {
	const a = await open("a");
	await a.importer.import({ source, as });
	await a.importer.import({ source, as: "other" });
	await a.owner.renameGraph({ graph_id: "other", new_id: "another" });
	const b = await open("b");
	t.equal(b.onSale(), a.onSale(), "before it is ready");
	t.throws(() => b.catalog.get("other"), { message: /is called "another" now/ });
	await b.close();
	write("sun.md", "# Sun\n\nThe sun shines.");
	await a.importer.import({ source, as, update: true });
	await a.owner.removeGraph({ graph_id: "another" });
	const again = await open("b", { isIdle: true });
	t.equal(again.onSale(), a.onSale(), "also after it was away");

	await t.test("it can go back to what was on sale before it was there", async (t) => {
		const never = await open("never", { isIdle: true });
		const { items } = await never.owner.listVersions({ graph_id: as });
		t.same(
			items.map(({ number }) => number),
			[2, 1],
		);
		await never.owner.rollBack({ graph_id: as, to: 1 });
		t.match(never.onSale(), /pulls less/);
		await never.owner.rollBack({ graph_id: "another" });
		await until(
			() => a.onSale() === never.onSale(),
			() => a.onSale(),
		);
		await again.replication.step();
		t.equal(again.onSale(), a.onSale());
	});
	await t.test("what was made here and not published is published", async (t) => {
		await again.close();
		writeFileSync(
			join(root, "b", "graphs", as, "sun.md"),
			"---\ntype: Concept\n---\n# Sun\n\nBy hand.",
		);
		const changed = await open("b");
		t.match(changed.onSale(), /By hand/);
		await untilAlike(changed, a);
		await changed.close();
	});
	await t.test("unless another process has published meanwhile; it can be had back", async (t) => {
		writeFileSync(
			join(root, "b", "graphs", as, "sun.md"),
			"---\ntype: Concept\n---\n# Sun\n\nToo late.",
		);
		write("moon.md", "# Moon\n\nThe moon is full.");
		await a.importer.import({ source, as, update: true });
		const changed = await open("b");
		t.equal(changed.onSale(), a.onSale());
		const { items } = await changed.owner.listVersions({ graph_id: as });
		const found = items.find(({ cause }) => cause === "found");
		t.ok(found);
		await changed.owner.rollBack({ graph_id: as, to: found?.number ?? 0 });
		t.match(changed.onSale(), /Too late/);
	});
}

async function pruned(t: Test, { open, source, write, rows }: Shop): Promise<void> {
	const a = await open("a", { keep: 3 });
	for (let note = 0; note < 40; note++) {
		const words = Array.from({ length: 60 }, (_, at) => (note * 7_919 + at * 104_729).toString(36));
		write(`note-${note}.md`, `# Note ${note}\n\nShort.\n\n${words.join(" ")}.`);
	}
	await a.importer.import({ source, as });
	for (let round = 0; round < 6; round++) {
		write("note-0.md", `# Note 0\n\nRound ${round}.`);
		await a.importer.import({ source, as, update: true });
	}
	const kept = await rows(
		"SELECT version, is_whole FROM tollgraph.graph_versions ORDER BY version",
	);
	t.equal(kept[0]?.["is_whole"], true, "what the kept ones are made of is kept");
	t.equal(kept.length, 7, "and so is every change since");
	t.notOk(kept.at(-1)?.["is_whole"], "a small change is stored as such");
	const b = await open("b");
	t.equal(b.onSale(), a.onSale(), "a process that has none of them reads them all");
	for (let round = 0; round < 6; round++) {
		for (let note = 0; note < 40; note++)
			write(`note-${note}.md`, `# Note ${note}\n\nRound ${round}.`);
		await a.importer.import({ source, as, update: true });
	}
	await untilAlike(a, b);
	const later = await rows("SELECT version FROM tollgraph.graph_versions ORDER BY version");
	t.same(later.at(-1), { version: "13" });
	t.ok(later.length <= 4, `${later.length} are kept`);
	const files = await rows(
		"SELECT count(*)::integer AS count FROM tollgraph.graph_files WHERE id NOT IN (SELECT archive FROM tollgraph.graph_versions)",
	);
	t.same(files, [{ count: 0 }], "no file is left of the others");
	t.equal((await a.owner.listVersions({ graph_id: as })).items.length, 3);
}

async function awayAndBack(t: Test, { open, source, write, cluster }: Shop): Promise<void> {
	const [a, b] = [await open("a"), await open("b")];
	await a.importer.import({ source, as });
	await untilAlike(a, b);
	const before = b.onSale();
	write("sun.md", "# Sun\n\nThe sun shines.");
	const update = () => a.importer.import({ source, as, update: true });
	await cluster.crash({
		async meanwhile() {
			await t.rejects(update(), { code: "UNAVAILABLE" }, "no one would know of it");
		},
	});
	t.equal(a.onSale(), before, "what was on sale is on sale");
	await until(
		() => update().then(Boolean, () => false),
		() => a.errors.join(" "),
	);
	await untilAlike(a, b);
	t.match(b.onSale(), /shines/);
}

async function restored(t: Test, { open, source, write, cluster }: Shop): Promise<void> {
	const a = await open("a");
	await a.importer.import({ source, as });
	const first = a.onSale();
	await a.importer.import({ source, as: "newer" });
	write("sun.md", "# Sun\n\nThe sun shines.");
	await a.importer.import({ source, as, update: true });
	await a.close();
	await cluster.sql("DELETE FROM tollgraph.graph_versions WHERE version > 1");
	const again = await open("a", { isIdle: true });
	t.ok(
		again.onSale().includes(first.slice(1, -1)),
		"an earlier version has the place of a later one",
	);
	const b = await open("b", { isIdle: true });
	t.equal(b.onSale(), again.onSale(), "what the database does not know is given to it");
	await again.concepts.put({
		graph_id: as,
		path: "ebb.md",
		markdown: "---\ntype: Concept\n---\n# Ebb\n\nIt falls.",
	});
	await b.replication.step();
	t.equal(b.onSale(), again.onSale());
}

const TESTS: Readonly<Record<string, (t: Test, shop: Shop) => Promise<void>>> = {
	"an import here is on sale there within five seconds": inRounds,
	"so is every other change": everyChange,
	"of two changes at once one is refused, and nothing of it has happened": bothAtOnce,
	"vectors are made once": vectorsOnce,
	"a version that is damaged in the database is refused": damaged,
	"a process that starts catches up first": late,
	"while the database is away nothing changes; then all goes on": awayAndBack,
	"a database of an earlier moment decides": restored,
	"versions are dropped by the rule of the history": pruned,
};

import t, { type Test } from "tap";
import { systemClock } from "../../src/kernel/clock.js";
import { DamagedVersion, type NewGraphVersion } from "../../store/graph-versions.js";
import { openPostgresStore } from "../../store/postgres/postgres.js";
import { startPostgres, WITHOUT_POSTGRES } from "../support/postgres-cluster.js";

const bytesOf = (text: string) => Buffer.from(text, "utf8");

function version(graphId: string, given: Partial<NewGraphVersion> = {}): NewGraphVersion {
	return {
		graphId,
		base: undefined,
		number: 1,
		at: "2026-01-01T00:00:00.000Z",
		cause: "import",
		nodes: 3,
		contentHash: "hash",
		isWhole: true,
		removed: [],
		former: undefined,
		movedTo: undefined,
		archive: bytesOf(`all of ${graphId}`),
		...given,
	};
}

const gone = { archive: undefined, contentHash: undefined, isWhole: false, cause: "removed" };

t.test("versions of graphs in PostgreSQL", { skip: WITHOUT_POSTGRES }, async (t) => {
	const cluster = await startPostgres();
	t.teardown(() => cluster.stop());
	const open = async (t: Test, schema: string) => {
		const store = await openPostgresStore({ url: cluster.url, clock: systemClock, schema });
		t.teardown(() => store.close());
		return store.graphs;
	};

	t.test("one order over all graphs, and all of a change or none", async (t) => {
		const graphs = await open(t, "one_order");
		t.same(await graphs.publish([version("one")]), [1]);
		t.same(await graphs.publish([version("two")]), [2]);
		const changed = { base: 1, isWhole: false, removed: ['a/"b".md', "c.md"], cause: "concept" };
		t.same(await graphs.publish([version("one", changed)]), [3]);
		const moved = version("three", { former: "two", cause: "rename" });
		const refused = graphs.publish([moved, version("two", { ...gone, base: 1, movedTo: "three" })]);
		await t.rejects(refused, { code: "CONFLICT", message: /"two" .*version 2.*began from 1/ });
		const rows = await graphs.newestAfter(0);
		t.same(
			rows.map((row) => [row.version, row.graphId]),
			[
				[2, "two"],
				[3, "one"],
			],
			"nothing of what was refused",
		);
		t.match(rows[1], { ...changed, removed: changed.removed });
		t.same(await graphs.newestAfter(3), []);
		const left = version("two", { ...gone, base: 2, movedTo: "three" });
		const [entered, departed] = await graphs.publish([moved, left]);
		t.ok(entered && departed && entered < departed);
		t.match(await graphs.newestAfter(3), [
			{ graphId: "three", former: "two" },
			{ graphId: "two", contentHash: undefined, movedTo: "three" },
		]);
		await t.rejects(graphs.publish([version("two")]), { code: "CONFLICT" });
		await graphs.publish([version("two", { base: departed })]);
	});

	t.test("what a version is made of is kept with it, in parts of any size", async (t) => {
		const graphs = await open(t, "made_of");
		const large = Buffer.alloc(9 * 1024 * 1024, "large");
		await graphs.publish([version("one", { archive: large })]);
		for (let base = 1; base < 4; base++) {
			await graphs.publish([version("one", { base, isWhole: false, archive: bytesOf(`${base}`) })]);
		}
		t.same(await graphs.sizesOf("one"), { whole: large.length, changes: 3, count: 3 });
		await graphs.dropBelow("one", 3);
		const chain = await graphs.chainOf({ graphId: "one", version: 4 });
		t.same(
			chain.map((row) => row.version),
			[1, 2, 3, 4],
		);
		t.ok(large.equals(Buffer.from(await graphs.readArchive(1))));
		await graphs.publish([version("one", { base: 4 })]);
		await graphs.dropBelow("one", 5);
		t.same(
			(await graphs.list("one")).map((row) => row.version),
			[5],
		);
		t.same(await cluster.sql("SELECT count(*)::integer AS parts FROM made_of.graph_file_parts"), [
			{ parts: 1 },
		]);
		await cluster.sql("UPDATE made_of.graph_file_parts SET body = '\\x00'");
		await t.rejects(graphs.readArchive(5), DamagedVersion);
	});

	t.test("one process at a time makes vectors, and a segment is stored once", async (t) => {
		const graphs = await open(t, "vectors");
		const [first = 0] = await graphs.publish([version("one")], { model: "m", process: "a" });
		const name = { version: first, model: "m" };
		t.equal(await graphs.index.claim(name, "b"), "another's");
		t.equal(await graphs.index.claim(name, "a"), "ours", "a claim is renewed");
		t.equal(await graphs.index.claim({ ...name, model: "other" }, "b"), "ours");
		await cluster.sql("UPDATE vectors.graph_indexes SET until = now() WHERE model = 'm'");
		t.equal(await graphs.index.claim(name, "b"), "ours", "it ends without one");
		let written = 0;
		const segment = (of: string, tombstones = "") => ({
			...{ name: of, tombstones },
			async *write() {
				written += 1;
				yield bytesOf(`segment ${of}`);
			},
		});
		await graphs.index.store(name, [segment("large")]);
		t.equal(await graphs.index.claim(name, "a"), "made");
		const [second = 0] = await graphs.publish([version("one", { base: first })]);
		const next = { version: second, model: "m" };
		t.same(await graphs.index.find("one", "m"), [{ name: "large", tombstones: "" }]);
		t.equal(await graphs.index.claim(next, "a"), "ours");
		await graphs.index.store(next, [segment("large", "AQ=="), segment("small")]);
		t.equal(written, 2);
		t.same(await graphs.index.find("one", "m"), [
			{ name: "large", tombstones: "AQ==" },
			{ name: "small", tombstones: "" },
		]);
		t.same(await graphs.index.readSegment("small"), bytesOf("segment small"));
		t.same(await graphs.index.find("one", "none"), []);
		t.equal(await graphs.index.readSegment("none"), undefined);
		t.equal(
			await graphs.index.claim({ version: 99, model: "m" }, "a"),
			"another's",
			"no such version",
		);
	});
});

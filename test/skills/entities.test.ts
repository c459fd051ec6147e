import t from "tap";
import { entity, entityResolve } from "../../skills/entities/entities.operations.js";
import { createGraphCatalog } from "../../src/knowledge/model/catalog.js";
import { makeConcept, makeGraph } from "../service/sample-graphs.js";
import { boundSkill } from "../support/bound-skill.js";
import { manualClock } from "../support/manual-clock.js";
import { ask } from "./asked-skill.js";

const node = (id: string, title: string, aliases: string[] = []) =>
	makeConcept({ id, path: `${id.replaceAll(".", "/")}.md`, title, aliases });

const catalog = createGraphCatalog([
	makeGraph({ id: "web" }, [
		node("standards.http-402", "HTTP 402", ["Payment Required"]),
		node("events.log4shell", "CVE-2021-44228: Log4Shell"),
		node("desk.münchen", "Ümläut Straße"),
	]),
	makeGraph({ id: "money" }, [
		node("concepts.asking", "Asking for money", ["http 402", "402"]),
		node("concepts.refusal", "Payment Required"),
	]),
]);
const deps = { catalog, clock: manualClock("2026-06-01T00:00:00Z") };

interface Resolved {
	readonly data: {
		readonly items: readonly {
			readonly name: string;
			readonly candidates: readonly {
				readonly entity_id: string;
				readonly trend_id: string;
				readonly score: number;
				readonly why: string;
			}[];
		}[];
	};
}
const resolve = ask<Resolved>(boundSkill(entityResolve, deps));
const read = ask<{ data: Record<string, unknown> }>(boundSkill(entity, deps));

async function found(name: string, more = {}) {
	const { data } = await resolve({ names: [name], ...more });
	return data.items[0]?.candidates.map(({ trend_id, why }) => `${why}: ${trend_id}`);
}

t.test("a name leads to nodes, the surest reason first", async (t) => {
	t.same(await found("http-402"), [
		"exact title: web:standards.http-402",
		"alias: money:concepts.asking",
	]);
	t.same(await found("cve-2021-44228"), ["identifier: web:events.log4shell"]);
	t.same(await found("web:events.log4shell"), ["identifier: web:events.log4shell"]);
	t.same(await found("Log4Shell"), ["identifier: web:events.log4shell"]);
	t.same(await found("umlaut strasse"), ["near spelling: web:desk.münchen"]);
	t.same(await found("asking"), ["identifier: money:concepts.asking"]);
	t.same(await found("for money"), ["part of a name: money:concepts.asking"]);
	t.same(await found("Paymnt Requred"), [
		"near spelling: money:concepts.refusal",
		"near spelling: web:standards.http-402",
	]);
});

t.test("candidates are as many as asked for, of the graph asked for", async (t) => {
	t.equal((await found("http 402", { limit: 1 }))?.length, 1);
	t.same(await found("http 402", { graph_id: "money" }), ["alias: money:concepts.asking"]);
	await t.rejects(resolve({ names: ["x"], graph_id: "nowhere" }), { code: "NOT_FOUND" });
});

t.test(
	"unknown names are answered in their place; nothing but such names costs nothing",
	async (t) => {
		const some = await resolve({ names: ["zzzzzz", "HTTP 402"] });
		t.equal(some.kind, "answer");
		t.match(some.data.items, [{ name: "zzzzzz", candidates: [] }, { name: "HTTP 402" }]);
		t.equal((await resolve({ names: ["zzzzzz", "!?"] })).kind, "no-answer");
	},
);

t.test("an entity is its title in every graph, and whatever has it as another name", async (t) => {
	const { data } = await resolve({ names: ["Payment Required"] });
	const id = data.items[0]?.candidates[0]?.entity_id ?? "";
	const entity = await read({ entity_id: id });
	t.match(entity.data, {
		name: "Payment Required",
		aliases: ["HTTP 402"],
		coverage: { graphs: 2, nodes: 2, sources: 1 },
		mentions: [
			{ graph_id: "money", nodes: [{ node_id: "concepts.refusal", named_as: "title" }] },
			{ graph_id: "web", nodes: [{ node_id: "standards.http-402", named_as: "alias" }] },
		],
		is_complete: true,
	});
	await t.rejects(read({ entity_id: `ent_${"0".repeat(20)}` }), { code: "NOT_FOUND" });
});

t.test("hostile names find nothing and break nothing", async (t) => {
	const names = [
		"__proto__",
		"constructor",
		"\u0000",
		"a".repeat(200),
		"💥",
		"%00../..",
		"{{7*7}}",
	];
	const { data } = await resolve({ names });
	t.same(
		data.items.map(({ candidates }) => candidates.length),
		names.map(() => 0),
	);
});

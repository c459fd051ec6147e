import { readFileSync } from "node:fs";
import t from "tap";
// @ts-expect-error a script without types
import { canonical, compare, sortOut } from "./compare.mjs";

t.test(
	"values that are alike have no difference, in whatever order their members stand",
	async (t) => {
		const before = { a: [1, { b: null }], c: "text" };
		const after = { c: "text", a: [1, { b: null }] };
		t.same(compare(before, after), []);
		t.equal(canonical(before), canonical(after));
	},
);

t.test("changed, removed and added members are distinguished, each with its path", async (t) => {
	const before = { "GET /v1": { price: 1, old: true } };
	const after = { "GET /v1": { price: 2, new: true } };
	t.same(compare(before, after), [
		{ path: '$["GET /v1"].new', kind: "added", after: true },
		{ path: '$["GET /v1"].old', kind: "removed", before: true },
		{ path: '$["GET /v1"].price', kind: "changed", before: 1, after: 2 },
	]);
});

t.test("a type that changed is a difference, an empty list is no empty object", async (t) => {
	t.match(compare({ a: [] }, { a: {} }), [{ path: "$.a", kind: "changed" }]);
	t.match(compare({ a: 1 }, { a: "1" }), [{ path: "$.a", before: 1, after: "1" }]);
	t.match(compare({ a: null }, {}), [{ path: "$.a", kind: "removed" }]);
});

t.test("the order of an array is part of the wire", async (t) => {
	const found = compare({ a: ["x", "y"] }, { a: ["y", "x"] });
	t.match(found, [{ path: "$.a", kind: "same members, other order" }]);
	const [one, two] = [{ name: "one" }, { name: "two" }];
	const named = compare([one, two], [two, one]);
	t.match(named, [{ path: "$", kind: "same members, other order" }]);
	t.equal(named.length, 1);
});

t.test("members with names are compared by name, wherever they stand", async (t) => {
	const before = [{ name: "a" }, { name: "b", price: 1 }];
	const after = [{ name: "new" }, { name: "a" }, { name: "b", price: 2 }];
	t.same(compare(before, after), [
		{ path: "$(name).b.price", kind: "changed", before: 1, after: 2 },
		{ path: "$(name).new", kind: "added", after: { name: "new" } },
	]);
});

t.test("a line that came in between is one difference", async (t) => {
	t.same(compare(["a", "c"], ["a", "b", "c"]), [{ path: "$[1]", kind: "added", after: "b" }]);
	t.same(compare(["a", "b", "c"], ["a", "c"]), [{ path: "$[1]", kind: "removed", before: "b" }]);
	t.match(compare(["a", "b", "c"], ["a", "B", "c"]), [{ path: "$[1]", before: "b", after: "B" }]);
	t.match(compare(["a"], ["a", "a"]), [{ path: "$[1]", kind: "added" }]);
});

t.test(
	"a difference that is allowed is expected, and an entry that fits nothing is stale",
	async (t) => {
		const differences = compare({ a: { b: 1, c: 1 } }, { a: { b: 2, c: 2 } });
		const used = { path: "$.*.b", reason: "renamed" };
		const unused = { path: "$.no.such", reason: "gone" };
		t.match(sortOut(differences, [used, unused]), {
			unexpected: [{ path: "$.a.c" }],
			stale: [unused],
			expected: 1,
		});
		t.equal(sortOut(differences, [{ path: "a.b", reason: "only a part" }]).expected, 0);
	},
);

t.test("every entry of the kept list has a path and a reason", async (t) => {
	const text = readFileSync("test/wire/allowed.json", "utf8");
	const flawed = JSON.parse(text).filter(
		(entry: { path?: string; reason?: string }) => !entry.path?.startsWith("$") || !entry.reason,
	);
	t.same(flawed, []);
});

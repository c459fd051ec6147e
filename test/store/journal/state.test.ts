import t from "tap";
import {
	applyBody,
	applyOperation,
	copyState,
	copyTotals,
	countEntries,
	createState,
} from "../../../store/journal/state.js";
import { addEntries, type Operation } from "../../../store/store.js";
import { posting, receiptRow, tokenRow } from "../open-test-store.js";

const HOUR_MS = 3_600_000;
/** The window of a key, in hours. */
const WINDOW = 48;
const START = 500_000;

const post = (key: string | undefined, amount = 1n): Operation => ({
	kind: "post",
	transaction: posting("k", { "cash:manual": -amount, "cust:a": amount }, { key }),
});
const putToken = (id: string, changes = {}): Operation => ({
	kind: "put",
	table: "tokens",
	row: tokenRow(id, changes),
});
const tokensOf = (state: ReturnType<typeof createState>) => {
	const table = state.tables.get("tokens");
	if (!table) throw new Error("There is no such table.");
	return table;
};

t.test("a new state is empty, and has every table but the cold one", (t) => {
	const state = createState();
	t.equal(countEntries(state), 0);
	t.equal(state.transactions, 0);
	t.ok(
		state.tables.has("tokens") && state.tables.has("holds") && state.tables.has("trusted_times"),
	);
	t.notOk(state.tables.has("receipts"));
	const { tables, ...rest } = copyState(state);
	t.same(rest, { balances: [], keys: [], transactions: 0 });
	t.same(
		tables.flatMap(({ rows }) => rows),
		[],
	);
	t.end();
});

t.test("rows are found by each of their fields, as they are now", (t) => {
	const state = createState();
	const tokens = tokensOf(state);
	const found = (index: string, value: unknown) => [...tokens.findBy(index, value)];
	for (const id of ["tok_1", "tok_2"]) applyOperation(state, putToken(id, { owner: "acc_1" }), 0);
	applyOperation(state, putToken("tok_3"), 0);
	t.same(found("owner", "acc_1"), ["tok_1", "tok_2"]);
	t.same(found("owner", undefined), [], "a row that lacks the field is not found by it");
	t.same(found("label", "x"), [], "nor any by a field without an index");
	t.same(found("hash", "hash of tok_3"), ["tok_3"]);
	applyOperation(state, putToken("tok_1", { owner: "acc_2" }), 0);
	t.same(found("owner", "acc_1"), ["tok_2"]);
	t.same(found("owner", "acc_2"), ["tok_1"]);
	applyOperation(state, { kind: "delete", table: "tokens", id: "tok_2" }, 0);
	applyOperation(state, { kind: "delete", table: "tokens", id: "tok_9" }, 0);
	t.same(found("owner", "acc_1"), []);
	t.same([...tokens.rows.keys()], ["tok_1", "tok_3"]);
	t.equal(countEntries(state), 2);
	t.end();
});

t.test("a cold row leaves no trace in memory", (t) => {
	const state = createState();
	const row = receiptRow("rcpt_1");
	applyOperation(state, { kind: "put", table: "receipts", row }, 0);
	applyOperation(state, { kind: "delete", table: "receipts", id: "rcpt_1" }, 0);
	t.equal(countEntries(state), 0);
	t.end();
});

t.test("postings add up, and are counted with and without a key", (t) => {
	const state = createState();
	applyBody(state, {
		at: HOUR_MS,
		transactions: [[post("a", 3n), post(undefined, 4n)], [post("b")]],
	});
	t.same(copyTotals(state), {
		balances: [
			["cash:manual", -8n],
			["cust:a", 8n],
		],
		transactions: 3,
	});
	t.same([state.keys.has("a"), state.keys.has("b"), state.keys.has("c")], [true, true, false]);
	t.equal(state.keys.size(), 2);
	t.equal(countEntries(state), 4, "two balances and two keys");
	const sums = new Map([["cust:a", 5n]]);
	addEntries(sums, [
		{ account: "cust:a", amountMicros: -7n },
		{ account: "cust:b", amountMicros: 2n },
	]);
	t.same(
		[...sums],
		[
			["cust:a", -2n],
			["cust:b", 2n],
		],
	);
	t.end();
});

t.test("a copy is of its moment, and a state made of it is the same", (t) => {
	const state = createState();
	const body = { at: START * HOUR_MS, transactions: [[putToken("tok_1"), post("a")]] };
	applyBody(state, body);
	const copy = copyState(state);
	t.same(copy.balances, copyTotals(state).balances);
	t.same(copy.keys, [{ hour: START, keys: ["a"] }]);
	t.same(
		copy.tables.filter(({ rows }) => rows.length > 0),
		[{ name: "tokens", rows: [tokenRow("tok_1")] }],
	);
	const again = createState(copy);
	for (const one of [state, again]) {
		applyBody(one, { ...body, transactions: [[putToken("tok_2"), post("b"), post(undefined)]] });
	}
	t.same(copy.keys, [{ hour: START, keys: ["a"] }], "what comes later does not show in it");
	t.equal(copy.transactions, 1);
	t.equal(copy.tables.flatMap(({ rows }) => rows).length, 1);
	t.same(copyState(again), copyState(state));
	t.same([...tokensOf(again).findBy("hash", "hash of tok_1")], ["tok_1"]);
	t.equal(again.keys.has("a"), true);
	t.end();
});

t.test("a key is known for its window and the hour it was used in", (t) => {
	const { keys } = createState();
	keys.add("first", START * HOUR_MS + HOUR_MS - 1);
	keys.add("at its end", (START + WINDOW) * HOUR_MS + HOUR_MS - 1);
	t.equal(keys.has("first"), true);
	keys.add("beyond", (START + WINDOW + 1) * HOUR_MS);
	t.equal(keys.has("first"), false);
	t.equal(keys.has("at its end"), true);
	t.equal(keys.size(), 2);
	t.end();
});

t.test("two hours of keys go when an hour begins, however long the pause was", (t) => {
	const { keys } = createState();
	for (const hour of [0, 1, 2, 3, 4]) {
		for (const name of ["a", "b"]) keys.add(`${name}${hour}`, (START + hour) * HOUR_MS);
	}
	t.equal(keys.size(), 10);
	keys.add("late", (START + 1_000) * HOUR_MS);
	t.equal(keys.size(), 7, "two hours went");
	t.same([keys.has("a1"), keys.has("b1"), keys.has("a2")], [false, false, true]);
	keys.add("in the same hour", (START + 1_000) * HOUR_MS + 5);
	t.equal(keys.size(), 8);
	keys.add("back in time", (START + 3) * HOUR_MS);
	t.same(
		keys.capture().map(({ hour, keys }) => [hour - START, keys]),
		[
			[2, ["a2", "b2"]],
			[3, ["a3", "b3"]],
			[4, ["a4", "b4"]],
			[1_000, ["late", "in the same hour", "back in time"]],
		],
	);
	keys.add("next", (START + 1_001) * HOUR_MS);
	keys.add("and next", (START + 1_002) * HOUR_MS);
	t.same(
		keys.capture().map(({ hour }) => hour - START),
		[1_000, 1_001, 1_002],
		"a recent hour stays",
	);
	t.end();
});

import t from "tap";
import { ServiceError } from "../../src/kernel/errors.js";
import type { Store, StoreTransaction } from "../../store/store-port.js";
import { exportLedger, findAndRename, findByAny, LedgerRefusal } from "../../store/store-port.js";
import { openOn, posting, receiptRow, tokenRow } from "./open-test-store.js";

const labelOf = (reader: Pick<StoreTransaction, "get">) =>
	reader.get("tokens", "tok_a").then((row) => row?.label);
const renameTo = (label: string) => (tx: StoreTransaction) =>
	tx.put("tokens", tokenRow("tok_a", { label }));

t.test("what an older key opens is renamed, and what the newest opens is not", async (t) => {
	const store = await openOn();
	const rename = async (tx: StoreTransaction) => renameTo("new")(tx);
	const ask = (isNewest: (label: string) => boolean) =>
		findAndRename(store, { find: labelOf, isNewest, rename });
	t.equal(await ask(() => false), undefined, "there is none");
	await store.transaction(renameTo("old"));
	t.equal(await ask(() => true), "old");
	t.equal(await store.read(labelOf), "old");
	t.equal(await ask((label) => label === "new"), "old");
	t.equal(await store.read(labelOf), "new");
});

t.test("what is gone by the time it is renamed is not found", async (t) => {
	const store = await openOn();
	await store.transaction(renameTo("old"));
	const going: Pick<Store, "read" | "transaction"> = {
		read: async (work) => {
			const found = await store.read(work);
			await store.transaction((tx) => tx.delete("tokens", "tok_a"));
			return found;
		},
		transaction: store.transaction,
	};
	const rename = async () => void t.fail("There is nothing to rename.");
	const find = { find: labelOf, isNewest: () => false, rename };
	t.equal(await findAndRename(going, find), undefined);
});

t.test("a store that takes no changes just now is no reason to find nothing", async (t) => {
	const store = await openOn();
	await store.transaction(renameTo("old"));
	const failing = (error: Error) =>
		findAndRename(store, {
			find: labelOf,
			isNewest: () => false,
			rename: async () => Promise.reject(error),
		});
	t.equal(await failing(new ServiceError("UNAVAILABLE", "The disk is full.")), "old");
	for (const error of [
		new ServiceError("INTERNAL", "A fault."),
		Object.assign(new Error("Another fault."), { code: "UNAVAILABLE" }),
	])
		await t.rejects(failing(error), error);
});

t.test("a row is found by the first of several values that leads to one", async (t) => {
	const store = await openOn();
	for (const id of ["tok_a", "tok_b"])
		await store.transaction((tx) => tx.put("tokens", tokenRow(id)));
	const find = (...hashes: string[]) =>
		store.read((reader) => findByAny(reader, "tokens", "hash", hashes));
	t.match(await find("no hash", "hash of tok_b", "hash of tok_a"), { id: "tok_b" });
	t.equal(await find("no hash"), undefined);
	t.equal(await find(), undefined);
});

t.test("the ledger is exported a line for each transaction, money as text", async (t) => {
	const store = await openOn();
	const paid = posting("k", { "cash:manual": -5n, "cust:a": 5n });
	const receipt = receiptRow("rcpt_1");
	await store.transaction(async (tx) => {
		await tx.post(paid);
		await tx.put("receipts", receipt);
	});
	await store.transaction((tx) => tx.put("receipts", receiptRow("rcpt_2")));
	const lines: string[] = [];
	for await (const line of exportLedger(store)) lines.push(line);
	t.equal(lines.length, 2);
	t.same(JSON.parse(lines[0] ?? ""), {
		postings: [
			{
				...paid,
				entries: [
					{ account: "cash:manual", amountMicros: "-5" },
					{ account: "cust:a", amountMicros: "5" },
				],
			},
		],
		receipts: [{ ...receipt, amountMicros: "500000", balanceAfterMicros: "1000000" }],
	});
	t.match(JSON.parse(lines[1] ?? ""), { postings: [], receipts: [{ id: "rcpt_2" }] });
});

t.test("a refusal of the ledger says its reason in one word, and why in a sentence", (t) => {
	const refusal = new LedgerRefusal("negative", "No.");
	t.match(refusal, { name: "LedgerRefusal", reason: "negative", message: "No." });
	t.end();
});

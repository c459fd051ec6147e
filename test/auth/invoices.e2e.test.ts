import t from "tap";
import { openAccount, useFreeCalls } from "./open-account.js";

const SELLER = {
	name: "Example Ltd",
	address: "1 Example Street, Berlin",
	country: "DE",
	vatId: "DE123456789",
	vatBasisPoints: 1_900,
};
const BILLING = { name: "Crew & Söhne", address: "2 Road", country: "FR", vat_id: "FR12345678901" };

t.test("an account reads its invoices of months that are over, as JSON and as files", async (t) => {
	const settings = { seller: SELLER };
	const shop = await openAccount(t, { usd: "10.00", at: "2026-03-30T12:00:00Z", settings });
	const { ask, buy, key, clock, app } = shop;
	await useFreeCalls(shop);
	await buy(key);
	await buy(key);
	const listed = async () => (await ask("GET", "/v1/account/invoices")).body.data.items;
	t.same(await listed(), [], "the month is not over");
	clock.set("2026-04-01T00:30:00Z");
	t.same(await listed(), [], "a call may still be on its way into the books");

	clock.set("2026-04-10T12:00:00Z");
	const [{ receipt_id }] = (await ask("GET", "/v1/account/calls?limit=1")).body.data.items;
	await app.operator.refundReceipt({ receipt_id, reason: "r", usd: "0.20" });
	const [march] = await listed();
	t.match(march, {
		number: "INV-000001",
		kind: "invoice",
		month: "2026-03",
		total_usd: "1.00",
		due_usd: "0.00",
	});
	const path = `/v1/account/invoices/${march.invoice_id}`;
	t.match((await ask("GET", path)).body.data, {
		seller: { name: "Example Ltd", vat_id: "DE123456789" },
		customer: null,
		lines: [{ operation: "graphs.search", calls: 2, amount_usd: "1.00" }],
		credits: [],
		net_usd: "0.840336",
		vat_percent: "19",
		vat_usd: "0.159664",
		reverse_charge: false,
		note: null,
	});

	t.same((await ask("PATCH", "/v1/account", { billing: BILLING })).body.data.billing, BILLING);
	t.equal((await ask("PATCH", "/v1/account", { billing: { country: "France" } })).status, 400);
	clock.set("2026-05-02T12:00:00Z");
	const [april] = await listed();
	t.match(april, { number: "INV-000002", kind: "credit_note", total_usd: "-0.20" });
	const credit = (await ask("GET", `/v1/account/invoices/${april.invoice_id}`)).body.data;
	t.match(credit, {
		customer: BILLING,
		lines: [],
		credits: [{ receipt_id, amount_usd: "-0.20", vat_percent: "19" }],
		vat_percent: "19",
		vat_usd: "-0.031933",
		net_usd: "-0.168067",
		reverse_charge: false,
		note: null,
	});
	t.equal((await ask("GET", path)).body.data.customer, null, "what was issued stays as it was");

	const file = async (format: string) =>
		fetch(`${shop.baseUrl}/v1/account/invoices/${april.invoice_id}/export?format=${format}`, {
			headers: { "X-API-Key": key },
		});
	const csv = await file("csv");
	t.match(csv.headers.get("content-disposition"), /INV-000002\.csv/);
	t.match(await csv.text(), /^position,reference,calls,amount_usd\nrefund of rcpt_.*,-0\.20\n/);
	const pdf = await file("pdf");
	t.equal(pdf.headers.get("content-type"), "application/pdf");
	const bytes = Buffer.from(await pdf.arrayBuffer()).toString("latin1");
	t.match(bytes, /^%PDF-1\./);
	t.match(bytes, /%%EOF\s*$/);
	t.equal((await file("docx")).status, 400);
	t.same(await (await file("json")).json(), credit);

	await app.store.transaction((tx) =>
		tx.put("quotas", { id: `${shop.accountId}|2026-05`, used: 100, expiresAt: 4e12 }),
	);
	await buy(key);
	await app.operator.refundReceipt({ receipt_id, reason: "r", usd: "0.10" });
	const [call] = (await ask("GET", "/v1/account/calls?limit=1")).body.data.items;
	await app.operator.refundReceipt({ receipt_id: call.receipt_id, reason: "r", usd: "0.20" });
	clock.set("2026-06-02T12:00:00Z");
	const [may] = await listed();
	t.match((await ask("GET", `/v1/account/invoices/${may.invoice_id}`)).body.data, {
		number: "INV-000003",
		credits: [
			{ amount_usd: "-0.10", vat_percent: "19" },
			{ amount_usd: "-0.20", vat_percent: "0" },
		],
		vat_percent: null,
		vat_usd: "-0.015966",
		vat_rates: [
			{ vat_percent: "19", net_usd: "-0.084034", vat_usd: "-0.015966" },
			{ vat_percent: "0", net_usd: "0.30", vat_usd: "0.00" },
		],
		reverse_charge: true,
		note: /^Reverse charge/,
	});

	const other = (await app.operator.createKey({ label: "" })).key;
	t.equal((await ask("GET", path, undefined, other)).status, 404);
	const limited = (await ask("POST", "/v1/account/keys", {})).body.data.key;
	t.equal((await ask("GET", "/v1/account/invoices", undefined, limited)).status, 403);
	await ask("DELETE", "/v1/account?confirm=9.00");
	const rows = await app.store.read((reader) => reader.list("invoices"));
	t.same(
		rows.map(({ customer }) => customer),
		[null, null, null],
		"figures stay, names go with the account",
	);
});

import t from "tap";
import { isUndelivered } from "../../../payments/undelivered.js";
import { LIMITS } from "../../../src/contract/limits.js";
import { type OnchainProcess, PRICE, startOnchain, toAdmission } from "./start-onchain.js";

const DAY_MS = 86_400_000;

/** A call that is paid on the chain, up to its captured price. */
async function sellOne(process: OnchainProcess, order: Parameters<typeof toAdmission>[2] = {}) {
	const authorization = process.wallet.sign({ value: PRICE });
	const admission = await process.onchain.admit(toAdmission(process, authorization, order));
	if (admission.kind !== "held") throw new Error(`The call is ${admission.kind}.`);
	const { receipt } = await admission.capture();
	return { authorization, admission, receipt };
}

const noteOf = ({ store }: OnchainProcess, receiptId: string) =>
	store.read((reader) => reader.get("undelivered", receiptId));
const isLost = ({ store }: OnchainProcess, receiptId: string) =>
	store.transaction((tx) => isUndelivered(tx, receiptId));

for (const settlesFirst of [false, true]) {
	const when = settlesFirst ? "settled first" : "settled last";
	t.test(`a paid answer of which nothing left is noted as lost, ${when}`, async (t) => {
		const process = await startOnchain();
		const { admission, receipt } = await sellOne(process, { settlesFirst });
		admission.abandoned?.({ isLost: true });
		t.equal(await isLost(process, receipt.id), true);
		t.match(await noteOf(process, receipt.id), {
			owner: process.wallet.owner,
			expiresAt: process.clock.now() + LIMITS.refundAskDays * DAY_MS,
		});
	});

	t.test(`an answer of which something left is not, ${when}`, async (t) => {
		const process = await startOnchain();
		const { admission, receipt } = await sellOne(process, { settlesFirst });
		admission.abandoned?.({ isLost: false });
		t.equal(await isLost(process, receipt.id), false);
		t.equal(await noteOf(process, receipt.id), undefined);
	});

	t.test(
		`an answer that was delivered is not lost by a connection that closes, ${when}`,
		async (t) => {
			const process = await startOnchain();
			const { admission, receipt } = await sellOne(process, { settlesFirst });
			admission.delivered?.();
			admission.abandoned?.({ isLost: true });
			t.equal(await isLost(process, receipt.id), false);
		},
	);

	t.test(`a lost answer that its payer has again is lost no more, ${when}`, async (t) => {
		const process = await startOnchain();
		const { authorization, admission, receipt } = await sellOne(process, {
			settlesFirst,
			key: "k",
		});
		admission.abandoned?.({ isLost: true });
		const again = await process.buy(authorization, { settlesFirst, key: "k" });
		t.match(again, { kind: "delivered", isReplay: true, receiptId: receipt.id });
		t.match(await noteOf(process, receipt.id), { wasRepeated: true });
		admission.abandoned?.({ isLost: true });
		t.equal(await isLost(process, receipt.id), false, "nor by a second word of its loss");
	});
}

t.test("a call that was released has nothing that could be lost", async (t) => {
	const process = await startOnchain();
	const authorization = process.wallet.sign({ value: PRICE });
	const order = { settlesFirst: true };
	const admission = await process.onchain.admit(toAdmission(process, authorization, order));
	if (admission.kind !== "held") throw new Error(`The call is ${admission.kind}.`);
	await admission.release("no_answer");
	admission.abandoned?.({ isLost: true });
	await process.store.transaction(async () => undefined);
	t.same(await process.store.read((reader) => reader.list("undelivered")), []);
});

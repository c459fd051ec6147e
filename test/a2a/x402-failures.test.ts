import { TaskState } from "@a2a-js/sdk";
import t from "tap";
import { LIMITS } from "../../src/contract/limits.js";
import { toV2Payload } from "../support/sim-wallet.js";
import { FAILURES } from "./failing-payments.js";
import { createMemoryStore } from "./memory-store.js";
import { askGraph, rpc } from "./raw-rpc.js";
import { startPaidA2a } from "./start-paid-a2a.js";
import { bodyOf, searchMessage, send } from "./stock-client.js";
import {
	ACTIVATION,
	connectPaying,
	EVERY_WAY,
	payment,
	paymentMessage,
	signFor,
} from "./x402-agent.js";

const { TASK_STATE_INPUT_REQUIRED, TASK_STATE_COMPLETED, TASK_STATE_FAILED, TASK_STATE_WORKING } =
	TaskState;

t.test(
	"every failure of the extension is reported by its code, charges nothing and may be made good",
	async (t) => {
		const shop = await startPaidA2a(t);
		shop.chain.mint(shop.wallet.address, 10_000_000n);
		for (const way of EVERY_WAY) {
			const client = await connectPaying(shop.baseUrl, way);
			for (const [code, pay] of Object.entries(FAILURES)) {
				await t.test(`${code}, ${way.binding} ${way.version}`, async (t) => {
					const before = await shop.funds();
					const asked = await send(client, searchMessage(`fails ${code}`));
					const failed = await send(client, paymentMessage(asked, pay(shop, asked)));
					t.equal(failed.status?.state, TASK_STATE_INPUT_REQUIRED, "it may be paid still");
					t.same(failed.artifacts, []);
					const told = payment(failed.status);
					t.match(told, { status: "payment-failed", error: code });
					t.match(told.receipts, [{ success: false, transaction: "", errorReason: String }]);
					t.same(told.required.accepts, payment(asked.status).required.accepts);
					t.equal(await shop.funds(), before);

					const done = await send(
						client,
						paymentMessage(asked, signFor(asked, shop.chain, shop.wallet)),
					);
					t.equal(done.status?.state, TASK_STATE_COMPLETED);
					t.same(
						payment(done.status).receipts.map(({ success }: { success: boolean }) => success),
						[false, true],
						"the receipts tell the whole story",
					);
				});
			}
		}
	},
);

t.test("a settlement that fails delivers nothing", async (t) => {
	const shop = await startPaidA2a(t);
	for (const way of EVERY_WAY) {
		const client = await connectPaying(shop.baseUrl, way);
		const asked = await send(client, searchMessage(`unsettled ${way.binding} ${way.version}`));
		shop.facilitator.settle = async () => ({
			kind: "refused",
			reason: "settlement_failed",
			message: "The transaction was reverted.",
		});
		const failed = await send(
			client,
			paymentMessage(asked, signFor(asked, shop.chain, shop.wallet)),
		);
		t.match(payment(failed.status), { status: "payment-failed", error: "SETTLEMENT_FAILED" });
		t.same(failed.artifacts, []);
	}
	t.equal(await shop.funds(), 10_000_000n);
});

t.test("a task whose payments go on failing fails itself", async (t) => {
	const shop = await startPaidA2a(t);
	const [way] = EVERY_WAY;
	if (!way) return;
	const client = await connectPaying(shop.baseUrl, way);
	const asked = await send(client, searchMessage("again and again"));
	const states: (TaskState | undefined)[] = [];
	for (let index = 0; index < LIMITS.taskPaymentsMax; index++) {
		const payload = signFor(asked, shop.chain, shop.wallet, { value: 1n });
		states.push((await send(client, paymentMessage(asked, payload))).status?.state);
	}
	const asks = Array(LIMITS.taskPaymentsMax - 1).fill(TASK_STATE_INPUT_REQUIRED);
	t.same(states, [...asks, TASK_STATE_FAILED]);
	const payload = signFor(asked, shop.chain, shop.wallet);
	await t.rejects(send(client, paymentMessage(asked, payload)), /finished/);
	t.equal(await shop.funds(), 10_000_000n);
});

t.test(
	"a settlement with an unknown outcome keeps the task at work, and is charged once",
	async (t) => {
		const shop = await startPaidA2a(t);
		const [way] = EVERY_WAY;
		if (!way) return;
		const client = await connectPaying(shop.baseUrl, way);
		const asked = await send(client, searchMessage("unknown"));
		const payload = signFor(asked, shop.chain, shop.wallet);
		const { settle } = shop.facilitator;
		shop.facilitator.settle = async (...call) => {
			await settle(...call);
			return { kind: "unknown", message: "The node did not answer." };
		};
		shop.chain.isUnreadable = true;
		const message = paymentMessage(asked, payload);
		const working = await send(client, message);
		t.equal(working.status?.state, TASK_STATE_WORKING);
		t.equal(payment(working.status).status, "payment-verified");
		t.same(working.artifacts, []);
		t.equal((await client.getTask({ tenant: "", id: asked.id })).status?.state, TASK_STATE_WORKING);
		const second = paymentMessage(asked, signFor(asked, shop.chain, shop.wallet));
		await t.rejects(send(client, second), /not known yet/, "no second payment is taken meanwhile");
		await t.rejects(client.cancelTask({ tenant: "", id: asked.id, metadata: undefined }));

		shop.chain.isUnreadable = false;
		await shop.money.onchain?.reconcile();
		const done = await send(client, message);
		t.equal(done.status?.state, TASK_STATE_COMPLETED);
		t.equal(payment(done.status).status, "payment-completed");
		t.equal(await shop.funds(), 9_500_000n);
	},
);

t.test(
	"a facilitator that cannot be reached is our failure; the same payment is good later",
	async (t) => {
		const shop = await startPaidA2a(t, { kind: "unreachable" });
		const [way] = EVERY_WAY;
		if (!way) return;
		const client = await connectPaying(shop.baseUrl, way);
		const asked = await send(client, searchMessage("unreachable"));
		const message = paymentMessage(asked, signFor(asked, shop.chain, shop.wallet));
		await t.rejects(send(client, message), /could not be verified/);
		shop.facilitator.behavior = "strict";
		t.equal((await send(client, message)).status?.state, TASK_STATE_COMPLETED);
		t.equal(await shop.funds(), 9_500_000n);
	},
);

t.test(
	"a skill that breaks settles nothing, and the payment is good for another try",
	async (t) => {
		let isBroken = true;
		const shop = await startPaidA2a(t, {
			beforeSearch: () => {
				if (isBroken) throw new Error("broken");
			},
		});
		const [way] = EVERY_WAY;
		if (!way) return;
		const client = await connectPaying(shop.baseUrl, way);
		const asked = await send(client, searchMessage("breaks"));
		const message = paymentMessage(asked, signFor(asked, shop.chain, shop.wallet));
		await t.rejects(send(client, message), /Something went wrong/);
		t.equal(await shop.funds(), 10_000_000n);
		isBroken = false;
		t.equal((await send(client, message)).status?.state, TASK_STATE_COMPLETED);
		t.equal(await shop.funds(), 9_500_000n);
	},
);

t.test(
	"a paid answer that cannot be kept is delivered, and its payment still finds it",
	async (t) => {
		const store = createMemoryStore();
		const documents = {
			...store.documents,
			put: async () => {
				throw new Error("The disk is full.");
			},
		};
		const shop = await startPaidA2a(t, { store: { ...store, documents } });
		const [way] = EVERY_WAY;
		if (!way) return;
		const client = await connectPaying(shop.baseUrl, way);
		const asked = await send(client, searchMessage("full"));
		const message = paymentMessage(asked, signFor(asked, shop.chain, shop.wallet));
		const done = await send(client, message);
		t.equal(done.status?.state, TASK_STATE_COMPLETED);
		const again = await send(client, message);
		t.same(bodyOf(again).rows, bodyOf(done).rows);
		t.equal(bodyOf(again).meta.cost.replayed, true);
		t.equal(await shop.funds(), 9_500_000n);
	},
);

t.test("a payment that cannot be read, or belongs to no task, is refused in words", async (t) => {
	const { baseUrl, chain, wallet, funds, searched } = await startPaidA2a(t);
	const headers = ACTIVATION["1.0"];
	const { message } = askGraph("unread", "the-message");
	const pay = (metadata: unknown, taskId?: string) =>
		rpc(baseUrl, { headers, params: { message: { ...message, taskId, metadata } } });
	const submitted = { "x402.payment.status": "payment-submitted" };
	const missing = await pay(submitted);
	t.equal(missing.status, 400);
	t.equal(missing.body.error.data.error.details[0].path, "message.metadata.x402.payment.payload");
	const odd = await pay({ ...submitted, "x402.payment.payload": { x402Version: 3 } });
	t.match(odd.body.error.message, /x402Version/);
	const declined = await pay({ "x402.payment.status": "payment-rejected" });
	t.match(declined.body.error.message, /name it in taskId/);
	const empty = await pay({ ...submitted, "x402.payment.payload": { x402Version: 2 } });
	t.equal(
		empty.body.result.task.status.message.metadata["x402.payment.error"],
		"INVALID_SIGNATURE",
	);
	const payload = toV2Payload(chain, wallet.sign({ value: 500_000n }));
	const lost = await pay({ ...submitted, "x402.payment.payload": payload }, "task_unknown");
	t.match(lost.body.error.message, /No task waits for a payment under this id/);
	const both = await rpc(baseUrl, {
		headers: { ...headers, "PAYMENT-SIGNATURE": wallet.v2(wallet.sign({ value: 500_000n })) },
		params: {
			message: {
				...askGraph("both").message,
				metadata: { ...submitted, "x402.payment.payload": payload },
			},
		},
	});
	t.match(both.body.error.message, /exactly one/);
	t.same(searched, []);

	const paid = await pay({ ...submitted, "x402.payment.payload": payload });
	t.equal(
		paid.body.result.task.status.state,
		"TASK_STATE_COMPLETED",
		"a price that is known may be paid at once",
	);
	const again = await pay({ ...submitted, "x402.payment.payload": payload });
	t.equal(again.body.result.task.metadata.cost.replayed, true, "and is not charged twice");
	t.equal(await funds(), 9_500_000n);
});

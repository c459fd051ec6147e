import { setTimeout as sleep } from "node:timers/promises";
import t from "tap";
import { startApp } from "../support/start-app.js";
import { connectMcp } from "./mcp-clients.js";

const CALLS = 24;
const MICROS_PER_CALL = 1_500_000n;

for (const maker of ["sdk 1", "sdk 2, 2026"] as const) {
	t.test(`${maker}: a caller who pays while the server ends has the answer`, async (t) => {
		const shop = await startApp(t, { settings: { model: "none" } });
		const { key, account_id: id } = await shop.app.operator.createKey({ usd: "100" });
		const place = { url: `${shop.baseUrl}/mcp`, headers: { "X-API-Key": key } };
		const client = await connectMcp(t, maker, place);
		let delivered = 0;
		const calls = Array.from({ length: CALLS }, async (_, index) => {
			const args = { sessionId: `closing-${index}`, message: "How is an x402 payment settled?" };
			const answer = await client.callTool({ name: "research_chat", arguments: args });
			if (answer.structuredContent?.meta.cost.charged) delivered += 1;
		});
		await Promise.race([Promise.any(calls), sleep(10_000)]);
		await shop.app.close();
		await Promise.allSettled(calls);

		const { app } = await startApp(t, { folder: shop.folder, settings: { model: "none" } });
		const left = await app.store.read((reader) => reader.balance(`cust:${id}`));
		t.ok(delivered > 0, `${delivered} of ${CALLS} were delivered`);
		t.equal(100_000_000n - left, BigInt(delivered) * MICROS_PER_CALL);
	});
}

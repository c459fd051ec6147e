import t from "tap";
import { createWorld, openShop, pause } from "./job-shop.js";

t.test(
	"a process that stops with open jobs ends cleanly, whatever they were about to do",
	async (t) => {
		const unhandled: unknown[] = [];
		const note = (reason: unknown) => unhandled.push(reason);
		process.on("unhandledRejection", note);
		t.teardown(() => process.off("unhandledRejection", note));
		for (let round = 0; round < 16; round++) {
			const world = createWorld();
			let runsLate = 0;
			world.script.onPass = async (_pass, { signal }) => {
				if (signal.aborted) runsLate += 1;
				await pause(0);
				signal.throwIfAborted();
			};
			const shop = await openShop(world);
			const { token, id } = await shop.issue(40n);
			for (const query of ["a", "b", "c", "d"]) await shop.launch({ token, query });
			await pause((round % 12) / 2);
			await shop.jobs.close();
			t.equal(runsLate, 0, "no pass begins once it is to stop");
			const held = await shop.balance(`held:${id}`);
			t.equal(held % 10_000_000n, 0n, "what is open is held whole");
			t.same(await shop.failures(), []);
			await shop.store.close();
		}
		await pause(5);
		t.same(unhandled, []);
	},
);

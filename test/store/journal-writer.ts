/** A process of its own for tests: opens the folder, writes until it is killed and names what was acknowledged. */
import { writeSync } from "node:fs";
import { systemClock } from "../../src/kernel/clock.js";
import { ServiceError } from "../../src/kernel/errors.js";
import { nodeFileSystem } from "../../store/journal/file-system.js";
import { openJournalStore } from "../../store/journal/journal-store.js";
import { posting, receiptRow } from "./open-test-store.js";

const [folder = "", round = "0", callers = "1"] = process.argv.slice(2);
const say = (text: string) => writeSync(1, `${text}\n`);

say("opening");
try {
	const store = await openJournalStore({
		folder,
		clock: systemClock,
		fileSystem: nodeFileSystem,
	});
	const work = async (caller: number) => {
		for (let index = 0; ; index++) {
			const key = `${round}.${caller}.${index}`;
			await store.transaction(async (tx) => {
				await tx.put("receipts", receiptRow(`rcpt_${key}`));
				await tx.post(posting(key, { "cash:manual": -1n, "cust:a": 1n }));
			});
			say(`kept ${key}`);
		}
	};
	await Promise.all(Array.from({ length: Number(callers) }, (_, caller) => work(caller)));
} catch (error) {
	const code = error instanceof ServiceError ? error.code : "";
	say(`refused ${code} ${error instanceof Error ? error.message : String(error)}`);
}

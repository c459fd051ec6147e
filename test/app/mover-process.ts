/** A process of its own for tests: moves books, says how far it is, and waits to be killed where it is told to. */
import { writeSync } from "node:fs";
import { systemClock as clock } from "../../src/kernel/clock.js";
import { systemRandom as random } from "../../src/kernel/ids.js";
import { moveToDatabase } from "../../src/operator/migration/to-database.js";
import { moveToJournal } from "../../src/operator/migration/to-journal.js";

const [data = "", url = "", schema = "", to = ""] = process.argv.slice(2);
const say = (text: string) => writeSync(1, `${text}\n`);
// Our timers do not keep a process alive.
const holding = setInterval(() => undefined, 1_000);
try {
	const move = to === "journal" ? moveToJournal : moveToDatabase;
	const { status } = await move(
		{ data, url, schema, isDryRun: false },
		{ clock, random, onProgress: ({ stage, done }) => say(`${stage} ${done}`) },
	);
	say(`ended ${status}`);
} catch (error) {
	say(`refused ${error instanceof Error ? error.message : String(error)}`);
} finally {
	clearInterval(holding);
}

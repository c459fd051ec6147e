/** A process of its own for tests: rotates a key and kills itself before the n-th change of a file that this takes. */
import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { createApp } from "../../src/app/create-app.js";
import { testSettings } from "../support/start-app.js";

const [folder = "", name = "", nth = "1"] = process.argv.slice(2);
const silent = { info: () => undefined, error: () => undefined };
const app = await createApp({
	settings: testSettings(folder, { model: "none", catalog: "none" }),
	logger: silent,
});

let left = Number(nth);
const die = () => process.kill(process.pid, "SIGKILL");
for (const change of ["openSync", "writeSync", "fsyncSync", "renameSync"] as const) {
	const original = fs[change] as (...given: unknown[]) => unknown;
	Object.assign(fs, {
		[change](...given: unknown[]) {
			left -= 1;
			if (left === 0) die();
			const done = original(...given);
			// The last of six: what comes now is the journal.
			if (left === 1 && nth === "7") die();
			return done;
		},
	});
}
syncBuiltinESMExports();
await app.commands.as({ name: "ann", role: "owner" }).rotateSecret({ name: name as "pepper" });
process.exit(9);

/** A process of its own for tests: takes over what others published, and kills itself before the n-th change of a file. */
import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { openNode } from "./graph-node.js";

const [url = "", folder = "", nth = "1"] = process.argv.slice(2);
const CHANGES = [
	"writeFile",
	"rename",
	"unlink",
	"rm",
	"rmdir",
	"mkdir",
	"mkdtemp",
	"open",
] as const;

let left = Number(nth);
const patched = fs.promises as unknown as Record<string, (...given: unknown[]) => unknown>;
for (const name of CHANGES) {
	const original = patched[name] as (...given: unknown[]) => unknown;
	patched[name] = (...given) => {
		const isReading = name === "open" && given[1] !== "w";
		// Files of the index are derived; what is missing of them is made again.
		if (!isReading && String(given[0]).startsWith(`${folder}/graph`)) left -= 1;
		if (left === 0) process.kill(process.pid, "SIGKILL");
		return original(...given);
	};
}
syncBuiltinESMExports();
const node = await openNode({ url, folder, isIdle: true });
await node.close();

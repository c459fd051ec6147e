/**
 * `--import` this with `?step=<pattern>&nth=<n>&signal=<name>`: at the n-th change of files that matches the pattern, written
 * as `rename /from/here /to/there`, the process sends itself that signal, before the change is made.
 */
import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";

const CHANGES = ["mkdir", "mkdtemp", "rename", "rm", "rmdir", "unlink", "writeFile"];

const asked = new URL(import.meta.url).searchParams;
const step = new RegExp(asked.get("step") ?? "");
let left = Number(asked.get("nth"));

for (const name of CHANGES) {
	const change = fs.promises[name];
	fs.promises[name] = async (...given) => {
		const paths = given.filter((one) => typeof one === "string" && one.startsWith("/"));
		const isStep = step.test([name, ...paths].join(" "));
		if (isStep) left -= 1;
		if (isStep && left === 0) process.kill(process.pid, asked.get("signal"));
		return change(...given);
	};
}
syncBuiltinESMExports();

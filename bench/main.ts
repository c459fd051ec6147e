import { mkdtempSync, rmSync } from "node:fs";
import { cpus, tmpdir } from "node:os";
import { join } from "node:path";
import { benchLedger } from "./ledger-bench.js";
import { benchRoutes } from "./route-bench.js";
import { benchStore } from "./store-bench.js";

const folder = mkdtempSync(join(tmpdir(), "tollgraph-bench-"));
try {
	const report = {
		machine: { node: process.version, cpu: cpus()[0]?.model ?? "unknown", cores: cpus().length },
		store: await benchStore({ seconds: 3, folder: join(folder, "store") }),
		routes: await benchRoutes(join(folder, "routes")),
		ledger: await benchLedger(join(folder, "ledger")),
	};
	const text = process.argv.includes("--json")
		? JSON.stringify(report)
		: JSON.stringify(report, undefined, 2);
	process.stdout.write(`${text}\n`);
} finally {
	rmSync(folder, { recursive: true, force: true });
}

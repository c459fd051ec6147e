import { readFileSync } from "node:fs";
import { join } from "node:path";
import t from "tap";
import { PACKAGE_ROOT } from "../../src/kernel/package-info.js";

interface LockEntry {
	readonly integrity?: string;
	readonly link?: boolean;
}

t.test("every package of the lockfile is bound to its bytes, on every platform", (t) => {
	const { packages } = JSON.parse(
		readFileSync(join(PACKAGE_ROOT, "package-lock.json"), "utf8"),
	) as { readonly packages: Readonly<Record<string, LockEntry>> };
	const installed = Object.entries(packages).filter(
		([path, { link }]) => path.startsWith("node_modules/") && link !== true,
	);
	t.ok(installed.length > 500);
	const unbound = installed.filter(([, { integrity }]) => !/^sha512-/.test(integrity ?? ""));
	t.same(
		unbound.map(([path]) => path),
		[],
		"node bin/complete-lockfile.mjs completes them",
	);
	t.end();
});

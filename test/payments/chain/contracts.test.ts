import { readFileSync } from "node:fs";
import { join } from "node:path";
import t from "tap";
import { PACKAGE_ROOT } from "../../../src/kernel/package-info.js";

interface Compiler {
	readonly CONTRACTS: readonly string[];
	compile(name: string): Promise<string>;
}

t.test("the compiled contracts are those of the sources beside them", async (t) => {
	const folder = join(PACKAGE_ROOT, "contracts");
	const { CONTRACTS, compile } = (await import(join(folder, "compile.mjs"))) as Compiler;
	for (const name of CONTRACTS) {
		t.equal(await compile(name), readFileSync(join(folder, `${name}.json`), "utf8"), name);
	}
});

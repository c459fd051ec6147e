import { cpSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { Instrumenter } from "@stryker-mutator/instrumenter";
import { compileTests, filesBelow, ROOT } from "../support/compiled-tests.mjs";

const MUTATED = ["payments", "store"];
const SILENT = { isDebugEnabled: () => false, debug() {}, info() {}, warn() {} };

/**
 * All mutants of the two folders in one compiled tree, of which `__STRYKER_ACTIVE_MUTANT__` chooses one in each process. Each worker has
 * a copy: tests keep their files in a folder that is named after the place of the script.
 */
export async function compileInstrumented(workers) {
	const { files, mutants } = await instrument(readSources());
	const sources = new Map(files.map(({ name, content }) => [name, content]));
	const { folder } = await compileTests({ contentOf: (name) => sources.get(name) });
	const folders = [folder];
	for (let worker = 1; worker < workers; worker++) {
		folders.push(`${folder}-${worker}`);
		cpSync(folder, folders[worker], { recursive: true });
	}
	const remove = () => {
		for (const one of folders) rmSync(one, { recursive: true, force: true });
	};
	return { folders, mutants, remove };
}

function readSources() {
	return MUTATED.flatMap((name) => filesBelow(name))
		.filter((name) => name.endsWith(".ts"))
		.map((name) => ({ name, content: readFileSync(join(ROOT, name), "utf8") }));
}

/** The sources with every mutant in them, behind its switch. */
export async function instrument(sources) {
	const files = sources.map((source) => ({ ...source, mutate: true }));
	const options = { plugins: null, ignorers: [], excludedMutations: [] };
	const instrumented = await new Instrumenter(SILENT).instrument(files, options);
	const texts = new Map(sources.map(({ name, content }) => [name, content]));
	const mutants = instrumented.mutants.map((mutant) =>
		toMutant(mutant, texts.get(mutant.fileName)),
	);
	return { files: instrumented.files, mutants };
}

/** Lines and columns as editors count them; the key is the same in every run over the same file. */
function toMutant(
	{ id, fileName: file, location: { start, end }, mutatorName, replacement },
	text,
) {
	const at = `${file}:${start.line + 1}:${start.column + 1}`;
	const key = `${at}-${end.line + 1}:${end.column + 1} ${mutatorName} ${replacement}`;
	const original = between(text.split("\n"), start, end);
	return { id, key, file, line: start.line + 1, at, mutator: mutatorName, original, replacement };
}

function between(lines, start, end) {
	const found = lines.slice(start.line, end.line + 1);
	found[found.length - 1] = found.at(-1).slice(0, end.column);
	found[0] = found[0].slice(start.column);
	return found.join("\n");
}

/**
 * Takes the types off for the test runner: the compiler would do each module again in each of the hundreds of processes
 * that a run starts, which is most of its time. What was done once is kept under the text's own hash.
 */
const { createHash } = require("node:crypto");
const { mkdirSync, readFileSync, renameSync, writeFileSync } = require("node:fs");
const { join, resolve } = require("node:path");

const FOLDER = resolve(__dirname, "../../node_modules/.cache/tollgraph/transpiled");

exports.create = () => {
	mkdirSync(FOLDER, { recursive: true });
	return {
		transpile(input, { fileName }) {
			const key = createHash("sha256").update(`${fileName}\n${input}`).digest("hex");
			const file = join(FOLDER, `${key}.json`);
			try {
				return JSON.parse(readFileSync(file, "utf8"));
			} catch {
				return keep(file, transform(input, fileName));
			}
		},
	};
};

function transform(input, fileName) {
	const { transformSync } = require("esbuild");
	const { code, map } = transformSync(input, {
		loader: "ts",
		format: "esm",
		target: "node20",
		sourcefile: fileName,
		sourcemap: "external",
		tsconfigRaw: { compilerOptions: { verbatimModuleSyntax: true } },
	});
	return { outputText: code, sourceMapText: map };
}

/** Written beside and moved, because processes run at once. */
function keep(file, output) {
	const draft = `${file}.${process.pid}`;
	writeFileSync(draft, JSON.stringify(output));
	renameSync(draft, file);
	return output;
}

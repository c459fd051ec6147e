import { existsSync, readFileSync } from "node:fs";
import { join, normalize } from "node:path";
import { findTests, ROOT } from "./compiled-tests.mjs";

/** The tests that fast-check makes examples for, of all or of those whose path has one of these in it. Throws where there is none. */
export function findPropertyTests(parts) {
	const isKnown = new Map();
	const found = findTests(parts).filter((file) => drawsExamples(file, isKnown));
	if (found.length === 0)
		throw new Error(`No test of a property has "${parts.join(" ")}" in its path.`);
	return found;
}

/** Whether a file or one that it imports of the tests has to do with fast-check. */
function drawsExamples(file, isKnown) {
	const known = isKnown.get(file);
	if (known !== undefined) return known;
	// Until that is known: files may import each other.
	isKnown.set(file, false);
	// A declaration of types has no file of that name.
	const text = existsSync(join(ROOT, file)) ? readFileSync(join(ROOT, file), "utf8") : "";
	const imported = [...text.matchAll(/\b(?:from|import) "([^"]+)"/g)].map(([, name]) => name);
	const draws = imported.some((name) => {
		if (name === "fast-check") return true;
		const path = normalize(join(file, "..", name)).replace(/\.js$/, ".ts");
		return name.startsWith(".") && path.startsWith("test/") && drawsExamples(path, isKnown);
	});
	isKnown.set(file, draws);
	return draws;
}

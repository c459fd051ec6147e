import { join } from "node:path";
import { catalogFolders, loadGraphs } from "../../src/app/content.js";
import { PACKAGE_ROOT } from "../../src/kernel/package-info.js";
import type { Graph } from "../../src/knowledge/model/graph.js";

/**
 * The graphs that the labelled sets were written over. What joined the sample catalog later answers questions that these sets call
 * unanswerable, and was never judged for theirs.
 */
const FIRST_GRAPHS = new Set([
	"agent-payments",
	"agent-protocols",
	"api-design-desk",
	"cryptography-standards",
	"ethereum-standards",
	"exploited-vulnerabilities",
	"http-web-standards",
	"javascript-and-rust-evolution",
	"kubernetes-enhancements",
	"public-companies",
	"python-evolution",
	"transport-security-desk",
	"vector-retrieval",
]);

/** Every graph of the sample catalog; imports of a data folder are none. */
export async function loadSampleCatalog(): Promise<readonly Graph[]> {
	const silent = { info: () => undefined, error: () => undefined };
	const shipped = catalogFolders("sample", join(PACKAGE_ROOT, "none")).filter(
		({ origin }) => origin === "shipped",
	);
	return loadGraphs(shipped, silent);
}

export async function loadFirstCatalog(): Promise<readonly Graph[]> {
	return (await loadSampleCatalog()).filter(({ record }) => FIRST_GRAPHS.has(record.id));
}

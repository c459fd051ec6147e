import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { PACKAGE_ROOT } from "../../src/kernel/package-info.js";
import { type DecisionModel, WEIGHED_SIGNS } from "../../src/search/ranking/decision-weights.js";

const DECISION_FILE = join(PACKAGE_ROOT, "src", "search", "ranking", "decision-weights.ts");
const TABLE_START = /^export const DECISION\b[^{]*\{\n/m;

type DecisionModels = Readonly<Record<"read" | "hybrid" | "keyword", DecisionModel>>;

/** Writes weights and limits into the source, as the formatter wants them; a build takes them up. */
export function writeDecision(models: DecisionModels, file = DECISION_FILE): void {
	const source = readFileSync(file, "utf8");
	const start = TABLE_START.exec(source);
	if (!start) throw new Error(`There is no table of models in "${file}".`);
	const head = source.slice(0, start.index + start[0].length);
	const tables = (["read", "hybrid", "keyword"] as const).map((mode) =>
		toTable(mode, models[mode]),
	);
	writeFileSync(file, `${head}${tables.join("")}};\n`);
}

function toTable(mode: string, { bias, weights, limits }: DecisionModel): string {
	const { clarify, partial, answer } = limits;
	return [
		`\t${mode}: {`,
		`\t\tbias: ${bias},`,
		"\t\tweights: {",
		...WEIGHED_SIGNS.map((sign) => `\t\t\t${sign}: ${weights[sign]},`),
		"\t\t},",
		`\t\tlimits: { clarify: ${clarify}, partial: ${partial}, answer: ${answer} },`,
		"\t},",
		"",
	].join("\n");
}

import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { PACKAGE_ROOT } from "../../src/kernel/package-info.js";
import { type Judge, WEIGHED_SIGNS } from "../../src/search/ranking/judge-weights.js";

const JUDGE_FILE = join(PACKAGE_ROOT, "src", "search", "ranking", "judge-weights.ts");
const TABLE_START = /^export const JUDGE\b[^{]*\{\n/m;

type Judges = Readonly<Record<"hybrid" | "keyword", Judge>>;

/** Writes weights and limits into the source, as the formatter wants them; a build takes them up. */
export function writeJudge(judges: Judges, file = JUDGE_FILE): void {
	const source = readFileSync(file, "utf8");
	const start = TABLE_START.exec(source);
	if (!start) throw new Error(`There is no table of the judge in "${file}".`);
	const head = source.slice(0, start.index + start[0].length);
	const tables = (["hybrid", "keyword"] as const).map((mode) => toTable(mode, judges[mode]));
	writeFileSync(file, `${head}${tables.join("")}};\n`);
}

function toTable(mode: string, { bias, weights, limits }: Judge): string {
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

// Checks the sample catalog, or the graphs that are named: every fault by file, then a line of figures for each graph.
// edges: typed ones a concept; words: least, median, most of a body; dated: supersessions and contradictions with a day;
// grade: median grade level by Flesch and Kincaid.
import { tsImport } from "tsx/esm/api";

const { checkCatalog } = await tsImport("../test/catalog/check-catalog.ts", import.meta.url);
const { faults, table, typedEdges, dated } = await checkCatalog(process.argv.slice(2));
for (const fault of faults) process.stdout.write(`${fault}\n`);
process.stdout.write(`${table}\n`);
process.stdout.write(
	`${faults.length} faults, ${typedEdges.toFixed(2)} typed edges a concept, ${dated} dated supersessions and contradictions\n`,
);
if (faults.length > 0) process.exitCode = 1;

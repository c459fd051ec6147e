import type { Graph } from "../../src/knowledge/model/graph.js";
import { writtenDate } from "../../src/knowledge/model/source-entry.js";

export interface CitedSource {
	readonly url: string;
	readonly title: string;
	/** As precise as the source was: `2018`, `2018-08`, `2018-08-01`; empty when undated. */
	readonly date: string;
}

/** Every distinct (address, title, date) the graphs cite, in that order by code unit. */
export function listSources(graphs: readonly Graph[]): readonly CitedSource[] {
	const rows = new Map<string, CitedSource>();
	for (const evidence of graphs
		.flatMap(({ concepts }) => concepts)
		.flatMap((one) => one.evidence)) {
		const row = {
			url: evidence.sourceUrl,
			title: evidence.title,
			date: writtenDate(evidence) ?? "",
		};
		rows.set(toLine(row), row);
	}
	return [...rows.keys()].sort().flatMap((line) => rows.get(line) ?? []);
}

export function toSourcesTsv(sources: readonly CitedSource[]): string {
	return `url\ttitle\tdate\n${sources.map((row) => `${toLine(row)}\n`).join("")}`;
}

function toLine({ url, title, date }: CitedSource): string {
	return [url, title, date].map((cell) => cell.replace(/\s+/g, " ")).join("\t");
}

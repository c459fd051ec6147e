import {
	listSection,
	NO_PREDICTION,
	proseSection,
	type ReportDocument,
	type ReportItem,
	type ReportTable,
	tableSection,
	toMarks,
	toTableLines,
} from "../answers/answers.js";
import type { DossierWire } from "./dossier-wire.js";

/** What stands below each heading. */
interface DossierText {
	readonly answer: readonly ReportItem[];
	readonly table: ReportTable | undefined;
	/** By the part of the topic that they answer. */
	readonly findings: readonly { readonly heading: string; readonly items: readonly ReportItem[] }[];
	readonly disputed: readonly ReportItem[];
	readonly timeline: readonly ReportItem[];
	readonly open: readonly ReportItem[];
}

/** A dossier as it is read: each passage once, cited by the numbers of its sources. */
function readText(dossier: DossierWire): DossierText {
	const { summary, table, findings, parts, contradictions, timeline, gaps } = dossier;
	const numbers = new Map(
		dossier.evidence_table.flatMap(({ source_n: n, citation_ids: ids }) =>
			ids.map((id) => [id, n]),
		),
	);
	const sourcesOf = (ids: readonly number[]) => [
		...new Set(ids.flatMap((id) => numbers.get(id) ?? [])),
	];
	const toItem = (text: string, ids: readonly number[], note?: string): ReportItem => {
		return { text, citationIds: sourcesOf(ids), note };
	};
	const placed = [...new Set(findings.map(({ part }) => part))];
	return {
		answer: summary.map(({ about, text, citation_ids: ids }) => ({
			...toItem(text, ids),
			lead: about?.name,
		})),
		table: table
			? {
					columns: table.columns,
					rows: table.rows.map(({ attribute, cells }) => ({
						name: attribute,
						cells: cells.map((cell) => (cell ? toItem(cell.text, cell.citation_ids) : undefined)),
					})),
				}
			: undefined,
		findings: placed.map((part) => ({
			heading: part === 0 ? "Findings" : `Findings: ${parts[part]?.question ?? ""}`,
			items: findings
				.filter((finding) => finding.part === part)
				.map(({ about, statement, citation_ids: ids, confidence }) => ({
					...toItem(statement, ids, `confidence ${confidence}`),
					lead: about.name,
				})),
		})),
		// The statements stand among the findings.
		disputed: contradictions.map(({ statements, reason }) => {
			const [one, other] = statements.map(({ citation_ids: ids }) => toMarks(sourcesOf(ids)));
			const sides = statements.map(({ text, citation_ids: ids }) => toItem(text, ids));
			return { text: `One source ${reason}: ${one} against ${other}`, citationIds: [], sides };
		}),
		timeline: timeline.map(({ date, text, citation_ids: ids }) => toItem(`${date}: ${text}`, ids)),
		open: gaps.map(({ message, nearest, citation_ids: ids }) => {
			const near = nearest.map(({ title }) => title).join(", ");
			return toItem(near === "" ? message : `${message} Nearest: ${near}.`, ids);
		}),
	};
}

/** A dossier as a document, whatever it is persisted in. */
export function toDossierDocument(dossier: DossierWire): ReportDocument {
	const { source_profile: profile, citations, entities } = dossier;
	const { answer, table, findings, disputed, timeline, open } = readText(dossier);
	return {
		kind: "Dossier",
		title: dossier.topic,
		facts: [
			["Dossier", dossier.dossier_id],
			["Version", String(dossier.version)],
			["As of", dossier.as_of],
			["Sources", `${profile.sources}, in ${profile.independent_groups} independent groups`],
			["Graphs", dossier.graphs.join(", ")],
			...(dossier.form === "forecast" ? [["Note", NO_PREDICTION] as const] : []),
		],
		sections: [
			listSection("Answer", answer, "answer"),
			...findings.map(({ heading, items }) => listSection(heading, items)),
			...(table ? [tableSection("Comparison", table)] : []),
			listSection("Timeline", timeline),
			listSection("Disputed", disputed, "dispute"),
			listSection("What is not known", open, "gaps"),
			listSection(
				"Entities",
				entities.map(({ name, type }) => ({ text: name, citationIds: [], note: type })),
			),
			proseSection("Method", [{ text: dossier.method, citationIds: [] }], "method"),
		],
		citations: dossier.evidence_table.flatMap(({ n: first, source_n: n }) => {
			const cited = citations.find((citation) => citation.n === first);
			return cited ? [{ ...cited, n, excerpt: "" }] : [];
		}),
	};
}

/** The dossier with its sources, for agents that read text alone. */
export function toDossierText(dossier: DossierWire): string {
	const { answer, table, findings, disputed, timeline, open } = readText(dossier);
	const toLine = ({ lead, text, citationIds }: ReportItem) =>
		`${lead === undefined ? "" : `${lead}: `}${text} ${toMarks(citationIds)}`.trimEnd();
	const rows = table?.rows.map(({ name, cells }) => [
		name,
		...cells.map((cell) => cell && toLine(cell)),
	]);
	const listed = (heading: string, items: readonly ReportItem[]) =>
		items.length > 0 ? [`${heading}:`, ...items.map((item) => `- ${toLine(item)}`)] : [];
	return [
		...(dossier.form === "forecast" && answer.length > 0 ? [NO_PREDICTION] : []),
		...answer.map(toLine),
		...(table && rows ? toTableLines(table.columns, rows) : []),
		...findings.flatMap(({ heading, items }) => listed(heading, items)),
		...listed("Disputed", disputed),
		...listed("Timeline", timeline),
		...listed("Open", open),
		...dossier.evidence_table.map(
			({ source_n: n, title, source_url: url }) => `[${n}] ${title} ${url}`,
		),
	].join("\n");
}

import type { ArtifactRepository, Caller } from "../../src/contract/contract.js";
import { notFound } from "../../src/kernel/kernel.js";
import {
	listSection,
	type ReportDocument,
	type ReportItem,
	type ReportSection,
	tableSection,
	withEnd,
} from "../answers/answers.js";
import type { BrandIntelligence } from "./brand-report-wire.js";

export type BrandReports = ReturnType<typeof createBrandReports>;

/** Paid brand intelligence while it is retained. Unknown ids, those of other callers and expired ones throw the same NOT_FOUND. */
export function createBrandReports(artifacts: Pick<ArtifactRepository, "find">) {
	return {
		async document(caller: Caller, id: string): Promise<ReportDocument> {
			const kept = await artifacts.find(caller, "brand", id);
			if (kept) return withEnd(toBrandDocument(kept.data as BrandIntelligence), kept.expiresAt);
			throw notFound(
				`No brand intelligence of yours is kept as "${id.slice(0, 80)}"; it is kept for a day, POST /v1/brand-intelligence/{brand} makes one.`,
			);
		},
	};
}

/** Sources that stand behind a figure; all of its mentions are in the JSON. */
const MARKS_MAX = 3;

/** Brand intelligence as a document. */
function toBrandDocument(report: BrandIntelligence): ReportDocument {
	const { brand, footprint, window, sources, sentiment } = report;
	const read = createReader(report);
	return {
		kind: "Brand intelligence",
		title: `${brand.name}: what is said of it`,
		facts: [
			["Brand", brand.legal_name ?? brand.name],
			["Window", `${window.from ?? "from the beginning"} to ${window.to}`],
			["Mentions", `${footprint.mentions} in ${footprint.graphs} graphs`],
			["Sources", `${sources.length}, of ${footprint.sources_independent} independent owners`],
			["Tone", `${sentiment.positive} positive, ${sentiment.negative} negative`],
		],
		sections: [
			listSection(
				"Answer",
				report.summary.map(({ text, sources: ids }) => ({ text, citationIds: ids })),
				"answer",
			),
			toRisks(report, read),
			toSignals(report, read),
			...toFigures(report),
			listSection("In the words of the graphs", read.quoted()),
			listSection(
				"What is not known",
				report.gaps.map(({ message }) => toOwnWords(message)),
				"gaps",
			),
			listSection("Method", [toOwnWords(sentiment.method)], "method"),
		],
		citations: sources.map((source) => ({ ...source, excerpt: "" })),
	};
}

const toOwnWords = (text: string): ReportItem => ({ text, citationIds: [] });

type Reader = ReturnType<typeof createReader>;

/** Finds the numbers of sources behind mentions and quoted sentences. */
function createReader({ mentions, sources, citations }: BrandIntelligence) {
	const ofMention = new Map(mentions.map(({ n, sources: ids }) => [n, ids]));
	const ofAddress = new Map(sources.map(({ n, source_url: url }) => [url, n]));
	return {
		marksOf: (ids: readonly number[]): readonly number[] =>
			[...new Set(ids.flatMap((id) => ofMention.get(id) ?? []))].slice(0, MARKS_MAX),
		quoted: (): readonly ReportItem[] =>
			citations.map(({ excerpt: text, source_url: url }) => {
				const n = ofAddress.get(url);
				return { text, citationIds: n === undefined ? [] : [n] };
			}),
	};
}

function toRisks({ risks }: BrandIntelligence, { marksOf }: Reader): ReportSection {
	return listSection(
		"Risks",
		risks.map(({ claim, statement, confidence, date, mention_ids: ids }) => ({
			text: statement === null ? claim : `${claim} “${statement}”`,
			citationIds: marksOf(ids),
			note: `confidence ${confidence.toFixed(2)}${date === null ? "" : `, ${date}`}`,
		})),
	);
}

function toSignals({ signals }: BrandIntelligence, { marksOf }: Reader): ReportSection {
	return listSection(
		"Signals",
		signals.map(({ title, date, strength, mention_ids: ids }) => ({
			text: date === null ? title : `${date}: ${title}`,
			citationIds: marksOf(ids),
			note: `strength ${strength.toFixed(2)}`,
		})),
	);
}

function toFigures({
	share_of_voice: shares,
	footprint,
	co_mentions: pairs,
	timeline,
}: BrandIntelligence): readonly ReportSection[] {
	const toTable = (
		heading: string,
		columns: readonly string[],
		rows: readonly (readonly [name: string, ...cells: (string | number)[]])[],
	) =>
		tableSection(heading, {
			columns,
			rows: rows.map(([name, ...cells]) => ({
				name,
				cells: cells.map((cell) => toOwnWords(String(cell))),
			})),
		});
	return [
		toTable(
			"Share of voice",
			["Mentions", "Share"],
			shares.map(({ name, mentions, share }) => [name, mentions, toPercent(share)]),
		),
		toTable(
			"Where it is named",
			["Mentions", "Share", "Last seen"],
			footprint.by_graph.map(({ title, mentions, share, last_seen: last }) => [
				...([title, mentions, toPercent(share), last ?? "undated"] as const),
			]),
		),
		toTable(
			"Named together with",
			["Mentions", "Share"],
			pairs.map(({ name, mentions, share }) => [name, mentions, toPercent(share)]),
		),
		toTable(
			"Over time",
			["Mentions", "Articles", "Positive", "Negative"],
			timeline.map(({ period, mentions, articles, sentiment: { positive, negative } }) => [
				...([period, mentions, articles, positive, negative] as const),
			]),
		),
	];
}

const toPercent = (share: number): string => `${Math.round(100 * share)} %`;

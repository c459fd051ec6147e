import { formatUsd } from "../kernel/kernel.js";
import type { Graph } from "../knowledge/knowledge.js";
import type { Service } from "../service/service.js";
import type { GraphOverview } from "./graph-overview.js";
import {
	type Counted,
	type ExplorerData,
	type FreeConcept,
	SOLD_OPERATIONS,
	type SoldOperation,
	type SourceLink,
} from "./pages/explorer-model.js";
import { CHARS_OF, type EvidenceWire, type RowWire } from "./pages/parts.js";

/** What the explorer shows of a graph for nothing. It is read from what free operations answer, and from nothing else. */

const HOSTS_MAX = 60;
const TAGS_MAX = 40;

interface Term {
	readonly "@id": string;
	readonly termCode: string;
	readonly name: string;
	readonly description: string;
	readonly additionalType: string;
	readonly mentions?: readonly string[];
	readonly citation?: readonly {
		readonly name: string;
		readonly url: string;
		readonly datePublished?: string;
	}[];
}

interface PreviewRow extends RowWire {
	readonly trend_id: string;
}

/** A document of some tens of kilobytes, whatever the size of the graph. */
export async function explorerDataOf(
	{ free, prices }: Pick<Service, "free" | "prices">,
	{ record }: Graph,
	{ hosts, preview }: GraphOverview,
): Promise<ExplorerData> {
	const { id, slug, title } = record;
	const [stats, schema] = (await Promise.all([free.graphStats(id), free.graphSchema(id)])) as [
		unknown,
		unknown,
	];
	const { nodes, edges, sources } = stats as ExplorerData["totals"];
	const { node_types: types, tags } = schema as {
		readonly node_types: readonly { readonly type: string; readonly count: number }[];
		readonly tags: readonly { readonly tag: string; readonly count: number }[];
	};
	const { prices: own, revision } = free.graphDetail(id) as {
		readonly revision: string;
		readonly prices?: {
			readonly nodes: ExplorerData["nodePrices"];
			readonly priced_nodes: number;
		};
	};
	const rows = preview === "indexing" ? [] : (preview.rows as readonly PreviewRow[]);
	return {
		graph: { id, slug, title, revision },
		totals: { nodes, edges, sources },
		kinds: types.map(({ type, count }) => ({ name: type, count })),
		tags: tags.slice(0, TAGS_MAX).map(({ tag, count }) => ({ name: tag, count })),
		hosts: hosts.slice(0, HOSTS_MAX).map(({ host, documents }): Counted => {
			return { name: host, count: documents };
		}),
		concepts: uniteConcepts(id, [...rows.map(fromRow), ...sampleOf(free, id)]),
		prices: Object.fromEntries(
			SOLD_OPERATIONS.map((name) => [
				name,
				formatUsd(prices.priceOf(name, { graphId: id }).amountMicros),
			]),
		) as Record<SoldOperation, string>,
		nodePrices: own?.nodes ?? {},
		hasMorePrices: (own?.priced_nodes ?? 0) > Object.keys(own?.nodes ?? {}).length,
	};
}

function sampleOf(free: Service["free"], graphId: string): readonly FreeConcept[] {
	const { hasDefinedTerm: terms } = JSON.parse(String(free.graphSlice(graphId).body)) as {
		readonly hasDefinedTerm: readonly Term[];
	};
	const codes = new Map(terms.map((term) => [term["@id"], term.termCode]));
	return terms.map((term) => ({
		id: term.termCode,
		title: term.name,
		type: term.additionalType,
		summary: term.description,
		sources: (term.citation ?? []).map(({ name, url, datePublished }) => {
			return { title: name, url, date: datePublished ?? null };
		}),
		mentions: (term.mentions ?? []).flatMap((address) => codes.get(address) ?? []),
	}));
}

const fromRow = ({ trend_id, name, type, summary, evidence }: PreviewRow): FreeConcept => ({
	...{ id: trend_id, title: name, type, summary, mentions: [] },
	sources: evidence.map(toSourceLink),
});

function toSourceLink({
	title,
	source_url,
	published_at,
	date_precision,
}: EvidenceWire): SourceLink {
	const chars = CHARS_OF[(date_precision ?? "day") as keyof typeof CHARS_OF] ?? CHARS_OF.day;
	return { title, url: source_url, date: published_at?.slice(0, chars) ?? null };
}

/** A concept of the sample may be one of the preview, too; ids lose the name of the graph. */
function uniteConcepts(graphId: string, concepts: readonly FreeConcept[]): readonly FreeConcept[] {
	const nameIt = (trendId: string) => trendId.slice(graphId.length + 1);
	const united = new Map<string, FreeConcept>();
	for (const concept of concepts) {
		const known = united.get(concept.id);
		const sources = [...(known?.sources ?? []), ...concept.sources];
		const byUrl = new Map(sources.reverse().map((source) => [source.url, source]));
		united.set(concept.id, { ...concept, sources: [...byUrl.values()].reverse() });
	}
	return [...united.values()].map((concept) => ({
		...concept,
		id: nameIt(concept.id),
		mentions: concept.mentions.map(nameIt),
	}));
}

import {
	addConcept,
	addHappening,
	addLink,
	addSource,
	conceptItem,
	GRAPH_ITEM,
	type Model,
	type SoldOperation,
} from "../../pages/explorer-model.js";
import { CHARS_OF, type EvidenceWire, hostOf, type RowWire } from "../../pages/parts.js";

/** How what was bought joins what is known. */

interface NodeWire {
	readonly node_id: string;
	readonly title: string;
	readonly type: string;
	readonly summary?: string;
	readonly tags?: readonly string[];
	readonly body?: string;
	readonly evidence?: readonly EvidenceWire[];
}

interface EdgeWire {
	readonly source: string;
	readonly target: string;
	readonly type: string;
}

interface EventWire {
	readonly day: string;
	readonly precision: string;
	readonly kind: string;
	readonly node_id: string;
	readonly title: string;
	readonly detail: string;
	readonly source_url: string | null;
}

interface Answer {
	readonly rows?: readonly (RowWire & { readonly trend_id: string })[];
	readonly data?: NodeWire & {
		readonly items?: readonly unknown[];
		readonly nodes?: readonly NodeWire[];
		readonly edges?: readonly EdgeWire[];
	};
	readonly meta?: { readonly next_cursor?: string | null };
}

export interface Joined {
	readonly concepts: number;
	readonly links: number;
	readonly events: number;
	/** Undefined where the answer is no list. */
	readonly cursor: string | null | undefined;
}

/** Adds what an answer of one of the operations says, and counts what of it was new. */
export function joinAnswer(model: Model, operation: SoldOperation, body: unknown): Joined {
	const answer = (body ?? {}) as Answer;
	const before = measure(model);
	JOINS[operation](model, answer);
	const after = measure(model);
	return {
		concepts: after.concepts - before.concepts,
		links: after.links - before.links,
		events: after.events - before.events,
		cursor: answer.meta?.next_cursor,
	};
}

function measure({ items, happenings }: Model) {
	let [concepts, ends] = [0, 0];
	for (const { mark, links } of items.values()) {
		if (mark === "concept") concepts += 1;
		ends += links.size;
	}
	return { concepts, links: ends / 2, events: happenings.size };
}

const JOINS: Readonly<Record<SoldOperation, (model: Model, answer: Answer) => void>> = {
	"graphs.search": (model, { rows = [] }) => {
		for (const { trend_id, name, type, summary, evidence } of rows) {
			const node_id = trend_id.slice(model.data.graph.id.length + 1);
			joinNode(model, { node_id, title: name, type, summary, evidence });
		}
	},
	"graphs.nodes.list": (model, { data }) => {
		for (const node of (data?.items ?? []) as readonly NodeWire[]) joinNode(model, node);
	},
	"graphs.node": (model, { data }) => {
		if (data) joinNode(model, data);
	},
	"graphs.neighbors": (model, { data }) => {
		const items = (data?.items ?? []) as readonly { node: NodeWire; via: EdgeWire }[];
		for (const { node } of items) joinNode(model, node);
		for (const { via } of items) joinEdge(model, via);
	},
	"graphs.subgraph": (model, { data }) => {
		for (const node of data?.nodes ?? []) joinNode(model, node);
		for (const edge of data?.edges ?? []) joinEdge(model, edge);
	},
	"graphs.timeline": (model, { data }) => {
		for (const event of (data?.items ?? []) as readonly EventWire[]) joinEvent(model, event);
	},
};

function joinNode(model: Model, { node_id: id, evidence = [], ...node }: NodeWire): void {
	const item = addConcept(model, { id, isBought: true, ...node });
	for (const { title, source_url: url, published_at: at, date_precision } of evidence) {
		const date = at ? toWritten(at, date_precision ?? "day") : null;
		addSource(model, item.id, { title, url, date }, hostOf);
	}
}

function joinEdge(model: Model, { source, target, type }: EdgeWire): void {
	addLink(model, conceptItem(source), conceptItem(target), type);
}

const WHAT: Readonly<Record<string, string>> = {
	"source-published": "Source published",
	"edge-began": "Link began",
	"edge-ended": "Link ended",
	"node-written": "Concept written",
	"node-verified": "Concept verified",
	"node-stale": "Concept past its date",
};

/** Events name concepts without their kind: until that is known they hang on the graph itself. */
function joinEvent(model: Model, event: EventWire): void {
	const { day, precision, kind, node_id, title, detail, source_url: url } = event;
	const date = toWritten(day, precision);
	const item = addConcept(model, { id: node_id, title, type: "", isBought: true });
	if (item.kind === "") addLink(model, GRAPH_ITEM, item.id, "has");
	item.dates.add(date);
	addHappening(model, {
		...{ date, what: WHAT[kind] ?? kind, item: item.id, detail, url: url ?? "" },
	});
}

/** Only as much of a day as is known. */
const toWritten = (day: string, precision: string): string =>
	day.slice(0, CHARS_OF[precision as keyof typeof CHARS_OF] ?? CHARS_OF.day);

import { readCursor, toCursor } from "../../src/contract/contract.js";
import { toArticleAddress } from "../../src/evidence/evidence.js";
import type { Concept } from "../../src/knowledge/knowledge.js";
import { toConceptTest } from "../../src/search/search.js";
import { corpusFilterOf, isSpecialist } from "./expert-index.js";
import type { ExpertProfile } from "./expert-profiles.js";

/** Hosts of the sources of an expert's notes, in numbers; which pages is for sale. */
interface KnownHost {
	readonly host: string;
	/** Distinct addresses. */
	readonly articles: number;
	/** `YYYY-MM-DD`; null where no source is dated. */
	readonly oldest: string | null;
	readonly newest: string | null;
}

const QUESTIONS_MAX = 20;

/** What an expert answers from. */
function corpusOf(expert: ExpertProfile): readonly Concept[] {
	const { concepts } = expert.graph;
	const filter = corpusFilterOf(expert);
	const isOwn = filter ? toConceptTest(filter, expert.graph) : undefined;
	return isOwn ? concepts.filter(isOwn) : concepts;
}

/** Questions that the expert's notes answer: its own, then one for each note. Titles alone; what the notes say is for sale. */
export function questionsOf(expert: ExpertProfile): readonly string[] {
	const own = expert.concept ? [] : expert.graph.record.exampleQueries;
	const notes = corpusOf(expert).filter((concept) => !isSpecialist(concept));
	const asked = notes.slice(0, QUESTIONS_MAX).map(({ title }) => `What about "${title}"?`);
	return [...new Set([...own, ...asked])].slice(0, QUESTIONS_MAX);
}

/** Hosts that the expert's notes cite, in the order of their names. Throws INVALID_ARGUMENT for a cursor of another list. */
export function pageOfHosts(
	expert: ExpertProfile,
	{ limit, cursor }: { readonly limit: number; readonly cursor?: string | undefined },
) {
	const identity = { list: "experts.sources", asked: { agent_id: expert.agentId } };
	const [after = ""] = cursor === undefined ? [] : readCursor(cursor, identity, 1);
	const rest = hostsOf(corpusOf(expert)).filter(({ host }) => host > after);
	const page = rest.slice(0, limit);
	const last = page.at(-1);
	return {
		items: page,
		next_cursor: last && rest.length > limit ? toCursor(identity, [last.host]) : null,
	};
}

function hostsOf(concepts: readonly Concept[]): readonly KnownHost[] {
	const byHost = new Map<string, { readonly addresses: Set<string>; readonly days: string[] }>();
	for (const { sourceUrl, publishedAt } of concepts.flatMap(({ evidence }) => evidence)) {
		const host = toArticleAddress(sourceUrl)?.host;
		if (host === undefined) continue;
		const known = byHost.get(host) ?? { addresses: new Set(), days: [] };
		known.addresses.add(sourceUrl);
		if (publishedAt !== undefined) known.days.push(publishedAt);
		byHost.set(host, known);
	}
	return [...byHost]
		.map(([host, { addresses, days }]) => {
			const inOrder = days.sort();
			const [oldest = null] = inOrder;
			return { host, articles: addresses.size, oldest, newest: inOrder.at(-1) ?? null };
		})
		.sort((a, b) => (a.host < b.host ? -1 : 1));
}

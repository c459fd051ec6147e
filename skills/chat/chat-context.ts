import { findCitedSentence } from "../../src/evidence/evidence.js";
import { ServiceError, visibleText } from "../../src/kernel/kernel.js";
import type { GraphCatalog } from "../../src/knowledge/knowledge.js";
import { CHAT_LIMITS } from "./chat-limits.js";
import type { ChatMemory } from "./chat-turns.js";
import type { TalkContext } from "./talk-context.js";

const NAME_CHARS = 120;
const ALIASES_MAX = 20;

/** What the latest turn was about: its question, and the concepts its evidence is of, in the order of its answer. */
export function toContext(catalog: Pick<GraphCatalog, "find">, { turns }: ChatMemory): TalkContext {
	const last = turns.at(-1);
	const concepts = (last?.cited.flat() ?? []).flatMap(
		(id) => findCitedSentence(catalog, id)?.concept ?? [],
	);
	return {
		question: last?.question,
		spokenOf: [...new Set(concepts)].map(({ title, aliases }) => ({
			name: toName(title),
			aliases: aliases.slice(0, ALIASES_MAX).map(toName),
		})),
	};
}

/** A graph's own words become part of a question: one line of what can be seen, no longer than a name is. */
export function toName(title: string): string {
	return visibleText(title).replace(/\s+/g, " ").trim().slice(0, NAME_CHARS);
}

/** Evidence that was told in the session. */
export function toldBefore({ turns }: ChatMemory): ReadonlySet<string> {
	return new Set(turns.flatMap(({ cited }) => cited.flat()));
}

/** Graphs the session is limited to, as far as they are still there. */
export function graphsOf(catalog: GraphCatalog, { graphs }: ChatMemory) {
	if (graphs.length === 0) return catalog.list();
	const known = graphs.slice(0, CHAT_LIMITS.graphsMax).flatMap((id) => catalog.find(id) ?? []);
	if (known.length > 0) return known;
	throw new ServiceError(
		"INVALID_ARGUMENT",
		"None of the graphs this session is limited to is there any more; change them with PATCH /v1/research/chat/sessions/{session_id}.",
	);
}

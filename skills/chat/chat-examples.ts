import { DOMAIN_EXAMPLE } from "../search/search.js";

const [source] = DOMAIN_EXAMPLE.evidence;
export const TURN = { sessionId: "session-1", message: DOMAIN_EXAMPLE.query };
export const SESSION_ID = "cht_01kg9yz3v0f6x2m8q4t7w1ab2c";
const SENTENCE =
	"EIP-3009 lets a token holder sign a transfer off chain (from, to, value, validAfter, validBefore, random nonce) that anyone may submit and pay gas for.";
const TREND_ID = `${DOMAIN_EXAMPLE.graphId}:${DOMAIN_EXAMPLE.conceptId}`;
const CITATION = {
	n: 1,
	evidence_id: `${TREND_ID}~0`,
	trend_id: TREND_ID,
	article_id: source?.article_id ?? "",
	title: source?.title ?? "",
	source_url: source?.source_url ?? "",
	published_at: source?.published_at ?? null,
	publisher: "eips.ethereum.org",
	excerpt: SENTENCE,
	trust_tier: "unverified" as const,
	graph_id: DOMAIN_EXAMPLE.graphId,
};
export const REPLY = {
	ok: true as const,
	data: {
		answer: { text: `${SENTENCE} [1]`, sentences: [{ text: SENTENCE, citation_ids: [1] }] },
		citations: [CITATION],
		resolved_question: TURN.message,
		follow_up: "alone" as const,
		suggested: ["Tell me about ERC-2612 permit."],
		not_covered: [],
		session: { id: SESSION_ID, sessionId: TURN.sessionId, turns: 1 },
	},
	meta: {
		query: TURN.message,
		decision: "ANSWER" as const,
		mode: "hybrid" as const,
		graphs_used: [CITATION.graph_id],
		as_of: "2026-11-22T12:00:00.000Z",
		writer: "extractive",
		warnings: [],
	},
};
export const SESSION = {
	id: SESSION_ID,
	session_id: TURN.sessionId,
	title: "Payment over HTTP",
	graphs: [],
	turns: 1,
	turns_kept: 1,
	citations: 1,
	created_at: "2026-11-22T12:00:00.000Z",
	last_used_at: "2026-11-22T12:00:00.000Z",
	expires_at: "2027-11-22T12:00:00.000Z",
};
export const MESSAGE = {
	n: 1,
	at: SESSION.created_at,
	message: TURN.message,
	resolved_question: TURN.message,
	citations: [CITATION],
	citations_gone: [],
	not_covered: [],
};

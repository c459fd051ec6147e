import { toDataReply } from "../../src/contract/contract.js";

const QUESTION = "How should a server roll out HSTS?";
const TREND_ID = "transport-security-desk:http.hsts-rollout";
const TEXT =
	"Action: redirect HTTP to HTTPS, send the header only over HTTPS, begin with max-age=300, and lengthen it in steps while watching errors.";
const POINT =
	"Before adding includeSubDomains list every subdomain, including internal ones that have no certificate.";

const citation = (n: number, place: number, excerpt: string) => ({
	n,
	evidence_id: `${TREND_ID}~${place}`,
	trend_id: TREND_ID,
	article_id: "rfc6797",
	title: "HTTP Strict Transport Security (HSTS)",
	source_url: "https://www.rfc-editor.org/rfc/rfc6797",
	published_at: "2012-11-01",
	publisher: "rfc-editor.org",
	excerpt,
	trust_tier: "unverified",
	graph_id: "transport-security-desk",
});

export const CONSULTATION = {
	consultation_id: "cns_01kg9yz3v0f6x2m8q4t7w1ab2c",
	question: QUESTION,
	follows: null,
	subject: null,
	expert: {
		id: "transport-security-desk",
		name: "Transport Security Desk",
		headline: "Deployment advice for TLS, each step tied to the standard that supports it",
		is_ai_twin: true,
		consent: { basis: "synthetic", until: null },
		disclosure: "A synthetic desk, not a real person; it answers only from this graph.",
	},
	answer: {
		text: TEXT,
		sentences: [{ text: TEXT, citation_ids: [1] }],
		stance: "recommends",
		key_points: [{ text: POINT, citation_ids: [2] }],
		confidence: 0.5,
		limits: ["All sources cited are of one publisher."],
	},
	citations: [citation(1, 4, TEXT), citation(2, 5, POINT)],
	not_covered: [],
	elsewhere: [],
	suggested_questions: ['What follows from "Certificate lifetimes and automation" for this?'],
	kept_until: "2026-12-01T12:00:00.000Z",
};

export const CONSULT_META = {
	query: QUESTION,
	decision: "ANSWER",
	dataStatus: "EVIDENCE_MATCH",
	mode: "hybrid",
	graphs_used: ["transport-security-desk"],
	as_of: "2026-11-30T12:00:00.000Z",
	execution_time_ms: 12,
	model: { embedder: "Xenova/all-MiniLM-L6-v2", writer: "extractive" },
	warnings: [],
};

export const CONSULT_BODY = { agent_id: CONSULTATION.expert.id, question: QUESTION };
export const CONSULT_REPLY = toDataReply(CONSULTATION, CONSULT_META);

const { expert, answer, citations, not_covered, elsewhere, suggested_questions } = CONSULTATION;

export const PANEL_BODY = {
	agent_ids: ["transport-security-desk", "api-design-desk"],
	question: QUESTION,
};
export const PANEL_REPLY = toDataReply(
	{
		question: QUESTION,
		answers: [{ expert, answer, not_covered, elsewhere, suggested_questions }],
		agreement: {
			shared: [],
			contradictions: [],
			single: [{ agent_id: expert.id, text: TEXT, citation_ids: [1] }],
		},
		citations,
	},
	{ ...CONSULT_META, experts: 2, answered: 1 },
);

import t from "tap";
import type { TalkContext } from "../../skills/chat/chat-turns.js";
import { resolveFollowUp } from "../../skills/chat/follow-up-question.js";

const named = (name: string, ...aliases: string[]) => ({ name, aliases });

const HSTS: TalkContext = {
	question: "How should a server roll out HSTS?",
	spokenOf: [
		named("HTTP Strict Transport Security", "HSTS"),
		named("HSTS preload list"),
		named("Mixed content"),
	],
};
const EIP: TalkContext = {
	question: "What is EIP-3009?",
	spokenOf: [
		named("EIP-3009 transfer with authorization", "EIP-3009"),
		named("EIP-712 typed structured data", "EIP-712"),
	],
};
const TLS: TalkContext = {
	question: "How does TLS 1.3 handle resumption?",
	spokenOf: [named("TLS 1.3 session resumption"), named("Session tickets")],
};
const KEPS: TalkContext = {
	question: "How many Job proposals reached stable in 2023?",
	spokenOf: [named("The Job API as a batch platform", "Indexed Job")],
};
const CVE: TalkContext = {
	question: "Which vulnerabilities in version control software were exploited?",
	spokenOf: [named("Gogs path traversal", "CVE-2025-8110"), named("GitLab password reset")],
};

const FOLLOW_UPS: readonly [context: TalkContext, said: string, meant: string, kind: string][] = [
	// it, its, they
	[HSTS, "Is it risky?", "Is HSTS risky?", "pronoun"],
	[HSTS, "What are its drawbacks?", "What are HSTS's drawbacks?", "pronoun"],
	[HSTS, "how long does it last", "how long does HSTS last", "pronoun"],
	[HSTS, "And how does it work?", "And how does HSTS work?", "pronoun"],
	[HSTS, "What's it good for?", "What's HSTS good for?", "pronoun"],
	[HSTS, "Who maintains it, and since when?", "Who maintains HSTS, and since when?", "pronoun"],
	[HSTS, "What does OAuth say about it?", "What does OAuth say about HSTS?", "pronoun"],
	[HSTS, "Can it's header be cached?", "Can HSTS's header be cached?", "pronoun"],
	[EIP, "Who wrote it?", "Who wrote EIP-3009?", "pronoun"],
	[
		EIP,
		"Does it replace its predecessor?",
		"Does EIP-3009 replace EIP-3009's predecessor?",
		"pronoun",
	],
	[EIP, "Are they widely adopted?", "Are EIP-3009 widely adopted?", "pronoun"],
	[CVE, "Was it fixed?", "Was Gogs path traversal fixed?", "pronoun"],
	// that standard, this, these
	[EIP, "Is that standard final?", "Is EIP-3009 final?", "pronoun"],
	[EIP, "When was this proposal published?", "When was EIP-3009 published?", "pronoun"],
	[EIP, "What is that standard's status?", "What is EIP-3009's status?", "pronoun"],
	[
		EIP,
		"Tell me about the same standard in wallets",
		"Tell me about EIP-3009 in wallets",
		"pronoun",
	],
	[EIP, "Which wallets support that?", "Which wallets support EIP-3009?", "pronoun"],
	[EIP, "Is that safe?", "Is EIP-3009 safe?", "pronoun"],
	[EIP, "What does this mean for wallets?", "What does EIP-3009 mean for wallets?", "pronoun"],
	[
		EIP,
		"How do these differ?",
		"How do EIP-3009 transfer with authorization and EIP-712 typed structured data differ?",
		"pronoun",
	],
	[
		EIP,
		"Compare both",
		"Compare EIP-3009 transfer with authorization and EIP-712 typed structured data",
		"pronoun",
	],
	[
		CVE,
		"How severe are those vulnerabilities?",
		"How severe are Gogs path traversal and GitLab password reset?",
		"pronoun",
	],
	[CVE, "Which of these wallets is best?", "Which of these wallets is best?", "alone"],
	// the second one
	[EIP, "Tell me about the second one", "Tell me about EIP-712 typed structured data", "ordinal"],
	[EIP, "the second one?", "Tell me about EIP-712 typed structured data.", "ordinal"],
	[HSTS, "What about the latter?", "What about Mixed content?", "ordinal"],
	[HSTS, "Why does the third point matter?", "Why does Mixed content matter?", "ordinal"],
	[HSTS, "Explain number two", "Explain HSTS preload list", "ordinal"],
	[HSTS, "is the first one enough?", "is HTTP Strict Transport Security enough?", "ordinal"],
	// what about, and for
	[KEPS, "What about 2024?", "How many Job proposals reached stable in 2024?", "ellipsis"],
	[KEPS, "and in 2022", "How many Job proposals reached stable in 2022?", "ellipsis"],
	[EIP, "what about 2024", "What is EIP-3009 in 2024?", "ellipsis"],
	[HSTS, "And last year?", "How should a server roll out HSTS last year?", "ellipsis"],
	[TLS, "and for TLS 1.2?", "How does TLS 1.2 handle resumption?", "ellipsis"],
	[TLS, "What about TLS 1.2?", "How does TLS 1.2 handle resumption?", "ellipsis"],
	[TLS, "How about QUIC", "How does QUIC handle resumption?", "ellipsis"],
	[EIP, "And EIP-712?", "What is EIP-712?", "ellipsis"],
	[EIP, "and EIP-2612 too", "What is EIP-2612?", "ellipsis"],
	[HSTS, "for subdomains?", "How should a server roll out HSTS for subdomains?", "ellipsis"],
	[HSTS, "with a CDN?", "How should a server roll out HSTS with a CDN?", "ellipsis"],
	[EIP, "EIP-2612 instead?", "What is EIP-2612?", "ellipsis"],
	[
		CVE,
		"what about databases?",
		"Which vulnerabilities in version control software were exploited, and what about databases?",
		"ellipsis",
	],
	// why, more
	[HSTS, "Why?", "Why: How should a server roll out HSTS?", "bare"],
	[HSTS, "but why not", "Why not: How should a server roll out HSTS?", "bare"],
	[KEPS, "Since when?", "Since when: How many Job proposals reached stable in 2023?", "bare"],
	[EIP, "Says who?", "Says who: What is EIP-3009?", "bare"],
	[EIP, "Tell me more", "Tell me more about EIP-3009.", "more"],
	[EIP, "go on…", "Tell me more about EIP-3009.", "more"],
	// sides of it
	[HSTS, "What are the risks?", "What are the risks of HSTS?", "aspect"],
	[HSTS, "Any alternatives?", "Any alternatives to HSTS?", "aspect"],
	[EIP, "and the status?", "What about the status of EIP-3009?", "aspect"],
	[EIP, "Who are the authors?", "Who are the authors of EIP-3009?", "aspect"],
	// questions of their own
	[HSTS, "What is content negotiation?", "What is content negotiation?", "alone"],
	[
		HSTS,
		"Which HTTP status code asks for payment?",
		"Which HTTP status code asks for payment?",
		"alone",
	],
	[
		HSTS,
		"What is EIP-712 and how does it relate to EIP-191?",
		"What is EIP-712 and how does it relate to EIP-191?",
		"alone",
	],
	[HSTS, "Is it possible to revoke a token?", "Is it possible to revoke a token?", "alone"],
	[HSTS, "Name the header that browsers require", "Name the header that browsers require", "alone"],
	[HSTS, "And how does QUIC encrypt packets?", "And how does QUIC encrypt packets?", "alone"],
	[EIP, "the ninth one?", "the ninth one?", "alone"],
];

t.test("a follow-up is said so that it stands alone", (t) => {
	for (const [context, said, meant, kind] of FOLLOW_UPS) {
		t.match(resolveFollowUp(said, context), { question: meant, kind }, said);
	}
	t.comment(`${FOLLOW_UPS.length} follow-ups`);
	t.end();
});

t.test("a pronoun that may stand for several things the question named is asked back", (t) => {
	const context = {
		question: "How do EIP-712 and EIP-3009 differ?",
		spokenOf: [
			{ name: "EIP-712 typed data", aliases: ["EIP-712"] },
			{ name: "EIP-3009 transfer", aliases: ["EIP-3009"] },
		],
	};
	t.same(resolveFollowUp("When was it published?", context).choices, [
		"When was EIP-712 published?",
		"When was EIP-3009 published?",
	]);
	t.equal(resolveFollowUp("Are they final?", context).choices, undefined, "both are meant");
	const one = { ...context, question: "What is EIP-712?" };
	t.equal(resolveFollowUp("When was it published?", one).choices, undefined);
	t.end();
});

t.test("at the beginning nothing is referred to, and nothing is changed", (t) => {
	for (const said of ["Why?", "Is it risky?", "what about 2024", "the second one", "  more  "]) {
		const found = resolveFollowUp(said, { question: undefined, spokenOf: [] });
		t.same(found, { question: said.trim(), kind: "alone" });
	}
	t.end();
});

t.test("an answer that spoke of nothing known leaves pronouns to the question's own name", (t) => {
	const context = { question: "Does anybody use Xenolith 3?", spokenOf: [] };
	t.equal(resolveFollowUp("Is it new?", context).question, "Is Xenolith 3 new?");
	const nameless = { question: "does anybody care?", spokenOf: [] };
	t.same(resolveFollowUp("Is it new?", nameless), { question: "Is it new?", kind: "alone" });
	t.end();
});

t.test("follow-ups of follow-ups do not pile up", (t) => {
	let question = "Which vulnerabilities in version control software were exploited?";
	for (const said of [
		"why?",
		"what about databases?",
		"and about 2024?",
		"why not?",
		"what about routers?",
	]) {
		question = resolveFollowUp(said, { ...CVE, question }).question;
	}
	t.equal(
		question,
		"Which vulnerabilities in version control software were exploited in 2024, and what about routers?",
	);
	const long = { ...CVE, question: `${"x ".repeat(995)}?` };
	t.equal(resolveFollowUp("what about databases?", long).kind, "alone");
	t.end();
});

t.test("no text takes long, whatever it is made of", (t) => {
	const hostile = [
		"it ".repeat(660),
		"and ".repeat(500),
		"that that ".repeat(200),
		"A".repeat(2_000),
		"what about ".repeat(180),
		"1.".repeat(1_000),
		"A1 ".repeat(660),
		"(((((".repeat(400),
	];
	const startedMs = performance.now();
	for (const said of hostile) {
		resolveFollowUp(said, HSTS);
		const found = resolveFollowUp("Is it new?", { question: said, spokenOf: [] });
		t.ok(found.question.length < 5_000);
	}
	t.comment(`${(performance.now() - startedMs).toFixed(0)} ms`);
	t.end();
});

import t from "tap";
import { toSlackMessage } from "../../skills/briefings/briefing-messages.js";
import type { BriefingWire } from "../../skills/briefings/schedule-wire.js";

const TREND_ID = "agent-payments:authorizations.eip-3009-transfer-with-authorization";
const STATEMENT = "A token holder signs a transfer, and anybody may send it to the chain.";
const BRIEFING: BriefingWire = {
	topic: "Payments by agents over HTTP",
	frequency: "weekly",
	as_of: "2026-11-30T07:00:00.000Z",
	since: null,
	is_first: true,
	is_nothing_new: false,
	changes: [],
	top: [
		{
			trend_id: TREND_ID,
			graph_id: "agent-payments",
			title: "EIP-3009 transfer with authorization",
			what: { text: STATEMENT, citation_ids: [1] },
			why_it_matters: null,
		},
	],
	movers: [],
	numbers: [],
	watch_list: [],
	citations: [
		{
			n: 1,
			evidence_id: `${TREND_ID}~0`,
			trend_id: TREND_ID,
			article_id: "eip-3009",
			title: "ERC-3009: Transfer With Authorization",
			source_url: "https://eips.ethereum.org/EIPS/eip-3009",
			published_at: "2020-09-28",
			publisher: "eips.ethereum.org",
			source_kind: null,
			excerpt: STATEMENT,
			trust_tier: "unverified",
			graph_id: "agent-payments",
		},
	],
	writer: "extractive",
	warnings: [],
};
const [source] = BRIEFING.citations;
const [item] = BRIEFING.top;
const withSources = (count: number, topic = "tides"): BriefingWire => ({
	...BRIEFING,
	topic,
	citations: Array.from({ length: count }, (_, at) => ({ ...source, n: at + 1 }) as never),
	top: Array.from({ length: 60 }, () => item as never),
});

t.test("every source that is cited is shown, in blocks that Slack takes", async (t) => {
	for (const count of [1, 10, 11, 60, 120]) {
		const { blocks } = toSlackMessage(withSources(count));
		t.ok(blocks.length <= 50, `${count}: ${blocks.length} blocks`);
		const shown = blocks.flatMap((block) => (block.type === "context" ? block.elements : []));
		t.equal(shown.length, count);
		t.match(shown.at(-1)?.text, new RegExp(`^\\[${count}\\] <https://`));
		for (const block of blocks) if (block.type === "context") t.ok(block.elements.length <= 10);
	}
});

t.test("a long topic leaves room for the day, and no half character", async (t) => {
	for (const pad of ["", "x"]) {
		const [header] = toSlackMessage(withSources(1, pad + "🌊".repeat(150))).blocks;
		const text = header?.type === "header" ? header.text.text : "";
		t.ok(text.length <= 150);
		t.match(text, /🌊… \(2026-11-30\)$/u);
		t.notMatch(text, /\p{Surrogate}/u);
	}
	const long = { ...item, what: { text: `${"a".repeat(2_990)}&&&&`, citation_ids: [1] } };
	const { blocks } = toSlackMessage({ ...withSources(1), top: [long as never] });
	for (const block of blocks) {
		if (block.type !== "section") continue;
		t.ok(block.text.text.length <= 3_000);
		t.notMatch(block.text.text, /&(?:a|am|amp)?…$/);
	}
});

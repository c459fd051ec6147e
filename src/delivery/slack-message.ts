import type { Egress } from "../core/egress.js";
import { ServiceError } from "../core/errors.js";
import { SCHEDULE_LIMITS } from "../core/schedule-limits.js";
import type { BriefingWire } from "../core/schedule-wire.js";
import { toBriefingParts, toNotice } from "./briefing-lines.js";

/** What an incoming webhook of Slack takes: text for notifications, and blocks (Block Kit). */
export interface SlackMessage {
	readonly text: string;
	readonly blocks: readonly SlackBlock[];
}

export type SlackBlock =
	| { readonly type: "header"; readonly text: PlainText }
	| { readonly type: "section"; readonly text: Mrkdwn }
	| { readonly type: "context"; readonly elements: readonly Mrkdwn[] }
	| { readonly type: "divider" };

interface PlainText {
	readonly type: "plain_text";
	readonly text: string;
}
interface Mrkdwn {
	readonly type: "mrkdwn";
	readonly text: string;
	/** Nothing in it becomes a link, a channel or a mention by itself. */
	readonly verbatim: true;
}

/** Bounds of Block Kit. */
const HEADER_CHARS = 150;
const SECTION_CHARS = 3_000;
const BLOCKS_MAX = 50;
const CONTEXT_ELEMENTS_MAX = 10;

/** A briefing as a message; whatever does not fit is left out, from the end. */
export function toSlackMessage(briefing: BriefingWire): SlackMessage {
	const { topic, as_of: asOf, is_nothing_new: isNothingNew, citations } = briefing;
	const title = `${isNothingNew ? "Nothing new" : "Briefing"}: ${topic} (${asOf.slice(0, 10)})`;
	const sections = toBriefingParts(briefing).flatMap(({ heading, items }) => [
		section(`*${heading}*`),
		...items.map(({ title: name, lines }) =>
			section([...(name ? [`*${escapeText(name)}*`] : []), ...lines.map(escapeText)].join("\n")),
		),
	]);
	const sources = citations
		.slice(0, CONTEXT_ELEMENTS_MAX)
		.map(({ n, title: name, source_url: url }) => mrkdwn(`[${n}] ${link(url, name)}`));
	const header: SlackBlock = {
		type: "header",
		// Plain text is shown as it is; what looks like a mention is none even where a client thinks otherwise.
		text: {
			type: "plain_text",
			text: title.slice(0, HEADER_CHARS).replace(/</g, "‹").replace(/>/g, "›"),
		},
	};
	const notice = isNothingNew ? [section(escapeText(toNotice(briefing)))] : [];
	const end: SlackBlock[] =
		sources.length > 0 ? [{ type: "divider" }, { type: "context", elements: sources }] : [];
	const room = BLOCKS_MAX - 1 - end.length;
	return {
		text: escapeText(title),
		blocks: [header, ...[...notice, ...sections].slice(0, room), ...end],
	};
}

/** A message that shows that messages arrive. */
export function toSlackTest(topic: string): SlackMessage {
	const text = `Test: briefings on ${escapeText(topic)} will arrive here.`;
	return { text, blocks: [section(text)] };
}

/** Posts to a webhook. Throws UNAVAILABLE when nobody answers, UPSTREAM for a refusal; neither names the address. */
export async function sendToSlack(
	egress: Egress,
	webhook: string,
	message: SlackMessage,
): Promise<void> {
	const response = await egress.request({
		method: "POST",
		url: webhook,
		headers: { "Content-Type": "application/json" },
		body: JSON.stringify(message),
		timeoutMs: SCHEDULE_LIMITS.slackTimeoutMs,
	});
	if (response.status >= 200 && response.status < 300) return;
	throw new ServiceError("UPSTREAM", `Slack refused the message (${response.status}).`);
}

function section(text: string): SlackBlock {
	return { type: "section", text: mrkdwn(text) };
}

function mrkdwn(text: string): Mrkdwn {
	const isLong = text.length > SECTION_CHARS;
	return {
		type: "mrkdwn",
		text: isLong ? `${text.slice(0, SECTION_CHARS - 1)}…` : text,
		verbatim: true,
	};
}

/** A bar would end the address, an angle bracket the link. */
function link(url: string, label: string): string {
	if (!/^https?:\/\/[^\s|<>]+$/.test(url)) return escapeText(label);
	return `<${escapeText(url)}|${escapeText(label.replaceAll("|", "¦"))}>`;
}

/** What Slack reads as control characters; `<!channel>` and the like become text. */
function escapeText(text: string): string {
	return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}

import { type Egress, ServiceError } from "../../src/kernel/kernel.js";
import { toBriefingParts, toNotice } from "./briefing-lines.js";
import { SCHEDULE_LIMITS } from "./schedule-limits.js";
import type { BriefingWire } from "./schedule-wire.js";

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
const LABEL_CHARS = 300;

/** A briefing as a message, with every source it cites; what does not fit of the rest is left out, from the end. */
export function toSlackMessage(briefing: BriefingWire): SlackMessage {
	const { topic, as_of: asOf, is_nothing_new: isNothingNew, citations } = briefing;
	const day = ` (${asOf.slice(0, 10)})`;
	const about = `${isNothingNew ? "Nothing new" : "Briefing"}: ${topic}`;
	const title = `${about}${day}`;
	const sections = toBriefingParts(briefing).flatMap(({ heading, items }) => [
		section(`*${heading}*`),
		...items.map(({ title: name, lines }) =>
			section([...(name ? [`*${escapeText(name)}*`] : []), ...lines.map(escapeText)].join("\n")),
		),
	]);
	const sources = citations.map(({ n, title: name, source_url: url }) =>
		mrkdwn(`[${n}] ${link(url, cut(name, LABEL_CHARS))}`),
	);
	const header: SlackBlock = {
		type: "header",
		// Plain text is shown as it is; what looks like a mention is none even where a client thinks otherwise.
		text: {
			type: "plain_text",
			text: `${cut(about, HEADER_CHARS - day.length)}${day}`.replace(/</g, "‹").replace(/>/g, "›"),
		},
	};
	const notice = isNothingNew ? [section(escapeText(toNotice(briefing)))] : [];
	const end: SlackBlock[] = sources.length > 0 ? [{ type: "divider" }, ...contexts(sources)] : [];
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
	return { type: "mrkdwn", text: cut(text, SECTION_CHARS), verbatim: true };
}

/** As many as there are, in blocks that hold so many each; the last room of a message is the header's. */
function contexts(elements: readonly Mrkdwn[]): SlackBlock[] {
	const blocks: SlackBlock[] = [];
	for (let from = 0; from < elements.length; from += CONTEXT_ELEMENTS_MAX) {
		const some = elements.slice(from, from + CONTEXT_ELEMENTS_MAX);
		blocks.push({ type: "context", elements: some });
	}
	return blocks;
}

/** At most so many UTF-16 units, without half a character or half an escape at the end. */
function cut(text: string, chars: number): string {
	if (text.length <= chars) return text;
	const kept = text
		.slice(0, chars - 1)
		.replace(/[\ud800-\udbff]$/, "")
		.replace(/&[a-z]{0,3}$/, "");
	return `${kept}…`;
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

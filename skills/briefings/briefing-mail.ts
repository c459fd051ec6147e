import type { MailMessage } from "../../src/kernel/kernel.js";
import { toBriefingParts, toNotice } from "./briefing-lines.js";
import type { BriefingWire } from "./schedule-wire.js";

type Written = Pick<MailMessage, "subject" | "text" | "html">;

const SUBJECT_CHARS = 120;

/** A briefing as a mail: the same in plain text and in HTML, without pictures, styles or addresses of ours but one. */
export function toBriefingMail(briefing: BriefingWire, unsubscribeUrl: string): Written {
	const { topic, as_of: asOf, is_nothing_new: isNothingNew, citations } = briefing;
	const parts = toBriefingParts(briefing);
	const day = asOf.slice(0, 10);
	const subject = shorten(`${isNothingNew ? "Nothing new: " : "Briefing: "}${topic} (${day})`);
	const notice = isNothingNew ? toNotice(briefing) : "";
	const text = [
		...(notice ? [notice, ""] : []),
		...parts.flatMap(({ heading, items }) => [
			heading.toUpperCase(),
			...items.flatMap(({ title, lines }) => [
				...(title ? [`* ${title}`] : []),
				...lines.map((line) => `  ${line}`),
			]),
			"",
		]),
		...(citations.length > 0 ? ["SOURCES"] : []),
		...citations.map(({ n, title, source_url: url }) => `[${n}] ${title} ${url}`),
		"",
		`To stop these mails: ${unsubscribeUrl}`,
		"",
	].join("\n");
	const html = page(subject, [
		...(notice ? [`<p>${escapeHtml(notice)}</p>`] : []),
		...parts.map(({ heading, items }) => {
			const rows = items.map(({ title, lines }) => {
				const name = title ? `<strong>${escapeHtml(title)}</strong><br>` : "";
				return `<li>${name}${lines.map(escapeHtml).join("<br>")}</li>`;
			});
			return `<h2>${escapeHtml(heading)}</h2><ul>${rows.join("")}</ul>`;
		}),
		...(citations.length > 0
			? [
					`<h2>Sources</h2><ol>${citations.map(({ n, title, source_url: url }) => `<li value="${n}">${link(url, title)}</li>`).join("")}</ol>`,
				]
			: []),
		`<p>${link(unsubscribeUrl, "Stop these mails")}</p>`,
	]);
	return { subject, text, html };
}

/** Asks whoever reads an address whether they want briefings there. */
export function toConfirmationMail(topic: string, confirmUrl: string): Written {
	const subject = shorten(`Confirm briefings on ${topic}`);
	const asks = `Somebody asked for briefings on "${topic}" to be sent to this address.`;
	const otherwise = "If that was not you, do nothing: no briefing is sent without your consent.";
	return {
		subject,
		text: [asks, "", `To receive them, open: ${confirmUrl}`, "", otherwise, ""].join("\n"),
		html: page(subject, [
			`<p>${escapeHtml(asks)}</p>`,
			`<p>${link(confirmUrl, "Yes, send me these briefings")}</p>`,
			`<p>${escapeHtml(otherwise)}</p>`,
		]),
	};
}

/** A mail that shows that mails arrive. */
export function toTestMail(topic: string, unsubscribeUrl: string): Written {
	const subject = shorten(`Test: briefings on ${topic}`);
	const told = "This is a test. Briefings will arrive here.";
	return {
		subject,
		text: [told, "", `To stop these mails: ${unsubscribeUrl}`, ""].join("\n"),
		html: page(subject, [`<p>${told}</p>`, `<p>${link(unsubscribeUrl, "Stop these mails")}</p>`]),
	};
}

function page(title: string, blocks: readonly string[]): string {
	const head = `<meta charset="utf-8"><title>${escapeHtml(title)}</title>`;
	return `<!doctype html><html lang="en"><head>${head}</head><body>${blocks.join("\n")}</body></html>`;
}

/** Only addresses of the web become links. */
function link(url: string, label: string): string {
	if (!/^https?:\/\//.test(url)) return escapeHtml(label);
	return `<a href="${escapeHtml(url)}" rel="noreferrer">${escapeHtml(label)}</a>`;
}

function escapeHtml(text: string): string {
	return text
		.replaceAll("&", "&amp;")
		.replaceAll("<", "&lt;")
		.replaceAll(">", "&gt;")
		.replaceAll('"', "&quot;")
		.replaceAll("'", "&#39;");
}

function shorten(text: string): string {
	return text.length <= SUBJECT_CHARS ? text : `${text.slice(0, SUBJECT_CHARS - 1)}…`;
}

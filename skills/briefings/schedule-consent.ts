import { createHash } from "node:crypto";
import type { ServedDocument } from "../../src/contract/contract.js";
import { type Clock, ServiceError } from "../../src/kernel/kernel.js";
import { recordPause } from "../../src/webhooks/webhooks.js";
import type { ScheduleChannel, ScheduleRow, Store } from "../../store/store.js";
import type { MailRefusals } from "./mail-refusals.js";
import type { LinkPurpose, ScheduleLinks } from "./schedule-links.js";

interface Consent {
	readonly channel: "email" | "slack";
	readonly target_masked: string;
	readonly status: "confirmed" | "unsubscribed";
}

/** What readers of mails may do with the links in them, without any credential. */
export interface ScheduleConsent {
	/** Once: throws NOT_FOUND, alike for links that were used, that have expired and that are none of ours. */
	confirm(token: string): Promise<Consent>;
	/** Once, as `confirm`. From then on nothing is mailed to this reader. */
	unsubscribe(token: string): Promise<Consent>;
	/** A page that asks whether to agree: mail programs open links, and only people send forms. */
	confirmPage(token: string): ServedDocument;
	/** The same for unsubscribing. */
	unsubscribePage(token: string): ServedDocument;
}

export function createScheduleConsent({
	store,
	links,
	refusals,
	clock,
}: {
	readonly store: Pick<Store, "transaction">;
	readonly refusals: MailRefusals;
	readonly links: ScheduleLinks;
	readonly clock: Pick<Clock, "now">;
}): ScheduleConsent {
	const use = async (
		token: string,
		purpose: LinkPurpose,
		change: Change,
	): Promise<ScheduleChannel> => {
		const link = links.open(token, purpose);
		// First: what a crash leaves is an address that is not asked, and a link that works again.
		if (link && purpose === "unsubscribe") await refusals.note(link);
		return store.transaction(async (tx) => {
			// The same look-up for every link, so that the time tells nothing.
			const row = await tx.get("schedules", link?.scheduleId ?? "");
			const channel = row?.channels.find(({ ref }) => ref === link?.ref);
			const changed = row && channel && change(row, channel);
			if (!changed) throw deadLink();
			await tx.put("schedules", changed);
			const isPaused = changed.status === "paused" && row.status !== "paused";
			if (isPaused) await recordPause(tx, changed, clock.now());
			return channel;
		});
	};
	return {
		async confirm(token) {
			const { kind: channel, masked } = await use(token, "confirm", (row, { ref, status }) =>
				status === "unconfirmed" ? withChannel(row, ref, "ready") : undefined,
			);
			return { channel, target_masked: masked, status: "confirmed" };
		},
		async unsubscribe(token) {
			const { kind: channel, masked } = await use(token, "unsubscribe", (row, { ref, status }) => {
				if (status === "unsubscribed") return undefined;
				const left = withChannel(row, ref, "unsubscribed");
				const isLast = left.channels.every((one) => one.status === "unsubscribed");
				return isLast ? { ...left, status: "paused", reason: "unsubscribed" } : left;
			});
			return { channel, target_masked: masked, status: "unsubscribed" };
		},
		confirmPage: (token) => toPage(token, CONFIRM),
		unsubscribePage: (token) => toPage(token, UNSUBSCRIBE),
	};
}

/** The row as it becomes; undefined when the link has nothing to do any more. */
type Change = (row: ScheduleRow, channel: ScheduleChannel) => ScheduleRow | undefined;

function withChannel(
	row: ScheduleRow,
	ref: string,
	status: ScheduleChannel["status"],
): ScheduleRow {
	const channels = row.channels.map((channel) => {
		if (channel.ref !== ref) return channel;
		const { confirmTries: _, ...rest } = channel;
		return { ...rest, status };
	});
	return { ...row, channels };
}

function deadLink(): ServiceError {
	return new ServiceError(
		"NOT_FOUND",
		"This link was used before, has expired, or is none of ours.",
	);
}

interface Question {
	readonly purpose: LinkPurpose;
	readonly title: string;
	readonly asks: string;
	readonly button: string;
}

const CONFIRM: Question = {
	purpose: "confirm",
	title: "Receive briefings",
	asks: "Receive these briefings by mail?",
	button: "Send them to me",
};
const UNSUBSCRIBE: Question = {
	purpose: "unsubscribe",
	title: "Stop briefings",
	asks: "Stop these briefings?",
	button: "Stop them",
};

/** Tokens are base64url, as the route's schema demands: nothing in one can end an attribute. */
function toPage(token: string, { purpose, title, asks, button }: Question): ServedDocument {
	const action = `/v1/research/schedules/${purpose}?token=${encodeURIComponent(token)}`;
	const body = [
		`<!doctype html><html lang="en"><head><meta charset="utf-8"><title>${title}</title></head><body>`,
		`<h1>${asks}</h1>`,
		`<form method="post" action="${action}"><button type="submit">${button}</button></form>`,
		"</body></html>",
		"",
	].join("\n");
	const hash = createHash("sha256").update(body).digest("hex");
	return { mediaType: "text/html; charset=utf-8", body, hash, isSecret: true };
}

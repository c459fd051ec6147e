import { createHash } from "node:crypto";
import { z } from "zod";
import type { ServedDocument } from "../../src/contract/contract.js";
import {
	type Clock,
	everyHashOf,
	invalidArgument,
	notFound,
	type Pepper,
	type SealedText,
} from "../../src/kernel/kernel.js";
import { recordPause } from "../../src/webhooks/webhooks.js";
import type { ScheduleChannel, ScheduleRow, Store } from "../../store/store.js";
import { SCHEDULE_LIMITS } from "./schedule-limits.js";
import type { ScheduleTexts } from "./schedule-text.js";
import type { ConsentWire } from "./schedule-wire.js";

/** What readers of mails may do with the links in them, without any credential. */
export type ScheduleConsent = ReturnType<typeof createScheduleConsent>;

export function createScheduleConsent(deps: {
	readonly store: Pick<Store, "transaction">;
	readonly refusals: MailRefusals;
	readonly links: ScheduleLinks;
	readonly clock: Pick<Clock, "now">;
}) {
	const { store, links, refusals, clock } = deps;
	const use = async (token: string, purpose: LinkPurpose, change: Change) => {
		const link = links.open(token, purpose);
		// First: what a crash leaves is an address that is not asked, and a link that works again.
		if (link && purpose === "unsubscribe") await refusals.note(link);
		return store.transaction(async (tx) => {
			// The same look-up for every link, so that the time reveals nothing.
			const row = await tx.get("schedules", link?.scheduleId ?? "");
			const channel = row?.channels.find(({ ref }) => ref === link?.ref);
			const changed = row && channel && change(row, channel);
			if (!changed) {
				throw notFound("This link was used before, has expired, or is none of ours.");
			}
			await tx.put("schedules", changed);
			const isPaused = changed.status === "paused" && row.status !== "paused";
			if (isPaused) await recordPause(tx, changed, clock.now());
			return channel;
		});
	};
	return {
		/** Once: throws NOT_FOUND, alike for links that were used, that have expired and that are none of ours. */
		async confirm(token: string): Promise<ConsentWire> {
			const { kind: channel, masked } = await use(token, "confirm", (row, { ref, status }) =>
				status === "unconfirmed" ? withChannel(row, ref, "ready") : undefined,
			);
			return { channel, target_masked: masked, status: "confirmed" };
		},
		/** Once, as `confirm`. From then on nothing is mailed to this reader. */
		async unsubscribe(token: string): Promise<ConsentWire> {
			const { kind: channel, masked } = await use(token, "unsubscribe", (row, { ref, status }) => {
				if (status === "unsubscribed") return undefined;
				const left = withChannel(row, ref, "unsubscribed");
				const isLast = left.channels.every((one) => one.status === "unsubscribed");
				return isLast ? { ...left, status: "paused", reason: "unsubscribed" } : left;
			});
			return { channel, target_masked: masked, status: "unsubscribed" };
		},
		/** A page that asks whether to agree: mail programs open links, and only people send forms. */
		confirmPage: (token: string) => toPage(token, "confirm"),
		/** The same for unsubscribing. */
		unsubscribePage: (token: string) => toPage(token, "unsubscribe"),
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

const QUESTIONS = {
	confirm: {
		title: "Receive briefings",
		asks: "Receive these briefings by mail?",
		button: "Send them to me",
	},
	unsubscribe: { title: "Stop briefings", asks: "Stop these briefings?", button: "Stop them" },
} as const;

/** Tokens are base64url, as the route's schema demands: nothing in one can end an attribute. */
function toPage(token: string, purpose: LinkPurpose): ServedDocument {
	const { title, asks, button } = QUESTIONS[purpose];
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

export type LinkPurpose = "confirm" | "unsubscribe";

/** What a link in a mail stands for. It names schedule and target to us alone: anyone who reads the mail may not own the schedule. */
export interface ScheduleLink {
	readonly scheduleId: string;
	/** Of the channel: a new target has new links. */
	readonly ref: string;
}

export type ScheduleLinks = ReturnType<typeof createScheduleLinks>;

const TTL_MS = {
	confirm: SCHEDULE_LIMITS.confirmTtlMs,
	unsubscribe: SCHEDULE_LIMITS.unsubscribeTtlMs,
} as const;

/** The terms of a link: purpose, schedule, ref and end. */
const stored = z.strictObject({
	p: z.enum(["confirm", "unsubscribe"]),
	...{ s: z.string(), r: z.string(), e: z.number() },
});

export function createScheduleLinks(deps: {
	readonly seal: SealedText;
	readonly clock: Clock;
	readonly baseUrl: () => string;
}) {
	const { seal, clock, baseUrl } = deps;
	return {
		urlOf(purpose: LinkPurpose, { scheduleId, ref }: ScheduleLink): string {
			const terms = { p: purpose, s: scheduleId, r: ref, e: clock.now() + TTL_MS[purpose] };
			const token = seal.seal(JSON.stringify(terms));
			return `${baseUrl()}/v1/research/schedules/${purpose}?token=${token}`;
		},
		/** Undefined for whatever we did not make, made for something else, or is too old. */
		open(token: string, purpose: LinkPurpose): ScheduleLink | undefined {
			const text = seal.open(token);
			const terms = text === undefined ? undefined : stored.safeParse(JSON.parse(text)).data;
			if (terms?.p !== purpose || terms.e <= clock.now()) return undefined;
			return { scheduleId: terms.s, ref: terms.r };
		},
	};
}

/** Who stopped mails of whom. An address is kept as a hash under a secret alone, and apart from any schedule. */
export type MailRefusals = ReturnType<typeof createMailRefusals>;

export function createMailRefusals(deps: {
	readonly store: Pick<Store, "read" | "documents">;
	readonly texts: Pick<ScheduleTexts, "get">;
	readonly pepper: Pepper;
	readonly clock: Pick<Clock, "now">;
}) {
	const { store, texts, pepper, clock } = deps;
	const documentsOf = (owner: string, email: string) =>
		everyHashOf(`mail refusal\n${owner}\n${email.toLowerCase()}`, pepper).map(
			(mac) => `refusal_${mac}`,
		);
	return {
		/** The reader of a link wants no more mails of the owner of its schedule; durable before it resolves. */
		async note({ scheduleId, ref }: ScheduleLink): Promise<void> {
			const row = await store.read((reader) => reader.get("schedules", scheduleId));
			const isMail = row?.channels.some((one) => one.ref === ref && one.kind === "email");
			const email = row && isMail ? (await texts.get(row))?.email : undefined;
			if (!row || email === undefined) return;
			const expiresAt = clock.now() + SCHEDULE_LIMITS.unsubscribeTtlMs;
			const [document = ""] = documentsOf(row.owner, email);
			await store.documents.put(document, "1", expiresAt);
		},
		/** Throws INVALID_ARGUMENT for an address whose reader stopped mails of this owner. */
		async assertMayAsk(owner: string, email: string): Promise<void> {
			for (const document of documentsOf(owner, email)) {
				if ((await store.documents.get(document)) === undefined) continue;
				throw invalidArgument(
					'The reader of this address has stopped briefings of yours: send another "email", or none.',
				);
			}
		},
	};
}

import { z } from "zod";
import {
	type Clock,
	everyHashOf,
	formatUsd,
	invalidArgument,
	notFound,
	type Pepper,
	type SealedText,
	toIsoDay,
	toIsoTime,
} from "../../src/kernel/kernel.js";
import { recordPause } from "../../src/webhooks/webhooks.js";
import type { ScheduleChannel, ScheduleRow, Store } from "../../store/store.js";
import { SCHEDULE_LIMITS } from "./schedule-limits.js";
import { describeTiming } from "./schedule-slots.js";
import { readTopic, type ScheduleTexts } from "./schedule-text.js";
import type { ConsentWire } from "./schedule-wire.js";

/** What readers of mails may do with the links in them, without any credential. */
export type ScheduleConsent = ReturnType<typeof createScheduleConsent>;

export function createScheduleConsent(deps: {
	readonly store: Pick<Store, "read" | "transaction" | "documents">;
	readonly refusals: MailRefusals;
	readonly links: ScheduleLinks;
	readonly clock: Pick<Clock, "now">;
	/** Public base address. */
	readonly baseUrl: () => string;
}) {
	const { store, links, refusals, clock, baseUrl } = deps;
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
		/** What a link is about, which using it changes nothing: mail programs open links. Undefined for one that has ended. */
		async look(token: string, purpose: LinkPurpose): Promise<ConsentView | undefined> {
			const link = links.open(token, purpose);
			const row = await store.read((reader) => reader.get("schedules", link?.scheduleId ?? ""));
			const channel = row?.channels.find(({ ref }) => ref === link?.ref);
			if (!link || !row || !channel || row.status === "cancelled") return undefined;
			return {
				...describeTiming(row),
				service: serviceName(baseUrl()),
				topic: await readTopic(store.documents, row),
				masked: channel.masked,
				status: channel.status,
				weekUsd: formatUsd(row.weekMicros),
				askedOn: toIsoDay(row.createdAt),
				linkEndsAt: toIsoTime(link.expiresAt),
				stopUrl: links.urlOf("unsubscribe", link),
			};
		},
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

/** What the reader of a mail is asked about. */
export interface ConsentView {
	/** Name and host. */
	readonly service: string;
	/** Empty once it is gone. */
	readonly topic: string;
	/** Days and hour, as "Mondays, 08:00 Europe/Berlin". */
	readonly when: string;
	/** As "every Monday". */
	readonly every: string;
	readonly masked: string;
	readonly status: ScheduleChannel["status"];
	readonly weekUsd: string;
	/** `YYYY-MM-DD`. */
	readonly askedOn: string;
	/** ISO 8601. */
	readonly linkEndsAt: string;
	/** Link that declines, or ends it. */
	readonly stopUrl: string;
}

/** How mails and pages name this service. */
export const serviceName = (baseUrl: string): string =>
	`tollgraph at ${URL.canParse(baseUrl) ? new URL(baseUrl).host : "this server"}`;

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
		open(
			token: string,
			purpose: LinkPurpose,
		): (ScheduleLink & { readonly expiresAt: number }) | undefined {
			const text = seal.open(token);
			const terms = text === undefined ? undefined : stored.safeParse(JSON.parse(text)).data;
			if (terms?.p !== purpose || terms.e <= clock.now()) return undefined;
			return { scheduleId: terms.s, ref: terms.r, expiresAt: terms.e };
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

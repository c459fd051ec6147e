import { createHmac } from "node:crypto";
import { type Clock, ServiceError } from "../../src/kernel/kernel.js";
import type { Store } from "../../store/store.js";
import { SCHEDULE_LIMITS } from "./schedule-limits.js";
import type { ScheduleLink } from "./schedule-links.js";
import type { ScheduleTexts } from "./schedule-text.js";

/** Who stopped mails of whom. An address is kept as a hash under a secret alone, and apart from any schedule. */
export interface MailRefusals {
	/** The reader of a link wants no more mails of the owner of its schedule; durable before it resolves. */
	note(link: ScheduleLink): Promise<void>;
	/** Throws INVALID_ARGUMENT for an address whose reader stopped mails of this owner. */
	assertMayAsk(owner: string, email: string): Promise<void>;
}

export function createMailRefusals({
	store,
	texts,
	pepper,
	clock,
}: {
	readonly store: Pick<Store, "read" | "documents">;
	readonly texts: Pick<ScheduleTexts, "get">;
	readonly pepper: Uint8Array;
	readonly clock: Pick<Clock, "now">;
}): MailRefusals {
	const documentOf = (owner: string, email: string) => {
		const address = email.toLowerCase();
		const mac = createHmac("sha256", pepper).update(`mail refusal\n${owner}\n${address}`);
		return `refusal_${mac.digest("hex")}`;
	};
	return {
		async note({ scheduleId, ref }) {
			const row = await store.read((reader) => reader.get("schedules", scheduleId));
			const isMail = row?.channels.some((one) => one.ref === ref && one.kind === "email");
			const email = row && isMail ? (await texts.get(row))?.email : undefined;
			if (!row || email === undefined) return;
			const expiresAt = clock.now() + SCHEDULE_LIMITS.unsubscribeTtlMs;
			await store.documents.put(documentOf(row.owner, email), "1", expiresAt);
		},
		async assertMayAsk(owner, email) {
			if ((await store.documents.get(documentOf(owner, email))) === undefined) return;
			throw new ServiceError(
				"INVALID_ARGUMENT",
				'The reader of this address has stopped briefings of yours: send another "email", or none.',
			);
		},
	};
}

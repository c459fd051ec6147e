import { z } from "zod";
import type { DocumentStore, WebhookRow } from "../../store/store.js";
import type { Clock, Random, SealedText } from "../kernel/kernel.js";
import { WEBHOOK_LIMITS } from "./webhook-limits.js";

/** What of a webhook is secret: where it is, and what signs. */
export interface WebhookText {
	readonly url: string;
	readonly secret: string;
	/** The secret before the last rotation, which signs too until then. */
	readonly previous?: { readonly secret: string; readonly until: number } | undefined;
	readonly description?: string | undefined;
}

export interface WebhookTexts {
	/** Durable before it resolves to when the text will be gone. */
	put(documentId: string, text: WebhookText): Promise<number>;
	/** Undefined once it is gone. */
	get(row: Pick<WebhookRow, "documentId">): Promise<WebhookText | undefined>;
	/** Durable before it resolves. */
	forget(documentId: string): Promise<void>;
}

const stored = z.object({
	url: z.string(),
	secret: z.string(),
	previous: z.object({ secret: z.string(), until: z.number() }).optional(),
	description: z.string().optional(),
});

/** Sealed as a whole: no file tells an address, a secret or what they are for. */
export function createWebhookTexts({
	documents,
	seal,
	clock,
}: {
	readonly documents: DocumentStore;
	readonly seal: SealedText;
	readonly clock: Clock;
}): WebhookTexts {
	return {
		async put(documentId, text) {
			const expiresAt = clock.now() + WEBHOOK_LIMITS.keptMs;
			await documents.put(documentId, seal.seal(JSON.stringify(text)), expiresAt);
			return expiresAt;
		},
		async get({ documentId }) {
			const text = seal.open((await documents.get(documentId)) ?? "");
			return text === undefined ? undefined : stored.parse(JSON.parse(text));
		},
		forget: (documentId) => documents.delete(documentId),
	};
}

/** A new secret as Standard Webhooks write them. */
export function newSecret(random: Random): string {
	return `whsec_${Buffer.from(random.bytes(WEBHOOK_LIMITS.secretBytes)).toString("base64")}`;
}

/** The secrets that sign now, the newest first. */
export function signingSecrets({ secret, previous }: WebhookText, now: number): readonly string[] {
	return previous && now < previous.until ? [secret, previous.secret] : [secret];
}

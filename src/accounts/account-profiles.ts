import type { DocumentStore, InvoiceParty } from "../../store/store.js";
import { createTurnQueue } from "../kernel/kernel.js";

/** What an account's owner wrote of it: kept apart from the ledger, as a document that can vanish. */
export interface AccountProfile {
	readonly label: string;
	readonly contact: string;
	/** Whom invoices are for; absent where its owner did not say. */
	readonly billing?: InvoiceParty | undefined;
	/** Labels of keys and connection tokens, by id. */
	readonly labels: Readonly<Record<string, string>>;
}

export type AccountProfiles = ReturnType<typeof createAccountProfiles>;

/** As late as a document can expire: a profile ends with its account. */
const NEVER = Date.UTC(9999, 0);
const EMPTY: AccountProfile = { label: "", contact: "", labels: {} };

export function createAccountProfiles(documents: DocumentStore) {
	const turns = createTurnQueue();
	const read = async (id: string): Promise<AccountProfile> => {
		const text = await documents.get(documentId(id));
		return text === undefined ? EMPTY : { ...EMPTY, ...(JSON.parse(text) as AccountProfile) };
	};
	const inTurn = async (id: string, work: () => Promise<void>): Promise<void> => {
		const leave = await turns.enter(id);
		try {
			await work();
		} finally {
			leave();
		}
	};
	return {
		/** Empty for accounts that wrote nothing. */
		get: read,
		/** Durable before it resolves; changes of one account happen one after the other. */
		change: (
			id: string,
			change: (profile: AccountProfile) => AccountProfile | Promise<AccountProfile>,
		) =>
			inTurn(id, async () => {
				const profile = await change(await read(id));
				await documents.put(documentId(id), JSON.stringify(profile), NEVER);
			}),
		/** Its bytes are off the disk before this resolves. */
		erase: (id: string) => inTurn(id, () => documents.delete(documentId(id))),
	};
}

function documentId(accountId: string): string {
	return `profile-${accountId}`;
}

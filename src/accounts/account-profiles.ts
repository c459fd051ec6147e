import type { DocumentStore } from "../../store/store.js";

/** What an account's owner wrote of it: kept apart from the ledger, as a document that can vanish. */
export interface AccountProfile {
	readonly label: string;
	readonly contact: string;
	/** Labels of keys and connection tokens, by id. */
	readonly labels: Readonly<Record<string, string>>;
}

export interface AccountProfiles {
	/** Empty for accounts that wrote nothing. */
	get(accountId: string): Promise<AccountProfile>;
	/** Durable before it resolves; changes of one account happen one after the other. */
	change(
		accountId: string,
		change: (profile: AccountProfile) => AccountProfile | Promise<AccountProfile>,
	): Promise<void>;
	/** Its bytes are off the disk before this resolves. */
	erase(accountId: string): Promise<void>;
}

/** As late as a document can expire: a profile ends with its account. */
const NEVER = Date.UTC(9999, 0);
const EMPTY: AccountProfile = { label: "", contact: "", labels: {} };

export function createAccountProfiles(documents: DocumentStore): AccountProfiles {
	const turns = new Map<string, Promise<void>>();
	const read = async (id: string): Promise<AccountProfile> => {
		const text = await documents.get(documentId(id));
		return text === undefined ? EMPTY : { ...EMPTY, ...(JSON.parse(text) as AccountProfile) };
	};
	const inTurn = (id: string, work: () => Promise<void>): Promise<void> => {
		const done = (turns.get(id) ?? Promise.resolve()).catch(() => undefined).then(work);
		turns.set(id, done);
		const forget = () => {
			if (turns.get(id) === done) turns.delete(id);
		};
		done.then(forget, forget);
		return done;
	};
	return {
		get: read,
		change: (id, change) =>
			inTurn(id, async () => {
				const profile = await change(await read(id));
				await documents.put(documentId(id), JSON.stringify(profile), NEVER);
			}),
		erase: (id) => inTurn(id, () => documents.delete(documentId(id))),
	};
}

function documentId(accountId: string): string {
	return `profile-${accountId}`;
}

import { keyIdOf, openBytes, type Random, sealBytes, unavailable } from "../src/kernel/kernel.js";
import type { DocumentStore, QueryLog, QueryLogRow, Store } from "./store-port.js";

/** `tollgraph-sealed.1.<id of the key>.<nonce, tag and ciphertext in base64url>` */
const SEALED = /^tollgraph-sealed\.1\.([0-9a-f]{8})\.([\w-]+)$/;

export interface TextKeys {
	/** The first seals; all of them open. */
	readonly keys: () => readonly [Uint8Array, ...Uint8Array[]];
	readonly random: Random;
	/** Called with how many rows of the query log could not be read, once for each time it is read. */
	readonly onUnreadable: (rows: number) => void;
}

/**
 * The same store with its texts encrypted at rest (AES-256-GCM), each bound to its place, so that no one can put one in the
 * place of another. Texts from before are read as they are, and sealed when they are written again (docs/adr/0067).
 */
export function sealTexts<S extends Store>(store: S, deps: TextKeys): S {
	return {
		...store,
		documents: sealDocuments(store.documents, deps),
		queryLog: sealQueries(store.queryLog, deps),
	};
}

function sealDocuments(documents: DocumentStore, deps: TextKeys): DocumentStore {
	return {
		put: (id, text, ...rest) => documents.put(id, seal(text, placeOf(id), deps), ...rest),
		/** Throws UNAVAILABLE for one that is not what was written there. */
		async get(id) {
			const stored = await documents.get(id);
			if (stored === undefined) return undefined;
			const opened = openDocument(stored, id, deps);
			if (opened !== undefined) return opened;
			throw unavailable(
				`The text "${id}" is not what was written there, or its key is gone: put it and the folder "keys" back from a backup of the data folder.`,
				{ retryable: false },
			);
		},
		delete: (...named) => documents.delete(...named),
		sweep: (now) => documents.sweep(now),
	};
}

const placeOf = (id: string) => `document ${id}`;

/** The text of a document as it lies in the store; undefined for one that is not what was written there. */
export function openDocument(stored: string, id: string, deps: Pick<TextKeys, "keys">) {
	return open(stored, placeOf(id), deps);
}

/** What was asked, as it lies in a row of the query log; undefined for what is not what was written there. */
export function openQuery(row: QueryLogRow, deps: Pick<TextKeys, "keys">): string | undefined {
	return row.query === undefined ? undefined : open(row.query, rowPlace(row), deps);
}

/** Of a row only what was asked is text of a caller; the rest stays as it is, to be found and erased by its owner. */
function sealQueries(log: QueryLog, deps: TextKeys): QueryLog {
	const openAll = async function* (rows: AsyncIterable<QueryLogRow>) {
		let unreadable = 0;
		try {
			for await (const row of rows) {
				const query = openQuery(row, deps);
				if (row.query !== undefined && query === undefined) unreadable += 1;
				yield { ...row, query };
			}
		} finally {
			if (unreadable > 0) deps.onUnreadable(unreadable);
		}
	};
	return {
		...log,
		append(row) {
			const query = row.query === undefined ? undefined : seal(row.query, rowPlace(row), deps);
			log.append({ ...row, query });
		},
		read: (owner) => openAll(log.read(owner)),
		readDays: (span) => openAll(log.readDays(span)),
	};
}

/** All else that the row says, so that none of it can be changed. */
function rowPlace({ query: _, ...row }: QueryLogRow): string {
	return `query ${JSON.stringify(row)}`;
}

function seal(text: string, place: string, { keys, random }: TextKeys): string {
	const [key] = keys();
	const bytes = sealBytes(text, { key, random, place });
	return `tollgraph-sealed.1.${keyIdOf(key)}.${bytes.toString("base64url")}`;
}

/** Undefined for what is sealed and cannot be opened. */
function open(stored: string, place: string, { keys }: Pick<TextKeys, "keys">): string | undefined {
	const [, id, sealed = ""] = SEALED.exec(stored) ?? [];
	if (id === undefined) return stored;
	const bytes = Buffer.from(sealed, "base64url");
	for (const key of keys()) {
		const text = keyIdOf(key) === id ? openBytes(bytes, { key, place }) : undefined;
		if (text !== undefined) return text;
	}
	return undefined;
}

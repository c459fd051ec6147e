import { z } from "zod";
import { isUsable } from "../../payments/plan/plan.js";
import type { Store, StoreReader, StoreTransaction } from "../../store/store.js";
import {
	type Clock,
	createTurnQueue,
	invalidArgument,
	newestMark,
	ServiceError,
	toIsoTime,
	unavailable,
} from "../kernel/kernel.js";
import type { KeyChecks } from "./key-checks.js";
import { toState } from "./key-checks.js";
import type { KeyFolder } from "./key-folder.js";
import type { RingName } from "./key-ring.js";
import { renameOAuthRecords } from "./oauth-records.js";

/** What operators call the keys, and the file of each. */
const FILES = {
	pepper: "pepper",
	card: "card-signing.jwk.json",
	receipts: "receipt-signing.jwk.json",
	"access-tokens": "oauth-signing.jwk.json",
	texts: "text-key",
} as const satisfies Record<string, RingName>;
type SecretName = keyof typeof FILES;
export const SECRET_NAMES = Object.keys(FILES) as SecretName[];

const named = { name: z.enum(SECRET_NAMES) };
export const secretCommands = {
	rotate: z.strictObject(named),
	retire: z.strictObject({
		...named,
		/** Without it nothing happens, and the refusal says what would be lost. */
		confirm: z.boolean().optional(),
	}),
};

export type KeyRotation = ReturnType<typeof createKeyRotation>;

/**
 * Puts a new key before those in force, which stay so until they are retired. The file comes first and the journal after it:
 * what a crash leaves between them is completed by the next start (docs/adr/0066).
 */
export function createKeyRotation({
	store,
	clock,
	keys,
	checks,
}: {
	readonly store: Store;
	readonly clock: Clock;
	readonly keys: Pick<KeyFolder, "rings" | "pepper">;
	readonly checks: Pick<KeyChecks, "settle">;
}) {
	const turns = createTurnQueue();
	let copies = 0;
	const change = async <T>(work: () => Promise<T>): Promise<T> => {
		const leave = await turns.enter("keys");
		try {
			if (copies === 0) return await work();
			throw unavailable(
				"A backup is being made, and copies the keys: run this again once it is done.",
			);
		} finally {
			leave();
		}
	};
	const get = async (name: SecretName) => {
		const row = await store.read((reader) => reader.get("key_checks", FILES[name]));
		const { inForce, retired } = row ? toState(row) : { inForce: [], retired: [] };
		return {
			name,
			in_force: inForce.length,
			retired: retired.length,
			rotated_at: row?.rotatedAt === undefined ? null : toIsoTime(row.rotatedAt),
			/** What retiring the older ones ends; only of the pepper. */
			older:
				name === "pepper"
					? await store.read((reader) => countOlder(reader, keys, clock.now()))
					: null,
		};
	};
	return {
		/** Of each kind of key how many there are; never a key. */
		async listSecrets() {
			const items = [];
			for (const name of SECRET_NAMES) items.push(await get(name));
			return { items };
		},
		getSecret: ({ name }: z.output<typeof secretCommands.rotate>) => get(name),
		/** Throws INVALID_ARGUMENT for keys that a command prints, UNAVAILABLE while a backup is made. */
		rotateSecret: ({ name }: z.output<typeof secretCommands.rotate>) =>
			change(async () => {
				const ring = keys.rings[FILES[name]];
				if (ring.isGiven) {
					throw invalidArgument(
						"These keys come from text_key_command: have it print the new one first and the others after it, then start the server again.",
					);
				}
				ring.add();
				await checks.settle(keys);
				if (name === "pepper") await renameOAuthRecords({ store, pepper: keys.pepper });
				return get(name);
			}),
		/** Throws CONFLICT, which says what would be lost, unless it is confirmed. */
		retireSecret: ({ name, confirm = false }: z.output<typeof secretCommands.retire>) =>
			change(async () => {
				if (name === "pepper") await renameOAuthRecords({ store, pepper: keys.pepper });
				if (!confirm) await store.read((reader) => refuseLoss(reader, { name, keys, clock }));
				const older = await store.transaction((tx) => retire(tx, name));
				const row = await store.read((reader) => reader.get("key_checks", FILES[name]));
				if (row) keys.rings[FILES[name]].use(toState(row));
				// What was sealed under a pepper for us to read is still read with it.
				if (name !== "pepper") keys.rings[FILES[name]].remove(older);
				return get(name);
			}),
		/** While keys are copied none changes: a backup's journal must know the keys beside it. */
		async whileNoneChanges<T>(work: () => Promise<T>): Promise<T> {
			copies += 1;
			try {
				(await turns.enter("keys"))();
				return await work();
			} finally {
				copies -= 1;
			}
		},
	};
}

/** Throws INVALID_ARGUMENT where no older key of that name can end. */
async function readRetirable(reader: StoreReader, name: SecretName) {
	const row = await reader.get("key_checks", FILES[name]);
	const { older = [], ...rest } = row ?? { id: FILES[name], check: "" };
	if (older.length === 0) {
		throw invalidArgument(
			`There is no older key of "${name}": rotate it first (tollgraph secrets rotate ${name}).`,
		);
	}
	if (name === "texts") {
		throw invalidArgument(
			"Texts that were written under an older key are not written again, so that key stays until they expire: the query log for a year, all else sooner.",
		);
	}
	return { older, rest };
}

/** Returns the values of the keys that end. */
async function retire(tx: StoreTransaction, name: SecretName): Promise<readonly string[]> {
	const { older, rest } = await readRetirable(tx, name);
	const { retired = [], ...newest } = rest;
	const kept = name === "pepper" ? [...older, ...retired] : [];
	await tx.put("key_checks", { ...newest, ...(kept.length > 0 && { retired: kept }) });
	return older;
}

/** Throws CONFLICT, which says what would be lost. It reads all credentials, so no transaction that locks what it reads does it. */
async function refuseLoss(
	reader: StoreReader,
	{
		name,
		keys,
		clock,
	}: {
		readonly name: SecretName;
		readonly keys: Pick<KeyFolder, "pepper">;
		readonly clock: Clock;
	},
): Promise<never> {
	await readRetirable(reader, name);
	const lost =
		name === "pepper"
			? describeOlder(await countOlder(reader, keys, clock.now()))
			: LOSSES[name as keyof typeof LOSSES];
	throw new ServiceError("CONFLICT", `${lost} Nothing was done; confirm it if that is meant.`);
}

const LOSSES: Readonly<Record<Exclude<SecretName, "pepper" | "texts">, string>> = {
	card: "Agent cards that callers fetched before the rotation can no longer be checked against the key set.",
	receipts:
		"Receipts that were signed before the rotation can no longer be checked; read again, they are signed anew.",
	"access-tokens":
		"Access tokens that were issued before the rotation open nothing any more; clients refresh them.",
};

type Older = Readonly<Record<keyof typeof WORDS, number>>;

/** One, and several, of what would be unknown. */
const WORDS = {
	tokens: ["Shared Payment Token", "Shared Payment Tokens"],
	keys: ["API key", "API keys"],
	connections: ["connection token", "connection tokens"],
	operators: ["operator's key", "operators' keys"],
	accounts: ["account of an identity provider", "accounts of an identity provider"],
	applications: ["refresh token of an application", "refresh tokens of applications"],
} as const;

/** What only an older pepper knows, because no one has shown it since the rotation; what has ended does not count. */
async function countOlder(
	reader: StoreReader,
	{ pepper }: Pick<KeyFolder, "pepper">,
	now: number,
): Promise<Older> {
	const mark = newestMark(pepper);
	const isOlder = (hash: string | undefined) =>
		mark !== undefined && hash !== undefined && !hash.startsWith(mark);
	const count = <Row>(rows: readonly Row[], isCounted: (row: Row) => boolean) =>
		rows.filter(isCounted).length;
	return {
		tokens: count(
			await reader.list("tokens"),
			(row) =>
				row.status !== "revoked" &&
				!(row.expiresAt !== undefined && row.expiresAt <= now) &&
				isOlder(row.hash),
		),
		keys: count(
			await reader.list("keys"),
			(row) =>
				isUsable(row, now) &&
				(isOlder(row.hash) || (now < (row.previousUntil ?? 0) && isOlder(row.previousHash))),
		),
		connections: count(
			await reader.list("connections"),
			(row) => isUsable(row, now) && isOlder(row.hash),
		),
		operators: count(
			await reader.list("operators"),
			(row) => row.revokedAt === undefined && isOlder(row.hash),
		),
		accounts: count(
			await reader.list("accounts"),
			(row) => row.closedAt === undefined && isOlder(row.subjectHash),
		),
		applications: count(
			await reader.list("oauth_records"),
			(row) =>
				row.kind === "refresh_token" &&
				row.expiresAt > now &&
				isOlder(row.id.replace(/^oauth-/, "")),
		),
	};
}

function describeOlder(older: Older): string {
	const parts = Object.entries(WORDS).flatMap(([kind, [one, several]]) => {
		const count = older[kind as keyof Older];
		return count === 0 ? [] : [`${count} ${count === 1 ? one : several}`];
	});
	if (parts.length === 0)
		return "Every credential in force was shown since the rotation; none is lost.";
	return `No one has shown these since the rotation, and they open nothing any more: ${parts.join(", ")}.`;
}

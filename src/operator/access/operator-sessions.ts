import { createHmac } from "node:crypto";
import type {
	OperatorSessionRow,
	Store,
	StoreReader,
	StoreTransaction,
} from "../../../store/store.js";
import {
	type Clock,
	createSecret,
	hashesOf,
	hashSecret,
	isSameSecret,
	isWellFormedSecret,
	type Pepper,
	type Random,
} from "../../kernel/kernel.js";
import { type Actor, ADMIN_TOKEN, type AuditLog, UNKNOWN } from "./audit-log.js";
import type { OperatorKeys } from "./operator-keys.js";

/** How long a session lasts without a request, and at most. */
const SESSION_LIMITS = {
	idleMs: 30 * 60_000,
	longestMs: 12 * 3_600_000,
	/** How exactly the latest request is noted. */
	seenMs: 60_000,
	/** Of one operator; beyond them the one that was idle for longest ends. */
	openMax: 20,
	/** Sign-ins that failed, of all addresses: the audit log grows by no more than so many lines an hour. */
	failuresLogged: 10,
} as const;

const SECRET_PREFIX = "ops_";
/** Sessions may be lost with the last moment before a crash: their operators sign in again. */
const DEFERRED = { durability: "deferred" } as const;

/** What a browser shows with each request. */
export interface OperatorSession {
	readonly actor: Actor;
	/** What its pages send beside the cookie; no other page can know it. */
	readonly csrf: string;
	/** Epoch milliseconds at which it ends whatever happens. */
	readonly until: number;
}

export interface OpenedSession extends OperatorSession {
	readonly secret: string;
}

export type OperatorSessions = ReturnType<typeof createOperatorSessions>;

interface SessionDeps {
	readonly store: Store;
	readonly clock: Clock;
	readonly random: Random;
	readonly pepper: Pepper;
	readonly adminToken: string;
	readonly keys: Pick<OperatorKeys, "find" | "get">;
	readonly audit: Pick<AuditLog, "record">;
}

/** Where a request comes from. */
interface Place {
	readonly isNear: boolean;
}

type Holder = Actor & { readonly id?: string };

/**
 * Operators who are signed in to the dashboard. Rows are shared by all processes and name their secrets by keyed hash; whose
 * session it is, and with which role, is looked up at each request.
 */
export function createOperatorSessions(deps: SessionDeps) {
	const { store, clock, random, pepper, adminToken, keys } = deps;
	const { look, isAlive } = createSessionLook(deps);
	const log = createSessionLog(deps);
	const holderOf = async (credential: string, isNear: boolean): Promise<Holder | undefined> =>
		isNear && isSameSecret(credential, adminToken) ? ADMIN_TOKEN : keys.find(credential);
	return {
		knows: async (credential: string, { isNear }: Place) =>
			(await holderOf(credential, isNear)) !== undefined,
		/**
		 * Opens a session with a new secret, whatever the browser showed before; that one ends. Undefined for a credential that
		 * is not known here; the admin token is known on its own machine alone.
		 */
		async begin(
			credential: string,
			{ isNear, earlier }: Place & { readonly earlier?: string | undefined },
		): Promise<OpenedSession | undefined> {
			const actor = await holderOf(credential, isNear);
			if (!actor) return undefined;
			const secret = createSecret(SECRET_PREFIX, random);
			const now = clock.now();
			const row: OperatorSessionRow = {
				id: hashSecret(secret, pepper),
				...(actor.id === undefined
					? { adminHash: hashSecret(adminToken, pepper) }
					: { operatorId: actor.id }),
				createdAt: now,
				seenAt: now,
				expiresAt: now + SESSION_LIMITS.longestMs,
			};
			await store.transaction(async (tx) => {
				const before = earlier === undefined ? undefined : await findRow(tx, earlier, pepper);
				if (before) await tx.delete("operator_sessions", before.id);
				await dropSome(tx, row, isAlive);
				await tx.put("operator_sessions", row);
				await log.add(tx, actor, { command: "signIn" });
			});
			return { secret, actor, csrf: csrfOf(secret), until: row.expiresAt };
		},
		noteFailure: log.noteFailure,
		/** Undefined for one that has ended, whose operator was revoked, or that the admin token opened on another machine. */
		async find(secret: string, place: Place): Promise<OperatorSession | undefined> {
			const found = await look(secret, place);
			if (!found) return undefined;
			const { row, actor } = found;
			if (clock.now() - row.seenAt >= SESSION_LIMITS.seenMs) {
				await store.transaction(async (tx) => {
					// It may have been ended meanwhile, and stays ended.
					const current = await tx.get("operator_sessions", row.id);
					if (current) await tx.put("operator_sessions", { ...current, seenAt: clock.now() });
				}, DEFERRED);
			}
			return { actor, csrf: csrfOf(secret), until: row.expiresAt };
		},
		/** Ends it at once, in every process. */
		async end(secret: string, place: Place): Promise<void> {
			const found = await look(secret, place);
			if (!found) return;
			await store.transaction(async (tx) => {
				if (!(await tx.get("operator_sessions", found.row.id))) return;
				await tx.delete("operator_sessions", found.row.id);
				await log.add(tx, found.actor, { command: "signOut" });
			});
		},
	};
}

/** Whose session it is, as of now. */
function createSessionLook({ store, clock, pepper, adminToken, keys }: SessionDeps) {
	const isAlive = ({ seenAt, expiresAt }: OperatorSessionRow) => {
		const now = clock.now();
		return now < expiresAt && now < seenAt + SESSION_LIMITS.idleMs;
	};
	const actorOf = async (row: OperatorSessionRow, isNear: boolean): Promise<Actor | undefined> => {
		if (row.operatorId === undefined) {
			const isCurrent = hashesOf(adminToken, pepper).includes(row.adminHash ?? "");
			return isNear && isCurrent ? ADMIN_TOKEN : undefined;
		}
		const operator = await keys.get(row.operatorId);
		return operator.status === "active" ? { name: operator.name, role: operator.role } : undefined;
	};
	const look = async (secret: string, { isNear }: Place) => {
		const row = await store.read((reader) => findRow(reader, secret, pepper));
		if (!row || !isAlive(row)) return undefined;
		const actor = await actorOf(row, isNear);
		return actor && { row, actor: { ...actor, via: "dashboard" as const } };
	};
	return { look, isAlive };
}

function createSessionLog({ store, clock, audit }: SessionDeps) {
	const add = (
		tx: StoreTransaction,
		actor: Actor,
		{ command, code }: { readonly command: string; readonly code?: string },
	) =>
		audit.record(
			tx,
			{ actor: { ...actor, via: "dashboard" }, command, target: "dashboard" },
			code === undefined ? { outcome: "done" } : { outcome: "failed", code },
		);
	let failures = { hour: 0, count: 0 };
	return {
		add,
		/** Notes that someone tried with what is no credential; a few times an hour, so that no one fills the log. */
		async noteFailure(): Promise<void> {
			const hour = Math.floor(clock.now() / 3_600_000);
			failures = { hour, count: failures.hour === hour ? failures.count + 1 : 1 };
			if (failures.count > SESSION_LIMITS.failuresLogged) return;
			const failed = { command: "signIn", code: "UNAUTHENTICATED" };
			await store.transaction((tx) => add(tx, UNKNOWN, failed));
		},
	};
}

/** Under whichever pepper names it. */
async function findRow(
	reader: StoreReader,
	secret: string,
	pepper: Pepper,
): Promise<OperatorSessionRow | undefined> {
	if (!isWellFormedSecret(secret, SECRET_PREFIX)) return undefined;
	for (const id of hashesOf(secret, pepper)) {
		const row = await reader.get("operator_sessions", id);
		if (row) return row;
	}
	return undefined;
}

/** Those that have ended, and of the operator's own the one that was idle for longest where there are too many. */
async function dropSome(
	tx: StoreTransaction,
	{ operatorId }: OperatorSessionRow,
	isAlive: (row: OperatorSessionRow) => boolean,
): Promise<void> {
	const rows = await tx.list("operator_sessions");
	const own = rows
		.filter((row) => isAlive(row) && row.operatorId === operatorId)
		.sort((one, other) => other.seenAt - one.seenAt)
		.slice(SESSION_LIMITS.openMax - 1);
	for (const row of [...rows.filter((one) => !isAlive(one)), ...own])
		await tx.delete("operator_sessions", row.id);
}

const csrfOf = (secret: string): string =>
	createHmac("sha256", secret).update("tollgraph dashboard v1").digest("base64url");

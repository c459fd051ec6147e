import { z } from "zod";
import {
	findAndRename,
	findByAny,
	type OperatorRole,
	type OperatorRow,
	type Store,
	type StoreReader,
} from "../../../store/store.js";
import {
	type Clock,
	createSecret,
	hashesOf,
	hashSecret,
	type Ids,
	invalidArgument,
	isWellFormedSecret,
	notFound,
	type Pepper,
	type Random,
	toIsoTime,
} from "../../kernel/kernel.js";
import { type Actor, ADMIN_TOKEN, COMMAND_LINE, UNKNOWN } from "./audit-log.js";

/** From the one who may least to the one who may everything. */
export const OPERATOR_ROLES = ["reader", "editor", "owner"] as const satisfies OperatorRole[];

/** What an operator's key begins with; no customer's credential does. */
export const OPERATOR_KEY_PREFIX = "opk_";
const OPERATORS_MAX = 200;

export const keyCommands = {
	add: z.strictObject({
		/** As the audit log names it; unique among those in force. */
		name: z
			.string()
			.regex(/^[\p{L}\p{N}][\p{L}\p{N} ._@-]{0,79}$/u, "must be a name of 1 to 80 letters"),
		role: z.enum(OPERATOR_ROLES),
	}),
	revoke: z.strictObject({ id: z.string().min(1).max(80) }),
};

/** Names in the log that no key may take. */
const RESERVED: readonly string[] = [ADMIN_TOKEN.name, COMMAND_LINE.name, UNKNOWN.name];

export function mayRun(role: OperatorRole, least: OperatorRole): boolean {
	return OPERATOR_ROLES.indexOf(role) >= OPERATOR_ROLES.indexOf(least);
}

export type OperatorKeys = ReturnType<typeof createOperatorKeys>;

/** Credentials for the admin API, stored as keyed hashes only; what customers pay with opens none of it. */
export function createOperatorKeys({
	store,
	clock,
	ids,
	random,
	pepper,
}: {
	readonly store: Store;
	readonly clock: Clock;
	readonly ids: Ids;
	readonly random: Random;
	readonly pepper: Pepper;
}) {
	return {
		/** The key is shown here and never again. Throws INVALID_ARGUMENT for a name that is taken. */
		async add({ name, role }: z.output<typeof keyCommands.add>) {
			const key = createSecret(OPERATOR_KEY_PREFIX, random);
			const row: OperatorRow = {
				id: ids.next("opr"),
				name,
				role,
				hash: hashSecret(key, pepper),
				createdAt: clock.now(),
			};
			// Against scripts that run away, not to the last one: two at once may pass it.
			const inForce = (await store.read((reader) => reader.list("operators"))).filter(isInForce);
			await store.transaction(async (tx) => {
				const namesakes = await tx.findBy("operators", "name", name);
				if (RESERVED.includes(name) || namesakes.some(isInForce)) {
					throw invalidArgument(`"${name}" is taken; the audit log tells operators apart by name.`);
				}
				if (inForce.length >= OPERATORS_MAX) {
					throw invalidArgument(`There are ${OPERATORS_MAX} operators already; revoke one first.`);
				}
				await tx.put("operators", row);
			});
			return { ...toWire(row), key };
		},
		/** Revoked ones too, oldest first. */
		list: async () => ({
			items: (await store.read((reader) => reader.list("operators"))).map(toWire),
		}),
		get: (id: string) =>
			store.read(async (reader) => {
				const row = await reader.get("operators", id);
				if (row) return toWire(row);
				throw unknown(id);
			}),
		/** It opens nothing from now on. Throws NOT_FOUND. */
		revoke: ({ id }: z.output<typeof keyCommands.revoke>) =>
			store.transaction(async (tx) => {
				const row = await tx.get("operators", id);
				if (!row) throw unknown(id);
				const revoked = row.revokedAt === undefined ? { ...row, revokedAt: clock.now() } : row;
				await tx.put("operators", revoked);
				return toWire(revoked);
			}),
		/** Who shows this key; undefined for one that was revoked or never issued. */
		async find(secret: string): Promise<(Actor & { readonly id: string }) | undefined> {
			const hash = hashSecret(secret, pepper);
			const find = async (reader: StoreReader) => {
				const row = await findByAny(reader, "operators", "hash", hashesOf(secret, pepper));
				const isOurs = isWellFormedSecret(secret, OPERATOR_KEY_PREFIX);
				return isOurs && row?.revokedAt === undefined ? row : undefined;
			};
			const row = await findAndRename(store, {
				find,
				isNewest: (found) => found.hash === hash,
				rename: (tx, found) => tx.put("operators", { ...found, hash }),
			});
			return row && { id: row.id, name: row.name, role: row.role };
		},
	};
}

const isInForce = ({ revokedAt }: OperatorRow) => revokedAt === undefined;

function toWire({ id, name, role, createdAt, revokedAt }: OperatorRow) {
	return {
		id,
		name,
		role,
		status: revokedAt === undefined ? ("active" as const) : ("revoked" as const),
		created_at: toIsoTime(createdAt),
		revoked_at: revokedAt === undefined ? null : toIsoTime(revokedAt),
	};
}

function unknown(id: string) {
	return notFound(
		`No operator is called "${id.slice(0, 80)}"; tollgraph operators list shows them.`,
	);
}

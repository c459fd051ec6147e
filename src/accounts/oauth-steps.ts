import { createHmac } from "node:crypto";
import type { OAuthRow, StoreReader } from "../../store/store.js";
import { keysFor, openBytes, sealBytes } from "../kernel/kernel.js";
import type { SecretServices } from "./account-services.js";
import { createRecordIds } from "./oauth-records.js";

/** What is known of a user who is on the way through the pages. */
export interface OAuthStep {
	readonly payload: Readonly<Record<string, unknown>>;
	/** Where its latest request came from. */
	readonly network: string;
	/** Epoch milliseconds. */
	readonly until: number;
}

type StepKind = Extract<OAuthRow["kind"], "session" | "interaction">;

/** Steps of one kind, by an id that their user's browser alone has. */
export interface OAuthSteps {
	find(id: string): Promise<OAuthStep | undefined>;
	/** Alone with a step: what `change` returns is there from now on, nothing where that is undefined. Returns what was there before. */
	change(
		id: string,
		change: (before: OAuthStep | undefined) => OAuthStep | undefined,
	): Promise<OAuthStep | undefined>;
	/** Removes those that this process changed last: the others are another's by now. */
	drop(ids: readonly string[]): Promise<void>;
}

/** In memory where one process has the books; in rows where several share them, so that any of them takes the next request. */
export function createOAuthSteps(
	deps: Pick<SecretServices, "store" | "clock" | "random" | "pepper">,
): (kind: StepKind) => OAuthSteps {
	return (kind) =>
		deps.store.processes.isShared ? createStepRows(deps, kind) : createStepMemory();
}

export function createStepMemory(): OAuthSteps {
	const steps = new Map<string, OAuthStep>();
	return {
		find: async (id) => steps.get(id),
		async change(id, change) {
			const before = steps.get(id);
			const after = change(before);
			if (after) steps.set(id, after);
			else steps.delete(id);
			return before;
		},
		async drop(ids) {
			for (const id of ids) steps.delete(id);
		},
	};
}

/** Steps of users who have not signed in belong to no one. */
const STEP_OWNER = "steps";
const DEFERRED = { durability: "deferred" } as const;

/**
 * A row is named by a hash of its id, as all OAuth records are, and sealed by a key that is made of that id: who reads the rows
 * learns nothing of them. No step waits for the disk: what is made of one, a code, is durable after it.
 */
function createStepRows(
	{ store, clock, random, pepper }: Parameters<typeof createOAuthSteps>[0],
	kind: StepKind,
): OAuthSteps {
	const { idIn } = createRecordIds(pepper);
	const keysOf = (id: string) =>
		keysFor(pepper, "tollgraph oauth steps v1").map((key) =>
			createHmac("sha256", key).update(`${kind} ${id}`).digest(),
		);
	const open = (row: OAuthRow | undefined, id: string): OAuthStep | undefined => {
		const bytes = Buffer.from(row?.sealed ?? "", "base64url");
		const text = keysOf(id).flatMap((key) => openBytes(bytes, { key }) ?? [])[0];
		return row && text !== undefined
			? { ...(JSON.parse(text) as Omit<OAuthStep, "until">), until: row.expiresAt }
			: undefined;
	};
	const seal = ({ until: _, ...step }: OAuthStep, id: string): string => {
		const [key = Buffer.alloc(0)] = keysOf(id);
		return sealBytes(JSON.stringify(step), { key, random }).toString("base64url");
	};
	const get = async (reader: StoreReader, id: string) =>
		reader.get("oauth_records", await idIn(reader, kind, id));
	return {
		find: async (id) => open(await store.read((reader) => get(reader, id)), id),
		change: (id, change) =>
			store.transaction(async (tx) => {
				const row = await get(tx, id);
				const before = open(row, id);
				const after = change(before);
				if (after === before) return before;
				if (after) {
					await tx.put("oauth_records", {
						...{ id: await idIn(tx, kind, id), kind, sealed: seal(after, id) },
						...{ owner: accountOf(after) ?? STEP_OWNER, processId: tx.processId },
						...{ createdAt: row?.createdAt ?? clock.now(), expiresAt: after.until },
					});
				} else if (row) await tx.delete("oauth_records", row.id);
				return before;
			}, DEFERRED),
		drop: (ids) =>
			store.transaction(async (tx) => {
				const rows = await Promise.all(ids.map((id) => get(tx, id)));
				for (const row of rows) {
					if (row?.processId === tx.processId) await tx.delete("oauth_records", row.id);
				}
			}, DEFERRED),
	};
}

/** Whose it is once they have signed in, so that it goes with their account. */
function accountOf({ payload }: OAuthStep): string | undefined {
	const session = payload["session"] as { readonly accountId?: unknown } | undefined;
	const accountId = payload["accountId"] ?? session?.accountId;
	return typeof accountId === "string" ? accountId : undefined;
}

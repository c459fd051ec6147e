import type { z } from "zod";
import { isUsable, spentEver, spentThisMonth } from "../../payments/plan/plan.js";
import type { ConnectionRow, KeyRow } from "../../store/store.js";
import {
	type AccountAccess,
	findSkillId,
	LIMITS,
	PAID_OPERATION_IDS,
	type ServiceInfo,
	SKILL_IDS,
} from "../contract/contract.js";
import {
	formatUsd,
	invalidArgument,
	type Micros,
	parseUsd,
	ServiceError,
	toIsoTime,
} from "../kernel/kernel.js";
import type { KeyChange, KeyOrder, KeyScope } from "./account-keys.operations.js";
import type { AccountProfile, AccountProfiles } from "./account-profiles.js";
import type { AccountServices } from "./account-services.js";
import { type ApiKeys, getKey, type KeyTerms } from "./api-keys.js";
import type { ConnectionTokens } from "./connection-tokens.js";
import type { scopeInput } from "./spt-wire.js";

export interface KeyServices extends Pick<AccountServices, "store" | "clock" | "catalog"> {
	readonly keys: ApiKeys;
	readonly connections: ConnectionTokens;
	readonly profiles: AccountProfiles;
	readonly info: Pick<ServiceInfo, "mcpUrl">;
}

/** Keys and connection tokens of an account, by anyone who manages it: all throw SCOPE_FORBIDDEN for anyone else. */
export function createAccountKeys(deps: KeyServices) {
	const { keys, connections, profiles, info } = deps;
	const label = (accountId: string, id: string, text: string | null | undefined) =>
		setLabel(deps, accountId, id, text);
	return {
		async accountKeys(access: AccountAccess) {
			requireManager(access);
			const { labels } = await profiles.get(access.accountId);
			const rows = await keys.list(access.accountId);
			return { items: await Promise.all(rows.map((row) => toKeyWire(deps, row, labels))) };
		},

		/** The secret is shown once. */
		async accountCreateKey(access: AccountAccess, order: KeyOrder) {
			requireManager(access);
			const { accountId } = access;
			const { id, key } = await keys.add(accountId, toKeyTerms(deps, order));
			await label(accountId, id, order.label);
			return { key, ...(await getKeyWire(deps, accountId, id)) };
		},

		async accountChangeKey(access: AccountAccess, keyId: string, change: KeyChange) {
			requireManager(access);
			const { accountId } = access;
			await keys.change(accountId, keyId, toKeyTerms(deps, change));
			await label(accountId, keyId, change.label);
			return getKeyWire(deps, accountId, keyId);
		},

		/** A new secret, shown once; the old one works for so many seconds more. Every key may rotate itself. */
		async accountRotateKey(
			access: AccountAccess,
			keyId: string,
			overlapSeconds: number = LIMITS.keyOverlapSeconds,
		) {
			requireOwnKey(access, keyId);
			const { key } = await keys.rotate(access.accountId, keyId, overlapSeconds);
			return { key, ...(await getKeyWire(deps, access.accountId, keyId)) };
		},

		async accountRevokeKey(access: AccountAccess, keyId: string) {
			requireOwnKey(access, keyId);
			await keys.revoke(keyId, access.accountId);
			return { id: keyId, status: "revoked" };
		},

		async accountConnections(access: AccountAccess) {
			requireManager(access);
			const { labels } = await profiles.get(access.accountId);
			const rows = await connections.list(access.accountId);
			return { items: rows.map((row) => toConnectionWire(row, labels)) };
		},

		/** The secret is shown once, with the MCP address it is part of. */
		async accountCreateConnection(access: AccountAccess, order: KeyScope) {
			requireManager(access);
			return createConnection({ ...deps, mcpUrl: info.mcpUrl() }, access.accountId, order);
		},

		async accountRevokeConnection(access: AccountAccess, id: string) {
			requireManager(access);
			await connections.revoke(id, access.accountId);
			await label(access.accountId, id, null);
			return { id, status: "revoked" };
		},
	};
}

/** A connection token and the address it makes; null where no one serves. */
export async function createConnection(
	deps: Omit<KeyServices, "keys" | "info"> & { readonly mcpUrl: string | null },
	accountId: string,
	order: KeyScope,
): Promise<{ id: string; token: string; url: string | null }> {
	const { connections, mcpUrl } = deps;
	const { id, token } = await connections.create(accountId, toScopeTerms(deps, order));
	await setLabel(deps, accountId, id, order.label);
	return { token, url: mcpUrl && `${mcpUrl}/c/${token}`, id };
}

/** Every key may rotate and end itself. Throws SCOPE_FORBIDDEN for another key, and for a secret that was replaced. */
function requireOwnKey(access: AccountAccess, keyId: string): void {
	if (access.keyId !== keyId || access.isReplaced) requireManager(access);
}

/** Throws SCOPE_FORBIDDEN for a key that may pay, and nothing else. */
export function requireManager({ isManager, isReplaced }: AccountAccess): void {
	if (isManager) return;
	if (isReplaced) {
		throw new ServiceError(
			"SCOPE_FORBIDDEN",
			"This secret was replaced and may only pay until its overlap is over; use the key's newest secret.",
		);
	}
	throw new ServiceError(
		"SCOPE_FORBIDDEN",
		"This credential does not manage its account; use a key that does (manages_account).",
	);
}

/** A label is text of its owner, so it is kept in the profile, as long as what it names is remembered. */
export async function setLabel(
	{ store, profiles }: Pick<KeyServices, "store" | "profiles">,
	accountId: string,
	id: string,
	label: string | null | undefined,
): Promise<void> {
	if (label === undefined) return;
	await profiles.change(accountId, async (profile) => {
		const known = await store.read(async (reader) => {
			const keys = await reader.findBy("keys", "accountId", accountId);
			const connections = await reader.findBy("connections", "accountId", accountId);
			return new Set([...keys, ...connections].map((row) => row.id));
		});
		const labels = Object.entries({ ...profile.labels, [id]: label ?? "" });
		const kept = labels.filter(([named, text]) => text !== "" && known.has(named));
		return { ...profile, labels: Object.fromEntries(kept) };
	});
}

type ScopeServices = Pick<AccountServices, "catalog" | "clock">;

/** The label is kept with the account's profile. */
function toScopeTerms(
	{ catalog, clock }: ScopeServices,
	{ label: _, ...scope }: KeyScope,
): KeyTerms {
	return toSptScope({ catalog, now: clock.now() }, scope);
}

/** Terms of what was said; null lifts a limit. */
export function toKeyTerms(services: ScopeServices, order: KeyOrder | KeyChange): KeyTerms {
	const { skills, graphs, expires_in_days, max_total_usd, max_per_month_usd } = order;
	const { ask_above_usd, manages_account: isManager } = order;
	const given = toScopeTerms(services, {
		skills: skills ?? undefined,
		graphs: graphs ?? undefined,
		expires_in_days: expires_in_days ?? undefined,
	});
	return {
		...given,
		...(skills === null && { skills: undefined }),
		...(graphs === null && { graphs: undefined }),
		...(expires_in_days === null && { expiresAt: undefined }),
		...(max_total_usd !== undefined && { maxTotalMicros: toLimit(max_total_usd) }),
		...(max_per_month_usd !== undefined && { maxPerMonthMicros: toLimit(max_per_month_usd) }),
		...(ask_above_usd !== undefined && { askAboveMicros: toLimit(ask_above_usd) }),
		...(isManager !== undefined && { isManager }),
	};
}

function toLimit(usd: string | null): Micros | undefined {
	return usd === null ? undefined : parseLimit(usd);
}

async function getKeyWire(deps: KeyServices, accountId: string, keyId: string) {
	const row = await deps.store.read((reader) => getKey(reader, keyId, accountId));
	return toKeyWire(deps, row, (await deps.profiles.get(accountId)).labels);
}

/** A key as its owner and its operator see it; never its secret. */
export async function toKeyWire(
	{ store, clock }: Pick<AccountServices, "store" | "clock">,
	row: KeyRow,
	labels: AccountProfile["labels"],
) {
	const now = clock.now();
	const [spent, spentMonth] = await store.read(async (reader) => [
		await spentEver(reader, row.id),
		await spentThisMonth(reader, row.id, now),
	]);
	return {
		id: row.id,
		label: (labels[row.id] ?? row.label) || "",
		status: row.status === "active" && !isUsable(row, now) ? "expired" : row.status,
		manages_account: row.isManager ?? true,
		...scopeWire(row),
		max_total_usd: usdOrNull(row.maxTotalMicros),
		max_per_month_usd: usdOrNull(row.maxPerMonthMicros),
		ask_above_usd: usdOrNull(row.askAboveMicros),
		spent_usd: formatUsd(spent ?? 0n),
		spent_this_month_usd: formatUsd(spentMonth ?? 0n),
		rotated_at: timeOrNull(row.rotatedAt),
		old_secret_until: timeOrNull(now < (row.previousUntil ?? 0) ? row.previousUntil : undefined),
	};
}

export function toConnectionWire(row: ConnectionRow, labels: AccountProfile["labels"]) {
	return { id: row.id, label: labels[row.id] ?? "", ...scopeWire(row) };
}

function scopeWire({ skills = [], graphs = [], ...row }: KeyRow | ConnectionRow) {
	return {
		skills,
		graphs,
		expires_at: timeOrNull(row.expiresAt),
		created_at: toIsoTime(row.createdAt),
		last_used_on: row.usedDay ?? null,
	};
}

const usdOrNull = (micros: Micros | undefined) => (micros === undefined ? null : formatUsd(micros));
const timeOrNull = (at: number | undefined) => (at === undefined ? null : toIsoTime(at));

/** What a token is for and what it may spend, as callers and operators write it. */
export type SptScope = z.output<z.ZodObject<typeof scopeInput>>;

const DAY_MS = 24 * 3_600_000;

/** The terms of a token, left out where nothing was said. Throws for a skill or graph that does not exist. */
export function toSptScope(
	{ catalog, now }: Pick<AccountServices, "catalog"> & { readonly now: number },
	{ label, max_per_call_usd, max_per_day_usd, skills, graphs, expires_in_days }: SptScope,
) {
	// A token for something that does not exist could never be spent.
	for (const id of skills ?? []) assertSkill(id);
	for (const id of graphs ?? []) catalog.assertKnown(id);
	return {
		...(label !== undefined && { label }),
		...(max_per_call_usd !== undefined && { maxPerCallMicros: parseLimit(max_per_call_usd) }),
		...(max_per_day_usd !== undefined && { maxPerDayMicros: parseLimit(max_per_day_usd) }),
		...(skills && { skills }),
		...(graphs && { graphs }),
		...(expires_in_days !== undefined && { expiresAt: now + expires_in_days * DAY_MS }),
	};
}

/** Throws INVALID_ARGUMENT unless the amount is above zero. */
export function parseLimit(text: string): Micros {
	const limit = parseUsd(text);
	if (limit > 0n) return limit;
	throw invalidArgument("A limit must be above zero.");
}

function assertSkill(id: string): void {
	if (findSkillId(id) || PAID_OPERATION_IDS.some((known) => known === id)) return;
	throw invalidArgument(
		`No skill is called "${id.slice(0, 80)}"; there are ${SKILL_IDS.join(", ")}, and the operations ${PAID_OPERATION_IDS.join(", ")}.`,
	);
}

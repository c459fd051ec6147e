import { AGENT_ROWS, KIND_ROWS, OPERATION_ROWS } from "./operation-table.js";

/** The operations by kind, address and name; all of it derives from their definitions (`npm run docs`). */

type Row = (typeof OPERATION_ROWS)[number];
type IdOf<Kind extends Row[1]> = Extract<Row, readonly [string, Kind, ...unknown[]]>[0];

/** Every operation under /v1. */
export type OperationId = Row[0];
/** Operations that are sold. */
export type PaidOperationId = IdOf<"paid">;
/** Operations for everybody. */
export type FreeOperationId = IdOf<"free">;
/** Operations of somebody who shows a credential and pays nothing. */
export type OwnerOperationId = IdOf<"owner">;
/** Operations that turn a payment into balance; their price is the amount the caller names. */
export type PurchaseOperationId = IdOf<"purchase">;
/** What has a price: every operation that is sold, and the dearer kinds in which some are. */
export type PricedOperationId = PaidOperationId | (typeof KIND_ROWS)[number][0];

const idsOf = <Kind extends Row[1]>(kind: Kind) =>
	OPERATION_ROWS.filter((row) => row[1] === kind).map(
		([id]) => id,
	) as unknown as readonly IdOf<Kind>[];

export const PAID_OPERATION_IDS = idsOf("paid");
/** What can have a price. */
export const SELLABLE_IDS: ReadonlySet<string> = new Set([
	...PAID_OPERATION_IDS,
	...KIND_ROWS.map(([id]) => id),
]);
export const FREE_OPERATION_IDS = idsOf("free");
export const OWNER_OPERATION_IDS = idsOf("owner");
export const PURCHASE_OPERATION_IDS = idsOf("purchase");

/** Where an operation answers; `{name}` in a path is a parameter. */
export interface OperationAddress {
	readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
	readonly path: string;
}

/** Method and path of every operation. Spec: Endpoints. */
export const OPERATION_ADDRESSES = Object.fromEntries(
	OPERATION_ROWS.map(([id, , method, path]) => [id, { method, path }]),
) as Readonly<Record<OperationId, OperationAddress>>;

/** The names by which agents choose: A2A skills and MCP tools. */
export type SkillId = (typeof AGENT_ROWS)[number][0];
export const SKILL_IDS = AGENT_ROWS.map(([name]) => name) as readonly SkillId[];

/** The operation each name stands for. */
export const OPERATION_OF_SKILL = Object.fromEntries(
	AGENT_ROWS.map(([name, operation]) => [name, operation]),
) as Readonly<Record<SkillId, PaidOperationId>>;

const CURRENT_NAMES: ReadonlyMap<string, SkillId> = new Map(
	AGENT_ROWS.flatMap(([name, , aliases]) => [name, ...aliases].map((known) => [known, name])),
);

/** Names of old, which are still understood. */
export const SKILL_ALIASES: readonly string[] = AGENT_ROWS.flatMap(([, , aliases]) => [...aliases]);

/** The name an agent means, by that name or an older one; undefined for one that was never given. */
export function findSkillId(name: string): SkillId | undefined {
	return CURRENT_NAMES.get(name);
}

/** The operation that a scope names by its id, or by a current or older name of the skill that is sold as it. */
export function toOperationName(name: string): string {
	const skillId = findSkillId(name);
	return skillId ? OPERATION_OF_SKILL[skillId] : name;
}

/** True when a scope names the operation itself or a skill that is sold as it. */
export function namesOperation(scope: readonly string[], operationId: string): boolean {
	return scope.some((name) => toOperationName(name) === operationId);
}

/** One concrete request of an operation: its path with parameters and query filled in, and what is left for the body. */
export interface RequestPath {
	/** With the query of a GET. */
	readonly path: string;
	/** Without it: what a challenge names, so that a facilitator does not learn what was asked. */
	readonly resource: string;
	readonly body: Readonly<Record<string, unknown>>;
}

/**
 * `POST /v1/graphs/{graph_id}/search` and an input become `/v1/graphs/tides/search` and the rest of the input; of a GET
 * the rest is the query.
 */
export function toRequestPath(
	{ method, path: template }: OperationAddress,
	input: Readonly<Record<string, unknown>>,
): RequestPath {
	const rest = { ...input };
	const resource = template.replace(/\{(\w+)\}/g, (_, name: string) => {
		const value = String(rest[name]);
		delete rest[name];
		return encodeURIComponent(value);
	});
	if (method !== "GET") return { path: resource, resource, body: rest };
	const given = Object.entries(rest).filter(([, value]) => value !== undefined);
	const query = new URLSearchParams(
		given.map(([name, value]): [string, string] => [name, String(value)]),
	);
	return { path: query.size > 0 ? `${resource}?${query}` : resource, resource, body: {} };
}

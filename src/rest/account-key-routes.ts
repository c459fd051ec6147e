import { z } from "zod";
import { LIMITS, type OwnerOperationId } from "../contract/contract.js";
import {
	CONNECTION_EXAMPLE,
	CONNECTION_ID,
	KEY_EXAMPLE,
	KEY_ID,
	KEY_SECRET,
} from "./account-examples.js";
import {
	accountKeyListSchema,
	accountKeySchema,
	connectionListSchema,
	connectionOrderSchema,
	createdConnectionSchema,
	createdKeySchema,
	endedSchema,
	keyChangeSchema,
	keyOrderSchema,
	keyRotationOrderSchema,
} from "./account-key-schemas.js";
import { ACCOUNT_CHANGE, ACCOUNT_READ, accessOf } from "./account-owner.js";
import { ownerRoute } from "./define-route.js";
import type { OwnerRoute } from "./route.js";

export type AccountKeyOperationId = Extract<
	OwnerOperationId,
	`account.keys.${string}` | `account.connection_tokens.${string}`
>;

const keyPath = z.strictObject({
	key_id: z.string().min(1).max(80).describe("Id of the key, key_…"),
});
const keyExample = { path: { key_id: KEY_ID } };

/** Keys of an account, and the tokens that stand for one in MCP addresses. */
export const ACCOUNT_KEY_ROUTES: Readonly<Record<AccountKeyOperationId, OwnerRoute>> = {
	"account.keys.list": ownerRoute({
		...ACCOUNT_READ,
		operationId: "account.keys.list",
		summary: "Keys of the account",
		description:
			"API keys, oldest first, revoked ones too, without their secrets. For keys that manage the account.",
		isList: true,
		data: accountKeyListSchema,
		answer: (owner, { caller }) => owner.accountKeys(accessOf(caller)),
		example: { data: { items: [KEY_EXAMPLE] } },
	}),
	"account.keys.create": ownerRoute({
		...ACCOUNT_CHANGE,
		operationId: "account.keys.create",
		summary: "Create an API key",
		description: `One more key of the account, with scopes, caps and an expiry of its own. Caps count money, not free calls, and hold however many calls arrive at once. At most ${LIMITS.accountKeysMax} active keys.`,
		body: keyOrderSchema,
		isList: false,
		status: 201,
		data: createdKeySchema,
		answer: (owner, { caller, body }) => owner.accountCreateKey(accessOf(caller), body),
		example: {
			body: {
				label: "research crew",
				skills: ["graph_search"],
				max_per_month_usd: "20.00",
				expires_in_days: 30,
			},
			data: { key: KEY_SECRET, ...KEY_EXAMPLE },
		},
	}),
	"account.keys.change": ownerRoute({
		...ACCOUNT_CHANGE,
		operationId: "account.keys.change",
		summary: "Change an API key",
		description: "New label, scopes, caps or expiry; what is left out stays, null lifts a limit.",
		path: keyPath,
		body: keyChangeSchema,
		isList: false,
		data: accountKeySchema,
		answer: (owner, { caller, path, body }) =>
			owner.accountChangeKey(accessOf(caller), path.key_id, body),
		example: {
			...keyExample,
			body: { max_per_month_usd: "20.00", graphs: null },
			data: KEY_EXAMPLE,
		},
	}),
	"account.keys.rotate": ownerRoute({
		...ACCOUNT_CHANGE,
		operationId: "account.keys.rotate",
		summary: "New secret for an API key",
		description:
			"The same key under a new secret, shown once. The old secret works until overlap_seconds have passed; until then it only pays; one from a rotation before stops at once. A key may rotate itself.",
		path: keyPath,
		body: keyRotationOrderSchema,
		isList: false,
		data: createdKeySchema,
		answer: (owner, { caller, path, body }) =>
			owner.accountRotateKey(accessOf(caller), path.key_id, body.overlap_seconds),
		example: {
			...keyExample,
			body: { overlap_seconds: 3_600 },
			data: {
				key: KEY_SECRET,
				...KEY_EXAMPLE,
				rotated_at: "2026-11-30T12:00:00.000Z",
				old_secret_until: "2026-11-30T13:00:00.000Z",
			},
		},
	}),
	"account.keys.revoke": ownerRoute({
		...ACCOUNT_CHANGE,
		operationId: "account.keys.revoke",
		summary: "Revoke an API key",
		description:
			"The key pays for nothing from now on. A key may revoke itself, but for the last that manages the account.",
		path: keyPath,
		isList: false,
		data: endedSchema,
		answer: (owner, { caller, path }) => owner.accountRevokeKey(accessOf(caller), path.key_id),
		example: { ...keyExample, data: { id: KEY_ID, status: "revoked" } },
	}),
	"account.connection_tokens.list": ownerRoute({
		...ACCOUNT_READ,
		operationId: "account.connection_tokens.list",
		summary: "Connection tokens of the account",
		description: "Active tokens of MCP addresses, oldest first, without their secrets.",
		isList: true,
		data: connectionListSchema,
		answer: (owner, { caller }) => owner.accountConnections(accessOf(caller)),
		example: { data: { items: [CONNECTION_EXAMPLE] } },
	}),
	"account.connection_tokens.create": ownerRoute({
		...ACCOUNT_CHANGE,
		operationId: "account.connection_tokens.create",
		summary: "Create a connection token",
		description:
			"A secret that is part of an MCP address, for clients that cannot send headers. It pays from the account within its scopes and changes nothing of it; whoever has the address has the secret.",
		body: connectionOrderSchema,
		isList: false,
		status: 201,
		data: createdConnectionSchema,
		answer: (owner, { caller, body }) => owner.accountCreateConnection(accessOf(caller), body),
		example: {
			body: { label: "desktop assistant", expires_in_days: 90 },
			data: {
				id: CONNECTION_ID,
				token: "ct_0123456789abcdefghijklmnopqrstuvwxyz",
				url: "https://knowledge.example/c/ct_0123456789abcdefghijklmnopqrstuvwxyz",
			},
		},
	}),
	"account.connection_tokens.revoke": ownerRoute({
		...ACCOUNT_CHANGE,
		operationId: "account.connection_tokens.revoke",
		summary: "Revoke a connection token",
		description: "Its address answers nobody from now on.",
		path: z.strictObject({
			token_id: z.string().min(1).max(80).describe("Id of the token, con_…"),
		}),
		isList: false,
		data: endedSchema,
		answer: (owner, { caller, path }) =>
			owner.accountRevokeConnection(accessOf(caller), path.token_id),
		example: {
			path: { token_id: CONNECTION_ID },
			data: { id: CONNECTION_ID, status: "revoked" },
		},
	}),
};

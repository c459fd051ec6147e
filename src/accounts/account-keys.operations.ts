import { z } from "zod";
import { LIMITS, ownerOperation, type Services } from "../contract/contract.js";
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
} from "./account-key-wire.js";
import { ACCOUNT_CHANGE, ACCOUNT_READ, accessOf } from "./account-owner.js";

const keyPath = z.strictObject({
	key_id: z.string().min(1).max(80).describe("Id of the key, key_…"),
});
const keyExample = { params: { key_id: KEY_ID } };

/** Keys of an account, and the tokens that stand for one in MCP addresses. */
export const accountKeysList = ownerOperation({
	id: "account.keys.list",
	method: "GET",
	path: "/v1/account/keys",
	...ACCOUNT_READ,
	summary: "Keys of the account",
	description:
		"API keys, oldest first, revoked ones too, without their secrets. For keys that manage the account.",
	isList: true,
	data: accountKeyListSchema,
	create:
		({ accountKeys }: Pick<Services, "accountKeys">) =>
		({ caller }) =>
			accountKeys(accessOf(caller)),
	example: { data: { items: [KEY_EXAMPLE] } },
});

export const accountKeysCreate = ownerOperation({
	id: "account.keys.create",
	method: "POST",
	path: "/v1/account/keys",
	...ACCOUNT_CHANGE,
	summary: "Create an API key",
	description: `One more key of the account, with scopes, caps and an expiry of its own. Caps count money, not free calls, and hold however many calls arrive at once. At most ${LIMITS.accountKeysMax} active keys.`,
	body: keyOrderSchema,
	isList: false,
	status: 201,
	data: createdKeySchema,
	create:
		({ accountCreateKey }: Pick<Services, "accountCreateKey">) =>
		({ caller, body }) =>
			accountCreateKey(accessOf(caller), body),
	example: {
		body: {
			label: "research crew",
			skills: ["graph_search"],
			max_per_month_usd: "20.00",
			expires_in_days: 30,
		},
		data: { key: KEY_SECRET, ...KEY_EXAMPLE },
	},
});

export const accountKeysChange = ownerOperation({
	id: "account.keys.change",
	method: "PATCH",
	path: "/v1/account/keys/{key_id}",
	...ACCOUNT_CHANGE,
	summary: "Change an API key",
	description: "New label, scopes, caps or expiry; what is left out stays, null lifts a limit.",
	params: keyPath,
	body: keyChangeSchema,
	isList: false,
	data: accountKeySchema,
	create:
		({ accountChangeKey }: Pick<Services, "accountChangeKey">) =>
		({ caller, params, body }) =>
			accountChangeKey(accessOf(caller), params.key_id, body),
	example: {
		...keyExample,
		body: { max_per_month_usd: "20.00", graphs: null },
		data: KEY_EXAMPLE,
	},
});

export const accountKeysRotate = ownerOperation({
	id: "account.keys.rotate",
	method: "POST",
	path: "/v1/account/keys/{key_id}/rotate",
	...ACCOUNT_CHANGE,
	summary: "New secret for an API key",
	description:
		"The same key under a new secret, shown once. The old secret works until overlap_seconds have passed; until then it only pays; one from a rotation before stops at once. A key may rotate itself.",
	params: keyPath,
	body: keyRotationOrderSchema,
	isList: false,
	data: createdKeySchema,
	create:
		({ accountRotateKey }: Pick<Services, "accountRotateKey">) =>
		({ caller, params, body }) =>
			accountRotateKey(accessOf(caller), params.key_id, body.overlap_seconds),
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
});

export const accountKeysRevoke = ownerOperation({
	id: "account.keys.revoke",
	method: "DELETE",
	path: "/v1/account/keys/{key_id}",
	...ACCOUNT_CHANGE,
	summary: "Revoke an API key",
	description:
		"The key pays for nothing from now on. A key may revoke itself, but for the last that manages the account.",
	params: keyPath,
	isList: false,
	data: endedSchema,
	create:
		({ accountRevokeKey }: Pick<Services, "accountRevokeKey">) =>
		({ caller, params }) =>
			accountRevokeKey(accessOf(caller), params.key_id),
	example: { ...keyExample, data: { id: KEY_ID, status: "revoked" } },
});

export const accountConnectionTokensList = ownerOperation({
	id: "account.connection_tokens.list",
	method: "GET",
	path: "/v1/account/connection-tokens",
	...ACCOUNT_READ,
	summary: "Connection tokens of the account",
	description: "Active tokens of MCP addresses, oldest first, without their secrets.",
	isList: true,
	data: connectionListSchema,
	create:
		({ accountConnections }: Pick<Services, "accountConnections">) =>
		({ caller }) =>
			accountConnections(accessOf(caller)),
	example: { data: { items: [CONNECTION_EXAMPLE] } },
});

export const accountConnectionTokensCreate = ownerOperation({
	id: "account.connection_tokens.create",
	method: "POST",
	path: "/v1/account/connection-tokens",
	...ACCOUNT_CHANGE,
	summary: "Create a connection token",
	description:
		"A secret that is part of an MCP address, for clients that cannot send headers. It pays from the account within its scopes and changes nothing of it; whoever has the address has the secret.",
	body: connectionOrderSchema,
	isList: false,
	status: 201,
	data: createdConnectionSchema,
	create:
		({ accountCreateConnection }: Pick<Services, "accountCreateConnection">) =>
		({ caller, body }) =>
			accountCreateConnection(accessOf(caller), body),
	example: {
		body: { label: "desktop assistant", expires_in_days: 90 },
		data: {
			id: CONNECTION_ID,
			token: "ct_0123456789abcdefghijklmnopqrstuvwxyz",
			url: "https://knowledge.example/c/ct_0123456789abcdefghijklmnopqrstuvwxyz",
		},
	},
});

export const accountConnectionTokensRevoke = ownerOperation({
	id: "account.connection_tokens.revoke",
	method: "DELETE",
	path: "/v1/account/connection-tokens/{token_id}",
	...ACCOUNT_CHANGE,
	summary: "Revoke a connection token",
	description: "Its address answers nobody from now on.",
	params: z.strictObject({
		token_id: z.string().min(1).max(80).describe("Id of the token, con_…"),
	}),
	isList: false,
	data: endedSchema,
	create:
		({ accountRevokeConnection }: Pick<Services, "accountRevokeConnection">) =>
		({ caller, params }) =>
			accountRevokeConnection(accessOf(caller), params.token_id),
	example: {
		params: { token_id: CONNECTION_ID },
		data: { id: CONNECTION_ID, status: "revoked" },
	},
});

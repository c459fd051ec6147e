import { z } from "zod";
import {
	LIMITS,
	ownerOperation,
	replyComponent,
	replyList,
	requestComponent,
	type Services,
	usdField,
} from "../contract/contract.js";
import { ACCOUNT_CHANGE, ACCOUNT_READ, accessOf, KEY_ID } from "./account-owner.js";
import { scopeInput, usdInput } from "./spt-wire.js";

/** Keys of an account, and the tokens that stand for one in MCP addresses: what their operations take and answer with. */

const { label, skills, graphs, expires_in_days } = scopeInput;
const keyScope = { label, skills, graphs, expires_in_days };
const keyLimits = {
	max_total_usd: usdInput.optional().describe("Highest sum it ever spends"),
	max_per_month_usd: usdInput.optional().describe("Highest sum it spends in one UTC month"),
	ask_above_usd: usdInput
		.optional()
		.describe(
			"Price of a call above which its user is asked over MCP, and it is refused elsewhere",
		),
	manages_account: z
		.boolean("must be true or false")
		.optional()
		.describe("May change the account and its keys; such a key has no scopes and no caps"),
};

const keyOrderSchema = requestComponent("KeyOrder", z.strictObject({ ...keyScope, ...keyLimits }));

export type KeyOrder = z.output<typeof keyOrderSchema>;

const orNull = <T extends z.ZodType>(field: z.ZodOptional<T>) =>
	field.unwrap().nullable().optional();

const keyChangeSchema = requestComponent(
	"KeyChange",
	z.strictObject({
		label: orNull(label),
		skills: orNull(skills).describe("Skills it may pay for; null for all"),
		graphs: orNull(graphs).describe("Graphs it may pay for; null for all"),
		expires_in_days: orNull(expires_in_days).describe("From now; null for never"),
		max_total_usd: orNull(keyLimits.max_total_usd).describe("Null for no limit"),
		max_per_month_usd: orNull(keyLimits.max_per_month_usd).describe("Null for no limit"),
		ask_above_usd: orNull(keyLimits.ask_above_usd).describe("Null for never"),
		manages_account: keyLimits.manages_account,
	}),
);

/** What is left out stays, null lifts a limit. */
export type KeyChange = z.output<typeof keyChangeSchema>;

const keyRotationOrderSchema = requestComponent(
	"KeyRotationOrder",
	z.strictObject({
		overlap_seconds: z
			.int("must be a whole number")
			.min(0, "must not be negative")
			.max(LIMITS.keyOverlapSecondsMax, `must be at most ${LIMITS.keyOverlapSecondsMax}`)
			.optional()
			.describe(
				`How long the old secret works beside the new one; ${LIMITS.keyOverlapSeconds} where absent`,
			),
	}),
);

const connectionOrderSchema = requestComponent("ConnectionTokenOrder", z.strictObject(keyScope));

export type KeyScope = z.output<typeof connectionOrderSchema>;

const timeField = z.string().nullable();

const scope = {
	id: z.string(),
	label: z.string(),
	skills: z.array(z.string()).describe("Empty means every skill"),
	graphs: z.array(z.string()).describe("Empty means every graph"),
	expires_at: timeField,
	created_at: z.string(),
	last_used_on: z.string().nullable().describe("UTC day on which it last paid for a call"),
};

const key = {
	...scope,
	status: z.enum(["active", "expired", "revoked"]),
	manages_account: z.boolean(),
	max_total_usd: usdField.nullable(),
	max_per_month_usd: usdField.nullable(),
	ask_above_usd: usdField.nullable(),
	spent_usd: usdField.describe("Held or spent so far; free calls not counted"),
	spent_this_month_usd: usdField,
	rotated_at: timeField,
	old_secret_until: timeField.describe(
		"Until then the secret before the latest rotation works too",
	),
};

export const accountKeySchema = replyComponent("AccountKey", z.object(key));

export const connectionSchema = replyComponent("ConnectionToken", z.object(scope));

const createdKeySchema = replyComponent(
	"CreatedKey",
	z.object({ key: z.string().describe("The secret; shown once"), ...key }),
);

const accountKeyListSchema = replyList("AccountKeyList", accountKeySchema);

const endedSchema = replyComponent(
	"Ended",
	z.object({ id: z.string(), status: z.literal("revoked") }),
);

const createdConnectionSchema = replyComponent(
	"CreatedConnectionToken",
	z.object({
		id: z.string(),
		token: z.string().describe("The secret; shown once"),
		url: z.string().nullable().describe("MCP address that holds the secret, and is one itself"),
	}),
);

const connectionListSchema = replyList("ConnectionTokenList", connectionSchema);

const CONNECTION_ID = "con_01kg9yz3v0f6x2m8q4t7w1ab2d";

const keyPath = z.strictObject({
	key_id: z.string().min(1).max(80).describe("Id of the key, key_…"),
});
const keyExample = { params: { key_id: KEY_ID } };

/** Keys of an account, and the tokens that stand for one in MCP addresses. */
export const accountKeysList = ownerOperation({
	id: "account.keys.list",
	at: "GET /v1/account/keys",
	...ACCOUNT_READ,
	summary: "Keys of the account",
	description:
		"API keys, oldest first, revoked ones too, without their secrets. For keys that manage the account.",
	isList: true,
	data: accountKeyListSchema,
	answer: (services: Services, request) => services.accountKeys(accessOf(request)),
});

export const accountKeysCreate = ownerOperation({
	id: "account.keys.create",
	at: "POST /v1/account/keys",
	...ACCOUNT_CHANGE,
	summary: "Create an API key",
	description: `One more key of the account, with scopes, caps and an expiry of its own. Caps count money, not free calls, and hold however many calls arrive at once. At most ${LIMITS.accountKeysMax} active keys.`,
	body: keyOrderSchema,
	status: 201,
	data: createdKeySchema,
	answer: ({ accountCreateKey }: Services, request) =>
		accountCreateKey(accessOf(request), request.body),
	example: {
		body: {
			label: "research crew",
			skills: ["graph_search"],
			max_per_month_usd: "20.00",
			expires_in_days: 30,
		},
	},
});

export const accountKeysChange = ownerOperation({
	id: "account.keys.change",
	at: "PATCH /v1/account/keys/{key_id}",
	...ACCOUNT_CHANGE,
	summary: "Change an API key",
	description: "New label, scopes, caps or expiry; what is left out stays, null lifts a limit.",
	params: keyPath,
	body: keyChangeSchema,
	data: accountKeySchema,
	answer: ({ accountChangeKey }: Services, request) =>
		accountChangeKey(accessOf(request), request.params.key_id, request.body),
	example: { ...keyExample, body: { max_per_month_usd: "20.00", graphs: null } },
});

export const accountKeysRotate = ownerOperation({
	id: "account.keys.rotate",
	at: "POST /v1/account/keys/{key_id}/rotate",
	...ACCOUNT_CHANGE,
	summary: "New secret for an API key",
	description:
		"The same key under a new secret, shown once. The old secret works until overlap_seconds have passed; until then it only pays; one from a rotation before stops at once. A key may rotate itself.",
	params: keyPath,
	body: keyRotationOrderSchema,
	data: createdKeySchema,
	answer: ({ accountRotateKey }: Services, request) =>
		accountRotateKey(accessOf(request), request.params.key_id, request.body.overlap_seconds),
	example: { ...keyExample, body: { overlap_seconds: 3_600 } },
});

export const accountKeysRevoke = ownerOperation({
	id: "account.keys.revoke",
	at: "DELETE /v1/account/keys/{key_id}",
	...ACCOUNT_CHANGE,
	summary: "Revoke an API key",
	description:
		"The key pays for nothing from now on. A key may revoke itself, but for the last that manages the account.",
	params: keyPath,
	data: endedSchema,
	answer: ({ accountRevokeKey }: Services, request) =>
		accountRevokeKey(accessOf(request), request.params.key_id),
	example: keyExample,
});

export const accountConnectionTokensList = ownerOperation({
	id: "account.connection_tokens.list",
	at: "GET /v1/account/connection-tokens",
	...ACCOUNT_READ,
	summary: "Connection tokens of the account",
	description: "Active tokens of MCP addresses, oldest first, without their secrets.",
	isList: true,
	data: connectionListSchema,
	answer: (services: Services, request) => services.accountConnections(accessOf(request)),
});

export const accountConnectionTokensCreate = ownerOperation({
	id: "account.connection_tokens.create",
	at: "POST /v1/account/connection-tokens",
	...ACCOUNT_CHANGE,
	summary: "Create a connection token",
	description:
		"A secret that is part of an MCP address, for clients that cannot send headers. It pays from the account within its scopes and changes nothing of it; whoever has the address has the secret.",
	body: connectionOrderSchema,
	status: 201,
	data: createdConnectionSchema,
	answer: ({ accountCreateConnection }: Services, request) =>
		accountCreateConnection(accessOf(request), request.body),
	example: { body: { label: "desktop assistant", expires_in_days: 90 } },
});

export const accountConnectionTokensRevoke = ownerOperation({
	id: "account.connection_tokens.revoke",
	at: "DELETE /v1/account/connection-tokens/{token_id}",
	...ACCOUNT_CHANGE,
	summary: "Revoke a connection token",
	description: "Its address answers nobody from now on.",
	params: z.strictObject({
		token_id: z.string().min(1).max(80).describe("Id of the token, con_…"),
	}),
	data: endedSchema,
	answer: ({ accountRevokeConnection }: Services, request) =>
		accountRevokeConnection(accessOf(request), request.params.token_id),
	example: { params: { token_id: CONNECTION_ID } },
});

import { z } from "zod";
import { LIMITS, replyComponent, requestComponent, usdField } from "../contract/contract.js";
import { scopeInput, usdInput } from "./spt-wire.js";

/** What the operations on keys and connection tokens take and answer with. */

const { label, skills, graphs, expires_in_days } = scopeInput;
const keyScope = { label, skills, graphs, expires_in_days };
const keyLimits = {
	max_total_usd: usdInput.optional().describe("Highest sum it ever spends"),
	max_per_month_usd: usdInput.optional().describe("Highest sum it spends in one UTC month"),
	manages_account: z
		.boolean("must be true or false")
		.optional()
		.describe("May change the account and its keys; such a key has no scopes and no caps"),
};

export const keyOrderSchema = requestComponent(
	"KeyOrder",
	z.strictObject({ ...keyScope, ...keyLimits }),
);

const orNull = <T extends z.ZodType>(field: z.ZodOptional<T>) =>
	field.unwrap().nullable().optional();

export const keyChangeSchema = requestComponent(
	"KeyChange",
	z.strictObject({
		label: orNull(label),
		skills: orNull(skills).describe("Skills it may pay for; null for all"),
		graphs: orNull(graphs).describe("Graphs it may pay for; null for all"),
		expires_in_days: orNull(expires_in_days).describe("From now; null for never"),
		max_total_usd: orNull(keyLimits.max_total_usd).describe("Null for no limit"),
		max_per_month_usd: orNull(keyLimits.max_per_month_usd).describe("Null for no limit"),
		manages_account: keyLimits.manages_account,
	}),
);

export const keyRotationOrderSchema = requestComponent(
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

export const connectionOrderSchema = requestComponent(
	"ConnectionTokenOrder",
	z.strictObject(keyScope),
);

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
	spent_usd: usdField.describe("Held or spent so far; free calls not counted"),
	spent_this_month_usd: usdField,
	rotated_at: timeField,
	old_secret_until: timeField.describe(
		"Until then the secret before the latest rotation works too",
	),
};

export const accountKeySchema = replyComponent("AccountKey", z.object(key));

export const connectionSchema = replyComponent("ConnectionToken", z.object(scope));

export const createdKeySchema = replyComponent(
	"CreatedKey",
	z.object({ key: z.string().describe("The secret; shown once"), ...key }),
);

export const accountKeyListSchema = replyComponent(
	"AccountKeyList",
	z.object({ items: z.array(accountKeySchema) }),
);

export const endedSchema = replyComponent(
	"Ended",
	z.object({ id: z.string(), status: z.literal("revoked") }),
);

export const createdConnectionSchema = replyComponent(
	"CreatedConnectionToken",
	z.object({
		id: z.string(),
		token: z.string().describe("The secret; shown once"),
		url: z.string().nullable().describe("MCP address that holds the secret, and is one itself"),
	}),
);

export const connectionListSchema = replyComponent(
	"ConnectionTokenList",
	z.object({ items: z.array(connectionSchema) }),
);

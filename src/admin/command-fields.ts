import { z } from "zod";

/** Fields that several commands have. */

export const usd = z
	.string()
	.regex(/^\d{1,12}(\.\d{1,6})?$/, 'must be an amount in USD such as "7.50"');
export const named = z.strictObject({ id: z.string().min(1) });
export const nothing = z.strictObject({});

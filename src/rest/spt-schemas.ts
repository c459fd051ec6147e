import { z } from "zod";
import { replyComponent } from "./components.js";
import { usdField } from "./reply-schemas.js";

/** What the operations of a Shared Payment Token answer with. */

export const sptBalanceSchema = replyComponent(
	"SptBalance",
	z.object({
		id: z.string(),
		label: z.string(),
		environment: z.enum(["live", "test"]),
		balance_usd: usdField,
		held_usd: usdField.describe("Reserved for calls that are being answered"),
		expires_at: z.string().nullable(),
		max_per_call_usd: usdField.nullable(),
		max_per_day_usd: usdField.nullable(),
		spent_today_usd: usdField.describe("Held or spent since 00:00 UTC"),
		skills: z.array(z.string()).describe("Empty means every skill"),
		graphs: z.array(z.string()).describe("Empty means every graph"),
		parent_id: z.string().nullable().describe("The token it was delegated from"),
	}),
);

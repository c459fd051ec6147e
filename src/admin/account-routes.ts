import type { Router } from "express";
import { z } from "zod";
import type { AccountOperator } from "../accounts/accounts.js";
import { LIMITS } from "../contract/contract.js";
import { named, nothing, usd } from "./command-fields.js";
import { look, quick } from "./command-handler.js";

const ofAccount = z.strictObject({ account_id: z.string().min(1).optional() });
const scope = {
	label: z.string().max(LIMITS.sptLabelChars).optional(),
	skills: z.array(z.string()).optional(),
	graphs: z.array(z.string()).optional(),
	expires_in_days: z.number().positive().max(LIMITS.sptDaysMax).optional(),
};
const keyRequest = z.strictObject({
	...scope,
	account_id: z.string().min(1).optional(),
	usd: usd.optional(),
	has_payment_method: z.boolean().optional(),
	zero_retention: z.boolean().optional(),
	max_total_usd: usd.optional(),
	max_per_month_usd: usd.optional(),
	manages_account: z.boolean().optional(),
});
const rotationRequest = z.strictObject({
	id: z.string().min(1),
	overlap_seconds: z.int().min(0).max(LIMITS.keyOverlapSecondsMax).optional(),
});
const tokenRequest = z.strictObject({ ...scope, account_id: z.string().min(1) });
const accountSetting = z.strictObject({
	account_id: z.string().min(1),
	has_payment_method: z.boolean().optional(),
	zero_retention: z.boolean().optional(),
});
const creditRequest = z.strictObject({ account_id: z.string().min(1), usd });

/** Accounts, their keys and their connection tokens. */
export function addAccountRoutes(router: Router, operator: AccountOperator): void {
	router.get(
		"/keys",
		look(ofAccount, (input) => operator.listKeys(input)),
	);
	router.post(
		"/keys",
		quick(keyRequest, (input) => operator.createKey(input)),
	);
	router.post(
		"/keys/rotate",
		quick(rotationRequest, (input) => operator.rotateKey(input)),
	);
	router.post(
		"/keys/revoke",
		quick(named, (input) => operator.revokeKey(input)),
	);
	router.get(
		"/connection-tokens",
		look(ofAccount, (input) => operator.listTokens(input)),
	);
	router.post(
		"/connection-tokens",
		quick(tokenRequest, (input) => operator.createToken(input)),
	);
	router.post(
		"/connection-tokens/revoke",
		quick(named, (input) => operator.revokeToken(input)),
	);
	router.get(
		"/accounts",
		look(nothing, () => operator.listAccounts()),
	);
	router.post(
		"/accounts/set",
		quick(accountSetting, (input) => operator.setAccount(input)),
	);
	router.post(
		"/accounts/credit",
		quick(creditRequest, (input) => operator.creditAccount(input)),
	);
}

import { accountCommands } from "../../accounts/accounts.js";
import { command, idOf, itemOf, named, nothing, owner, reads } from "./command-row.js";
import { type Operator, operatorCommands } from "./operator-interface.js";

/** Tokens and accounts. */

const ofSpt = {
	target: ({ token_id }: { readonly token_id: string }) => `spt/${token_id}`,
	state: (operator: Operator, request: { readonly token_id: string }) => operator.getSpt(request),
};

export const SPT_ROWS = {
	listSpts: command(operatorCommands.listSpts, {
		...reads,
		at: "GET /spts",
		summary: "Shared Payment Tokens, and what customers have in them",
	}),
	getSpt: command(operatorCommands.freezeSpt, {
		...reads,
		at: "GET /spts/{token_id}",
		summary: "One token",
		isOneThing: true,
	}),
	freezeSpt: command(operatorCommands.freezeSpt, {
		...owner,
		at: "POST /spts/{token_id}/freeze",
		summary: "Let a token pay for nothing; its balance stays, what is held is finished",
		changes: ofSpt,
	}),
	unfreezeSpt: command(operatorCommands.freezeSpt, {
		...owner,
		at: "POST /spts/{token_id}/unfreeze",
		summary: "Let a frozen token pay again",
		changes: ofSpt,
	}),
	issueSpt: command(operatorCommands.issueSpt, {
		...owner,
		at: "POST /spts",
		summary: "Issue a token with a balance; its secret is shown once",
		changes: {
			target: (_input, result) => `spt/${result?.["id"] ?? "new"}`,
			state: (operator, _input, result) => itemOf(operator.listSpts(), result?.["id"]),
		},
	}),
	revokeSpt: command(named, {
		...owner,
		at: "POST /spts/revoke",
		summary: "End a token",
		changes: {
			target: (input) => `spt/${idOf(input)}`,
			state: (operator, { id }) => itemOf(operator.listSpts(), id),
		},
	}),
};

const ofKey = {
	target: ({ id }: { readonly id: string }) => `key/${id}`,
	state: (operator: Operator, { id }: { readonly id: string }) => itemOf(operator.listKeys({}), id),
};
const ofAccount = {
	target: ({ account_id }: { readonly account_id: string }) => `account/${account_id}`,
	state: (operator: Operator, { account_id }: { readonly account_id: string }) =>
		operator.getAccount({ account_id }),
};

export const ACCOUNT_ROWS = {
	listKeys: command(accountCommands.ofAccount, {
		...reads,
		at: "GET /keys",
		summary: "API keys, never their secrets",
	}),
	createKey: command(accountCommands.createKey, {
		...owner,
		at: "POST /keys",
		summary: "A key, of a new account or of one that is named; its secret is shown once",
		changes: {
			target: (_input, result) => `key/${result?.["id"] ?? "new"}`,
			state: (operator, _input, result) => itemOf(operator.listKeys({}), result?.["id"]),
		},
	}),
	rotateKey: command(accountCommands.rotateKey, {
		...owner,
		at: "POST /keys/rotate",
		summary: "A new secret for a key",
		changes: ofKey,
	}),
	revokeKey: command(named, {
		...owner,
		at: "POST /keys/revoke",
		summary: "End a key",
		changes: ofKey,
	}),
	listTokens: command(accountCommands.ofAccount, {
		...reads,
		at: "GET /connection-tokens",
		summary: "Connection tokens, never their secrets",
	}),
	createToken: command(accountCommands.createToken, {
		...owner,
		at: "POST /connection-tokens",
		summary: "A connection token; its secret is shown once",
		changes: {
			target: (_input, result) => `connection-token/${result?.["id"] ?? "new"}`,
			state: (operator, _input, result) => itemOf(operator.listTokens({}), result?.["id"]),
		},
	}),
	revokeToken: command(named, {
		...owner,
		at: "POST /connection-tokens/revoke",
		summary: "End a connection token",
		changes: {
			target: ({ id }) => `connection-token/${id}`,
			state: (operator, { id }) => itemOf(operator.listTokens({}), id),
		},
	}),
	listAccounts: command(nothing, { ...reads, at: "GET /accounts", summary: "Accounts" }),
	getAccount: command(accountCommands.account, {
		...reads,
		at: "GET /accounts/{account_id}",
		summary: "One account",
		isOneThing: true,
	}),
	setAccount: command(accountCommands.setAccount, {
		...owner,
		at: "POST /accounts/set",
		also: ["PATCH /accounts/{account_id}"],
		summary: "What the operator decides of an account",
		changes: ofAccount,
	}),
	creditAccount: command(accountCommands.credit, {
		...owner,
		at: "POST /accounts/credit",
		summary: "Add prepaid balance to an account",
		changes: ofAccount,
	}),
};

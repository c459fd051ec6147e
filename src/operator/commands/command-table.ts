import { ACCOUNT_ROWS, SPT_ROWS } from "./account-rows.js";
import type { CommandRow } from "./command-row.js";
import { GRAPH_ROWS, PUBLISH_ROWS } from "./graph-rows.js";
import { DATA_ROWS, LEDGER_ROWS } from "./ledger-rows.js";
import type { Operator } from "./operator-interface.js";
import { OPERATOR_ROWS, REPORT_ROWS } from "./service-rows.js";

/**
 * What operators can do, one row for each command: the admin API, its OpenAPI document and the command line are made from it,
 * and the work of a row is the function of the same name of `Operator`.
 */
export const COMMANDS: Readonly<Record<CommandName, CommandRow>> = {
	...SPT_ROWS,
	...ACCOUNT_ROWS,
	...GRAPH_ROWS,
	...PUBLISH_ROWS,
	...DATA_ROWS,
	...LEDGER_ROWS,
	...REPORT_ROWS,
	...OPERATOR_ROWS,
} satisfies Record<CommandName, CommandRow>;

export type CommandName = keyof Operator;

export const COMMAND_NAMES = Object.keys(COMMANDS) as CommandName[];

import type { Request, Response } from "express";
import { ANONYMOUS, type Caller, type Credential } from "../contract/contract.js";
import { openRequestId, toCallerAddress } from "../http/http.js";
import { type Ids, invalidArgument } from "../kernel/kernel.js";
import type { Service } from "../service/service.js";

/** One HTTP request on its way through the protocol's SDK: who calls, from where, and which graph its address chose. */
export interface Exchange {
	readonly response: Response;
	readonly requestId: string;
	/** IP address of the caller, or its network; see toCallerAddress. */
	readonly address: string;
	/** Anonymous agents are let in, and payments stand in `_meta` of a call. */
	readonly takesPayments: boolean;
	/** Undefined for anonymous agents, where they are let in. */
	readonly credential: Credential | undefined;
	/** Chosen in the address (`?graph=`): what a tool takes where its arguments name none. */
	readonly graphId: string | undefined;
	/**
	 * No one for anonymous agents, who are shown only what its unguessable id opens. Throws UNAUTHENTICATED, and NOT_FOUND
	 * for a subject without an account.
	 */
	caller(): Promise<Caller>;
}

export function createExchange(
	req: Request,
	{ service, ids }: { readonly service: Service; readonly ids: Ids },
	{ takesPayments, credential }: Pick<Exchange, "takesPayments" | "credential">,
): Exchange {
	const response = req.res as Response;
	let caller: Promise<Caller> | undefined;
	return {
		response,
		requestId: openRequestId(req, response, ids),
		address: toCallerAddress(req.ip),
		takesPayments,
		credential,
		graphId: readGraphId(req),
		caller() {
			caller ??= credential ? service.identify(credential) : Promise.resolve(ANONYMOUS);
			return caller;
		},
	};
}

/** Throws INVALID_ARGUMENT for more than one graph. */
function readGraphId({ query }: Request): string | undefined {
	const graph = query["graph"];
	if (graph === undefined || graph === "") return undefined;
	if (typeof graph === "string" && graph.length <= 200) return graph;
	throw invalidArgument('The address may choose one graph: "?graph=<id>".');
}

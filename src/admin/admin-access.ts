import type { Request, RequestHandler, Response } from "express";
import { parsePayment } from "../contract/contract.js";
import { type OperatorCheck, readHeaders } from "../http/http.js";
import { notFound, ServiceError } from "../kernel/kernel.js";
import {
	type Actor,
	ADMIN_TOKEN,
	OPERATOR_KEY_PREFIX,
	type OperatorKeys,
} from "../operator/operator.js";
import type { BrowserSessions } from "./browser-sessions.js";

/** Who may give commands over HTTP. */

export interface AdminAccess {
	readonly check: OperatorCheck;
	readonly findOperator: OperatorKeys["find"];
	/** Whether operators' keys are taken from other machines, too. */
	readonly isOpenToAll: boolean;
	/** Operators who are signed in to the dashboard. */
	readonly sessions: Pick<BrowserSessions, "actorOf">;
}

/** Throws NOT_FOUND where there is nothing for requests from elsewhere. */
export function assertInReach(
	{ check, isOpenToAll }: Pick<AdminAccess, "check" | "isOpenToAll">,
	request: Request,
): void {
	if (check.isNear(request) || isOpenToAll) return;
	throw notFound("There is nothing at this address.");
}

/**
 * Lets in the admin token on this machine, operators' keys, and pages of the dashboard with a session; from elsewhere there is
 * nothing, unless that is set.
 */
export function onlyOperators(access: AdminAccess): RequestHandler {
	const { check, findOperator, sessions } = access;
	const find = async (request: Request): Promise<Actor | undefined> => {
		if (check.isOperator(request)) return ADMIN_TOKEN;
		// What names a credential is judged by that alone, whatever cookies a browser adds.
		if (request.headers.authorization === undefined) return sessions.actorOf(request);
		return findOperator(bearerOf(request) ?? "");
	};
	return async (request, response, next) => {
		response.setHeader("Cache-Control", "no-store");
		assertInReach(access, request);
		const actor = await find(request);
		if (!actor) throw refusal(request);
		actors.set(response, actor);
		next();
	};
}

const actors = new WeakMap<Response, Actor>();

/** Whom `onlyOperators` let in. */
export function actorOf(response: Response): Actor {
	const actor = actors.get(response);
	if (actor) return actor;
	throw new ServiceError("INTERNAL", "A command was reached without a credential.");
}

const BEARER = /^Bearer\s+(\S+)$/i;

/** What may be an operator's key. */
export function bearerOf(request: Request): string | undefined {
	return BEARER.exec(request.headers.authorization ?? "")?.[1];
}

const WANTED = `The admin API wants an operator's key (${OPERATOR_KEY_PREFIX}…), or on its own machine the admin token, as a bearer token`;

/** What pays for calls opens no command, however much it could pay for. */
function refusal(request: Request): ServiceError {
	const given = bearerOf(request) ?? "";
	if (given.startsWith("adm_")) {
		return refuse(
			`${WANTED}; this admin token is not the one of this data folder, or comes from another machine.`,
		);
	}
	if (given.startsWith(OPERATOR_KEY_PREFIX)) {
		return refuse("This operator's key is not known here, or was revoked.");
	}
	const { "x-pay-spt": spt, "x-api-key": key } = request.headers;
	const pays = spt !== undefined || key !== undefined || /^(spt_|sk_|ct_|eyJ)/.test(given);
	if (pays || isPaid(request)) {
		return refuse(`${WANTED}; what pays for calls opens no command.`);
	}
	return refuse(`${WANTED}.`);
}

function isPaid(request: Request): boolean {
	try {
		return parsePayment(readHeaders(request)) !== undefined;
	} catch {
		return true;
	}
}

function refuse(message: string): ServiceError {
	return new ServiceError("UNAUTHENTICATED", message);
}

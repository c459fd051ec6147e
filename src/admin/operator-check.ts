import { timingSafeEqual } from "node:crypto";
import type { Request } from "express";
import { isForwarded } from "../http/http.js";

/** Tells the operator of this machine from everybody else. */
export interface OperatorCheck {
	/** The request was made on this machine, and no proxy says that it carried it here for another. */
	isNear(req: Request): boolean;
	/** It is near, and comes with the admin token. */
	isOperator(req: Request): boolean;
}

export function createOperatorCheck(adminToken: string): OperatorCheck {
	const expected = Buffer.from(`Bearer ${adminToken}`);
	const isNear = (req: Request) => isFromThisMachine(req) && !isForwarded(req);
	return {
		isNear,
		isOperator(req) {
			const shown = Buffer.from(req.headers.authorization ?? "");
			return isNear(req) && shown.length === expected.length && timingSafeEqual(shown, expected);
		},
	};
}

/** Loopback, or one of this machine's own addresses calling itself. */
function isFromThisMachine({ socket }: Request): boolean {
	const { remoteAddress: peer, localAddress: own } = socket;
	return peer !== undefined && (peer === own || /^(127\.|::1$|::ffff:127\.)/.test(peer));
}

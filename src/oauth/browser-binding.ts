import { timingSafeEqual } from "node:crypto";
import type { IncomingMessage } from "node:http";
import type { Response } from "express";
import type { Interaction } from "oidc-provider";
import { OAUTH_LIMITS } from "../accounts/accounts.js";
import type { Random } from "../kernel/kernel.js";

/**
 * Ties a request for access to the browser in which its user signed in, whoever began it: what follows is for that browser
 * alone. Each request has a cookie of its own, so that two of them in one browser do not meet.
 */
export interface BrowserBinding {
	/** Gives the browser its secret, a new one with every login; returns it for the login to be kept with. */
	begin(res: Response, step: Interaction): string;
	/** True also where nobody has signed in yet. */
	holds(req: IncomingMessage, step: Interaction): boolean;
}

const SECRET_BYTES = 32;

export function createBrowserBinding(deps: {
	readonly random: Random;
	/** Public base address. */
	readonly baseUrl: () => string;
}): BrowserBinding {
	const isSecure = () => deps.baseUrl().startsWith("https:");
	// No other host can plant a cookie that is named so.
	const nameOf = ({ cid }: Interaction) => `${isSecure() ? "__Host-" : ""}tollgraph_oauth_${cid}`;
	return {
		begin(res, step) {
			const secret = Buffer.from(deps.random.bytes(SECRET_BYTES)).toString("base64url");
			res.cookie(nameOf(step), secret, {
				path: "/",
				maxAge: OAUTH_LIMITS.interactionSeconds * 1000,
				httpOnly: true,
				sameSite: "lax",
				secure: isSecure(),
			});
			return secret;
		},
		holds(req, step) {
			const login = step.result?.login ?? step.lastSubmission?.login;
			if (!login) return true;
			const prefix = `${nameOf(step)}=`;
			return (req.headers.cookie ?? "")
				.split(";")
				.map((pair) => pair.trim())
				.filter((pair) => pair.startsWith(prefix))
				.some((pair) => isEqual(pair.slice(prefix.length), String(login["browser"])));
		},
	};
}

function isEqual(shown: string, right: string): boolean {
	const [a, b] = [Buffer.from(shown), Buffer.from(right)];
	return a.length === b.length && timingSafeEqual(a, b);
}

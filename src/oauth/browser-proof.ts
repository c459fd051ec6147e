import { createHmac } from "node:crypto";
import type { IncomingMessage } from "node:http";
import type { Response } from "express";
import type { Interaction } from "oidc-provider";
import { OAUTH_LIMITS } from "../accounts/accounts.js";
import { isSameSecret, keysFor, type Pepper, ServiceError } from "../kernel/kernel.js";
import type { OAuthServices } from "./oauth-services.js";

const SECRET_BYTES = 32;

/**
 * Ties a request for access to the browser in which its user signed in, whichever client began it: what follows is for that browser
 * alone. Each request has a cookie of its own, so that two of them in one browser do not meet.
 */
export function createBrowserBinding({ random, service: { info } }: OAuthServices) {
	const isSecure = () => info.baseUrl().startsWith("https:");
	// No other host can plant a cookie that is named so.
	const nameOf = ({ cid }: Interaction) => `${isSecure() ? "__Host-" : ""}tollgraph_oauth_${cid}`;
	return {
		/** Gives the browser its secret, a new one with every login; returns it for the login to be kept with. */
		begin(res: Response, step: Interaction): string {
			const secret = Buffer.from(random.bytes(SECRET_BYTES)).toString("base64url");
			res.cookie(nameOf(step), secret, {
				path: "/",
				maxAge: OAUTH_LIMITS.interactionSeconds * 1000,
				httpOnly: true,
				sameSite: "lax",
				secure: isSecure(),
			});
			return secret;
		},
		/** True also where no one has signed in yet. */
		holds(req: IncomingMessage, step: Interaction): boolean {
			const login = step.result?.login ?? step.lastSubmission?.login;
			if (!login) return true;
			const prefix = `${nameOf(step)}=`;
			return (req.headers.cookie ?? "")
				.split(";")
				.map((pair) => pair.trim())
				.filter((pair) => pair.startsWith(prefix))
				.some((pair) => isSameSecret(pair.slice(prefix.length), String(login["browser"])));
		},
	};
}

export function createFormProof(pepper: Pepper, origin: () => string) {
	const proofsOf = (step: string) =>
		keysFor(pepper, "tollgraph oauth forms v1").map((key) =>
			createHmac("sha256", key).update(step).digest("base64url"),
		);
	return {
		of: (step: string): string => proofsOf(step)[0] ?? "",
		/** Throws SCOPE_FORBIDDEN for a form that another site has sent. */
		assert({ headers }: IncomingMessage, form: URLSearchParams, step: string): void {
			const isOurs = proofsOf(step).some((proof) => isSameSecret(form.get("csrf") ?? "", proof));
			const { origin: sender, "sec-fetch-site": site } = headers;
			const isFromHere =
				site === undefined ? [undefined, origin()].includes(sender) : site === "same-origin";
			if (isOurs && isFromHere) return;
			throw new ServiceError(
				"SCOPE_FORBIDDEN",
				"The form did not come from this page; go back to the application and start again.",
			);
		},
	};
}

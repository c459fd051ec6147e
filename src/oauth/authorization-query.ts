import { OAUTH_LIMITS } from "../accounts/accounts.js";
import { OAUTH_SCOPE } from "../contract/contract.js";
import { ServiceError } from "../kernel/kernel.js";

/** Parameters of a request for access that mean anything here, or must be refused where they are sent. */
const KNOWN = [
	"client_id",
	"response_type",
	"redirect_uri",
	"state",
	"code_challenge",
	"code_challenge_method",
	"resource",
	"request",
	"request_uri",
] as const;

/**
 * The query of a request for access as the provider is to see it: other parameters are ignored (RFC 6749, section 3.1),
 * and there is one scope, which everybody asks for whatever they ask for. Throws INVALID_ARGUMENT.
 */
export function toAuthorizationQuery(query: string): string {
	if (query.length > OAUTH_LIMITS.authorizationQueryChars) {
		throw new ServiceError("INVALID_ARGUMENT", "The request for access is too long.");
	}
	const sent = new URLSearchParams(query);
	const mode = sent.get("response_mode") ?? "query";
	if (mode !== "query") {
		throw new ServiceError(
			"INVALID_ARGUMENT",
			'The answer is sent in the query of the address it goes to; leave response_mode out, or send "query".',
		);
	}
	const isSilent = sent.get("prompt")?.split(" ").includes("none") ?? false;
	const asked = new URLSearchParams();
	for (const name of KNOWN) {
		for (const value of sent.getAll(name)) asked.append(name, value);
	}
	asked.set("scope", OAUTH_SCOPE);
	if (isSilent) asked.set("prompt", "none");
	return asked.toString();
}

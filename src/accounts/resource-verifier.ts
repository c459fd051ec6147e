import { OAUTH_RESOURCE_PATHS } from "../contract/contract.js";
import { type Clock, ServiceError } from "../kernel/kernel.js";
import type { Claims, IdentityRules } from "./identity-token.js";
import { createIdentityVerifier } from "./identity-verifier.js";
import type { IssuerKeys } from "./issuer-keys.js";

/** Claims of an access token for one address; throws UNAUTHENTICATED. */
export type VerifyForResource = (token: string, resource: string) => Promise<Claims>;

export interface ResourceVerifierDeps {
	readonly clock: Clock;
	/** Public base address; its MCP addresses are the only audiences there are. */
	readonly baseUrl: () => string;
	readonly rules: () => Omit<IdentityRules, "audience">;
	readonly keys: IssuerKeys;
}

/** One judge for each address, so that a token for one of them opens no other. */
export function createResourceVerifier(deps: ResourceVerifierDeps): VerifyForResource {
	const judges = new Map<string, ReturnType<typeof createIdentityVerifier>>();
	return async (token, resource) => {
		const { clock, keys, baseUrl, rules } = deps;
		const isKnown = OAUTH_RESOURCE_PATHS.some((path) => resource === `${baseUrl()}${path}`);
		if (!isKnown) throw refusedToken("nothing answers at the address it is for");
		const verify =
			judges.get(resource) ??
			createIdentityVerifier({ rules: { ...rules(), audience: resource }, keys, clock });
		judges.set(resource, verify);
		return verify(token).catch((error: unknown) => {
			throw isRefusal(error) ? renamed(error) : error;
		});
	};
}

function isRefusal(error: unknown): error is ServiceError {
	return error instanceof ServiceError && error.code === "UNAUTHENTICATED";
}

/** Its judge judges identity tokens as well, and calls it one. */
function renamed({ code, message }: ServiceError): ServiceError {
	return new ServiceError(code, message.replace("identity token", "access token"));
}

export function refusedToken(reason: string): ServiceError {
	return new ServiceError("UNAUTHENTICATED", `The access token is refused: ${reason}.`);
}

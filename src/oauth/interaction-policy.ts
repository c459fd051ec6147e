import type { KoaContextWithOIDC } from "oidc-provider";

/** Every request for access is signed in to and agreed to, whatever was agreed to before. */
export function toInteractionPolicy({
	interactionPolicy: { Prompt, Check },
}: typeof import("oidc-provider")) {
	// Written down with each step, so that a page never has to ask for the client again.
	const details = ({ oidc }: KoaContextWithOIDC) => ({ clientName: oidc.client?.clientName });
	return [
		new Prompt(
			{ name: "login", requestable: true },
			details,
			new Check(
				"no_login",
				"the user has to sign in",
				"login_required",
				({ oidc }) => !oidc.result?.login,
			),
		),
		new Prompt(
			{ name: "consent", requestable: true },
			details,
			new Check(
				"no_consent",
				"the user has to agree",
				"consent_required",
				({ oidc }) => !oidc.result?.consent,
			),
		),
	];
}

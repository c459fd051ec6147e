import type { Interaction } from "oidc-provider";
import type { OAuthGrants } from "../auth/oauth-grants.js";
import type { Micros } from "../core/money.js";
import { OAUTH_SCOPE } from "../core/oauth-resources.js";
import type { OAuthProvider } from "./provider.js";

/** What a user has agreed to, and where. */
export interface Agreement {
	readonly oauth: OAuthProvider;
	readonly interaction: Interaction;
	readonly accountId: string;
	readonly resource: string;
	readonly budgetMicros: Micros;
	readonly label: string;
}

/** Makes key and grant, once for each step however often its button was pressed; returns the key's id. */
export type Agree = (agreement: Agreement) => Promise<string>;

export function createAgree(grants: OAuthGrants): Agree {
	const running = new Map<string, Promise<string>>();
	return (agreement) => {
		const { uid, result } = agreement.interaction;
		const earlier = result?.consent?.grantId;
		if (earlier !== undefined) return Promise.resolve(earlier);
		const pending = running.get(uid) ?? open(grants, agreement).finally(() => running.delete(uid));
		running.set(uid, pending);
		return pending;
	};
}

/** The grant is found by its key, and ends with it; without a grant nobody could use the key, so it goes as well. */
async function open(grants: OAuthGrants, agreement: Agreement): Promise<string> {
	const { oauth, interaction, accountId, resource, budgetMicros, label } = agreement;
	const keyId = await grants.open({ accountId, budgetMicros, label });
	try {
		const clientId = String(interaction.params["client_id"]);
		const grant = new oauth.provider.Grant({ accountId, clientId });
		grant.jti = keyId;
		grant.addResourceScope(resource, OAUTH_SCOPE);
		await grant.save();
		// Written down before the next press of the button can look for it.
		interaction.result = { ...interaction.lastSubmission, consent: { grantId: keyId } };
		await interaction.persist();
	} catch (error) {
		await grants.end(keyId);
		throw error;
	}
	return keyId;
}

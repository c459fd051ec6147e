import type { Interaction } from "oidc-provider";
import type { GrantHolder } from "../accounts/accounts.js";
import { OAUTH_SCOPE } from "../contract/contract.js";
import { createTurnQueue, type Micros, ServiceError } from "../kernel/kernel.js";
import type { OAuthServices } from "./oauth-services.js";
import type { OAuthProvider } from "./provider.js";

/** What a user has agreed to, and where. */
interface Agreement extends GrantHolder {
	readonly oauth: OAuthProvider;
	readonly interaction: Interaction;
	readonly budgetMicros: Micros;
	readonly label: string;
	/** Whether access that the client has already stays beside the new one, which else takes its place when it is used. */
	readonly keepsEarlier: boolean;
}

/** As the step remembers it. */
interface Agreed {
	readonly grantId: string;
	/** A button pressed twice says the same. */
	readonly terms: string;
	readonly [other: string]: unknown;
}

export type Agree = ReturnType<typeof createAgree>;

/** Makes key and grant, one for each step whatever was pressed: what was agreed to last holds. */
export function createAgree(services: OAuthServices) {
	const turns = createTurnQueue();
	return async (agreement: Agreement): Promise<Agreed> => {
		const leave = await turns.enter(agreement.interaction.uid);
		return replace(services, agreement).finally(leave);
	};
}

async function replace(services: OAuthServices, agreement: Agreement): Promise<Agreed> {
	const { oauth, budgetMicros, keepsEarlier } = agreement;
	// What was read when the button was pressed may have been pressed before.
	const interaction = await oauth.provider.Interaction.find(agreement.interaction.uid);
	if (!interaction) throw lostStep();
	const terms = `${budgetMicros} ${keepsEarlier}`;
	const last = interaction.result?.consent;
	if (last?.grantId !== undefined && last["terms"] === terms) {
		// One that no one claimed in time is over.
		const grant = await oauth.provider.Grant.find(last.grantId);
		if (grant) return { grantId: last.grantId, terms };
	}
	if (last?.grantId !== undefined) await services.grants.end(last.grantId);
	return { grantId: await open(services, { ...agreement, interaction }, terms), terms };
}

/** The grant is found by its key, and ends with it; without a grant no one could use the key, so it goes as well. */
async function open(
	{ grants, records }: OAuthServices,
	agreement: Agreement,
	terms: string,
): Promise<string> {
	const { oauth, interaction, accountId, clientId, resource, keepsEarlier } = agreement;
	const earlier = keepsEarlier ? [] : await grants.find(agreement);
	const keyId = await grants.open(agreement);
	try {
		const grant = new oauth.provider.Grant({ accountId, clientId });
		grant.jti = keyId;
		grant.addResourceScope(resource, OAUTH_SCOPE);
		await grant.save();
		await records.setReplaced(keyId, earlier);
		interaction.result = { ...interaction.lastSubmission, consent: { grantId: keyId, terms } };
		await interaction.persist();
	} catch (error) {
		await grants.end(keyId);
		throw error;
	}
	return keyId;
}

/** What a user sees whose step has ended, went on elsewhere, or is that of someone else. */
export function lostStep(): ServiceError {
	return new ServiceError(
		"INVALID_ARGUMENT",
		"This request for access is no longer open; go back to the application and start again.",
	);
}

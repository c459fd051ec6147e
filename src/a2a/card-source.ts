import {
	A2A_PATHS,
	buildAgentCard,
	type CardSigningKey,
	type PublishedCard,
	publishCard,
	type X402Terms,
} from "../../agent-card/agent-card.js";
import type { Service } from "../service/service.js";

/** The signed card for the address the service is reached under and what is on sale there; signed once for each of both. */
export type CardSource = () => Promise<PublishedCard>;

export function createCardSource({
	service,
	revision,
	signingKey,
	x402,
}: {
	readonly service: Service;
	/** Changes with what is on sale. */
	readonly revision: () => string;
	readonly signingKey: CardSigningKey;
	readonly x402?: X402Terms | undefined;
}): CardSource {
	let published: { readonly key: string; readonly card: Promise<PublishedCard> } | undefined;
	return () => {
		const baseUrl = service.info.baseUrl();
		const key = `${revision()} ${baseUrl}`;
		if (published?.key !== key) {
			const { skills, prices, info } = service;
			const unsigned = buildAgentCard({ baseUrl, skills, prices, version: info.version, x402 });
			const keySetUrl = `${baseUrl}${A2A_PATHS.keys}`;
			published = { key, card: publishCard(unsigned, { signingKey, keySetUrl }) };
		}
		return published.card;
	};
}

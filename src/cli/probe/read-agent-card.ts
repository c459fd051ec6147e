import {
	type AdvertisedRoute,
	isWire,
	textOf,
	usdOf,
	type Wire,
	wiresOf,
} from "./advertised-route.js";

export const AGENT_CARD_PATH = "/.well-known/agent-card.json";

/** Skills of an agent card that carry a price in one of its extensions, each as one unpaid message over JSON-RPC. */
export function readAgentCard(card: Wire, origin: string): readonly AdvertisedRoute[] {
	const rpc = findRpc(card, origin);
	if (!rpc) return [];
	const capabilities = isWire(card["capabilities"]) ? card["capabilities"] : {};
	return wiresOf(capabilities["extensions"])
		.flatMap((extension) =>
			wiresOf(isWire(extension["params"]) ? extension["params"]["offers"] : undefined),
		)
		.flatMap((offer) => {
			const id = textOf(offer["id"]);
			const price = usdOf(offer["price_usd"]);
			if (id === undefined || price === undefined || Number(price) === 0) return [];
			return [
				{
					sources: [AGENT_CARD_PATH],
					label: `A2A ${id}`,
					method: "POST" as const,
					url: rpc.url,
					headers: { "A2A-Version": rpc.version },
					body: toMessage(rpc.version, { skill: id, input: offer["example_input"] ?? {} }),
					// The price of one unit is not that of an example which asks for several.
					pricesUsd: textOf(offer["price_per"]) ? {} : { [AGENT_CARD_PATH]: price },
					takesX402: false,
				},
			];
		});
}

interface Rpc {
	readonly url: string;
	readonly version: string;
}

function findRpc(card: Wire, origin: string): Rpc | undefined {
	const found = wiresOf(card["supportedInterfaces"]).find(
		(way) => way["protocolBinding"] === "JSONRPC",
	);
	const url = textOf(found ? found["url"] : card["url"]);
	if (url === undefined || !URL.canParse(url, origin)) return undefined;
	const version = textOf(found?.["protocolVersion"]) ?? "0.3";
	return { url: new URL(url, origin).href, version };
}

/** One message with a data part, as the protocol's version writes it. */
function toMessage(version: string, data: unknown): string {
	const isOld = version.startsWith("0.");
	const message = isOld
		? { kind: "message", messageId: "probe", role: "user", parts: [{ kind: "data", data }] }
		: { messageId: "probe", role: "ROLE_USER", parts: [{ data }] };
	const method = isOld ? "message/send" : "SendMessage";
	return JSON.stringify({ jsonrpc: "2.0", id: 1, method, params: { message } });
}

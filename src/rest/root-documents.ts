import type { RequestHandler } from "express";
import type { Service } from "../service/service.js";
import { sendJsonDocument } from "./respond.js";

/** The root of the service: where a visitor, human or not, goes from here. */
export function createLandingHandler({ info }: Service): RequestHandler {
	return (req, res) => {
		const base = info.baseUrl();
		sendJsonDocument(req, res, {
			name: "tollgraph",
			version: info.version,
			description: "Curated knowledge graphs, sold call by call to autonomous agents.",
			links: {
				agent_card: `${base}/.well-known/agent-card.json`,
				openapi: `${base}/openapi.json`,
				catalog: `${base}/v1/graphs/catalog`,
				offerings: `${base}/v1/offerings`,
				health: `${base}/v1/health`,
			},
		});
	};
}

/** The keys that sign the agent card and the receipts. */
export function createKeySetHandler({ free }: Service): RequestHandler {
	return (req, res) => sendJsonDocument(req, res, free.payments.keySet());
}

/** Every paid route with its price, its payment requirements and an input that works. */
export function createX402ListingHandler({ free }: Service): RequestHandler {
	return (req, res) => sendJsonDocument(req, res, free.payments.x402Listing());
}

import type { RequestHandler } from "express";
import type { Service } from "../service/service.js";
import { sendJsonDocument } from "./respond.js";

/** The keys that sign the agent card and the receipts. */
export function createKeySetHandler({ free }: Service): RequestHandler {
	return (req, res) => sendJsonDocument(req, res, free.payments.keySet());
}

/** Every paid route with its price, its payment requirements and an input that works. */
export function createX402ListingHandler({ free }: Service): RequestHandler {
	return (req, res) => sendJsonDocument(req, res, free.payments.x402Listing());
}

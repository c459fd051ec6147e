import type { RequestHandler } from "express";
import type { Service } from "../service/service.js";
import { type OpenApiDocument, toOpenApiDocument } from "./openapi-document.js";
import { sendJsonDocument } from "./respond.js";

/** Serves the description; memoized, at the first question, when the base address is known. */
export function createOpenApiHandler({ info, prices }: Service): RequestHandler {
	let made: { readonly baseUrl: string; readonly document: OpenApiDocument } | undefined;
	return (req, res) => {
		const baseUrl = info.baseUrl();
		if (made?.baseUrl !== baseUrl) {
			made = { baseUrl, document: toOpenApiDocument({ baseUrl, prices }) };
		}
		sendJsonDocument(req, res, made.document);
	};
}

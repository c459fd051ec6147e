import { A2A_VERSION_HEADER } from "@a2a-js/sdk";
import express, { type Request, type RequestHandler, type Router } from "express";
import { A2A_PATHS, type CardDocument, type PublishedCard } from "../../agent-card/agent-card.js";
import type { CardSource } from "./card-source.js";

const MAX_AGE_SECONDS = 300;

/** The card, in the shape of the version the caller names; 0.3 where none is named, as the protocol says. */
export function createCardRoutes(card: CardSource): Router {
	const serve =
		(pick: (published: PublishedCard, req: Request) => CardDocument): RequestHandler =>
		async (req, res) => {
			const { body, etag } = pick(await card(), req);
			res.setHeader("ETag", etag);
			res.setHeader("Cache-Control", `public, max-age=${MAX_AGE_SECONDS}`);
			if (isKnown(req, etag)) {
				res.status(304).end();
				return;
			}
			res.type("application/json").end(req.method === "HEAD" ? undefined : body);
		};
	const vary: RequestHandler = (_req, res, next) => {
		res.vary(A2A_VERSION_HEADER);
		next();
	};
	return express
		.Router({ caseSensitive: true, strict: true })
		.get(A2A_PATHS.card, vary, serve(pickShape));
}

function pickShape({ current, legacy }: PublishedCard, req: Request): CardDocument {
	const named = req.header(A2A_VERSION_HEADER);
	return named === undefined || /^\s*(0\.|$)/.test(named) ? legacy : current;
}

/** Compared here because `req.fresh` gives in to a caller's "no-cache", which many clients always send. */
function isKnown(req: Request, etag: string): boolean {
	const tags = req.header("If-None-Match")?.split(",") ?? [];
	return tags.some((tag) => tag.trim().replace(/^W\//, "") === etag);
}

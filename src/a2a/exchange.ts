import type { ServerCallContext, User } from "@a2a-js/sdk/server";
import type { Request, Response } from "express";
import { type Credential, type HeaderReader, parseCredential } from "../core/credential.js";
import { ServiceError } from "../core/errors.js";
import type { Ids } from "../core/ids.js";
import type { Logger } from "../core/logger.js";
import type { Service } from "../service/service.js";
import { type Refusal, toRefusal } from "./refusal.js";

/**
 * One HTTP request on its way through the SDK, which carries it as its user: who calls, from where,
 * and why the call was refused. The SDK cannot say 402 or set headers; whoever wraps it looks here.
 */
export interface Exchange extends User {
	readonly response: Response;
	readonly requestId: string;
	/** Absolute address that was called, for challenges that name it. */
	readonly resourceUrl: string;
	/** Throws INVALID_ARGUMENT or UNAUTHENTICATED for credentials that cannot be read. */
	credential(): Credential | undefined;
	/** Whose tasks these are: the same for every credential of one principal. Throws UNAUTHENTICATED without one. */
	owner(): Promise<string>;
	/** Remembers why the call is refused; exceptions nobody meant to throw are logged and lose their text. */
	refuse(error: unknown): Refusal;
	readonly refusal: Refusal | undefined;
}

export interface ExchangeDeps {
	readonly service: Service;
	readonly ids: Ids;
	readonly logger?: Logger | undefined;
}

export function createExchange({ service, ids, logger }: ExchangeDeps, req: Request): Exchange {
	const response = req.res as Response;
	const requestId = openRequestId(response, ids);
	let credential: Credential | undefined;
	let isParsed = false;
	let owner: Promise<string> | undefined;
	let refusal: Refusal | undefined;

	const readCredential = () => {
		if (!isParsed) credential = parseCredential(createHeaderReader(req));
		isParsed = true;
		return credential;
	};
	const findOwner = async () => {
		const shown = readCredential();
		if (shown) return (await service.identify(shown)).owner;
		throw new ServiceError(
			"UNAUTHENTICATED",
			"A task is shown to its owner only; send the API key or Shared Payment Token that paid for it.",
		);
	};
	return {
		response,
		requestId,
		resourceUrl: `${service.info.baseUrl()}${pathOf(req)}`,
		credential: readCredential,
		owner() {
			owner ??= findOwner();
			return owner;
		},
		refuse(error): Refusal {
			if (!(error instanceof ServiceError) && !response.destroyed) {
				logger?.error("unexpected failure", { requestId, error: stackOf(error) });
			}
			refusal = toRefusal(error instanceof ServiceError ? error : internalError(error), requestId);
			return refusal;
		},
		get refusal() {
			return refusal;
		},
		isAuthenticated: false,
		userName: "",
	};
}

/** The exchange the SDK carries through a call. */
export function exchangeOf(context: ServerCallContext): Exchange {
	return context.user as Exchange;
}

/** What a caller may know of a failure of ours. */
export function internalError(cause: unknown): ServiceError {
	return new ServiceError(
		"INTERNAL",
		"Something went wrong on our side; try again, with growing pauses between tries.",
		{ cause },
	);
}

/** Node joins or drops repeated headers, and a repeated credential must be seen. */
function createHeaderReader({ rawHeaders }: Request): HeaderReader {
	return (name) =>
		rawHeaders.filter(
			(_, index) => index % 2 === 1 && rawHeaders[index - 1]?.toLowerCase() === name,
		);
}

function openRequestId(res: Response, ids: Ids): string {
	const given = res.getHeader("X-Request-Id");
	if (typeof given === "string" && given !== "") return given;
	const made = ids.next("req");
	res.setHeader("X-Request-Id", made);
	return made;
}

function pathOf({ originalUrl }: Request): string {
	const query = originalUrl.indexOf("?");
	return query === -1 ? originalUrl : originalUrl.slice(0, query);
}

/** For the log only. */
export function stackOf(error: unknown): string {
	return error instanceof Error ? (error.stack ?? error.message) : String(error);
}

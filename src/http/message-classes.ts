import { IncomingMessage, ServerResponse } from "node:http";
import type { Express } from "express";

/** What a server makes its requests and responses as. */
export interface MessageClasses {
	readonly IncomingMessage: typeof IncomingMessage;
	readonly ServerResponse: typeof ServerResponse;
}

/**
 * Messages that have the application's own prototypes when they are made. Express would give them to each one that comes in,
 * and what had its prototype changed survives until the next full collection (docs/adr/0042).
 */
export function createMessageClasses(app: Express): MessageClasses {
	class AppRequest extends IncomingMessage {}
	class AppResponse<Req extends IncomingMessage> extends ServerResponse<Req> {}
	Object.setPrototypeOf(AppRequest.prototype, app.request);
	Object.setPrototypeOf(AppResponse.prototype, app.response);
	// To Express they are its own: setting the prototype that is there changes nothing.
	Object.assign(app, { request: AppRequest.prototype, response: AppResponse.prototype });
	return { IncomingMessage: AppRequest, ServerResponse: AppResponse };
}

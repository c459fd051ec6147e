import type { RequestHandler } from "express";
import { OAUTH_LIMITS, type OAuthRecords } from "../accounts/accounts.js";
import { readJsonBody } from "../http/http.js";
import { type Clock, type Random, ServiceError } from "../kernel/kernel.js";
import { toClientMetadata } from "./client-metadata.js";

export interface RegistrationDeps {
	readonly records: OAuthRecords;
	readonly clock: Clock;
	readonly random: Random;
}

const ID_BYTES = 16;

/** Any client may register itself, for nothing: it gains nothing by it until a user agrees. RFC 7591. */
export function createRegistration({ records, clock, random }: RegistrationDeps): RequestHandler {
	return async (req, res) => {
		const { registrationDepth, registrationBodyBytes, clientUnusedSeconds } = OAUTH_LIMITS;
		if (!req.is("application/json")) {
			throw new ServiceError(
				"INVALID_ARGUMENT",
				"Send the metadata of the client as application/json.",
			);
		}
		const metadata = toClientMetadata(
			await readJsonBody(req, registrationDepth, registrationBodyBytes),
		);
		const id = Buffer.from(random.bytes(ID_BYTES)).toString("base64url");
		const issuedAt = Math.floor(clock.now() / 1000);
		const client = { client_id: id, client_id_issued_at: issuedAt, ...metadata };
		await records.put({
			kind: "client",
			id,
			accountId: undefined,
			clientId: undefined,
			keyId: undefined,
			payload: client,
			expiresAt: clock.now() + clientUnusedSeconds * 1000,
		});
		res.status(201).json(client);
	};
}

import { z } from "zod";

/** The id of an event, as callers write it. */
export const AFTER = /^\d{1,6}$/;

/** Query of every operation that streams: where to go on, and with which stream. */
export const resumeQuery = {
	after: z
		.string()
		.regex(AFTER, "must be the id of an event, in digits")
		.describe("Goes on behind this event instead of beginning; costs nothing")
		.optional(),
	stream_id: z
		.string()
		.regex(/^str_[a-z0-9]{1,36}$/, "must be a stream_id that research.created gave")
		.describe("Goes on with this stream; wallets have no other way to name theirs")
		.optional(),
};

import type { Caller } from "../core/call.js";
import type { Json } from "./free-operations.js";

/** What somebody who showed a credential may ask, paying nothing; each returns the `data` of the envelope. */
export interface OwnerOperations {
	/** What the token has left, what it may pay for and until when. */
	sptBalance(caller: Caller): Promise<Json>;
}

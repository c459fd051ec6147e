import type { Store } from "../../store/store.js";
import type { Clock, Ids, Pepper, Random } from "../kernel/kernel.js";
import type { GraphCatalog } from "../knowledge/knowledge.js";

/** What accounts run on; each part takes what it needs by `Pick<AccountServices, …>`. */
export interface AccountServices {
	readonly store: Store;
	readonly clock: Clock;
	readonly random: Random;
	readonly ids: Ids;
	readonly catalog: GraphCatalog;
	/** Key of the hashes under which secrets are stored. */
	readonly pepper: Pepper;
	/** Public base address. */
	readonly baseUrl: () => string;
}

/** What issues secrets. */
export type SecretServices = Pick<AccountServices, "store" | "clock" | "random" | "ids" | "pepper">;

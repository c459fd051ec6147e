import type { OnchainParts } from "../payments/x402/onchain-parts.js";
import type { KeyFolder } from "./auth/key-folder.js";
import type { Clock } from "./core/clock.js";
import type { Egress } from "./core/egress.js";
import type { Ids } from "./core/ids.js";
import type { Logger } from "./core/logger.js";
import type { Random } from "./core/random.js";
import type { Settings } from "./settings.js";

/** What is at hand once the data folder and its keys are ours alone. */
export interface OpenPorts {
	readonly settings: Settings;
	readonly clock: Clock;
	readonly random: Random;
	readonly logger: Logger;
	/** Absolute path of the data folder. */
	readonly folder: string;
	readonly keys: KeyFolder;
}

/** What everything is wired from. */
export interface Ports extends OpenPorts {
	readonly ids: Ids;
	readonly isServing: boolean;
	readonly slack: Egress | undefined;
	readonly callerEgress: Egress | undefined;
	readonly onchain: OnchainParts | undefined;
}

import type { OnchainParts } from "../../payments/onchain/onchain-parts.js";
import type { KeyFolder } from "../accounts/key-folder.js";
import type { Clock } from "../kernel/clock.js";
import type { Egress } from "../kernel/egress.js";
import type { Ids } from "../kernel/ids.js";
import type { Logger } from "../kernel/logger.js";
import type { Random } from "../kernel/random.js";
import type { Settings } from "../settings/read-settings.js";

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

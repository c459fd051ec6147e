import type { OnchainParts } from "../../payments/onchain/onchain.js";
import type { KeyFolder } from "../accounts/accounts.js";
import type { Clock, Egress, Ids, Logger, Random } from "../kernel/kernel.js";
import type { Settings } from "../settings/settings.js";

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

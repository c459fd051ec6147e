import { join } from "node:path";
/** A process that opens the demo chain and never closes it: what a killed server looks like. */
import { openKeyFolder } from "../../../src/accounts/key-folder.js";
import { openOnchain } from "../../../src/app/onchain.js";
import { systemClock } from "../../../src/kernel/clock.js";
import { systemRandom } from "../../../src/kernel/ids.js";
import { readSettings } from "../../../src/settings/read-settings.js";

const folder = process.argv[2] ?? "";
const parts = await openOnchain({
	settings: readSettings({ flags: { data: folder }, environment: {}, folder }),
	folder,
	keys: openKeyFolder(join(folder, "keys"), systemRandom),
	clock: systemClock,
	random: systemRandom,
	logger: { info: () => undefined, error: () => undefined },
});
await parts?.ready();
process.stdout.write(`${JSON.stringify(parts?.demoWallet)}\n`);
setInterval(() => undefined, 1_000);

/** A process that opens the demo chain and never closes it: what a killed server looks like. */
import { openKeyFolder } from "../../../src/auth/key-folder.js";
import { systemClock } from "../../../src/core/clock.js";
import { systemRandom } from "../../../src/core/random.js";
import { openOnchain } from "../../../src/open-onchain.js";
import { readSettings } from "../../../src/settings.js";

const folder = process.argv[2] ?? "";
const parts = await openOnchain({
	settings: readSettings({ flags: { data: folder }, environment: {}, folder }),
	folder,
	keys: openKeyFolder(folder, systemRandom),
	clock: systemClock,
	random: systemRandom,
	logger: { info: () => undefined, error: () => undefined },
});
await parts?.ready();
process.stdout.write(`${JSON.stringify(parts?.demoWallet)}\n`);
setInterval(() => undefined, 1_000);

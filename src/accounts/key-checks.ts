import { createHmac } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Store } from "../../store/store.js";
import { unavailable } from "../kernel/kernel.js";
import { LASTING_KEYS } from "./key-folder.js";

/** A new admin token harms no caller, and putting another in its place is how it is changed. */
const CHECKED_KEYS = LASTING_KEYS.filter((name) => name !== "admin-token");
type CheckedKey = Exclude<(typeof LASTING_KEYS)[number], "admin-token">;

const LOST: Readonly<Record<CheckedKey, string>> = {
	pepper: "no token and no key that was issued would be known",
	"card-signing.jwk.json": "signatures of the agent card could not be checked any more",
	"receipt-signing.jwk.json": "receipts that were signed could not be checked any more",
};

/**
 * What the journal knows of the lasting keys: a value for each that only the same key gives, HMAC-SHA-256 under the key's own
 * text. Without it a new key would take the place of a lost one in silence.
 */
export function createKeyChecks({
	store,
	dataFolder,
}: {
	readonly store: Pick<Store, "read" | "transaction">;
	readonly dataFolder: string;
}) {
	const pathOf = (name: CheckedKey) => join(dataFolder, "keys", name);
	const refuse = (name: CheckedKey, state: string) =>
		unavailable(
			`The file "${pathOf(name)}" ${state}: with a new one ${LOST[name]}. Put it back from a backup of the data folder.`,
			{ retryable: false },
		);
	return {
		/** Before keys are opened, which makes those that are missing. Throws UNAVAILABLE for the first that was there. */
		async assertNoneLost(): Promise<void> {
			const known = await store.read((reader) => reader.list("key_checks"));
			for (const name of CHECKED_KEYS) {
				const wasThere = known.some(({ id }) => id === name);
				if (wasThere && !existsSync(pathOf(name))) throw refuse(name, "is missing");
			}
		},
		/** Once keys are open. Throws UNAVAILABLE for the first that is another than it was; remembers those that are new. */
		async assertSame(): Promise<void> {
			await store.transaction(async (tx) => {
				for (const name of CHECKED_KEYS) {
					const check = checkOf(name, readFileSync(pathOf(name), "utf8"));
					const known = await tx.get("key_checks", name);
					if (!known) await tx.put("key_checks", { id: name, check });
					else if (known.check !== check) throw refuse(name, "is another than it was");
				}
			});
		},
	};
}

function checkOf(name: CheckedKey, text: string): string {
	return createHmac("sha256", text.trim())
		.update(`tollgraph key check ${name}`)
		.digest("base64url");
}

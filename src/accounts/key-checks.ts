import { existsSync } from "node:fs";
import { join } from "node:path";
import type { KeyCheckRow, Store } from "../../store/store.js";
import { type Clock, type ServiceError, unavailable } from "../kernel/kernel.js";
import type { KeyFolder } from "./key-folder.js";
import { type KeyRing, RING_NAMES, type RingName } from "./key-ring.js";

type LastingName = Exclude<RingName, "oauth-signing.jwk.json">;

/** A new admin token harms no caller, and putting another in its place is how it is changed: it is none of these. */
const LOST: Readonly<Record<LastingName, string>> = {
	pepper: "no token and no key that was issued would be known",
	"card-signing.jwk.json": "signatures of the agent card could not be checked any more",
	"receipt-signing.jwk.json": "receipts that were signed could not be checked any more",
	"text-key": "what callers asked and got could not be read any more",
};

/**
 * What the journal knows of the lasting keys: for each a value that only the same key gives, HMAC-SHA-256 under the key's own
 * text. Without it a new key would take the place of a lost one in silence.
 */
export function createKeyChecks({
	store,
	clock,
	keysFolder,
}: {
	readonly store: Pick<Store, "read" | "transaction">;
	readonly clock: Pick<Clock, "now">;
	readonly keysFolder: string;
}) {
	/** What counts here of each, as JSON. */
	const used = new Map<string, string>();
	const use = (rings: KeyFolder["rings"], row: KeyCheckRow): void => {
		const name = RING_NAMES.find((one) => one === row.id);
		if (name === undefined) return;
		rings[name].use(toState(row));
		used.set(name, JSON.stringify(toState(row)));
	};
	const pathOf = (name: RingName) => join(keysFolder, name);
	return {
		/**
		 * Before keys are opened, which makes those that are missing. Throws UNAVAILABLE for the first that was there.
		 * `given` are those that no file needs to hold.
		 */
		async assertNoneLost(given: readonly RingName[] = []): Promise<void> {
			const known = await store.read((reader) => reader.list("key_checks"));
			for (const name of RING_NAMES) {
				const wasThere = known.some(({ id }) => id === name) && !given.includes(name);
				if (wasThere && !existsSync(pathOf(name)))
					assertReplaceable(name, pathOf(name), "is missing");
			}
		},

		/**
		 * Once keys are open, and again once one was added: from then on those are used that the journal and the files agree
		 * on. A key before those that the journal knows is a rotation that a crash cut off, and is completed. Throws
		 * UNAVAILABLE for the first file that lacks a key in force.
		 */
		async settle({ rings }: Pick<KeyFolder, "rings">): Promise<void> {
			const rows = await store.transaction(async (tx) => {
				const settled: KeyCheckRow[] = [];
				for (const name of RING_NAMES) {
					const known = await tx.get("key_checks", name);
					const row = toRow({ name, ring: rings[name], known, now: clock.now() });
					if (row !== known) await tx.put("key_checks", row);
					settled.push(row);
				}
				return settled;
			});
			for (const row of rows) use(rings, row);
		},

		/** Uses from now on what another process that shares the folder rotated or retired. */
		async follow({ rings }: Pick<KeyFolder, "rings">): Promise<void> {
			const rows = await store.read((reader) => reader.list("key_checks"));
			for (const row of rows) {
				const name = RING_NAMES.find((one) => one === row.id);
				if (name === undefined || used.get(name) === JSON.stringify(toState(row))) continue;
				rings[name].reload();
				assertThere(rings[name], toState(row).inForce);
				use(rings, row);
			}
		},
	};
}

/** Throws UNAVAILABLE for a folder that lacks a key in force: what is in use stays so. */
function assertThere(ring: KeyRing<unknown>, inForce: readonly string[]): void {
	const found = ring.checks();
	if (inForce.every((check) => found.includes(check))) return;
	throw unavailable(
		`Another process rotated the keys in "${ring.path}", and the file here lacks them: all processes must name the same folder of keys.`,
		{ retryable: false },
	);
}

export type KeyChecks = ReturnType<typeof createKeyChecks>;

/** Which keys count, by their values; newest first. */
export function toState({ check, older = [], retired = [] }: KeyCheckRow) {
	return { inForce: [check, ...older], retired };
}

/** As the journal has to know it; the same row where it does already. */
function toRow({
	name,
	ring,
	known,
	now,
}: {
	readonly name: RingName;
	readonly ring: KeyRing<unknown>;
	readonly known: KeyCheckRow | undefined;
	readonly now: number;
}): KeyCheckRow {
	const found = ring.checks();
	const { inForce, retired }: ReturnType<typeof toState> = known
		? toState(known)
		: { inForce: [...found], retired: [] };
	const kept = inForce.filter((check) => found.includes(check));
	if (kept.length < inForce.length) {
		const state = kept.length > 0 ? "lacks a key that is still in force" : "is another than it was";
		assertReplaceable(name, ring.path, state);
	}
	const first = found.findIndex((check) => kept.includes(check));
	const newer = (first < 0 ? found : found.slice(0, first)).filter(
		(check) => !retired.includes(check),
	);
	if (known && newer.length === 0 && kept.length === inForce.length) return known;
	const [check = "", ...older] = [...newer, ...kept];
	return {
		id: name,
		check,
		...(older.length > 0 && { older }),
		...(retired.length > 0 && { retired }),
		...(known && newer.length > 0 && { rotatedAt: now }),
	};
}

/** Throws UNAVAILABLE unless another key may take its place. */
function assertReplaceable(name: RingName, path: string, state: string): void {
	// Clients of access tokens get new ones in any case.
	if (name !== "oauth-signing.jwk.json") throw refuse(name, path, state);
}

function refuse(name: LastingName, path: string, state: string): ServiceError {
	const command =
		name === "text-key" ? ", or have the command of text_key_command print the keys it did" : "";
	return unavailable(
		`The file "${path}" ${state}: with a new one ${LOST[name]}. Put it back from a backup of the data folder${command}. Processes that share books in a database share one folder of keys: name it with --keys.`,
		{ retryable: false },
	);
}

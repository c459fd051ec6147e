import type { Store } from "../../store/store-port.js";
import { seededRandom } from "../support/seeded-random.js";
import { times } from "../support/times.js";
import { failAt } from "./failing-disk.js";
import { createFakeDisk, diskError, type FakeDisk, type Verdict } from "./fake-disk.js";
import { credit, openOn, posting, tokenRow } from "./open-test-store.js";

/** A store at work on a disk of which one call, whichever, fails. */

/** Calls that each fail once; opening a new store alone takes some thirty. */
export const CALLS = 200;

export const VERDICTS: readonly (readonly [string, Verdict])[] = [
	["EIO", { error: diskError("EIO") }],
	["ENOSPC", { error: diskError("ENOSPC") }],
	["EIO after the write", { error: diskError("EIO"), unsynced: true }],
	["a short write", "short"],
];

/** Opens, writes durable and deferred, closes and opens again until a call fails; returns what was acknowledged. */
async function work(disk: ReturnType<typeof failAt>): Promise<ReadonlySet<string>> {
	const acknowledged = new Set<string>();
	try {
		for (const life of times(7, (index) => index)) {
			const store = await openOn(disk);
			for (const index of times(3, (i) => i)) await write(store, `${life}.${index}`, acknowledged);
			await store.close();
		}
	} catch {
		// The call that failed; what came before it was promised.
	}
	return acknowledged;
}

async function write(store: Store, key: string, acknowledged: Set<string>): Promise<void> {
	const entries = { "cash:manual": -1n, "cust:a": 1n };
	const deferred = { durability: "deferred" } as const;
	await store.transaction((tx) => tx.post(posting(`deferred ${key}`, entries)), deferred);
	await store.transaction(async (tx) => {
		await tx.put("tokens", tokenRow(`tok_${key}`));
		await tx.post(posting(key, entries));
	});
	// A durable one takes along whatever was ordered before it.
	acknowledged.add(key).add(`deferred ${key}`);
}

/** Nothing that was promised is missing, nothing is there twice or unasked, and work goes on. */
async function faultOf(disk: FakeDisk, acknowledged: ReadonlySet<string>): Promise<string> {
	const store = await openOn(disk);
	const kept: string[] = [];
	for await (const { postings } of store.history())
		kept.push(...postings.map(({ key }) => `${key}`));
	await store.verify();
	const lost = [...acknowledged].filter((key) => !kept.includes(key));
	if (lost.length > 0) return `lost ${lost.join(", ")}`;
	if (new Set(kept).size !== kept.length) return "something is there twice";
	await credit(store, "cust:b", 1n, "work goes on");
	return "";
}

/** What went wrong when this call failed, empty for nothing; whether the work went on long enough to make it. */
export async function tryCall(
	call: number,
	verdict: Verdict,
): Promise<{ readonly fault: string; readonly isMade: boolean }> {
	const disk = createFakeDisk();
	const failing = failAt(disk, call, verdict);
	const acknowledged = await work(failing);
	const found = call % 2 === 0 ? disk.afterPowerCut(seededRandom(call)) : disk;
	const fault = await faultOf(found, acknowledged).catch(
		(error: Error) => `does not open: ${error.message}`,
	);
	return { fault: fault && `call ${call}: ${fault}`, isMade: failing.calls() >= call };
}

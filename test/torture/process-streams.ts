import { setTimeout as sleep } from "node:timers/promises";
import { type ReadEvent, readEvents } from "../rest/start-stream.js";
import type { Dice } from "./dice.js";
import { isOpen, type ProcessWorld } from "./process-world.js";

const QUERY = "Which HTTP status code asks for payment?";
/** Readers leave so often in the middle. */
const LEAVE_SHARE = 0.5;

/**
 * Buys one stream and reads it to its end, from one server or from several: a reader who is cut off, or leaves, resumes it at any.
 * Resolves to the receipt. Throws where an event is missing or doubled.
 */
export async function readWholeStream(
	world: Pick<ProcessWorld, "open" | "count">,
	dice: Dice,
	{ token, key }: { readonly token: string; readonly key: string },
): Promise<string> {
	const events: ReadEvent[] = [];
	for (;;) {
		const after = events.at(-1)?.id ?? 0;
		const read = await readOn(world, dice, { token, key, after });
		// The database was away when it was to be noted: its key begins it again.
		if (read === "gone") events.length = 0;
		else for (const one of read) append(events, one, key);
		const receipt = receiptOf(events);
		if (receipt !== undefined) return receipt;
		await sleep(dice.between(50, 300));
	}
}

/** A stream that was begun anew comes from its start. */
function append(events: ReadEvent[], next: ReadEvent, key: string): void {
	const last = events.at(-1)?.id ?? 0;
	if (next.event === "research.created" && next.id > last) events.length = 0;
	else if (next.id !== last + 1) throw new Error(`${key}: event ${next.id} follows ${last}.`);
	events.push(next);
}

async function readOn(
	world: Pick<ProcessWorld, "open" | "count">,
	dice: Dice,
	{ token, key, after }: { readonly token: string; readonly key: string; readonly after: number },
): Promise<readonly ReadEvent[] | "gone"> {
	const headers = { "X-Pay-SPT": token, "Idempotency-Key": key };
	const place = after > 0 ? { after: String(after) } : undefined;
	const path = `/v1/research/stream?${new URLSearchParams({ query: QUERY, ...place })}`;
	const response = await world.open(path, { headers });
	world.count(`stream ${place ? "resumed " : ""}${response?.status ?? "no answer"}`);
	if (response?.status === 200)
		return readSome(response, dice.chance(LEAVE_SHARE) ? dice.between(1, 6) : Infinity);
	if (response?.status === 404 && place) return "gone";
	if (response && !isOpen(response))
		throw new Error(`${key}: ${response.status} ${await response.text()}`);
	return [];
}

/** Whole events until it ends, breaks, or so many have come. */
async function readSome(response: Response, most: number): Promise<readonly ReadEvent[]> {
	let text = "";
	const whole = () => readEvents(text.slice(0, text.lastIndexOf("\n\n") + 2));
	try {
		for await (const part of response.body as unknown as AsyncIterable<Uint8Array>) {
			text += Buffer.from(part).toString("utf8");
			if (whole().length >= most) break;
		}
	} catch {
		// Cut off.
	}
	return whole();
}

/** Once it has ended. A stream that its server's end cancelled is not whole: it is resumed from the start. */
function receiptOf(events: ReadEvent[]): string | undefined {
	const last = events.at(-1);
	if (last?.event === "research.failed")
		throw new Error(`A stream failed: ${JSON.stringify(last)}`);
	if (last?.event !== "research.completed") return undefined;
	return events.find(({ event }) => event === "research.usage")?.data.cost.receipt_id;
}

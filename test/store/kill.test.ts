import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import t from "tap";
import { systemClock } from "../../src/kernel/clock.js";
import { nodeFileSystem } from "../../store/journal/file-system.js";
import { openJournalStore } from "../../store/journal/journal-store.js";

const WRITER = fileURLToPath(new URL("./journal-writer.js", import.meta.url));
const ROUNDS = 10;

/** Lets a process write and kills it a few milliseconds after its first acknowledgment; returns what it named. */
async function writeAndKill(folder: string, round: number): Promise<string[]> {
	const args = [WRITER, folder, String(round), String(1 + (round % 3) * 20)];
	const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
	let said = "";
	let isDying = false;
	child.stdout.setEncoding("utf8").on("data", (chunk: string) => {
		said += chunk;
		if (isDying || !said.includes("kept")) return;
		isDying = true;
		setTimeout(() => child.kill("SIGKILL"), (round * 17) % 60);
	});
	await once(child, "close");
	// The last line may have been cut in the pipe.
	return said
		.split("\n")
		.slice(0, -1)
		.flatMap((line) => /^kept (.+)$/.exec(line)?.[1] ?? []);
}

t.test("whenever a process is killed, the next one finds all that was acknowledged", async (t) => {
	const folder = join(t.testdir({}), "store");
	const acknowledged: string[] = [];
	for (let round = 0; round < ROUNDS; round++) {
		const kept = await writeAndKill(folder, round);
		t.ok(kept.length > 0);
		acknowledged.push(...kept);
	}
	const store = await openJournalStore({
		folder,
		clock: systemClock,
		fileSystem: nodeFileSystem,
	});
	const recovered = new Map<string, number>();
	for await (const { postings } of store.history()) {
		for (const { key = "" } of postings) recovered.set(key, (recovered.get(key) ?? 0) + 1);
	}
	t.same(
		acknowledged.filter((key) => recovered.get(key) !== 1),
		[],
	);
	const { transactions } = await store.verify();
	t.equal(transactions, recovered.size);
	for (const key of acknowledged.filter((_, index) => index % 50 === 0)) {
		const id = `rcpt_${key}`;
		t.equal((await store.read((reader) => reader.get("receipts", id)))?.id, id);
	}
	t.comment(`${acknowledged.length} acknowledged, ${recovered.size} recovered`);
	await store.close();
});

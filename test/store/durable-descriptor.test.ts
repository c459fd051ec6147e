import { existsSync, constants as flags } from "node:fs";
import { readdir, readFile, readlink } from "node:fs/promises";
import { join } from "node:path";
import t from "tap";
import { systemClock } from "../../src/kernel/clock.js";
import { nodeFileSystem } from "../../store/journal/file-system.js";
import { openJournalStore } from "../../store/journal/journal-store.js";
import { credit } from "./open-test-store.js";

/** What this process has open, as the system sees it: the file behind each descriptor, and the flags it was opened with. */
async function openDescriptors(): Promise<readonly { path: string; flags: number }[]> {
	const found = (await readdir("/proc/self/fd")).map(async (fd) => {
		const path = await readlink(`/proc/self/fd/${fd}`).catch(() => "");
		const info = await readFile(`/proc/self/fdinfo/${fd}`, "utf8").catch(() => "");
		return { path, flags: Number.parseInt(/^flags:\s*([0-7]+)$/m.exec(info)?.[1] ?? "0", 8) };
	});
	return Promise.all(found);
}

t.test(
	"an acknowledged frame is written through a descriptor that syncs each write to the disk",
	{ skip: !existsSync("/proc/self/fdinfo") && "Descriptors are read from /proc." },
	async (t) => {
		const folder = join(t.testdir({}), "store");
		const options = { folder, clock: systemClock, fileSystem: nodeFileSystem };
		const store = await openJournalStore(options);
		t.teardown(() => store.close());
		await credit(store, "cust:a", 1n);
		const journals = (await openDescriptors()).filter(({ path }) => path.endsWith(".journal"));
		t.ok(journals.length > 0, "the journal is open");
		const isSynced = (one: { flags: number }) => (one.flags & flags.O_DSYNC) === flags.O_DSYNC;
		t.ok(journals.some(isSynced), `flags ${journals.map((one) => one.flags.toString(8))}`);
		const position = await lastWritten(journals.find(isSynced)?.path ?? "");
		t.match(position, /credit:cust:a/, "what was acknowledged is in that file");
	},
);

async function lastWritten(path: string): Promise<string> {
	return (await readFile(path, "utf8")).replaceAll("\0", "");
}

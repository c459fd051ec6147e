import { crc32 } from "node:zlib";
import t from "tap";
import { ServiceError } from "../../src/core/errors.js";
import { restoreJournal } from "../../store/journal/restore.js";
import { failAt } from "./failing-disk.js";
import { diskError, seededRandom } from "./fake-disk.js";
import { filledDisk, isInDoubt, remainsOf, restoreOn } from "./filled-disk.js";
import { openOn, stillClock, times } from "./open-test-store.js";

t.test("a restore that fails leaves its place as it was", async (t) => {
	const base = await filledDisk("");
	await (await openOn(base)).backup("/backup");
	let [failed, inDoubt] = [0, 0];
	for (let call = 1; ; call++) {
		const disk = base.copy();
		const failing = failAt(disk, call, { error: diskError("EIO") });
		const outcome = await restoreJournal({
			fileSystem: failing,
			clock: stillClock(),
			from: "/backup",
			to: "/restored",
		}).then(
			() => "restored",
			(error: unknown) => error,
		);
		if (failing.calls() < call) break;
		if (outcome === "restored") continue;
		failed += 1;
		if (!(outcome instanceof ServiceError)) t.fail(`call ${call}: ${String(outcome)}`);
		if (isInDoubt(outcome)) {
			inDoubt += 1;
			await (await openOn(disk.copy(), { folder: "/restored" })).verify();
			if (remainsOf(disk).some((path) => !path.startsWith("/restored/"))) t.fail(`call ${call}`);
		} else if (remainsOf(disk).length > 0) t.fail(`call ${call}: something is left`);
	}
	t.equal(inDoubt, 1, "only the last sync comes after the folder has its name");
	t.ok(failed > 60, `${failed} failures`);
});

t.test("a power cut at any moment of a restore leaves the whole place or none", async (t) => {
	const base = await filledDisk("");
	await (await openOn(base)).backup("/backup");
	const to = "/2026/11/21";
	const outcomes = { whole: 0, none: 0 };
	let isRestored = false;
	for (let cut = 1; !isRestored; cut++) {
		const disk = base.copy();
		const cutAt = disk.operations.length + cut;
		disk.judge = () =>
			disk.operations.length > cutAt ? { error: diskError("EIO"), unsynced: true } : "work";
		isRestored = await restoreJournal({
			fileSystem: disk,
			clock: stillClock(),
			from: "/backup",
			to,
		}).then(
			() => true,
			() => false,
		);
		for (const seed of times(6, (index) => cut + index * 1_000)) {
			const found = disk.afterPowerCut(seededRandom(seed));
			const isThere = found.files().some((path) => path.startsWith(`${to}/`));
			outcomes[isThere ? "whole" : "none"] += 1;
			if (isRestored && !isThere) t.fail(`seed ${seed}: what was reported is gone`);
			if (!isThere) continue;
			const restored = await openOn(found, { folder: to });
			t.match(await restored.verify(), { transactions: 4 });
			t.equal(await restored.documents.get("art_1"), "one");
		}
	}
	t.ok(outcomes.none > 100 && outcomes.whole >= 6, `${JSON.stringify(outcomes)}`);
});

t.test("a journal that ends otherwise than its manifest says is refused", async (t) => {
	const disk = await filledDisk("");
	await (await openOn(disk)).backup("/backup");
	disk.edit("/backup/manifest.json", (bytes) => {
		const end = bytes.lastIndexOf(',"crc32":"');
		const facts = bytes
			.toString("utf8", 0, end)
			.replace(/"crc":(\d+)/, (_all, crc) => `"crc":${+crc ^ 1}`);
		const sum = crc32(facts).toString(16).padStart(8, "0");
		return Buffer.from(`${facts},"crc32":"${sum}"}\n`);
	});
	await t.rejects(restoreOn(disk), { code: "UNAVAILABLE", message: /last frame has checksum/ });
	t.same(remainsOf(disk), []);
});

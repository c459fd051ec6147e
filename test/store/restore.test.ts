import { crc32 } from "node:zlib";
import t from "tap";
import { ServiceError } from "../../src/core/errors.js";
import { restoreJournal } from "../../store/journal/restore.js";
import { failAt } from "./failing-disk.js";
import { diskError } from "./fake-disk.js";
import { filledDisk, isInDoubt, remainsOf, restoreOn } from "./filled-disk.js";
import { openOn, stillClock } from "./open-test-store.js";

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

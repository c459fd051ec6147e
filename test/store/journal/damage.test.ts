import t from "tap";
import { unavailable } from "../../../src/kernel/kernel.js";
import { createDamageLog, damaged, isFull, unreadable } from "../../../store/journal/damage.js";
import { messageOf, stopped } from "../../../store/store.js";
import { diskError } from "../fake-disk.js";

t.test("damage is reported with file, byte and what to do, and a retry is not", (t) => {
	const found = { path: "/a", offset: 7, problem: "a bit is wrong" };
	const reported = damaged(found);
	t.match(reported, {
		code: "UNAVAILABLE",
		retryable: false,
		message:
			'The store is damaged: in "/a", at byte 7, a bit is wrong. Nothing was changed. Restore the store\'s folder from a backup, all its files together, and start again.',
	});
	const message = 'The store is damaged: in "/a", at byte 7, a bit is wrong. Delete it.';
	t.equal(damaged({ ...found, remedy: "Delete it." }).message, message);
	t.end();
});

t.test("what may pass is to be tried again, and says why it failed", (t) => {
	const cause = diskError("EMFILE");
	t.match(unreadable("/a", cause), {
		code: "UNAVAILABLE",
		retryable: true,
		cause,
		message: 'The journal could not be read: "/a" (EMFILE: simulated). Try again in a moment.',
	});
	t.match(stopped("it is closed", cause), { code: "UNAVAILABLE", retryable: true, cause });
	t.equal(messageOf("text"), "text");
	t.equal(messageOf(new Error("why")), "why");
	t.end();
});

t.test("a disk is full without room, quota or a whole write, and else it is broken", (t) => {
	for (const code of ["ENOSPC", "EDQUOT", "SHORT_WRITE"]) t.equal(isFull(diskError(code)), true);
	t.equal(isFull(diskError("EIO")), false);
	t.equal(isFull(new Error("ENOSPC")), false);
	t.equal(isFull({ code: "ENOSPC" }), false);
	t.equal(isFull(undefined), false);
	t.end();
});

t.test("damage stays noted until a whole check finds none", async (t) => {
	const log = createDamageLog();
	const fine = async () => "fine";
	const [whole, part] = [{ isWhole: true }, { isWhole: false }];
	t.equal(log.isIntact(), true);
	log.note();
	t.equal(log.isIntact(), false);
	t.equal(await log.watch(fine, part), "fine");
	t.equal(log.isIntact(), false, "a part proves nothing of the rest");
	await log.watch(fine, whole);
	t.equal(log.isIntact(), true);
	const noting = async () => log.note();
	await log.watch(noting, whole);
	t.equal(log.isIntact(), false, "what was noted meanwhile counts");
	await log.watch(fine, whole);
	const passing = unavailable("busy", { retryable: true });
	await t.rejects(
		log.watch(async () => Promise.reject(passing), whole),
		passing,
	);
	t.equal(log.isIntact(), true, "what may pass proves no damage");
	for (const error of [unavailable("broken", { retryable: false }), new Error("broken")]) {
		await t.rejects(
			log.watch(async () => Promise.reject(error), whole),
			{ message: "broken" },
		);
		t.equal(log.isIntact(), false);
		await log.watch(fine, whole);
	}
});

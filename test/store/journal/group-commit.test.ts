import t from "tap";
import { createGroupCommit } from "../../../store/journal/group-commit.js";
import { times } from "../../support/times.js";
import { diskError } from "../fake-disk.js";
import { NOON_MS, timedClock, turns, watch } from "./timed-clock.js";

const FULL = "the disk is full: ENOSPC: simulated";
const refusal = (reason: string) => ({
	code: "UNAVAILABLE",
	retryable: true,
	message: `The store takes no more changes (${reason}). Whether a change under way was kept is unknown: send the request again with the same idempotency key once the service is back.`,
});

/** A commit whose writes go to a list, fail as ordered, and wait while they are held. */
function openCommit() {
	const timed = timedClock();
	/** Frames that were written and what was said, in order. */
	const log: string[] = [];
	const failures: Error[] = [];
	let held: Promise<void> | undefined;
	let tries = 0;
	const commit = createGroupCommit({
		clock: timed.clock,
		async write() {
			tries += 1;
			await held;
			const failure = failures.shift();
			if (failure) throw failure;
			log.push(`wrote ${commit.underWay()?.transactions}`);
		},
		onStop: (reason) => log.push(`stopped: ${reason}`),
		onFull: (reason) => log.push(`full: ${reason}`),
		onResume: () => log.push("resumed"),
	});
	return {
		...timed,
		commit,
		log,
		tries: () => tries,
		failNext: (...errors: Error[]) => failures.push(...errors),
		/** Writes wait until the returned function is called. */
		hold(): () => void {
			let release: () => void = () => undefined;
			held = new Promise((resolve) => {
				release = resolve;
			});
			return () => {
				held = undefined;
				release();
			};
		},
		add(json: string, durability: "durable" | "deferred" = "durable") {
			const batch = commit.current();
			commit.add(json, durability);
			return batch;
		},
	};
}

t.test("what is added in one turn is one frame, kept once it is written", async (t) => {
	const { commit, add, log } = openCommit();
	const batch = add("a");
	t.equal(add("b"), batch);
	t.match(batch, { at: NOON_MS, transactions: ["a", "b"], coldRange: undefined });
	t.equal(batch.isKept(), false);
	t.equal(commit.backlog(), 1);
	t.equal(commit.underWay(), undefined);
	const idle = watch(commit.idle());
	await Promise.resolve();
	t.equal(idle(), "pending", "a frame is on its way");
	await batch.done;
	t.same(log, ["wrote a,b"]);
	t.equal(batch.isKept(), true);
	await commit.idle();
	t.equal(commit.backlog(), 0);
	t.equal(commit.underWay(), undefined);
	t.equal(commit.stopReason(), undefined);
	await commit.settle();
	t.equal(log.length, 1, "with nothing to write nothing is written");
});

t.test("what comes while a frame is being written is the next frame", async (t) => {
	const { commit, add, log, hold } = openCommit();
	const release = hold();
	const first = add("a");
	await turns();
	t.equal(commit.underWay(), first);
	const everything = watch(commit.settle());
	const second = add("b");
	add("c");
	t.not(second, first);
	t.equal(commit.backlog(), 1);
	await turns();
	t.same(log, []);
	t.equal(everything(), "pending", "what is under way is not yet durable");
	release();
	await second.done;
	t.same(log, ["wrote a", "wrote b,c"]);
	t.equal(everything(), "resolved");
});

t.test("a deferred change waits twenty milliseconds for a durable one", async (t) => {
	const { add, log, pass, delays } = openCommit();
	add("a", "deferred");
	add("b", "deferred");
	await turns();
	t.same(delays(), [20], "one timer for all");
	await pass(19);
	t.same(log, []);
	await pass(1);
	t.same(log, ["wrote a,b"]);
	add("c", "deferred");
	t.same(delays(), [20], "and the next one is waited for as well");
	await pass(20);
	t.same(log, ["wrote a,b", "wrote c"]);
});

t.test("a deferred change behind a frame under way is not written with it", async (t) => {
	const { add, log, pass, hold, commit } = openCommit();
	const release = hold();
	add("a");
	await turns();
	add("b", "deferred");
	release();
	await turns();
	t.same(log, ["wrote a"]);
	t.equal(commit.backlog(), 1);
	await pass(20);
	t.same(log, ["wrote a", "wrote b"]);
});

t.test("a timer leaves a younger change its full time, to within a millisecond", async (t) => {
	for (const [youngerByMs, leftMs] of [
		[1, undefined],
		[2, 2],
		[15, 15],
	] as const) {
		const { commit, add, log, pass, delays } = openCommit();
		add("a", "deferred");
		await commit.settle();
		t.same(log, ["wrote a"], "asked for everything, it does not wait");
		await pass(youngerByMs);
		add("b", "deferred");
		await pass(20 - youngerByMs);
		t.same(delays(), leftMs === undefined ? [] : [leftMs]);
		t.equal(log.length, leftMs === undefined ? 2 : 1);
		await pass(leftMs ?? 0);
		t.same(log, ["wrote a", "wrote b"]);
	}
});

t.test("a timer that finds nothing left writes nothing", async (t) => {
	const { add, log, pass, delays, tries } = openCommit();
	add("a", "deferred");
	await add("b").done;
	await pass(20);
	t.same(log, ["wrote a,b"]);
	t.equal(tries(), 1);
	t.same(delays(), []);
});

t.test("a frame takes a mebibyte, and the change that fills it", async (t) => {
	const MIB = 1024 * 1024;
	const { commit, add, log } = openCommit();
	const first = add("x".repeat(MIB - 1), "deferred");
	t.equal(add("y", "deferred"), first, "not full yet");
	const second = add("z", "deferred");
	t.not(second, first);
	t.equal(commit.backlog(), 2);
	const third = add("w");
	t.equal(third, second);
	await third.done;
	t.equal(first.isKept(), true, "the older one goes first");
	t.same(
		log.map((line) => line.slice(-4)),
		["xx,y", " z,w"],
	);
});

t.test("a failure stops everything, once, with what it says", async (t) => {
	const { commit, add, log, hold, failNext, tries, delays } = openCommit();
	const release = hold();
	const first = add("a");
	await turns();
	const second = add("b", "deferred");
	failNext(diskError("EIO"));
	release();
	const cause = { message: "EIO: simulated" };
	await t.rejects(first.done, { ...refusal("EIO: simulated"), cause });
	await t.rejects(second.done, { ...refusal("EIO: simulated"), cause });
	t.same([first.isKept(), second.isKept()], [false, false]);
	t.equal(commit.backlog(), 0);
	t.equal(commit.stopReason(), "EIO: simulated");
	t.equal(commit.isWaitingForRoom(), false);
	await commit.idle();
	await t.rejects(commit.settle(), refusal("EIO: simulated"));
	commit.stop("another reason");
	commit.giveUpWaiting();
	t.equal(commit.stopReason(), "EIO: simulated");
	t.same(log, ["stopped: EIO: simulated"]);
	t.equal(tries(), 1, "and it is not tried again");
	t.same(
		delays().filter((ms) => ms > 20),
		[],
	);
});

t.test("who stops it from outside refuses what waits and what is under way", async (t) => {
	const { commit, add, log, hold } = openCommit();
	const release = hold();
	const first = add("a");
	await turns();
	const second = add("b");
	commit.stop("the mark could not be raised", new Error("why"));
	const refused = refusal("the mark could not be raised");
	await t.rejects(first.done, { ...refused, cause: { message: "why" } });
	await t.rejects(second.done, refused);
	release();
	await commit.idle();
	t.equal(second.isKept(), false);
	t.same(log, ["stopped: the mark could not be raised", "wrote a"], "and b is not written");
	t.equal(commit.underWay(), undefined);
});

t.test("a full disk refuses callers, is tried each second, and then goes on", async (t) => {
	const { commit, add, log, hold, failNext, tries, pass, delays } = openCommit();
	const release = hold();
	const first = add("a");
	await turns();
	const second = add("b", "deferred");
	failNext(diskError("ENOSPC"), diskError("EDQUOT"));
	release();
	await t.rejects(first.done, refusal(FULL));
	await t.rejects(second.done, refusal(FULL));
	t.same(log, [`full: ${FULL}`]);
	t.equal(commit.isWaitingForRoom(), true);
	t.equal(commit.stopReason(), FULL);
	await t.rejects(commit.settle(), refusal(FULL));
	t.equal(commit.backlog(), 1, "what was refused stays");
	t.same(
		delays().filter((ms) => ms > 20),
		[1_000],
	);
	await pass(999);
	t.equal(tries(), 1);
	await pass(1);
	t.equal(tries(), 2);
	t.same(log, [`full: ${FULL}`], "still full is no news");
	t.equal(commit.isWaitingForRoom(), true);
	await pass(1_000);
	t.same(log, [`full: ${FULL}`, "wrote a", "wrote b", "resumed"]);
	t.same([first.isKept(), second.isKept()], [true, true]);
	t.equal(commit.isWaitingForRoom(), false);
	t.equal(commit.stopReason(), undefined);
	await add("c").done;
	t.equal(log.at(-1), "wrote c");
	t.equal(log.length, 5);
});

t.test("each time it is full is reported, with its own reason", async (t) => {
	const { add, log, failNext, pass } = openCommit();
	failNext(diskError("ENOSPC"));
	add("a");
	await turns();
	await pass(1_000);
	failNext(diskError("EDQUOT"));
	const second = add("b");
	await t.rejects(second.done, refusal("the disk is full: EDQUOT: simulated"));
	await pass(1_000);
	const again = "full: the disk is full: EDQUOT: simulated";
	t.same(log, [`full: ${FULL}`, "wrote a", "resumed", again, "wrote b", "resumed"]);
});

t.test("a disk that fails while it is full stops for good", async (t) => {
	const { commit, add, log, failNext, pass, tries } = openCommit();
	failNext(diskError("ENOSPC"), diskError("EIO"));
	add("a");
	await turns();
	await pass(1_000);
	t.same(log, [`full: ${FULL}`, "stopped: EIO: simulated"]);
	t.equal(commit.stopReason(), "EIO: simulated");
	t.equal(commit.isWaitingForRoom(), false);
	await commit.idle();
	commit.giveUpWaiting();
	t.equal(commit.stopReason(), "EIO: simulated");
	await pass(5_000);
	t.equal(tries(), 2);
});

t.test("who stops or gives up while it is full ends the wait at once", async (t) => {
	for (const how of ["stop", "giveUpWaiting"] as const) {
		const { commit, add, log, failNext, pass, tries, delays } = openCommit();
		commit.giveUpWaiting();
		t.equal(commit.stopReason(), undefined, "nothing waits yet");
		failNext(diskError("ENOSPC"));
		const batch = add("a");
		await t.rejects(batch.done, refusal(FULL));
		const idle = watch(commit.idle());
		await turns();
		t.equal(idle(), "pending");
		commit[how]("at an end");
		await turns();
		t.equal(idle(), "resolved");
		t.same(delays(), []);
		t.equal(commit.stopReason(), how === "stop" ? "at an end" : FULL);
		t.equal(commit.isWaitingForRoom(), false);
		await pass(2_000);
		t.equal(tries(), 1);
		t.equal(batch.isKept(), false);
		t.same(log.slice(1), how === "stop" ? ["stopped: at an end"] : []);
	}
});

/** So many deferred changes, of which each announces a durable one. */
const announce = ({ add }: ReturnType<typeof openCommit>, count: number) =>
	times(count, (index) => add(`d${index}`, "deferred"));

t.test("a durable change waits two milliseconds while three more are expected", async (t) => {
	const opened = openCommit();
	const { add, log, pass, delays, awaited } = opened;
	announce(opened, 4);
	add("a");
	await turns();
	t.same(log, []);
	t.same(delays(), [20, 2]);
	t.equal(awaited(), 1, "the process lives on for it");
	await pass(1);
	t.same(log, []);
	await pass(1);
	t.same(log, ["wrote d0,d1,d2,d3,a"]);
});

t.test("a durable change does not wait for two", async (t) => {
	const opened = openCommit();
	announce(opened, 3);
	opened.add("a");
	await turns();
	t.same(opened.log, ["wrote d0,d1,d2,a"]);
	t.equal(opened.awaited(), 0);
});

t.test("the last one that is expected ends the wait", async (t) => {
	const opened = openCommit();
	const { add, log, delays } = opened;
	announce(opened, 4);
	for (const name of ["a", "b", "c"]) {
		add(name);
		await turns();
	}
	t.same(log, []);
	add("e");
	await turns();
	t.same(log, ["wrote d0,d1,d2,d3,a,b,c,e"]);
	t.same(delays(), [20], "its timer is off");
});

t.test("what has not come within thirty milliseconds is not expected any more", async (t) => {
	for (const [ageMs, isWaiting] of [
		[30, true],
		[31, false],
	] as const) {
		const opened = openCommit();
		const { add, log, pass } = opened;
		announce(opened, 4);
		await pass(20);
		await pass(2);
		t.equal(log.length, 1, "the deferred ones are written");
		await pass(ageMs - 22);
		add("a");
		await turns();
		t.equal(log.length, isWaiting ? 1 : 2, `${ageMs} ms`);
	}
});

t.test("who needs everything now ends the wait, or forgoes it, for that once", async (t) => {
	const opened = openCommit();
	const { commit, add, log } = opened;
	announce(opened, 6);
	await commit.settle();
	t.same(log, ["wrote d0,d1,d2,d3,d4,d5"], "before it began");
	add("a");
	await turns();
	t.equal(log.length, 1, "the next one waits again");
	await commit.settle();
	t.same(log.slice(1), ["wrote a"], "amid the wait");
	add("b");
	await turns();
	t.equal(log.length, 2, "and the one after as well");
	await commit.settle();
	t.equal(log.length, 3);
});

t.test("no more than a thousand and some are ever expected", async (t) => {
	const opened = openCommit();
	const { add, log } = opened;
	announce(opened, 1_100);
	add("first");
	await turns();
	for (const index of times(1_022, (i) => i)) add(`a${index}`);
	await turns();
	t.equal(log.length, 0);
	add("last");
	await turns();
	t.equal(log.length, 1);
});

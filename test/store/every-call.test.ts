import t from "tap";
import { times } from "../support/times.js";
import { CALLS, tryCall, VERDICTS } from "./every-call.js";

t.test(`whichever of the first ${CALLS} calls fails, nothing acknowledged is lost`, async (t) => {
	const [eio] = VERDICTS;
	// Each call in one of the ways a disk fails; `npm run torture` goes through all of them.
	const tries = times(CALLS, (index) => {
		const [, verdict] = VERDICTS[index % VERDICTS.length] ?? eio ?? [];
		return tryCall(index + 1, verdict ?? "short");
	});
	const found = await Promise.all(tries);
	t.same(
		found.flatMap(({ fault }) => fault || []),
		[],
	);
	t.ok(
		found.every(({ isMade }) => isMade),
		"every one of them was made",
	);
});

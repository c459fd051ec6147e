import t from "tap";
import { createResultIds } from "../../src/artifacts/artifact-repository.js";
import { createIds, systemRandom } from "../../src/kernel/ids.js";
import { manualClock } from "../support/manual-clock.js";

const ids = createIds({ clock: manualClock("2026-11-30T12:00:00Z"), random: systemRandom });
const resultIds = createResultIds({ ids, secret: Buffer.from("secret") });
const other = createResultIds({ ids, secret: Buffer.from("another") });

t.test("a call that is sent again has one result, which its receipt does not name", (t) => {
	const callId = ids.next("hold");
	const id = resultIds("cns", { callId });
	t.match(id, /^cns_[0-9a-hjkmnp-tv-z]{26}$/);
	t.equal(resultIds("cns", { callId }), id);
	t.equal(id.slice(4, 14), callId.slice(5, 15), "results sort by time");
	t.not(id.slice(14), callId.slice(15), "the receipt has the hold's randomness");
	t.not(other("cns", { callId }), id);
	t.not(resultIds("cns", { callId, caller: { owner: "tok_2" } }), id);
	t.end();
});

t.test("a payment on a chain that needed no hold has one result, too", (t) => {
	const callId = `pay_${"0123456789abcdef".repeat(2)}`;
	const id = resultIds("dos", { callId });
	t.match(id, /^dos_0[0-9a-hjkmnp-tv-z]{25}$/);
	t.equal(resultIds("dos", { callId }), id);
	t.not(other("dos", { callId }), id);
	t.not(resultIds("dos", { callId, caller: { owner: "eip155:1:0x2" } }), id);
	t.end();
});

t.test("a name that the caller chose names no result", (t) => {
	const callId = "req_mine_to_choose_1";
	t.not(resultIds("cns", { callId }), resultIds("cns", { callId }));
	t.not(resultIds("cns", { callId: "hold_x" }), resultIds("cns", { callId: "hold_x" }));
	t.end();
});

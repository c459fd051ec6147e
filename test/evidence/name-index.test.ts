import t from "tap";
import { toNameIndex } from "../../skills/entities/name-index.js";
import { runInTurns } from "../../src/knowledge/model/work-in-turns.js";

/** Characters that normalize to several each, so that a name has more trigrams than a byte counts. */
const LONG = String.fromCodePoint(...Array.from({ length: 88 }, (_, index) => 0x3300 + index));

t.test("a name that grows when it is normalized is found by a slip of it, once", async (t) => {
	const names = await runInTurns(
		toNameIndex([
			{ text: LONG, kind: "title", named: "long" },
			{ text: "Tides and harbours", kind: "title", named: "short" },
		]),
	);
	const found = names.find(`${LONG.slice(0, 40)}x${LONG.slice(41)}`, 5);
	t.match(found, [{ named: "long", why: "near spelling" }]);
	t.ok((found[0]?.score ?? 0) > 0.7);
	t.match(names.find("tides", 5), [{ named: "short", why: "part of a name" }]);
});

import { createHash } from "node:crypto";
import t from "tap";
import { entriesOf, toPathMap } from "../../src/knowledge/model/path-map.js";
import { SNAPSHOT_VERSION } from "../../src/knowledge/snapshots/graph-snapshot.js";
import { graphOf, TIDES } from "./sample-bundle.js";

const NONE = toPathMap<readonly string[]>([]);

/** A little of everything that a reader has rules for. */
const PINNED = {
	...TIDES,
	"index.md": "# Listed title\n\n- [Low](phases/low.md)\n",
	"log.md": "## 2026-05-06\n\nSomething.\n",
	"notes/rules.md": [
		"---",
		"type: Rule ",
		"description: >",
		"  Folded\u200b text, *marked*.",
		"tags: one, two, one",
		"aliases: [Three, 4, null]",
		"timestamp: 2024-05",
		"stale_after: 2027-01-02",
		"status: Draft",
		"verified: [human:me, { by: x/2, at: 2025-01-01 }, {}]",
		"sources: [https://example.org/a, { url: ftp://example.org }, { id: a, url: 'https://example.org/b', date: 2020, kind: Law }]",
		"relations: [{ target: phases.low, type: Needs_It, weight: -1, valid_to: 2026-02 }, { target: nowhere }]",
		"---",
		"# Heading\r\n",
		"First `code` paragraph, [low](../phases/low), [[high]], [out](../../x.md), [web](https://example.org).",
		"```\n[not a link](low.md)\n```",
	].join("\n"),
	"v01.md":
		"---\ntype: Old\n---\nText.\n\n# Citations\n\n[1] [Title](https://example.org/c), 2018-08-01\n",
};

t.test("a change of what reading a bundle gives raises the version of snapshots", (t) => {
	const { concepts, record, memory } = graphOf(PINNED);
	const reading = JSON.stringify({
		concepts,
		record,
		awaited: [...entriesOf(memory?.awaited ?? NONE)],
	});
	const digest = createHash("sha256").update(reading).digest("hex").slice(0, 16);
	t.same({ version: SNAPSHOT_VERSION, digest }, { version: 6, digest: "e76678eb534da807" });
	t.end();
});

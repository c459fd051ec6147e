import t from "tap";
import { importBundle } from "../../src/knowledge/import/import-bundle.js";
import { findOkfFaults } from "./okf-conformance.js";
import { findLosses } from "./okf-round-trip.js";
import { filesOf } from "./sample-bundle.js";

/** A bundle with a field of every family of the format, and some that it does not know. */
const FERRIES = {
	"index.md": '---\nokf_version: "0.2"\n---\n# Folders\n\n* [counts](counts/) - How many sail.\n',
	"log.md":
		"---\ntype: Log\n---\n\n# Log\n\n## 2026-07-01\n* **Update**: Counted again.\n\n## 2026-06-30\n* **Creation**: Began.\n",
	"counts/index.md": "# Counts\n\n* [Passengers](passengers.md) - Who sails.\n",
	"counts/passengers.md": `---
type: Attested Computation
title: Passengers of a year
description: Everyone who sailed.
resource: https://ferries.example/counts
tags: [ferry, count]
runtime: postgres
parameters:
  - { name: year, type: integer, required: true }
executor: { resource: skills/run.md, receipt: [job_id, result] }
attester: { resource: /attesters/count.py }
generated: { by: counter/1.2, at: 2026-06-30T14:00:00Z }
verified: { by: "human:ann", at: 2026-07-01T09:00:00.250+02:00 }
status: stable
stale_after: 2026-12-31T00:00:00Z
sources:
  - { id: rules, resource: policies/rules.md, title: Rules, author: "human:ann", last_modified: 2026-06-15T00:00:00Z }
  - { id: gates, resource: "https://ferries.example/gates", usage_count: 5000, usage_window: { from: 2026-06-01T00:00:00Z, to: 2026-06-30T00:00:00Z } }
usage_window: { from: 2026-01-01T00:00:00Z, to: 2026-06-30T00:00:00Z }
x-team: { name: Piers, seats: [1, 2.5, null, true] }
---

# Computation

\`\`\`sql
SELECT count(*) FROM trips WHERE year = @year
\`\`\`

Children count, as the rules say.[^rules] Gates count them.[^gates]

[^rules]: Rules
[^gates]: Gates
`,
	"policies/rules.md": `---
type: Policy
timestamp: '2026-05-28T22:53:05+00:00'
status: deprecated
---

Children are [passengers](../counts/passengers.md) and [crew](/crew/not-written.txt) are not.
`,
	"skills/run.md":
		'---\ntype: Skill\nverified:\n  - { by: "process:nightly", at: 2026-07-01T02:00:00Z }\n---\n\nSend the text to the server.\n',
} as const;

t.test("nothing of a bundle is lost on its way in, out and in again", async (t) => {
	t.same(findOkfFaults(filesOf(FERRIES)), []);
	t.same(await findLosses(filesOf(FERRIES), "ferries"), []);
});

t.test("a source that is named from the root of the bundle is a concept it cites", async (t) => {
	const { graph } = await importBundle(filesOf(FERRIES), "ferries");
	const edgesOf = (id: string) => graph.concepts.find((concept) => concept.id === id)?.edges;
	t.match(edgesOf("counts.passengers"), [{ type: "cites", target: "policies.rules" }]);
	const nearer = { ...FERRIES, "counts/policies/rules.md": "---\ntype: Policy\n---\nNearer.\n" };
	const other = await importBundle(filesOf(nearer), "ferries");
	t.match(other.graph.concepts.find(({ id }) => id === "counts.passengers")?.edges, [
		{ type: "cites", target: "counts.policies.rules" },
	]);
});

t.test("what the format forbids is found", (t) => {
	const faultsOf = (path: string, text: string) => findOkfFaults(filesOf({ [path]: text }));
	for (const [path, text, fault] of [
		["a.md", "No front matter.", "no front matter"],
		["a.md", "---\ntype: ' '\n---\n", "no type"],
		["a.md", "---\ntype: A\nstatus: final\n---\n", "status final"],
		["a.md", "---\ntype: A\nstale_after: 2026-01-02\n---\n", "no instant: 2026-01-02"],
		["a.md", "---\ntype: A\nsources: [{ title: A }]\n---\n", "a source without resource"],
		["a.md", "---\ntype: A\ngenerated: { at: 2026-01-02T00:00:00Z }\n---\n", "by no actor"],
		["a.md", "---\ntype: Attested Computation\nruntime: x\n---\nText.\n", "no computation, or two"],
		["a/index.md", '---\nokf_version: "0.2"\n---\n# A\n', 'an index has no "okf_version"'],
		["index.md", "# A\n\n* words alone\n", "no entry: * words alone"],
		["a/log.md", "# Log\n\n## 2 May 2026\n", "no day: 2 May 2026"],
		["log.md", "# Log\n\n## 2026-01-01\n\n## 2026-01-02\n", "not the newest first"],
	] as const) {
		t.same(faultsOf(path, text), [`${path}: ${fault}`]);
	}
	t.end();
});

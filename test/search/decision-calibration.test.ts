import { join } from "node:path";
import t from "tap";
import { loadLabelledSet } from "../../bench/labelled/labelled-queries.js";
import { systemClock } from "../../src/core/clock.js";
import { PACKAGE_ROOT } from "../../src/package-root.js";
import { createSearchEngine } from "../../src/search/search-engine.js";

/** A little below what was reached: a better ranking moves some of them. */
const LEAST = { precision: 0.9, recall: 0.65 };

t.test(
	"questions nobody fitted to are turned away when they must be, and rarely otherwise",
	async (t) => {
		const { graphs, queries } = await loadLabelledSet();
		const folder = join(PACKAGE_ROOT, "models", "bundled");
		const engine = await createSearchEngine({
			folder: t.testdir(),
			clock: systemClock,
			model: { folder, sums: "required" },
		});
		t.teardown(() => engine.close());
		await engine.sync(graphs);
		const { signal } = new AbortController();
		let said = 0;
		let meant = 0;
		let right = 0;
		for (const { query, graphs: ids, decision, split } of queries) {
			if (split !== "fresh") continue;
			const searched = graphs.filter(({ record }) => ids?.includes(record.id) ?? true);
			const outcome = await engine.find({ graphs: searched, query, limit: 5, signal });
			const isSaid = outcome.decision === "ABSTAIN";
			const isMeant = decision === "ABSTAIN";
			said += isSaid ? 1 : 0;
			meant += isMeant ? 1 : 0;
			right += isSaid && isMeant ? 1 : 0;
			t.equal(isSaid, outcome.rows.length === 0, "rows are sold unless the answer is ABSTAIN");
		}
		t.ok(meant >= 70);
		t.ok(right / said >= LEAST.precision, `precision ${right} of ${said}`);
		t.ok(right / meant >= LEAST.recall, `recall ${right} of ${meant}`);
	},
);

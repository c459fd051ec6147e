import t from "tap";
import { graphListingOf } from "../../src/knowledge/bundle/bundle-writer.js";
import { documentNamesIn } from "../../src/knowledge/import/document-names.js";
import type { Steps } from "../../src/knowledge/model/work-in-turns.js";
import { times } from "../support/times.js";

const ITEMS = 2_000;
/** So many between two steps take about as long as one document. */
const AT_ONCE = 25;

/** Items that note which of them were looked at. */
function watchedItems() {
	const touched = new Set<number>();
	const items = times(ITEMS, (index) => {
		const path = `notes/${index}.md`;
		return {
			title: `Note ${index}`,
			summary: "It says something.",
			aliases: [],
			get path() {
				touched.add(index);
				return path;
			},
		};
	});
	return { items, touched };
}

/** The most items that were looked at from one step to the next. */
function mostAtOnce(steps: Steps<unknown>, touched: Set<number>): number {
	let most = 0;
	for (let isDone = false; !isDone; touched.clear()) {
		isDone = steps.next().done ?? false;
		most = Math.max(most, touched.size);
	}
	return most;
}

t.test("naming very many documents, and listing them, lets other work in between", (t) => {
	for (const work of [
		documentNamesIn,
		(all: ReturnType<typeof watchedItems>["items"]) => graphListingOf("Many", all),
	]) {
		const { items, touched } = watchedItems();
		const most = mostAtOnce(work(items), touched);
		t.ok(most > 0 && most <= AT_ONCE, String(most));
	}
	t.end();
});

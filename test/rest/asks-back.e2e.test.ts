import t from "tap";
import { searchReplySchema } from "../../src/contract/contract.js";
import { startApp } from "../support/start-app.js";

const GOODS = "shoes boots sandals coats jackets gloves hats scarves belts bags".split(" ");
const OTHERS = "grills staff bills drills permits machines toner windows payroll holidays".split(
	" ",
);

const SHOP = Object.fromEntries([
	[
		"graph.md",
		"---\ntype: domain\nid: shop\ntitle: Shop\nversion: 1.0.0\nupdated: '2020-01-01'\n---\nA shop.\n",
	],
	["index.md", '---\nokf_version: "0.2"\n---\n# Shop\n'],
	...GOODS.map((goods) => [
		`${goods}.md`,
		`---\ntype: Rule\ntitle: Returning worn ${goods}\ndescription: Customers may return worn ${goods} within thirty days when a seam has failed.\n---\nKeep the receipt. The refund goes to the card used for ${goods}.\n`,
	]),
	...OTHERS.map((subject) => [
		`${subject}.md`,
		`---\ntype: Note\ntitle: About ${subject}\ndescription: Who looks after ${subject} and when.\n---\nSign the list of ${subject} afterwards.\n`,
	]),
]);

t.test(
	"a question that has to be asked back names what may be meant and costs nothing",
	async (t) => {
		const root = t.testdir({ graphs: { shop: SHOP } });
		const app = await startApp(t, {
			folder: `${root}/data`,
			settings: { catalog: `${root}/graphs`, model: "none" },
		});
		const { token, id } = await app.issueSpt("20");
		const balance = () => app.app.store.read((reader) => reader.balance(`cust:${id}`));
		const post = (path: string, body: object) =>
			app.send(`/v1/graphs/shop/${path}`, {
				method: "POST",
				headers: { "Content-Type": "application/json", "X-Pay-SPT": token },
				body: JSON.stringify(body),
			});
		const search = (query: string, path = "search") => post(path, { query });
		const before = await balance();
		const { status, body } = await search("how many days to return");
		t.equal(status, 200);
		t.match(body, {
			dataStatus: "WEAK_MATCH",
			rows: { length: 0 },
			meta: { decision: "CLARIFY", graphs_used: [], cost: { charged: false } },
		});
		t.equal(body.meta.suggestions.length, 5);
		t.ok(body.meta.suggestions.every((title: string) => title.startsWith("Returning worn ")));
		t.ok(searchReplySchema.safeParse(body).success);
		t.equal(await balance(), before);

		const context = await search("how many days to return", "context");
		t.match(context.body, {
			data: { context: "", nodes: { length: 0 } },
			meta: { decision: "CLARIFY", cost: { charged: false } },
		});
		const similar = await post("similar", { text: "how many days to return" });
		t.same(similar.body.data.items, []);
		t.match(similar.body.meta, { decision: "CLARIFY", cost: { charged: false } });
		t.equal(await balance(), before);

		const narrower = await search(body.meta.suggestions[0]);
		t.match(narrower.body.meta, { decision: "ANSWER", cost: { charged: true } });
		t.notOk("suggestions" in narrower.body.meta);
	},
);

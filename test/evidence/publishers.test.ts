import t from "tap";
import { findPublisher, sourceKindOf } from "../../src/evidence/publishers.js";

const kindOf = (sourceUrl: string, kind?: Parameters<typeof sourceKindOf>[0]["kind"]) =>
	sourceKindOf({ sourceUrl, kind });

t.test("the host decides what a source is, whatever the graph declares", async (t) => {
	t.equal(kindOf("https://www.rfc-editor.org/rfc/rfc9110"), "standard");
	t.equal(kindOf("https://eur-lex.europa.eu/eli/reg/2016/679/oj"), "law");
	t.equal(kindOf("https://aws.amazon.com/blogs/x", "standard"), "vendor");
	t.equal(kindOf("https://www.reuters.com/x", "law"), "press");
	t.equal(kindOf("https://www.sec.gov/Archives/edgar/data/320193/x.htm", "regulator"), "vendor");
});

t.test(
	"among law, standard and regulator the graph says which a document of an authority is",
	async (t) => {
		t.equal(kindOf("https://www.federalreserve.gov/x"), "regulator");
		t.equal(kindOf("https://www.federalreserve.gov/x", "law"), "law");
		t.equal(kindOf("https://www.federalreserve.gov/x", "press"), "regulator");
	},
);

t.test("of unknown hosts the graph alone speaks, and raises no tier", async (t) => {
	t.equal(kindOf("https://example.org/x"), undefined);
	t.equal(kindOf("https://example.org/x", "regulator"), "regulator");
	t.equal(findPublisher({ sourceUrl: "https://example.org/x" }).tier, 3);
});

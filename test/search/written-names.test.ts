import t from "tap";
import { rarityIn } from "../../src/search/lexical/common-words.js";
import { writtenAsNames } from "../../src/search/lexical/query-coverage.js";
import { readQuery } from "../../src/search/lexical/query-words.js";

const namesIn = (query: string) =>
	[...writtenAsNames(readQuery(query))].map(({ written }) => written);

t.test("names are found by their capitals, or by what only code and products have", async (t) => {
	t.same(namesIn("what does Stripe charge per payment"), ["Stripe"]);
	t.same(namesIn("encrypt a SAML assertion"), ["SAML"]);
	t.same(namesIn("React useEffect dependency array"), ["useEffect"]);
	t.same(namesIn("nginx proxy_read_timeout and blake3"), ["proxy_read_timeout", "blake3"]);
});

t.test("capitals say nothing at the start of a query or when every word has one", async (t) => {
	t.same(namesIn("Compare two signature schemes"), []);
	t.same(namesIn("HOW DO I ROTATE KEYS"), []);
	t.same(namesIn("Rotate Keys"), []);
	t.same(namesIn("which of v4 and v7 sorts"), []);
});

t.test("of a word longer than any name only the beginning is looked at", async (t) => {
	const letters = "x".repeat(1_900);
	t.same(namesIn(`${letters}X1 is it`), []);
	t.same(namesIn(`x1${letters} is it`), [`x1${letters}`]);
});

t.test(
	"rarity in the language goes by a word's place, its other forms and its pieces",
	async (t) => {
		const words = new Set(["pay", "sleep", "cross", "solana"]);
		const rarityOf = (query: string) => readQuery(query).map((word) => rarityIn(words, word));
		t.same(rarityOf("pay sleeps solana zebra"), [0, 0.25, 0.75, 1]);
		t.same(rarityOf("cross-pay go 2026"), [0.5, 0, undefined]);
		t.equal(rarityIn(new Set(), readQuery("zebra")[0] as never), undefined);
	},
);

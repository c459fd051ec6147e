import t from "tap";
import { extractClaims, toAtomicClaim } from "../../../skills/verify/claims/claim-extraction.js";
import { compareClaim } from "../../../skills/verify/claims/stance-comparator.js";
import { readCatalogText, readText } from "../../../skills/verify/claims/text-reading.js";

const stance = (claim: string, sentence: string, names: readonly string[] = []) =>
	compareClaim(toAtomicClaim(claim), sentence, { names }).stance;

t.test("each kind of difference refutes, and what says the same supports", (t) => {
	const cases: readonly (readonly [string, string, string])[] = [
		["The cache keeps 12 bytes of each key.", "The cache keeps 96 bits of each key.", "supports"],
		["The cache keeps 16 bytes of each key.", "The cache keeps 96 bits of each key.", "refutes"],
		["The fee rose by 5 percentage points.", "The fee rose by 5 %.", "refutes"],
		["The relay was released in May 2021.", "The relay was released on 7 May 2021.", "supports"],
		["The relay was released in June 2021.", "The relay was released on 7 May 2021.", "refutes"],
		["The relay was released before 2020.", "The relay was released in May 2021.", "refutes"],
		["The relay field is mandatory.", "The relay field is optional.", "refutes"],
		["The upgrade lowers the relay fee.", "The upgrade raises the relay fee.", "refutes"],
		["All relays sign receipts.", "Some relays sign receipts.", "refutes"],
		["RFC 7001 defines relay receipts.", "RFC 7002 defines relay receipts.", "refutes"],
		["Relay receipts expire after 90 days.", "Bees dance to tell where flowers are.", "neutral"],
	];
	for (const [claim, sentence, expected] of cases)
		t.equal(stance(claim, sentence), expected, claim);
	t.end();
});

t.test("the name a sentence takes for granted is that of its subject", (t) => {
	const claim = "EIP-7001 burns the relay fee.";
	t.equal(stance(claim, "It burns the relay fee.", ["Relay fee burning (EIP-7001)"]), "supports");
	t.not(stance(claim, "It burns the relay fee.", ["Relay fee burning (EIP-7002)"]), "supports");
	t.end();
});

t.test(
	"a claim of several parts is taken apart, and what states nothing is reported by its kind",
	(t) => {
		const kinds = (text: string) => extractClaims(text).map(({ kind }) => kind);
		t.same(kinds("Is the fee burned?"), ["question"]);
		t.same(kinds("I think the fee is too high."), ["opinion"]);
		t.same(kinds("By 2035 all fees will be burned."), ["prediction"]);
		t.same(kinds("Always rotate your keys."), ["instruction"]);
		t.same(kinds("PUT and DELETE are idempotent."), ["checkable"]);
		t.same(
			extractClaims("The relay signs receipts and stores them for 90 days.").map(
				({ text }) => text,
			),
			["The relay signs receipts.", "The relay stores them for 90 days."],
		);
		t.same(extractClaims(""), []);
		t.end();
	},
);

t.test("names, numbers and noise repeated state nothing, so nothing supports them", (t) => {
	const sentence = "RFC 9110 defines 12 methods of x.";
	for (const noise of ["RFC 9110 ".repeat(50), "12 ".repeat(50), "x ".repeat(50), "RFC 9110 12"]) {
		t.equal(stance(noise, sentence), "neutral", noise.slice(0, 12));
	}
	t.end();
});

t.test("one thing more than the sentence says, and it bears the claim out no longer", (t) => {
	const sentence = "The relay checks the signature of each frame before the window opens.";
	const cases: readonly (readonly [string, string])[] = [
		["The relay checks the signature of each frame.", sentence],
		["The relay checks the signature of each frame and its nonce.", sentence],
		["The relay only checks the signature of each frame.", sentence],
		["The first relay to check a signature checks that of each frame.", sentence],
		["All relays check the signature of a frame.", "A relay checks the signature of a frame."],
		["The relay was signed at MIT.", "The relay that was signed permitted frames."],
		["Relays have signed frames since 2011.", "Relays signed frames in 2017."],
		["The relay signed over 40 frames.", "The relay signed 95 frames."],
		["The relay predefines error -32100.", "The relay predefines error -32700."],
		["Relay frames are not kept as receipts.", "Relay frames are kept as receipts."],
	];
	const [[claim, said] = ["", ""], ...others] = cases;
	t.equal(stance(claim, said), "supports", claim);
	for (const [more, text] of others) t.not(stance(more, text), "supports", more);
	t.end();
});

t.test("what another clause or another subject denies refutes nothing", (t) => {
	const cases: readonly (readonly [string, string])[] = [
		[
			"A frame signed for one relay is refused by another relay.",
			"A frame that is signed for one relay is void on another.",
		],
		[
			"None of the relay rows is flagged for theft.",
			"The relay has 35 rows, more than others, none flagged for theft.",
		],
		[
			"A machine with neither screen nor keyboard can get a relay token.",
			"The client asks the relay for a token using only its own credentials.",
		],
	];
	for (const [claim, sentence] of cases) t.not(stance(claim, sentence), "refutes", claim);
	t.equal(
		stance(
			"The relay can only be told seconds.",
			"The relay can be told either a date or seconds.",
		),
		"refutes",
	);
	t.end();
});

t.test("readings of a catalog are remembered, those of what callers send are not", (t) => {
	const text = "The relay keeps 12 bytes.";
	t.equal(readCatalogText(text), readCatalogText(text));
	t.not(readText(text), readText(text));
	t.not(readText(text), readCatalogText(text));
	t.end();
});

t.test("who stands on which side of a word is part of what is claimed", (t) => {
	const sentence = "Frame tags take precedence over dates when both are sent.";
	t.equal(stance("Frame tags take precedence over dates.", sentence), "supports");
	t.not(stance("Dates take precedence over frame tags.", sentence), "supports");
	t.equal(stance("RFC 7001 was replaced by RFC 7002.", "RFC 7002 replaced RFC 7001."), "supports");
	t.end();
});

t.test("figures of both decide which is more, and counts give shares", (t) => {
	const counts = "Northwind has 27 relay rows and Contoso has 20 relay rows.";
	t.equal(stance("Northwind has more relay rows than Contoso.", counts), "supports");
	t.equal(stance("Contoso has more relay rows than Northwind.", counts), "refutes");
	const sentence = "The relay table has 16 rows, of which 12 rows are flagged.";
	t.equal(stance("Three quarters of the relay rows are flagged.", sentence), "supports");
	t.not(stance("Two thirds of the relay rows are flagged.", sentence), "supports");
	t.end();
});

t.test("quantities of different things, and names in one list, contradict nothing", (t) => {
	const cases: readonly (readonly [string, string])[] = [
		[
			"The relay gives frames no rank.",
			"The relay gives frames no rank, and some senders mind it.",
		],
		[
			"CVE-2025-7002 is a flaw of the Northwind relay.",
			"Two flaws of the Northwind relay, CVE-2025-7001 (added in May) and CVE-2025-7002 (added in June), are flagged.",
		],
		["A relay frame cannot be used before it is signed.", "Relay frames are used once signed."],
	];
	for (const [claim, sentence] of cases) t.not(stance(claim, sentence), "refutes", claim);
	t.end();
});

t.test("rules for clients can be checked, wishes and judgments cannot", (t) => {
	const kinds: Readonly<Record<string, string>> = {
		"A client should not reuse a nonce.": "checkable",
		"The best current practices for relays were published in 2020.": "checkable",
		"Cache-Relay does not change how relays behave.": "checkable",
		"The relay retries when it is about to lose a frame.": "checkable",
		"Relay tags do better than relay dates.": "checkable",
		"Browsers should stop supporting relays.": "opinion",
		"Relays are a neat little idea.": "opinion",
		"The relay library is far too bloated.": "opinion",
		"Relays are unlikely to survive.": "prediction",
		"By 2029 all relays are signed.": "prediction",
	};
	for (const [text, kind] of Object.entries(kinds))
		t.equal(extractClaims(text)[0]?.kind, kind, text);
	t.end();
});

t.test(
	"what stands in another role, or is said of another one, bears out nothing and denies nothing",
	(t) => {
		const cases: readonly (readonly [string, string, string])[] = [
			// Swapped between two things of a kind.
			[
				"The relay answers 409 when a key returns with another payload, and 422 while the first is running.",
				"The relay answers 409 while the first is running and 422 when a key returns with another payload.",
				"refutes",
			],
			[
				"The relay fee goes to the producer of the block.",
				"The relay fee is destroyed, only the priority fee goes to the producer of the block.",
				"refutes",
			],
			// One number of a unit lies within a bound, others do not.
			[
				"The relay key stays below 1,000 bytes.",
				"The relay key has 1184 bytes and 32 bytes.",
				"neutral",
			],
			[
				"The relay key has 122 bits.",
				"The relay key has 122 random bits behind 48 bits.",
				"supports",
			],
			["The relay fee is 120 million units.", "The relay fee is 120000000 units.", "supports"],
			[
				"Around 20 percent of relays sign receipts.",
				"One relay in five signs receipts.",
				"supports",
			],
			["Relay keys live for two and a half days.", "Relay keys live for 60 hours.", "supports"],
			// Parts of years, and lists of one series.
			["The relay was released in Q2 2021.", "The relay was released on 7 May 2021.", "supports"],
			["The relay was released in 06/2021.", "The relay was released on 7 May 2021.", "refutes"],
			[
				"The relay was released in the autumn of 2021.",
				"The relay was released on 7 May 2021.",
				"refutes",
			],
			["Relays refuse TLS 1.1.", "Relays refuse TLS 1.0 and 1.1.", "supports"],
			[
				"A third of relays signed receipts in 2025.",
				"RFC 7001 (June 2022) defines relay receipts.",
				"neutral",
			],
		];
		for (const [claim, sentence, expected] of cases)
			t.equal(stance(claim, sentence), expected, claim);
		t.end();
	},
);

t.test("an assurance, a name and a study's question are no prediction, order or judgment", (t) => {
	const kinds = (text: string) => extractClaims(text).map(({ kind }) => kind);
	t.same(kinds("Answering 202 is no promise that the job will succeed."), ["checkable"]);
	t.same(kinds("Let's Encrypt switched off its relay in August 2025."), ["checkable"]);
	t.same(kinds("The study of what a relay should deliver counted 16 relays."), ["checkable"]);
	t.same(kinds("Raising the limit was the wisest decision in years."), ["opinion"]);
	t.same(kinds("Let us switch off the relay."), ["instruction"]);
	t.end();
});

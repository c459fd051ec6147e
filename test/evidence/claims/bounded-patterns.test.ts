import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import t from "tap";
import { findQuantifiers, isDenial } from "../../../skills/verify/claims/polarity.js";
import { PACKAGE_ROOT } from "../../../src/kernel/package-info.js";

/** A gap between two words, of any length: looked over from each of many first words, it takes their number squared. */
const ENDLESS_GAP = /\[\^[^\]]+\][*+]\??(?:\\b|\\\)|\(|\w)/;

t.test("no pattern looks for its second word to the end of a text", (t) => {
	const folder = join(PACKAGE_ROOT, "skills/verify/claims");
	const files = readdirSync(folder).filter((name) => name.endsWith(".ts"));
	t.ok(files.length > 10, `${files.length} files`);
	for (const name of files) {
		const lines = readFileSync(join(folder, name), "utf8").split("\n");
		const endless = lines.filter((line) => line.includes("/") && ENDLESS_GAP.test(line));
		t.same(endless, [], name);
	}
	t.end();
});

t.test("two denials cancel where they stand near, as far as anybody writes", (t) => {
	const gap = (words: number) => "word ".repeat(words);
	t.notOk(isDenial(`no row ${gap(30)}without a flag`));
	t.ok(isDenial(`no row ${gap(60)}without a flag`));
	t.same(findQuantifiers(`no row ${gap(30)}without a flag`), ["all"]);
	t.notSame(findQuantifiers(`no row ${gap(60)}without a flag`), ["all"]);
	t.end();
});
